"""Sliders that change the running server, greyed with the reason where they can't."""

import pytest
from PySide6.QtCore import Qt, QTimer

from ui.live import Changed, LiveState, RunView
from ui.live.bottlenecks import LimitStep
from ui.live_limits import LiveLimitsPanel
from workbench.base import message
from workbench.experiments import LimitsReported, LiveLimitChanged
from workbench.servers import LiveLimit


def told(*limits):
    return LimitsReported(limits=list(limits))


def seats(value=16, **changes):
    return LiveLimit(name="max_num_active_seqs", value=value, minimum=1, maximum=64, **changes)


def changed(new, **fields):
    held = {
        "run": "v", "run_t": 12.5, "name": "max_num_active_seqs", "asked": new, "old": 16, "new": new,
        "accepted": True, "refusal": None, "by": "user",
    }  # fmt: skip
    return LiveLimitChanged(**{**held, **fields})


@pytest.fixture
def state():
    return LiveState(phase="running", server="ready", current="v", runs={"v": RunView("v")})


@pytest.fixture
def panel(qtbot, theme, state):
    panel = LiveLimitsPanel(theme)
    qtbot.addWidget(panel)
    panel.resize(260, 240)
    panel.show_state(state)
    panel.show()
    return panel


def test_that_without_a_server_there_is_only_a_sentence(panel):
    assert not any(row.isVisible() for row in panel.rows.values())
    assert "while a server with live limits runs" in panel.note.text()


def test_that_limits_of_a_busy_server_are_there_to_be_moved(panel, state):
    state.apply(told(seats()))
    state.server = "busy"
    panel.on_change(Changed.SERVER)
    assert panel.rows["max_num_active_seqs"].isVisible()
    state.server = "degraded"
    panel.on_change(Changed.SERVER)
    assert not panel.rows["max_num_active_seqs"].isVisible()


def test_that_a_moved_slider_asks_for_the_value_it_came_to_rest_at(panel, state, qtbot):
    panel.on_change(state.apply(told(seats())))
    row = panel.rows["max_num_active_seqs"]
    assert (row.slider.minimum(), row.slider.maximum(), row.slider.value()) == (1, 64, 16)
    wanted = []
    panel.limit_wanted.connect(lambda *asked: wanted.append(asked))
    qtbot.keyClick(row.slider, Qt.Key.Key_Right)
    qtbot.keyClick(row.slider, Qt.Key.Key_Right)
    assert row.field.value() == 18
    qtbot.waitUntil(lambda: wanted == [("max_num_active_seqs", 18)])


def test_that_a_limit_that_can_t_be_changed_says_why_in_its_row(panel, state):
    blocks = LiveLimit(name="parked_kv_blocks", reason="the engine has no blocks to withhold")
    panel.on_change(state.apply(told(seats(), blocks)))
    row = panel.rows["parked_kv_blocks"]
    assert "no blocks to withhold" in row.why.text()
    assert not row.slider.isEnabled()
    assert not row.slider.isVisible()


def test_that_one_reason_for_all_is_said_once_with_its_remedy(panel, state, qtbot):
    reason = message("servers.live_limits_off")
    limits = [LiveLimit(name=name, reason=str(reason), reason_message=reason) for name in panel.rows]
    panel.on_change(state.apply(told(*limits)))
    assert "started without live limits" in panel.note.text()
    assert "live_limits" not in panel.note.text()
    assert not any(row.isVisible() for row in panel.rows.values())
    with qtbot.waitSignal(panel.allow_wanted):
        qtbot.mouseClick(panel.allow, Qt.MouseButton.LeftButton)


def test_that_a_refusal_is_said_and_the_slider_goes_back(panel, state):
    panel.on_change(state.apply(told(seats())))
    row = panel.rows["max_num_active_seqs"]
    row.slider.setValue(40)
    row.findChild(QTimer).stop()
    panel.on_change(state.apply(changed(16, asked=40, accepted=False, refusal="above what was launched")))
    assert "above what was launched" in row.why.text()
    assert row.slider.value() == 16


def test_that_a_change_is_marked_on_the_run_it_fell_into(state):
    state.apply(told(seats()))
    assert state.apply(changed(8)) == Changed.LIMITS
    assert state.runs["v"].moments == [LimitStep(12.5, "max_num_active_seqs", 16, 8)]
    assert state.live_limits["max_num_active_seqs"].value == 8
    state.apply(changed(16, run=None, run_t=None, by="restored"))
    assert len(state.runs["v"].moments) == 1


def test_that_a_slider_changes_the_running_server_and_the_plots_mark_it(window, qtbot, monkeypatch):
    monkeypatch.setenv("FAKE_HOLD", "1")
    window.insights.unfold()
    window.commands.run_demo()
    row = window.live_limits.rows["max_num_active_seqs"]
    qtbot.waitUntil(lambda: row.slider.isVisible() and window.runs.state.index == 1)
    qtbot.waitUntil(lambda: len(window.runs.state.current_run().series) > 5)
    row.slider.setValue(8)
    qtbot.waitUntil(lambda: bool(window.runs.state.limit_changes))
    run = window.runs.state.runs["baseline @ 12 req/s"]
    assert (run.moments[0].old, run.moments[0].new) == (16, 8)
    qtbot.waitUntil(lambda: not window.runs.running)
    window.plots.choose_run(run.name)
    lines = window.plots.main.markers.lines
    assert [line.value() for line in lines] == [run.moments[0].run_t]
    assert not row.isVisible()
