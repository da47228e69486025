import itertools
from types import SimpleNamespace

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QImage, QPainter, QPixmap
from PySide6.QtWidgets import QApplication, QComboBox, QFileDialog, QLabel

from tests.unit.ui.children import get_child
from ui.live import COLUMNS, LiveState, RunSeries, RunView, machine_values
from ui.plots import PlotGrid
from ui.plots.caption import PlotCaption
from ui.plots.end_labels import spread
from ui.plots.plot import rises
from ui.plots.saving import data_text
from ui.plots.specs import FIRST_SHOWN, PLOTS
from workbench.experiments import SampleTaken


def series(samples=40, **columns):
    held = RunSeries()
    for step in range(samples):
        values = {name: call(step) for name, call in columns.items()}
        held.append_values(step * 0.5, [values.get(name) for name in COLUMNS])
    return held


def state_with(*runs):
    state = LiveState(phase="running", simulated=True, current=runs[-1].name)
    state.runs = {run.name: run for run in runs}
    return state


@pytest.fixture
def grid(qtbot, theme):
    grid = PlotGrid(theme)
    qtbot.addWidget(grid)
    grid.resize(900, 500)
    grid.show()
    return grid


def plot_of(grid, id_):
    return next(plot for plot in grid.plots if plot.spec.id == id_)


def test_that_every_column_drawn_is_one_of_the_samples():
    for spec in PLOTS:
        columns = RunView("r").of_source(spec.source).columns
        assert all(curve.column in columns for curve in spec.curves)
        assert spec.marks in {None, *columns}


def test_that_the_tested_limit_is_pink_and_any_other_is_not(grid, theme):
    run = RunView("v", control="max_num_seqs", value=32, limits={"max_num_seqs": 32}, duration_s=20.0)
    run.series = series(running=lambda step: 20.0)
    grid.set_state(state_with(run))
    grid.draw_all()
    line = plot_of(grid, "scheduler").level.line
    assert line.isVisible()
    assert line.opts["pen"].color() == theme.mark("under_test")
    other = RunView("w", control="block_size", value=32, limits={"max_num_seqs": 32}, series=run.series)
    grid.set_state(state_with(other))
    assert line.opts["pen"].color() != theme.mark("under_test")


def test_the_lower_one_of_two_sequence_limits_is_drawn(grid):
    limits = {"max_num_seqs": 64, "max_num_active_seqs": 32}
    run = RunView("v", limits=limits, series=series(running=lambda step: 20.0))
    grid.set_state(state_with(run))
    grid.draw_all()
    assert plot_of(grid, "scheduler").header.said().startswith("limit 32")


def test_an_unknown_limit_is_not_drawn(grid):
    grid.set_state(state_with(RunView("v", series=series(running=lambda step: 20.0))))
    grid.draw_all()
    assert not plot_of(grid, "scheduler").level.line.isVisible()
    assert "limit" not in plot_of(grid, "scheduler").header.said()


def test_that_a_limit_far_above_the_data_does_not_flatten_it(grid):
    run = RunView("v", limits={"max_num_seqs": 1024}, duration_s=20.0)
    run.series = series(running=lambda step: 20.0)
    grid.set_state(state_with(run))
    grid.draw_all()
    plot = plot_of(grid, "scheduler")
    assert not plot.level.line.isVisible()
    assert plot.top < 50
    assert plot.header.said().startswith("limit 1024")


def test_that_unknown_values_show_as_such_and_leave_no_curve(grid):
    run = RunView("v", duration_s=20.0)
    run.series = series(running=lambda step: 3.0)
    grid.set_state(state_with(run))
    grid.draw_all()
    kv = plot_of(grid, "kv")
    assert len(kv.curves[0].getData()[0]) == 0
    assert "used –" in kv.summary()


