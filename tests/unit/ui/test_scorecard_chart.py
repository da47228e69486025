"""The comparison chart beside the scorecard, and rows of other tools."""

import itertools

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel, QSplitter

from tests.unit.ui.children import get_child
from tests.unit.ui.test_scorecard import BASE, BETTER, card, model, shown, widget
from ui.forms import Choice
from ui.live import LiveState, RunView
from ui.scorecard.chart_lines import lines_of
from ui.scorecard.columns import COLUMNS
from ui.scorecard.label_places import Box, places
from ui.scorecard.predicted import PREDICTED, predicted_lines

__all__ = ["model", "widget"]


def column(key):
    return next(column for column in COLUMNS if column.key == key)


def test_that_the_chart_draws_each_configuration_over_the_offered_rate():
    state = card(("b", None, None, BASE), ("v", "max_num_seqs", 32, BETTER))
    lines = lines_of(state, column("offered_rps"), column("completed_rps"))
    assert [(line.name, line.meaning, line.points) for line in lines] == [
        ("baseline", "baseline", ((12.0, 7.3),)),
        ("max_num_seqs = 32", "under_test", ((12.0, 11.9),)),
    ]


def test_that_the_chart_leaves_out_what_depends_on_the_length_of_a_diverging_run():
    state = card(("b", None, None, BASE), ("v", "max_num_seqs", 32, BETTER))
    lines = lines_of(state, None, column("ttft_p95_ms"))
    assert [(line.name, line.points) for line in lines] == [("max_num_seqs", ((32.0, 0.31),))]


def test_that_the_chart_shows_beside_the_table_when_asked(widget):
    widget.show_chart(on=True)
    assert widget.chart.isVisible()
    assert widget.chart.lines == []
    assert get_child(widget.chart, QLabel, "empty").isVisible()
    up = get_child(widget.chart, Choice, "up")
    up.setCurrentIndex(up.findData("completed_rps"))
    widget.chart.draw()
    assert [line.points for line in widget.chart.lines] == [((12.0, 7.3),), ((12.0, 11.9),)]
    assert not get_child(widget.chart, QLabel, "empty").isVisible()
    widget.show_chart(on=False)
    assert not widget.chart.isVisible()


def peers():
    state = LiveState(phase="opened")
    for name in ("vllm bench serve 10 req/s", "vllm bench serve 10 req/s #2"):
        row = {"run": name, "completed_rps": 7.5, "definitions_differ": "TTFT counts from the send"}
        state.runs[name] = RunView(
            name, control="tool", value="vllm bench serve", rate=5.0, status="imported", row=row
        )
    state.runs |= card(("b", None, None, {**BASE, "run": "b"})).runs
    return state


def test_that_another_tool_s_runs_are_neither_merged_nor_under_test_nor_judged(model):
    model.show_state(peers())
    names = [model.index(row, 0).data() for row in range(model.rowCount())]
    assert names == ["b", "vllm bench serve 10 req/s", "vllm bench serve 10 req/s #2"]
    assert not shown(model, 1, "run").under_test
    assert shown(model, 1, "verdict").text == "not compared"
    verdict = [column.key for column in COLUMNS].index("verdict")
    assert "from the send" in model.index(1, verdict).data(Qt.ItemDataRole.ToolTipRole)
    assert shown(model, 1, "objectives").text == ""


def test_that_another_tool_s_points_are_named_by_the_tool_and_not_in_pink():
    lines = lines_of(peers(), column("completed_rps"), column("completed_rps"))
    assert [(line.name, line.meaning) for line in lines] == [
        ("baseline", "baseline"),
        ("vllm bench serve", "other"),
    ]


NEAR = [(100.0, 50.0 + down, 60.0) for down in (0.0, 1.0, 2.0, 0.0)]


def test_that_names_of_near_points_stand_apart_from_each_other_and_from_the_points():
    found = places(NEAR, [[(x, y)] for x, y, _ in NEAR], (400.0, 200.0), 14.0)
    boxes = [place.box for place in found]
    assert not any(a.overlaps(b) for a, b in itertools.combinations(boxes, 2))
    points = Box(95.0, 45.0, 10.0, 12.0)
    assert not any(box.overlaps(points) for box in boxes)
    assert all(box.inside(400.0, 200.0) for box in boxes)
    assert sum(not place.led for place in found) == 1, "one stands beside its point, lines lead to the others"


