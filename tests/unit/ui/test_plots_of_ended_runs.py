"""Plots of runs that have ended, of other tools, and of long prompts."""

import numpy as np
import pytest
from PySide6.QtWidgets import QComboBox, QLabel, QWidget

from tests.unit.ui.children import get_child
from tests.unit.ui.test_plots import grid, plot_of, series, state_with
from ui.live import COLUMNS, CURVE_POINTS, Burst, PromptTracks, RunSeries, RunView, bursts_of
from ui.live.bottlenecks import LimitStep
from ui.plots.no_plots_page import known_figures
from ui.plots.specs import PLOTS
from workbench.experiments import PrefillTracked, TrackedPrompt

__all__ = ["grid"]


def ended(status="done", row=None, **columns):
    """A run of 10 s whose samples go on for 10 s more, drained."""
    return RunView(
        "v", duration_s=10.0, status=status, row=row or {}, simulated=True, series=series(40, **columns)
    )


def drains(value):
    return lambda step: value if step <= 20 else 0.0


def test_that_an_ended_run_reads_out_its_own_figures_and_says_so(grid):
    run = ended(
        row={"ttft_p50_ms": 40.0, "ttft_p95_ms": 480.0, "n": 1},
        running=drains(16.0),
        kv_usage=lambda step: 0.4 if step <= 10 else 0.8 if step <= 20 else 0.0,
        ttft_p50_ms=drains(1.0),
        oldest_waiting_s=lambda step: 3.0 if step == 5 else 0.0,
    )
    grid.set_state(state_with(run))
    grid.draw_all()
    assert plot_of(grid, "scheduler").summary().startswith("Running, waiting: mean running 16,")
    assert "mean used 60.0, peak 80.0" in plot_of(grid, "kv").summary()
    assert "whole run p50 0.0400, p95 0.480, oldest 3.00" in plot_of(grid, "ttft").summary()
    assert plot_of(grid, "ttft").header.said().startswith("whole run: p50")
    grid.plots[0].pointed.emit(2.0)
    assert "p50 0.001" in plot_of(grid, "ttft").summary(), "the cross-hair reads its own moment"


def test_that_the_parts_of_ttft_are_means_over_the_run_s_requests_not_over_its_curve(grid):
    run = ended(row={"queue_mean_ms": 263.0, "n": 1}, queue_ms=drains(1.2), prefill_ms=drains(5.0))
    grid.set_state(state_with(run))
    grid.draw_all()
    # What of prefill and outside is known in no row stays unsaid.
    assert plot_of(grid, "parts").summary() == "Parts of TTFT: mean of the run queue 0.263 s"


def test_that_a_row_over_repeats_and_a_class_are_said_as_such(grid):
    run = ended(row={"itl_p50_ms": 9.0, "itl_p95_ms": 17.0, "n": 3}, itl_p50_ms=drains(8.0))
    for step in range(40):
        for cls in ("chat", "document"):
            own = run.classes.setdefault(cls, RunSeries())
            own.append_values(step * 0.5, [7.0 if name == "itl_p50_ms" else None for name in COLUMNS])
    grid.set_state(state_with(run))
    grid.draw_all()
    assert "3 runs p50 9.00" in plot_of(grid, "itl").summary()
    box = get_child(grid, QComboBox, "classes")
    box.setCurrentIndex(box.findData("chat"))
    grid.draw_all()
    assert "at the end p50 7.00" in plot_of(grid, "itl").summary()


def test_that_a_plot_without_a_curve_says_why_once_the_run_is_not_young(grid):
    run = RunView("v", duration_s=20.0, status="running", series=series(6, running=lambda step: 3.0))
    grid.set_state(state_with(run))
    grid.draw_all()
    assert plot_of(grid, "itl").reason.text() == ""
    run.series.append_values(9.0, [3.0 if name == "running" else None for name in COLUMNS])
    grid.mark_dirty()
    grid.draw_all()
    assert plot_of(grid, "itl").reason.text() == "Known once requests have finished"
    assert plot_of(grid, "itl").reason.isVisible()
    assert plot_of(grid, "scheduler").reason.text() == ""


def test_that_another_tool_s_run_says_what_it_is_and_what_is_known_instead_of_empty_plots(grid):
    row = {
        "measured_by": "GuideLLM 0.8.1", "completed_rps": 6.44, "ttft_p50_ms": 52.0, "completed": 39,
        "definitions_differ": "TTFT counts from the send",
    }  # fmt: skip
    run = RunView("g", control="tool", value="GuideLLM 0.8.1", status="imported", row=row)
    state = state_with(run)
    state.phase = "opened"
    grid.set_state(state)
    assert grid.no_plots.isVisible()
    assert not grid.plots[0].isVisible()
    said = grid.no_plots.text()
    assert "Measured by GuideLLM 0.8.1" in said
    assert "from the send" in said
    assert list(known_figures(run)) == [
        ("Completed", "6.44", "req/s"), ("Completed", "39", "requests"), ("p50 TTFT", "0.0520", "s"),
    ]  # fmt: skip
    assert "under test" not in get_child(grid, QLabel, "legend").text()
    grid.set_state(state_with(ended(running=drains(3.0))))
    assert grid.plots[0].isVisible()
    assert not grid.no_plots.isVisible()


def tracked(prompts=(), **more):
    told = [TrackedPrompt(id=name, tokens=tokens, points=points) for name, tokens, points in prompts]
    return PrefillTracked(run="v", run_t=0.0, prompts=told, **more)