def test_that_a_watch_draws_the_server_s_own_latencies_and_says_only_what_it_has(grid):
    run = RunView("watch", watched=True)
    run.series = series(server_ttft_ms=lambda step: 800.0, server_itl_ms=lambda step: 20.0)
    grid.set_state(state_with(run))
    grid.draw_all()
    assert plot_of(grid, "ttft").summary() == "TTFT: server's mean 0.800 s"
    assert plot_of(grid, "itl").summary() == "ITL: server's mean 20.0 ms"
    assert plot_of(grid, "ttft").reason.text() == ""


def test_that_a_run_of_ours_has_no_place_for_the_server_s_mean(grid):
    run = RunView("v", series=series(ttft_p95_ms=lambda step: 800.0))
    grid.set_state(state_with(run))
    grid.draw_all()
    assert "server" not in plot_of(grid, "ttft").summary()


def test_that_preemptions_are_marked_where_they_happened(grid):
    run = RunView("v", duration_s=20.0)
    run.series = series(preemptions=lambda step: float(step // 10), kv_usage=lambda step: 0.9)
    assert rises(run.series, "preemptions") == [5.0, 10.0, 15.0]
    grid.set_state(state_with(run))
    grid.draw_all()
    assert len(plot_of(grid, "kv").marks.getData()[0]) == 3


def test_that_zooming_one_plot_moves_all_and_a_double_click_follows_again(grid):
    run = RunView("v", duration_s=20.0, series=series(running=lambda step: 3.0))
    grid.set_state(state_with(run))
    grid.draw_all()
    grid.plots[0].zoomed.emit(5.0, 8.0)
    assert not grid.following
    assert all(plot.item().getViewBox().viewRange()[0] == [5.0, 8.0] for plot in grid.plots)
    grid.plots[0].follow_asked.emit()
    grid.tick()
    assert grid.following
    assert grid.plots[3].item().getViewBox().viewRange()[0][0] == 0.0


def test_that_the_cross_hair_reads_all_plots_at_one_moment(grid):
    run = RunView("v", duration_s=20.0)
    run.series = series(running=float, kv_usage=lambda step: step / 100)
    grid.set_state(state_with(run))
    grid.draw_all()
    grid.plots[0].pointed.emit(10.0)
    assert "running 20" in plot_of(grid, "scheduler").summary()
    assert "used 20.0" in plot_of(grid, "kv").summary()
    grid.plots[0].pointed.emit(float("nan"))
    assert "running 39" in plot_of(grid, "scheduler").summary()


def test_that_any_run_can_be_drawn_behind(grid):
    first = RunView("a", control="max_num_seqs", value=8, series=series(waiting=lambda step: 5.0))
    second = RunView("b", control="max_num_seqs", value=16, series=series(waiting=lambda step: 1.0))
    grid.set_state(state_with(first, second))
    assert grid.behind() is None
    grid.choose_behind("a")
    grid.draw_all()
    assert np.nanmax(plot_of(grid, "scheduler").behind_curves[1].getData()[1]) == 5.0


def test_that_paused_plots_stand_still_and_catch_up(grid):
    run = RunView("v", duration_s=20.0, series=series(samples=5, running=lambda step: 3.0))
    grid.set_state(state_with(run))
    grid.draw_all()
    grid.set_paused(on=True)
    run.series.append_values(99.0, [1.0] * len(COLUMNS))
    grid.mark_dirty()
    for _ in range(10):
        grid.tick()
    assert plot_of(grid, "scheduler").curves[0].getData()[0][-1] < 99.0
    grid.set_paused(on=False)
    for _ in range(10):
        grid.tick()
    assert plot_of(grid, "scheduler").curves[0].getData()[0][-1] == 99.0


def test_that_a_plot_s_data_can_be_copied_as_a_table(grid, qtbot):
    run = RunView("v", duration_s=20.0, series=series(samples=3, running=float))
    grid.set_state(state_with(run))
    menu = grid.menu.open(grid.plots[0], run, QPoint(10, 10))
    next(action for action in menu.actions() if action.text() == "Copy data").trigger()
    menu.close()
    lines = QApplication.clipboard().text().splitlines()
    assert lines == ["run_t_s\trunning\twaiting", "0\t0\t", "0.5\t1\t", "1\t2\t"]


@pytest.mark.parametrize("ending", ["png", "svg"])
def test_that_a_plot_s_picture_can_be_saved(grid, qtbot, tmp_path, ending):
    run = RunView("v", duration_s=20.0, series=series(running=lambda step: 3.0))
    grid.set_state(state_with(run))
    grid.draw_all()
    menu = grid.menu.open(grid.plots[0], run, QPoint(10, 10))
    next(action for action in menu.actions() if action.text() == "Save picture…").trigger()
    menu.close()
    dialog = grid.findChild(QFileDialog)
    dialog.selectFile(str(tmp_path / f"plot.{ending}"))
    with qtbot.waitSignal(grid.menu.said) as said:
        dialog.accept()
    assert said.args[0] == "info", said.args
    assert (tmp_path / f"plot.{ending}").stat().st_size > 1000


def test_that_saved_data_leaves_the_unknown_empty():
    assert data_text(series(samples=1, running=lambda step: 1.0), PLOTS[0].curves).endswith("0,1,\n")


def test_that_a_right_click_opens_the_menu(grid, qtbot):
    view = grid.plots[0].view
    with qtbot.waitSignal(grid.plots[0].menu_asked):
        qtbot.mouseClick(view.viewport(), Qt.MouseButton.RightButton, pos=view.viewport().rect().center())
    QApplication.activePopupWidget().close()


def test_that_labels_never_overlap_and_stay_inside():
    ends = [(5.0, 0, 1.0), (6.0, 1, 1.0), (7.0, 2, 1.0)]
    placed = [pixel for pixel, _, _ in spread(ends, 12.0, 100.0)]
    assert all(after - before >= 12.0 for before, after in itertools.pairwise(placed))
    high = spread([(99.0, 0, 1.0), (99.5, 1, 1.0)], 12.0, 100.0)
    assert high[-1][0] <= 94.0


def test_that_the_main_plot_has_at_least_half_of_the_area(grid, settle):
    for ids in (FIRST_SHOWN, tuple(spec.id for spec in PLOTS)):
        grid.show_plots(ids)
        for width, height in ((736, 440), (1400, 700)):
            grid.resize(width, height)
            settle(grid)
            large = [plot for plot in grid.shown if not plot.small]
            areas = {plot: plot.width() * plot.height() for plot in grid.shown}
            assert sum(areas[plot] for plot in large) >= 0.5 * sum(areas.values())
    grid.show_plots(("unheard of",))
    assert len(grid.shown) == len(PLOTS)
    grid.show_plots(("itl",))
    assert [plot.spec.id for plot in grid.plots if plot.isVisible()] == ["itl"]
    assert grid.main.spec.id == "itl"


def test_that_a_click_on_a_small_plot_swaps_it_and_the_choice_is_kept(make_window, qtbot):
    window = make_window()
    grid = window.plots
    window.centre.setCurrentWidget(grid)
    assert grid.main.spec.id == "scheduler"
    qtbot.mouseClick(plot_of(grid, "ttft").header, Qt.MouseButton.LeftButton)
    assert (grid.main.spec.id, plot_of(grid, "parts").small) == ("ttft", False)
    assert plot_of(grid, "scheduler").small
    assert not window.plot_choice.by_question.isChecked()
    again = make_window()
    assert again.plots.main.spec.id == "ttft"
    again.plot_choice.by_question.trigger()
    assert again.plots.main.spec.id == "scheduler"
    assert again.plot_choice.by_question.isChecked()


@pytest.mark.parametrize(
    ("row", "objectives", "control", "expected"),
    [
        ({"diverging": True}, {"ttft_p95_ms": 500}, "max_num_seqs", "scheduler"),
        ({"diverging": False}, {"ttft_p95_ms": 500}, "max_num_seqs", "ttft"),
        ({"diverging": True, "preemptions": 4}, {}, "max_num_seqs", "kv"),
        ({}, {}, "gpu_memory_utilization", "kv"),
        ({}, {"ttft_p95_ms": 500}, "max_num_seqs", "scheduler"),
    ],
)
def test_that_the_question_chooses_the_main_plot_once_for_a_plan(grid, row, objectives, control, expected):
    run = RunView("v", control=control, value=1, row=row, series=series(running=float))
    state = state_with(run)
    state.objectives = objectives
    grid.set_state(state)
    assert grid.main.spec.id == expected
    run.row = {"diverging": True, "preemptions": 1}
    grid.refresh_run()
    assert grid.main.spec.id == expected, "nothing moves by itself"


def level_pixels(plot, colour):
    """How many columns of the plot have a pixel of the level's color."""
    image = plot.view.grab().toImage().convertToFormat(QImage.Format.Format_RGB32)
    shape = (image.height(), image.bytesPerLine() // 4)
    pixels = np.frombuffer(image.constBits(), np.uint32).reshape(shape)[:, : image.width()]
    axis = plot.item().getViewBox().sceneBoundingRect()
    inside = pixels[:, round(axis.left()) + 2 : round(axis.right()) - 2] & 0xFFFFFF
    return int((inside == (colour.rgb() & 0xFFFFFF)).any(axis=0).sum()) / inside.shape[1]


def test_that_a_reference_line_is_always_drawn(window, theme, qtbot, settle):
    run = RunView("v", duration_s=20.0, series=series(ttft_p95_ms=lambda step: 900.0))
    run.row, state = {"ttft_p95_ms": 900.0}, state_with(run)
    state.phase, state.objectives = "finished", {"ttft_p95_ms": 1000.0}
    window.runs.show_bench(state)
    window.plots.draw_all()
    plot = plot_of(window.plots, "ttft")
    assert level_pixels(plot, theme.text) > 0.4
    window.resize(window.width() - 120, window.height() - 40)
    settle(window)
    assert level_pixels(plot, theme.text) > 0.4
    window.messages.show_message("info", "over the plots")
    plot.zoomed.emit(5.0, 8.0)
    plot.view.viewport().repaint(plot.view.viewport().rect().adjusted(40, 0, -40, 0))
    assert level_pixels(plot, theme.text) > 0.4
    (left, right), _ = plot.item().getViewBox().viewRange()
    times, _ = plot.level.line.getData()
    assert (times.min(), times.max()) == (left, right)


def test_that_the_timeline_stands_exactly_under_the_time_axis(grid, settle):
    run = RunView("v", duration_s=20.0, limits={"max_num_seqs": 3})
    run.series = series(running=lambda step: 3.0, waiting=lambda step: 2.0)
    grid.set_state(state_with(run))
    settle(grid)
    grid.draw_all()
    plot, timeline = grid.main, grid.timeline
    left, right = timeline.margins
    axis = plot.item().getViewBox().sceneBoundingRect()
    assert (left, timeline.width() - right) == pytest.approx((axis.left(), axis.right()), abs=1.5)
    assert timeline.part_at(left + 5).bound == "seats"
    grid.set_paused(on=True)
    font = grid.font()
    font.setPointSizeF(font.pointSizeF() * 1.4)
    grid.setFont(font)
    grid.resize(grid.width() + 200, grid.height())
    settle(grid)
    grid.grab()
    assert timeline.margins[0] > left, "larger letters, a wider axis, though nothing is drawn anew"
    axis = plot.item().getViewBox().sceneBoundingRect()
    assert timeline.margins[0] == pytest.approx(axis.left(), abs=1.5)
    assert timeline.width() - timeline.margins[1] == pytest.approx(axis.right(), abs=1.5)


def test_that_the_machine_is_drawn_where_it_is_watched(grid):
    run = RunView("v", duration_s=20.0, series=series(running=lambda step: 3.0))
    gpus = [{"utilisation": 0.5, "memory_used": 3, "memory_total": 4}, {"utilisation": 0.9}]
    for t in (1.0, 2.0):
        look = SimpleNamespace(host_cpu=0.2, api_cpu=0.1, engine_cpu=0.9, worker_cpu=None, client_cpu=None)
        run.machine.append_values(t, machine_values(look, gpus))
    grid.set_state(state_with(run))
    grid.show_plots(("cpu", "gpu"))
    grid.draw_all()
    assert "engine 0.900, API 0.100, client –" in plot_of(grid, "cpu").summary()
    assert "busy 90.0, memory 75.0" in plot_of(grid, "gpu").summary()


def test_that_the_chosen_plots_are_kept_for_the_next_start(make_window, qtbot):
    window = make_window()
    window.plot_choice.actions["rates"].trigger()
    window.plot_choice.actions["kv"].trigger()
    assert [plot.spec.id for plot in window.plots.shown] == [
        "scheduler",
        "ttft",
        "preempt",
        "parts",
        "itl",
        "tokens",
        "rates",
    ]
    again = make_window()
    assert again.plot_choice.actions["rates"].isChecked()
    assert not again.plot_choice.actions["kv"].isChecked()
    again.plot_choice.first.trigger()
    assert len(again.plots.shown) == len(FIRST_SHOWN)


def test_that_one_class_can_be_looked_at_alone(grid, qtbot):
    run = RunView("v", duration_s=20.0)
    state = state_with(run)
    for step in range(8):
        own = {"chat": {"itl_p50_ms": 10.0}, "document": {"itl_p50_ms": 40.0}}
        state.apply(SampleTaken(run="v", run_t=step * 0.5, running=3.0, itl_p50_ms=20.0, classes=own))
    grid.set_state(state)
    grid.draw_all()
    box = get_child(grid, QComboBox, "classes")
    assert box.isVisible()
    assert "p50 20.0" in plot_of(grid, "itl").summary()
    box.setCurrentIndex(box.findData("document"))
    box.activated.emit(box.currentIndex())
    grid.draw_all()
    assert "p50 40.0" in plot_of(grid, "itl").summary()
    assert "running 3" in plot_of(grid, "scheduler").summary()
    grid.set_state(state_with(RunView("w", series=series(running=float))))
    grid.draw_all()
    assert not box.isVisible()
    assert grid.caption.chosen_class is None


def test_that_the_run_s_name_has_its_room_before_the_legend(theme, qtbot):
    caption = PlotCaption(theme)
    qtbot.addWidget(caption)
    caption.show()
    run = RunView("max_num_seqs = 32 @ 12 req/s", control="max_num_seqs", value=32, simulated=True)
    caption.resize(900, 24)
    caption.show_run(LiveState(phase="opened"), run)
    assert "sequence limit 32" in get_child(caption, QLabel, "legend").text()
    caption.resize(340, 24)
    qtbot.waitUntil(lambda: "sequence limit 32" not in get_child(caption, QLabel, "legend").text())
    assert "under test" in get_child(caption, QLabel, "legend").text()
    caption.resize(900, 24)
    qtbot.waitUntil(lambda: "sequence limit 32" in get_child(caption, QLabel, "legend").text())


def test_that_the_time_axis_has_its_unit_where_a_word_at_its_very_end_is_left_out(grid):
    grid.set_state(state_with(RunView("v", duration_s=20.0)))
    grid.draw_all()
    plot = grid.shown[-1]
    for end in (23.0, 20.0, 20.1):
        plot.set_span(0.0, end)
        QApplication.processEvents()
        plot.grab()
        canvas = QPixmap(10, 10)
        painter = QPainter(canvas)
        written = [text for *_, text in plot.item().getAxis("bottom").generateDrawSpecs(painter)[2]]
        painter.end()
        assert sum(text.endswith("\N{NO-BREAK SPACE}s") for text in written) == 1, (end, written)
