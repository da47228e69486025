"""A window that is open all day: what it holds does not grow with the time that a plan takes."""

import gc
import tracemalloc

import psutil
import pytest

from ui.conductor.conductor_client import ConductorClient
from ui.files.settings import SettingsFile
from ui.plots.specs import PLOTS
from ui.window.main_window import MainWindow
from workbench.experiments import (
    ExperimentStarted,
    MachineSampled,
    PlannedRun,
    PrefillTracked,
    Progress,
    RunFinished,
    RunStarted,
    SampleTaken,
    ServerLog,
    TrackedPrompt,
)

HOUR_S = 3600
SAMPLES_A_S = 4
LOG_LINES_A_S = 20
CLASSES = ("chat", "document", "batch")
MOST_GROWN = 1_000_000
"""Bytes in an hour, in which 100,000 events come and go."""
MOST_RESIDENT = 20_000_000
"""Bytes of the process: pages that the allocator has not given back yet are among them."""
MOST_A_RUN = 190_000
"""Bytes of a run of a minute that has ended: its curves, by class too, which can still be looked at."""


class Fed(ConductorClient):
    """A conductor that says what it is given."""

    fed = True

    @property
    def running(self):
        return self.fed

    def say(self, *events):
        self._events.extend(events)


@pytest.fixture
def window(qtbot, theme, folders):
    client = Fed()
    window = MainWindow(folders, SettingsFile(folders.config / "settings.json"), theme, client)

    def release(window):
        client.fed = False
        window.closing.may_close = True

    qtbot.addWidget(window, before_close_func=release)
    window.resize(1366, 768)
    window.show()
    qtbot.waitExposed(window)
    window.plots.show_plots(tuple(spec.id for spec in PLOTS))
    window.docks["log"].raise_()
    return window


def begin(window, *runs):
    """A plan of these runs, the first of which is measured."""
    plan = [
        PlannedRun(
            run=run, experiment="e", control=None, value=None, rate=12.0, concurrency=None, repeat=place,
            expected_s=60.0,
        )
        for place, run in enumerate(runs, start=1)
    ]  # fmt: skip
    started = ExperimentStarted(
        name="e", bench="b.bench", plan=plan, simulated=True, profile="p", target="t", trace="x",
        trace_sha256="4f9c", objectives={"ttft_p95_ms": 1000.0}, limits={"max_num_seqs": 16},
    )  # fmt: skip
    window.runs.client.say(started)
    begin_run(window, runs[0], 1, len(runs))


def begin_run(window, run, index, of):
    window.runs.client.say(
        RunStarted(
            run=run, index=index, of=of, experiment="e", control=None, value=None, rate=12.0, duration_s=60.0,
            requests=720, simulated=True, limits={"max_num_seqs": 16},
        )
    )  # fmt: skip


def feed(window, run, seconds, since=0):
    """All that the conductor says in so many seconds, and a frame of the clock for each."""
    for second in range(since, since + seconds):
        figures = {"ttft_p50_ms": 40.0 + second % 7, "ttft_p95_ms": 90.0 + second % 11, "itl_p95_ms": 9.0}
        said = [
            SampleTaken(
                run=run, run_t=second + part / SAMPLES_A_S, running=16.0, waiting=float(second % 13),
                kv_usage=0.5, preemptions=float(second // 60), input_tok_s=3000.0, output_tok_s=1200.0,
                offered_rps=12.0, completed_rps=11.0, client_delay_p99_ms=0.4,
                classes={cls: dict(figures) for cls in CLASSES}, **figures,
            )
            for part in range(SAMPLES_A_S)
        ]  # fmt: skip
        said.append(MachineSampled(run=run, run_t=float(second), host_cpu=0.4, engine_cpu=0.9, api_cpu=0.2))
        points = [(float(second), 0), (second + 0.5, 9000)]
        prompt = TrackedPrompt(id=f"{run}-{second}", tokens=9000, points=points)
        said.append(PrefillTracked(run=run, run_t=float(second), prompts=[prompt], step_tokens=8192))
        said.append(
            Progress(run=run, phase="measuring", run_elapsed_s=second, run_left_s=1.0, plan_left_s=60.0)
        )
        said += [ServerLog(line=f"INFO line {line} of second {second}") for line in range(LOG_LINES_A_S)]
        window.runs.client.say(*said)
        window.clock.tick.emit()


def held():
    gc.collect()
    return tracemalloc.get_traced_memory()[0], psutil.Process().memory_info().rss


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_that_memory_is_flat_over_an_hour_of_a_run(window):
    begin(window, "baseline")
    tracemalloc.start()
    # Until its series hold as much as they ever do.
    feed(window, "baseline", 5 * HOUR_S // 4)
    traced, resident = held()
    feed(window, "baseline", HOUR_S, since=5 * HOUR_S // 4)
    after, resident_after = held()
    tracemalloc.stop()
    print(f"an hour more: {after - traced:+,} bytes held, {resident_after - resident:+,} resident")
    assert len(window.runs.state.runs["baseline"].series) > 10_000
    assert after - traced < MOST_GROWN
    assert resident_after - resident < MOST_RESIDENT


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_that_each_run_of_a_long_plan_leaves_only_its_curves(window):
    runs = [f"baseline #{number}" for number in range(1, 61)]
    begin(window, *runs)
    tracemalloc.start()
    sizes = []
    for index, run in enumerate(runs, start=1):
        if index > 1:
            begin_run(window, run, index, len(runs))
        feed(window, run, 60)
        window.runs.client.say(RunFinished(run=run, status="done", row={"run": run, "valid": True}))
        window.clock.tick.emit()
        sizes.append(held()[0])
    tracemalloc.stop()
    each = (sizes[-1] - sizes[9]) / (len(sizes) - 10)
    print(f"{each:,.0f} bytes a run")
    assert each < MOST_A_RUN
