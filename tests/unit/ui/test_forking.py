"""What if: a moment of a run, one changed limit, and how both futures differ."""

import threading
from functools import partial
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QLabel, QPushButton, QTextBrowser
from pytestqt.qtbot import QtBot

from tests.unit.ui.children import get_child
from tests.unit.ui.step_cases import preemption
from tests.unit.ui.test_steps import opened
from ui.forms import Choice, WholeField
from ui.live import LiveState
from ui.look.theme import Theme
from ui.steps import StepsPanel, fork_work
from ui.steps.fork_dialog import ForkDialog
from ui.steps.fork_page import fork_html
from ui.steps.fork_work import ForkWork
from ui.window.main_window import MainWindow
from workbench.engine import ForkOrder, Recording, play_fork, read_recording

RECORD = Path(__file__).parents[2] / "data" / "parity" / "serve" / "serve-60-blocks.steps.jsonl.gz"


@pytest.fixture
def panel(qtbot: QtBot, theme: Theme, monkeypatch: pytest.MonkeyPatch) -> StepsPanel:
    def recording(_bench: Path, _run: str) -> Recording:
        return read_recording(RECORD)

    monkeypatch.setattr(fork_work, "bench_recording", recording)
    monkeypatch.setattr(fork_work, "ForkOrder", partial(ForkOrder, draws=1))
    panel = StepsPanel(theme, lambda _path, _run: [preemption()], lambda _path, _run: None)
    qtbot.addWidget(panel)
    panel.resize(1200, 700)
    panel.show()
    state = opened()
    state.runs["one"].limits["max_num_seqs"] = 8
    panel.show_state(state)
    qtbot.waitUntil(lambda: panel.stage.scene is not None and panel.stage.scene.frame is not None)
    return panel


def play(panel: StepsPanel, qtbot: QtBot, value: int) -> None:
    panel.forking.ask(2)
    dialog = panel.findChild(ForkDialog)
    assert dialog is not None
    assert get_child(dialog, Choice, "control").currentData() == "max_num_seqs"
    assert get_child(dialog, WholeField, "value").value() == 16, "twice the run's"
    get_child(dialog, WholeField, "value").setValue(value)
    qtbot.mouseClick(get_child(dialog, QPushButton, "play"), Qt.MouseButton.LeftButton)


def test_a_moment_is_found_under_the_pointer(panel: StepsPanel) -> None:
    scene, where = panel.stage.scene, panel.stage.geometry_now()
    assert scene is not None
    middle = float(scene.data.arrays.steps.begin[3] + scene.data.arrays.steps.end[3]) / 2
    place = QPoint(round(where.x(middle, scene.view)), round(where.plot.center().y()))
    assert panel.forking.step_at(place) == 3
    panel.stage.select_step(1)
    assert panel.forking.step_at(QPoint(0, 0)) == 1, "beside the plot, the selected one"


def test_both_futures_are_compared_beside_the_stage(panel: StepsPanel, qtbot: QtBot) -> None:
    play(panel, qtbot, 2)
    page = panel.forking.page
    assert panel.details.currentWidget() is page
    assert not get_child(page, QPushButton, "fork_cancel").isHidden()
    qtbot.waitUntil(lambda: page.has_result)
    assert get_child(page, QPushButton, "fork_cancel").isHidden()
    text = get_child(page, QTextBrowser, "fork").toPlainText()
    assert "decisions as recorded" in text
    assert "TTFT mean (ms)" in text
    assert "✗" in text, "fewer sequences at once make requests wait"
    assert "2" in get_child(page, QLabel, "fork_title").text()


def test_a_cancelled_fork_ends_without_a_result(panel: StepsPanel, qtbot: QtBot) -> None:
    play(panel, qtbot, 2)
    get_child(panel.forking.page, QPushButton, "fork_cancel").click()
    assert not panel.forking.page.has_result
    panel.forking._background.wait()
    assert not panel.forking.page.has_result
    work = ForkWork(RECORD, "one", 2, {"max_num_seqs": 2})
    work.cancel()
    assert work.play() is None


def test_another_plan_cancels_the_fork(
    panel: StepsPanel, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    cancelled = threading.Event()
    monkeypatch.setattr(ForkWork, "play", lambda _work: cancelled.wait() or None)
    monkeypatch.setattr(ForkWork, "cancel", lambda _work: cancelled.set())
    play(panel, qtbot, 2)
    try:
        panel.show_state(LiveState())
        assert cancelled.is_set()
    finally:
        cancelled.set()
    panel.forking._background.wait()


def test_closing_the_window_cancels_the_fork(window: MainWindow) -> None:
    room = window.docks["steps"].widget()
    assert isinstance(room, StepsPanel)
    room.forking._work = work = ForkWork(RECORD, "one", 2, {"max_num_seqs": 2})
    window.closed.emit()
    assert work._cancelled.is_set()


def test_a_change_that_alters_no_decision_claims_nothing(theme: Theme) -> None:
    result = play_fork(read_recording(RECORD), ForkOrder(step=300, changes={"max_num_seqs": 4096}))
    assert result.differs_at is None
    assert "<table" not in fork_html(result, theme)