def test_that_a_name_keeps_off_the_curves_and_is_left_out_where_there_is_no_room():
    curve = [(0.0, 20.0), (300.0, 20.0)]
    (place,) = places([(100.0, 20.0, 60.0)], [curve], (300.0, 100.0), 14.0)
    assert not place.box.overlaps(Box(0.0, 19.0, 300.0, 2.0))
    assert places([(10.0, 5.0, 60.0)], [[(10.0, 5.0)]], (40.0, 10.0), 14.0) == [None]


def test_that_the_chart_names_every_configuration_within_its_frame(widget, qtbot):
    close = {**BETTER, "completed_rps": 11.91}
    widget.show_state(
        card(("b", None, None, BASE), ("v", "max_num_seqs", 32, BETTER), ("w", "max_num_seqs", 64, close))
    )
    widget.resize(1200, 300)
    up = get_child(widget.chart, Choice, "up")
    up.setCurrentIndex(up.findData("completed_rps"))
    widget.show_chart(on=True)
    box = widget.chart.view.getPlotItem().getViewBox()
    names = [item for item in widget.chart.names if hasattr(item, "toPlainText")]
    assert {item.toPlainText() for item in names} == {"baseline", "max_num_seqs = 32", "max_num_seqs = 64"}
    assert box.viewRange()[1][0] == 0.0, "upwards it begins at 0"


def test_that_a_low_table_has_the_whole_width_and_the_chart_stands_below_it(widget, qtbot, settle):
    """Columns would scroll beside the chart, over an empty half."""
    few = [("b", None, None, BASE), ("v", "max_num_seqs", 32, BETTER)]
    widget.resize(1366, 410)
    widget.show_state(card(*few))
    widget.show_chart(on=True)
    qtbot.waitUntil(lambda: widget.table.width() == widget.width())
    settle(widget)
    assert widget.table.horizontalScrollBar().maximum() == 0
    assert widget.table.verticalScrollBar().maximum() == 0, "every row is seen"
    assert widget.chart.height() > widget.height() // 2
    widget.resize(1366, 200)
    qtbot.waitUntil(lambda: widget.chart.width() < widget.width() // 2)
    widget.resize(1366, 410)
    many = [(f"v{value}", "max_num_seqs", value, BETTER) for value in range(1, 40)]
    widget.show_state(card(few[0], *many))
    qtbot.waitUntil(lambda: widget.chart.width() < widget.width() // 2)
    settle(widget)
    assert widget.table.height() > widget.height() // 2
    widget.show_chart(on=False)
    qtbot.waitUntil(lambda: widget.table.width() == widget.width())


def test_that_table_and_chart_keep_the_room_that_the_user_gave_them(widget, qtbot, settle):
    widget.resize(1366, 410)
    widget.show_state(card(("b", None, None, BASE), ("v", "max_num_seqs", 32, BETTER)))
    widget.show_chart(on=True)
    qtbot.waitUntil(lambda: widget.table.width() == widget.width())
    get_child(widget, QSplitter, "split").setSizes([200, 200])
    settle(widget)
    given = get_child(widget, QSplitter, "split").sizes()
    widget.refresh()
    settle(widget)
    assert get_child(widget, QSplitter, "split").sizes() == given


FORETOLD = {
    "predicted_ttft_p95_ms": 290.0, "predicted_ttft_p95_lo_ms": 250.0, "predicted_ttft_p95_hi_ms": 330.0,
}  # fmt: skip


def test_that_measured_figures_stand_over_the_predicted_ones_with_their_bands(widget):
    runs = card(("b", None, None, BASE), ("v", "max_num_seqs", 32, {**BETTER, **FORETOLD}))
    (line,) = predicted_lines(runs, column("ttft_p95_ms"))
    assert (line.name, line.meaning) == ("max_num_seqs = 32", "under_test")
    assert line.points == ((0.29, 0.31),)
    assert line.bands == ((0.25, 0.33),)
    assert predicted_lines(runs, column("completed_rps")) == [], "not predicted"
    widget.show_chart(on=True)
    for name, value in (("up", "ttft_p95_ms"), ("across", PREDICTED)):
        choice = get_child(widget.chart, Choice, name)
        choice.setCurrentIndex(choice.findData(value))
    widget.chart.show_state(runs)
    assert widget.chart.lines == [line]
    assert not widget.chart.grab().isNull()