@pytest.fixture
def long_prompts(grid):
    """A run under way with one long prompt computed and another half way, its plot."""
    state = state_with(RunView("v", duration_s=20.0, status="running", series=series(running=float)))
    state.apply(tracked(step_tokens=2048))
    state.apply(tracked([("a", 8000, [[1.0, 0], [2.0, 4000]])]))
    state.apply(tracked([("a", 8000, [[3.0, 8000]]), ("b", 4000, [[2.5, 0], [4.0, 2000]])]))
    grid.set_state(state)
    grid.show_plots(("prompts",))
    grid.draw_all()
    return state, plot_of(grid, "prompts")


def test_that_each_long_prompt_is_a_line_of_its_own(long_prompts):
    _, plot = long_prompts
    times, shares = plot.curves[0].getData()
    assert times.tolist()[:3] == [1.0, 2.0, 3.0]
    assert shares.tolist()[:3] == [0.0, 50.0, 100.0]
    assert np.isnan(times[3])
    assert shares.tolist()[4:6] == [0.0, 50.0]
    assert plot.summary() == "Long prompts: under way 1, first 50 %"


def test_that_the_cross_hair_reads_how_far_prompts_had_come(long_prompts):
    state, plot = long_prompts
    plot.point_at(2.75)
    assert "under way 2, first 88 %" in plot.header.said()
    plot.point_at(0.5)
    assert "under way 0, first –" in plot.header.said()
    assert state.runs["v"].prompts.value_near("progress", 3.5) == pytest.approx(1 / 3)


def test_that_an_ended_run_has_all_its_prompts_and_how_long_the_longest_took(grid, long_prompts):
    state, plot = long_prompts
    prompts = [("a", 8000, [[1.0, 0], [3.0, 8000]]), ("c", 9000, [[5.0, 0], [8.0, 9000]])]
    state.apply(tracked(prompts, whole=True))
    state.runs["v"].status = "done"
    grid.refresh_run()
    grid.draw_all()
    assert plot.header.said() == "run: prompts 2, longest 3.00 s"


def test_that_no_long_prompt_and_nothing_known_are_two_things(grid):
    state = state_with(RunView("v", duration_s=20.0, status="running", series=series(running=float)))
    grid.set_state(state)
    grid.show_plots(("prompts",))
    grid.draw_all()
    reason = plot_of(grid, "prompts").reason
    assert "record every step" in reason.text()
    state.apply(tracked(step_tokens=2048))
    grid.mark_dirty()
    grid.draw_all()
    assert reason.text() == "No prompt is longer than one step (2,048 tokens)"


def test_that_many_long_prompts_stay_few_points_and_the_slowest_are_drawn():
    def held(count):
        tracks = PromptTracks()
        for n in range(count):
            took = 2.0 if n == 107 else 1.0
            points = [[n + took * part / 10, part * 100] for part in range(11)]
            tracks.append(tracked([(str(n), 1000, points)]))
        return tracks

    many = held(500)
    assert len(many.tracks) == 400, "the oldest are let go"
    assert len(many) <= CURVE_POINTS
    assert 109.0 in many.times().tolist(), "the last point of the slowest one"
    assert np.nanmax(held(20).times()) == pytest.approx(20.0)


def test_that_the_plots_above_a_gap_of_the_last_row_reach_down(grid):
    shown = 11  # three columns, so the last row has a gap
    grid.show_plots(tuple(spec.id for spec in PLOTS)[:shown])
    grid.resize(1400, 700)
    get_child(grid, QWidget, "plots").layout().activate()
    lowest = [plot for plot in grid.shown if plot.labelled]
    assert len(grid.shown) == shown
    assert len({plot.geometry().bottom() for plot in lowest}) == 1


def test_that_a_limit_changed_live_is_drawn_in_steps_and_read_at_its_moment(grid):
    run = RunView("v", duration_s=20.0, limits={"max_num_seqs": 32}, series=series(running=lambda step: 6.0))
    run.moments = [
        LimitStep(4.0, "max_num_active_seqs", 32, 6), LimitStep(9.0, "max_num_active_seqs", 6, 16),
    ]  # fmt: skip
    grid.set_state(state_with(run))
    grid.draw_all()
    plot = plot_of(grid, "scheduler")
    times, values = plot.level.line.getData()
    assert times.tolist()[:5] == [0.0, 4.0, 4.0, 9.0, 9.0]
    assert values.tolist() == [32.0, 32.0, 6.0, 6.0, 16.0, 16.0]
    assert plot.header.said().startswith("limit 16")
    plot.point_at(5.0)
    assert plot.header.said().startswith("limit 6")
    assert 16 < plot.top < 32, "what held for a moment far above the data does not flatten it"


def test_that_a_burst_is_marked_where_it_comes_and_goes(grid):
    run = ended(running=drains(16.0))
    run.experiment = "a burst"
    state = state_with(run)
    text = 'name = "a burst"\nkind = "burst"\n[burst]\nfactor = 3.0\nseconds = 2.5\nat = 4\n'
    state.bursts = bursts_of([text, 'name = "none"', "not = [toml", 'name = "x"\nburst = 3'])
    assert state.bursts == {"a burst": Burst(4.0, 6.5, 3.0)}
    run.moments = [LimitStep(5.0, "max_num_active_seqs", 32, 6)]
    grid.set_state(state)
    lines = plot_of(grid, "scheduler").markers.lines
    assert [line.value() for line in lines] == [4.0, 5.0, 6.5]
    said = [moment.said for moment in plot_of(grid, "scheduler").markers.shown]
    assert said == ["burst ×3", "32 → 6", "burst ends"]
    run.experiment = "another"
    grid.refresh_run()
    assert len(plot_of(grid, "scheduler").markers.lines) == 1
