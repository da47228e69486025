"""The steps panel: zoom, selection, and what it says."""

import itertools

import pytest
from PySide6.QtCore import QPoint, QPointF, Qt, QUrl
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QLabel, QTextBrowser

from tests.unit.ui.step_cases import HEADER, added, preemption, step
from ui.live import Changed, LiveState, RunView
from ui.steps import StepsPanel
from ui.steps.bands import Band
from ui.steps.hints import hint_at
from workbench.advice.blame import Blame, Culprit, Part, RequestBlame
from workbench.base import Place, Refusal
from workbench.experiments import StepsRecorded
from workbench.vllm_dialect import encode_step

FIRST, SECOND = "cmpl-1f2e3d4c-0", "chatcmpl-1f2e3d4c-1-0-5b6a7988"

LEDGER = Blame(
    requests=[
        RequestBlame(
            request="b",
            cls="document",
            e2e_ms=6000.0,
            parts=[
                Part("sequence_limit", 1000.0, True, ()),
                Part("preempted_wait", 4000.0, True, (Culprit("a", "chat", 4000.0),)),
                Part("decode_compute", 1000.0, False),
            ],
            unexplained_ms=0.0,
        )
    ],
    totals={"preempted_wait": 4000.0},
    matrix={},
)


def opened() -> LiveState:
    state = LiveState(phase="opened", bench="x.bench", read_only=True)
    state.runs["one"] = RunView(name="one", status="done", row={"completed": 3}, simulated=True)
    state.current = "one"
    return state


@pytest.fixture
def panel(qtbot, theme):
    panel = StepsPanel(theme, lambda _path, _run: [preemption()], lambda _path, _run: LEDGER)
    qtbot.addWidget(panel)
    panel.resize(1200, 700)
    panel.show()
    panel.show_state(opened())
    qtbot.waitUntil(lambda: panel.stage.scene is not None and panel.stage.scene.frame is not None)
    return panel


@pytest.fixture
def growing(qtbot, theme, tmp_path, monkeypatch):
    """A panel that follows a run's record, and the function that writes to it."""
    monkeypatch.setattr("ui.steps.live_steps.PAUSE_S", 0.001)
    file = tmp_path / "a.steps.jsonl"
    written = itertools.count()

    def write(count):
        with file.open("ab") as record:
            for t in itertools.islice(written, count):
                lines = [HEADER, added(FIRST, 40), added(SECOND, 16)] if t == 0 else []
                lines += step(t, {FIRST: 1}, run=[FIRST], new=[FIRST] if t == 0 else [], wait=1, why="seat")
                record.write(b"".join(map(encode_step, lines)))

    def read_stored(_path, _run):
        raise Refusal("experiments.no_step_record", Place(file="x.bench"), run="one")

    state = LiveState(phase="running", bench="x.bench")
    state.runs["one"] = RunView(name="one", status="running")
    state.current = "one"
    panel = StepsPanel(theme, read_stored, lambda _path, _run: None)
    qtbot.addWidget(panel)
    panel.resize(1200, 700)
    panel.show()
    panel.show_state(state)
    write(30)
    state.apply(
        StepsRecorded(
            run="one", zero=10.0, records=[(str(file), 0)], classes=["chat", "document"], row_classes=[0, 1]
        )
    )
    panel.on_change(Changed.RUN)
    return panel, state, write


def newest(panel):
    return panel.stage.scene.data.arrays.end if panel.stage.scene else 0.0


def test_that_a_growing_record_is_followed_until_the_user_pans_and_on_request_again(qtbot, growing):
    panel, _state, write = growing
    qtbot.waitUntil(lambda: newest(panel) == 29.5)
    stage = panel.stage
    assert stage.following
    assert (stage.scene.view.begin, stage.scene.view.end) == (9.5, 29.5)
    assert stage.scene.data.arrays.classes == ["chat", "document"]
    assert stage.scene.data.arrays.requests.cls.tolist() == [0, 1]
    write(10)
    qtbot.waitUntil(lambda: newest(panel) == 39.5)
    assert stage.scene.view.end == 39.5
    qtbot.keyClick(stage, Qt.Key.Key_Left)
    held = (stage.scene.view.begin, stage.scene.view.end)
    assert not panel._follow.isChecked()
    write(10)
    qtbot.waitUntil(lambda: newest(panel) == 49.5)
    assert (stage.scene.view.begin, stage.scene.view.end) == held
    panel._follow.click()
    assert stage.scene.view.end == 49.5
    qtbot.waitUntil(lambda: not stage.scene.overview_due and stage.scene.overview.window.end >= 49.5)


def test_that_the_stored_record_is_read_at_the_end_of_a_followed_run(qtbot, growing):
    panel, state, _write = growing
    qtbot.waitUntil(lambda: newest(panel) == 29.5)
    state.runs["one"].status, state.runs["one"].row = "done", {"completed": 1}
    panel.on_change(Changed.ROWS)
    assert not panel._live.active
    qtbot.waitUntil(lambda: "record_steps" in panel.stage._message)


def middle_of(panel, lane, t):
    where, scene = panel.stage.geometry_now(), panel.stage.scene
    return QPointF(where.x(t, scene.view), where.lane_middle(lane, scene.data.lanes))


def click(qtbot, panel, place):
    qtbot.mouseClick(panel.stage, Qt.MouseButton.LeftButton, pos=place.toPoint())


