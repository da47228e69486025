import pytest

from ui.live import Changed, LiveState, RunView
from ui.window.status_line import status_text
from workbench.experiments import (
    ClientCalibrated,
    ExperimentFinished,
    ExperimentStarted,
    Notice,
    PlannedRun,
    RunFinished,
    RunStarted,
    SampleTaken,
    ServerLog,
    ServerState,
)


def planned(run, control=None, value=None, rate=12.0, repeat=1):
    return PlannedRun(
        run=run, experiment="e", control=control, value=value, rate=rate, concurrency=None, repeat=repeat,
        expected_s=1.0,
    )  # fmt: skip


def started(*plan):
    return ExperimentStarted(
        name="e", bench="b.bench", plan=list(plan), simulated=True, profile="p", target="t", trace="x",
        trace_sha256="4f9c", objectives={}, limits={},
    )  # fmt: skip


def run_started(run, control=None, value=None):
    return RunStarted(
        run=run, index=1, of=2, experiment="e", control=control, value=value, rate=12.0, duration_s=40.0,
        requests=480, simulated=True, limits={"max_num_seqs": 16},
    )  # fmt: skip


@pytest.fixture
def state():
    state = LiveState()
    state.apply(started(planned("baseline"), planned("seats", "max_num_seqs", 32)))
    return state


def test_that_a_plan_is_known_before_anything_is_measured(state):
    assert state.phase == "starting"
    assert [run.status for run in state.runs.values()] == ["planned", "planned"]


def test_that_samples_go_to_their_own_run(state):
    state.apply(run_started("baseline"))
    assert state.apply(SampleTaken(run="baseline", run_t=0.5, running=3)) == Changed.SAMPLES
    assert state.apply(SampleTaken(run="nobody", run_t=0.5)) == Changed.NOTHING
    assert state.runs["baseline"].series.last("running") == 3


def test_that_a_busy_server_is_ready_again_when_its_run_has_ended_and_a_failed_one_is_not(state):
    finished = RunFinished(run="baseline", status="done", row={})
    state.apply(ServerState(state="busy"))
    assert state.server == "busy"
    assert Changed.SERVER in state.apply(finished)
    assert state.server == "ready"
    state.apply(ServerState(state="failed", detail="out of memory"))
    assert Changed.SERVER not in state.apply(finished)
    assert state.server == "failed"


def test_that_a_variant_is_compared_with_the_baseline_at_its_own_rate():
    state = LiveState()
    plan = [planned("b 2", rate=2.0), planned("b 4", rate=4.0), planned("v 4", "max_num_seqs", 32, rate=4.0)]
    state.apply(started(*plan))
    for run in state.runs.values():
        run.row = {"run": run.name}
    assert state.baseline_of(state.runs["v 4"]).name == "b 4"
    assert state.baseline_of(state.runs["b 4"]) is None


def test_that_a_variant_is_compared_with_the_baseline_of_its_own_repeat():
    state = LiveState()
    plan = [planned("b #1"), planned("b #2", repeat=2), planned("v #2", "max_num_seqs", 32, repeat=2)]
    state.apply(started(*plan))
    for run in state.runs.values():
        run.row = {"run": run.name}
    assert state.baseline_of(state.runs["v #2"]).name == "b #2"


def test_that_a_conductor_lost_in_a_run_leaves_it_partial_and_the_rest_skipped(state):
    state.apply(run_started("baseline"))
    assert Changed.END in state.conductor_ended()
    assert state.phase == "failed"
    assert state.server == "unknown"
    assert [run.status for run in state.runs.values()] == ["partial", "skipped"]


def test_that_a_conductor_that_said_goodbye_is_no_failure(state):
    state.apply(ExperimentFinished(status="done", bench="b.bench", csv=None, report=["seen"]))
    assert state.phase == "finished"
    assert state.conductor_ended() == Changed.NOTHING
    assert any(line.text == "seen" for line in state.log)


def test_that_a_final_row_is_kept_under_its_columns(state):
    state.apply(run_started("baseline"))
    state.apply(RunFinished(run="baseline", status="done", row={"ttft_p95_ms": 680.0}))
    assert state.runs["baseline"].row["ttft_p95_ms"] == 680.0


def test_that_log_lines_keep_their_source_and_level(state):
    state.log.clear()
    state.apply(ServerLog(line="(EngineCore pid=1) ERROR 11-29 out of memory"))
    state.apply(ServerState(state="failed", detail="out of memory"))
    state.apply(Notice(level="warning", text="late"))
    assert [(line.source, line.level) for line in state.log] == [
        ("server", "error"),
        ("conductor", "error"),
        ("conductor", "warning"),
    ]
    assert state.messages[0].text == "late"


@pytest.mark.parametrize(
    ("told", "said"),
    [
        (ClientCalibrated(state="running", expected_s=8.0), "calibrating the client, about 8 s"),
        (ClientCalibrated(state="failed"), "client not calibrated"),
        (
            ClientCalibrated(
                state="kept", columns={"client_floor_ttft_ms": 0.412, "client_floor_itl_ms": 0.0213}
            ),
            "client resolves TTFT 0.41 ms, ITL 0.021 ms",
        ),
    ],
)
def test_that_the_status_line_says_what_the_client_resolves(state, told, said):
    assert said not in status_text(state, stale=False)
    assert state.apply(told) == Changed.PROGRESS
    assert said in status_text(state, stale=False)
    state.apply(ExperimentFinished(status="done", bench="b", csv=None, report=[]))
    assert said not in status_text(state, stale=False), "of a plan that is done the rows say it"


def test_that_another_tool_s_results_stay_when_the_plan_beside_them_is_gone_on_with():
    state = LiveState(phase="starting")
    state.before = {name: RunView(name) for name in ("baseline @ 12 req/s", "GuideLLM", "left out")}
    state.before["GuideLLM"].status = "imported"
    state.apply(started(planned("baseline @ 12 req/s")))
    assert [(run.name, run.status) for run in state.runs.values()] == [
        ("baseline @ 12 req/s", "planned"),
        ("GuideLLM", "imported"),
    ]
