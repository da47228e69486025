"""Each engine or replica in the plots: thin lines, their names, live and from a bench file alike."""

import numpy as np
import pytest
from PySide6.QtCore import QPoint, QPointF

from ui.files.bench_reader import fill_series
from ui.live import LiveState, RunView
from ui.plots import PlotGrid
from workbench.experiments import SampleTaken, decode_event, encode_event
from workbench.experiments.run.live_sample import SampleBuilder
from workbench.results import BenchFile, RunFrame, Sample

NAMES = ("gpu-1:8000", "gpu-2:8000")


def scrape(t):
    """The first replica queues, the second one doesn't; it is unknown at 3 s."""
    known = t != 3.0
    return [
        Sample(t=t, engine=NAMES[0], running=4.0, waiting=t, kv_usage=0.9, succeeded=10 + 3 * t),
        Sample(
            t=t,
            engine=NAMES[1],
            **({"running": 1.0, "waiting": 0.0, "kv_usage": 0.3, "succeeded": 50 + t} if known else {}),
        ),
    ]


TIMES = [step * 0.25 for step in range(40)]


@pytest.fixture
def live():
    """The run as the window sees it from the conductor's events."""
    builder = SampleBuilder("r", 1.0)
    state = LiveState(phase="running", current="r")
    state.runs = {"r": RunView("r", status="running", duration_s=10.0)}
    for t in TIMES:
        builder.add_samples(scrape(t))
        state.apply(decode_event(encode_event(builder.event(t))))
    return state


@pytest.fixture
def grid(qtbot, theme, live):
    grid = PlotGrid(theme)
    qtbot.addWidget(grid)
    grid.resize(900, 500)
    grid.show()
    grid.set_state(live)
    grid.draw_all()
    return grid


def plot_of(grid, id_):
    return next(plot for plot in grid.plots if plot.spec.id == id_)


def test_that_a_reopened_run_has_the_same_curves_of_each_engine(live, tmp_path):
    path = tmp_path / "a.bench"
    with BenchFile.create(path) as bench:
        experiment = bench.add_experiment("e", "")
        run = bench.add_run(
            experiment, "r", control=None, value=None, config={}, frame=RunFrame(length_s=10.0)
        )
        bench.write_samples(run, [sample for t in TIMES for sample in scrape(t)])
    opened = RunView("r")
    fill_series(path, [opened])
    seen = live.runs["r"]
    assert list(opened.engines) == list(seen.engines) == list(NAMES)
    for name in NAMES:
        for column in ("running", "waiting", "kv_usage"):
            np.testing.assert_allclose(opened.engines[name].column(column), seen.engines[name].column(column))
    for column in ("waiting_imbalance", "request_imbalance", "kv_imbalance"):
        np.testing.assert_allclose(opened.series.column(column), seen.series.column(column), atol=5e-4)
    assert opened.series.last("request_imbalance") == pytest.approx(1.5)


def test_that_each_engine_has_a_thin_line_and_the_mouse_names_it(grid):
    plot = plot_of(grid, "scheduler")
    running, waiting = plot.fan.lines
    assert np.nanmax(running.getData()[1]) == 4.0
    assert np.count_nonzero(np.isnan(waiting.getData()[1])) == 3, "after each engine, and where unknown"
    (found,) = plot.fan.nearest(QPointF(8.0, 8.1))
    assert (found.engine, found.curve.column, found.value) == (NAMES[0], "waiting", 8.0)
    assert plot.fan.nearest(QPointF(8.0, 6.0)) == []
    plot.fan.point_at(QPointF(8.0, 8.1))
    assert plot.fan.label.isVisible()
    assert plot.fan.label.toPlainText() == f"{NAMES[0]}: waiting 8.00"
    plot.fan.point_at(None)
    assert not plot.fan.label.isVisible()


def test_that_the_fullest_replicas_line_ends_on_the_worst(grid):
    (line,) = plot_of(grid, "kv").fan.lines
    assert np.nanmax(line.getData()[1]) == pytest.approx(90.0)
    assert plot_of(grid, "ttft").fan.lines == []


def test_that_the_sequence_limit_is_that_of_all_engines(grid, live):
    live.runs["r"].limits = {"max_num_seqs": 4}
    grid.set_state(live)
    grid.draw_all()
    assert plot_of(grid, "scheduler").header.said().startswith("limit 8")
    grid.draw_all()
    assert plot_of(grid, "scheduler").header.said().startswith("limit 8"), "however often it is drawn"


def test_that_the_menu_hides_the_lines(grid, live):
    plot = plot_of(grid, "scheduler")
    grid.menu.engines_chosen.connect(grid.show_engines)
    menu = grid.menu.open(plot, live.runs["r"], QPoint(10, 10))
    together = next(action for action in menu.actions() if action.text() == "All replicas together")
    together.trigger()
    menu.close()
    grid.draw_all()
    assert not len(plot.fan.lines[0].getData()[0])
    assert not any(
        "replica" in action.text()
        for action in grid.menu.open(plot_of(grid, "ttft"), live.runs["r"], QPoint()).actions()
    )


def test_that_the_imbalance_is_a_plot_of_its_own(grid):
    grid.show_plots(("scheduler", "imbalance"))
    grid.draw_all()
    plot = plot_of(grid, "imbalance")
    assert plot.summary() == "Imbalance: waiting 2.00, requests 1.50, KV cache 1.50 largest / mean"


def test_that_a_run_of_one_engine_has_no_lines_and_no_imbalance(grid):
    state = LiveState(phase="running", current="r", runs={"r": RunView("r", status="running")})
    for t in range(9):
        state.apply(SampleTaken(run="r", run_t=float(t), running=3.0, waiting=1.0))
    grid.set_state(state)
    grid.show_plots(("scheduler", "imbalance"))
    grid.draw_all()
    assert not len(plot_of(grid, "scheduler").fan.lines[0].getData()[0])
    assert "one engine" in plot_of(grid, "imbalance").reason.text()