def test_that_the_frames_pictures_have_the_size_of_their_bands(panel):
    where, frame = panel.stage.geometry_now(), panel.stage.scene.frame
    ratio = panel.stage.devicePixelRatioF()
    assert {band: image.height() for band, image in frame.images.items()} == {
        place.band: round(place.height * ratio) for place in where.places
    }


def test_that_a_click_on_a_bar_tells_where_its_time_went_and_who_caused_it(qtbot, panel):
    qtbot.waitUntil(lambda: panel._ledger is not None)
    with qtbot.waitSignal(panel.request_chosen) as chosen:
        click(qtbot, panel, middle_of(panel, 0, 4.9))
    assert chosen.args == ["one", "b"]
    scene = panel.stage.scene
    assert scene.request == 1
    assert scene.culprits == {0}
    story = panel.findChild(QLabel, "story").text()
    assert story.startswith(
        "#1 document took 6.00 s: 4.00 s waited after a preemption (behind #0 chat); 1.00 s"
    )


def test_that_a_click_on_a_column_lists_who_was_scheduled_and_why_others_were_not(qtbot, panel):
    budget = panel.stage.geometry_now().band(Band.BUDGET)
    x = panel.stage.geometry_now().x(2.2, panel.stage.scene.view)
    click(qtbot, panel, QPointF(x, budget.center().y()))
    text = panel.findChild(QTextBrowser, "step").toPlainText()
    assert "Step 2" in text
    assert "preempted: #0 took its KV blocks" in text
    assert "16 of 64 tokens" in text
    panel.details._follow(QUrl("1"))
    assert panel.stage.scene.request == 1


def test_that_the_wheel_zooms_at_the_pointer_and_keys_bring_the_whole_run_back(qtbot, panel):
    stage = panel.stage
    where = stage.geometry_now()
    x = where.plot.left() + where.plot.width() / 4
    before = where.t(x, stage.scene.view)
    stage.zoom(2.0, x)
    assert stage.geometry_now().t(x, stage.scene.view) == pytest.approx(before)
    assert stage.scene.view.span == pytest.approx(2.75)
    qtbot.keyClick(stage, Qt.Key.Key_Home)
    assert stage.scene.view.is_whole
    qtbot.keyClick(stage, Qt.Key.Key_Right, Qt.KeyboardModifier.ControlModifier)
    qtbot.keyClick(stage, Qt.Key.Key_Right, Qt.KeyboardModifier.ControlModifier)
    assert stage.scene.step == 1
    qtbot.keyClick(stage, Qt.Key.Key_Escape)
    assert stage.scene.step is None


def test_that_a_hint_says_what_is_under_the_pointer(panel):
    stage = panel.stage
    where = stage.geometry_now()
    assert "recompute" in hint_at(stage.scene, where, middle_of(panel, 0, 4.2))
    assert hint_at(stage.scene, where, middle_of(panel, 1, 3.2)) == "free slot"
    queue = where.band(Band.QUEUE)
    hint = hint_at(stage.scene, where, QPointF(where.x(3.2, stage.scene.view), queue.center().y()))
    assert "too few KV blocks are free" in hint


def test_that_another_panels_request_is_highlighted_and_shown_closer_if_asked_for(panel):
    panel.follow_request("one", "c")
    assert panel.stage.scene.request == 2
    assert panel.stage.scene.view.is_whole
    panel.show_request("one", "c")
    assert panel.stage.scene.view.is_whole, "it waits from the first step to the last one"


def test_that_a_span_of_time_asked_for_from_a_plot_is_shown(panel):
    panel.show_span("one", 2.0, 3.0)
    view = panel.stage.scene.view
    assert view.begin <= 2.0
    assert view.end >= 3.0
    assert view.span < 1.5


def test_that_a_run_without_a_record_says_what_to_do(qtbot, theme):
    def refuse(_path, run):
        raise Refusal("experiments.no_step_record", Place(file="x.bench"), run=run)

    panel = StepsPanel(theme, refuse, lambda _path, _run: None)
    qtbot.addWidget(panel)
    panel.show()
    panel.show_state(opened())
    qtbot.waitUntil(lambda: "record_steps" in panel.stage._message)


def test_that_the_visible_time_is_played_from_its_begin_and_escape_shows_all_again(qtbot, panel):
    panel.play_when_read()
    scene = panel.stage.scene
    assert panel.stage.playing
    assert scene.upto == scene.view.begin
    qtbot.waitUntil(lambda: scene.upto > scene.view.begin)
    qtbot.keyClick(panel.stage, Qt.Key.Key_Space)
    assert not panel.stage.playing
    qtbot.keyClick(panel.stage, Qt.Key.Key_Escape)
    assert scene.upto is None


@pytest.mark.parametrize("ending", ["png", "svg"])
def test_that_the_picture_is_saved(panel, tmp_path, ending):
    path = tmp_path / f"steps.{ending}"
    panel.save_picture(path)
    assert path.stat().st_size > 2000
    if ending == "png":
        assert QImage(str(path)).width() >= 1920


def test_that_every_state_paints(panel):
    stage = panel.stage
    for span in ((0.0, 5.5), (1.9, 2.6), (4.0, 4.2)):
        stage.set_view(stage.scene.view.at(span[0], span[1] - span[0]))
        stage.choose(1, 4)
        stage.scene.pointer = QPointF(QPoint(300, 300))
        assert not stage.grab().isNull()
