"""Tuning finds a good configuration from a bad start in few runs, and pauses at what it can't explain."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import msgspec
import pytest

from tests.unit.experiments.search_cases import score
from tests.unit.experiments.test_search import judged as judged_run
from tests.unit.experiments.virtual_server import VirtualServer
from workbench.advice.blame import Cause
from workbench.base import Message, Refusal
from workbench.experiments import Experiment, LoadShape, TraceChoice, expected_after, make_plan, to_toml
from workbench.experiments.plan.control_choice import (
    ControlChoice,
    blamed_controls,
    choice_of,
    store_choices,
)
from workbench.experiments.plan.judged_steps import judge_steps
from workbench.experiments.plan.plan import Run
from workbench.experiments.plan.run_queue import RunQueue
from workbench.experiments.plan.search import store_expected
from workbench.experiments.session import (
    Measure,
    TuneEnd,
    TuneSettings,
    Tuning,
    read_session,
    tune,
    tuning_start,
    write_session,
)
from workbench.profiles import StepModel
from workbench.results import (
    BenchFile,
    Conditions,
    Objectives,
    Outcome,
    RequestRecord,
    RunFrame,
    RunInputs,
    summarize_run,
)
from workbench.servers import TargetSpec

MODEL = StepModel(a=9000.0, b=18.0, c=60.0, d=0.05, e=0.001)
GRID = [(slots, budget) for slots in (2, 8, 16, 32, 64) for budget in (64, 256, 1024, 4096, 8192)]


def start(rate: float = 30.0, duration_s: float = 12.0) -> Experiment:
    return Experiment(
        name="Bad start",
        target=TargetSpec(kind="embedded", profile="h100_sxm/Llama-3.1-8B/tp1"),
        baseline={"max_num_seqs": 2, "max_num_batched_tokens": 64},
        trace=TraceChoice(synthetic="200:48"),
        load=LoadShape(rates=[rate / 2, rate], duration_s=duration_s),
        objectives=Objectives(ttft_p95_ms=4000, itl_p95_ms=60),
    )


def tuned(server: VirtualServer, experiment: Experiment, folder: Path, **settings: float) -> TuneEnd:
    said: list[Message] = []
    end = tune(
        experiment,
        folder,
        server.measure,
        msgspec.convert(settings, TuneSettings),
        keep=lambda session: write_session(session, folder / "tune.session.json"),
        say=said.append,
        predict=lambda experiments, bench, name, value: expected_after(
            experiments, bench, server.trace, name, value
        ),
    )
    assert len(said) == len(end.session.steps)
    return end


def test_tuning_starts_at_the_highest_rate_and_refuses_a_closed_loop() -> None:
    found = tuning_start(start())
    assert found.load.rates == [30.0]
    assert found.kind == "search"
    closed = msgspec.structs.replace(start(), load=LoadShape(concurrency=[4]))
    with pytest.raises(Refusal) as refused:
        tuning_start(closed)
    assert refused.value.kind == "experiments.tune_needs_rate"


@pytest.mark.slow
@pytest.mark.timeout(1800)
def test_searches_of_made_up_servers_end_near_the_best_value() -> None:
    found = score(50)
    assert found["cases"] == 50
    assert found["within_2pct"] >= 0.9
    assert found["share_of_runs"] <= 0.25


@pytest.mark.slow
def test_a_bad_start_ends_within_5_percent_of_the_grid_in_a_quarter_of_its_runs(tmp_path: Path) -> None:
    experiment = tuning_start(start())
    server = VirtualServer(experiment, MODEL)
    end = tuned(server, experiment, tmp_path)
    grid = [
        server.accepted({"max_num_seqs": slots, "max_num_batched_tokens": budget}) for slots, budget in GRID
    ]
    assert end.state == "done"
    assert server.accepted(end.baseline) >= 0.95 * max(grid)
    assert len(server.runs) <= 0.25 * len(GRID)
    kept = read_session(tmp_path / "tune.session.json")
    assert [step.experiment.kind for step in kept.steps] == ["search"] * len(kept.steps)
    assert all(step.note and Path(step.bench or "").exists() for step in kept.steps)


SLOTS = {1: 1.0, 2: 2.0, 4: 4.0, 8: 8.0, 16: 12.0, 32: 9.0, 64: 7.0, 128: 6.0, 256: 5.0, 512: 4.0}


class Scripted:
    """A server whose accepted requests a second follow from its sequence slots."""

    def __init__(self, accepted: Mapping[int, float]) -> None:
        self.accepted = dict(accepted)
        self.steps: list[list[str]] = []

    def measure(self, experiments: Sequence[Experiment], path: Path) -> str:
        """Run a plan as the conductor does, without a twin."""
        queue = RunQueue(make_plan(experiments))
        self.steps.append([])
        with BenchFile.create(path) as bench:
            ids = [bench.add_experiment(each.name, to_toml(each)) for each in experiments]
            while (run := queue.next()) is not None:
                self.steps[-1].append(run.configuration.label)
                rate = self.accepted[int(run.configuration.controls["max_num_seqs"])]
                store(bench, ids[run.configuration.experiment], run, rate)
                queue.update(run, judge_steps(bench))
        return "done"


def store(bench: BenchFile, experiment: int, run: Run, rate: float) -> None:
    """Store a run that completes so many requests a second of thirty."""
    stored = bench.add_run(
        experiment, run.name, control=run.configuration.control, value=run.configuration.value,
        config=run.configuration.controls, rate=run.rate, trace_sha256="t", schedule_sha256="s",
        frame=RunFrame(length_s=12.0, ended=120.0),
    )  # fmt: skip
    done = round(rate * 12)
    records = [
        RequestRecord(
            index=index, row=index, request_id=str(index), cls="", input_tokens=8, output_tokens=1,
            due=index / 30, released=index / 30, sent=index / 30,
            first_token=index / 30 if index < done else None, last_token=index / 30 if index < done else None,
            done=index / 30 if index < done else None, tokens=1 if index < done else None,
            prompt_tokens=8 if index < done else None, completion_tokens=1 if index < done else None,
            outcome=Outcome.COMPLETED if index < done else Outcome.UNFINISHED,
        )
        for index in range(360)
    ]  # fmt: skip
    bench.write_requests(stored, records)
    frame = RunFrame(length_s=12.0, ended=120.0)
    bench.finish_run(
        stored, "done", summarize_run(records, frame, conditions=Conditions()), inputs=RunInputs()
    )


def carry_out(server: Scripted, folder: Path, **settings: object) -> TuneEnd:
    plain = msgspec.structs.replace(start(), objectives=Objectives())
    controls = {"controls": ["max_num_seqs"]}
    return tune(
        tuning_start(plain), folder, server.measure, msgspec.convert(controls | settings, TuneSettings)
    )


def test_the_better_value_becomes_the_baseline_and_each_step_has_its_evidence(tmp_path: Path) -> None:
    server = Scripted(SLOTS)
    end = carry_out(server, tmp_path)
    assert end.state == "done"
    assert end.baseline["max_num_seqs"] == 16
    assert end.runs == sum(map(len, server.steps)) < len(SLOTS)
    assert [step.bench for step in end.session.steps] == [str(tmp_path / "step-1.bench")]
    assert end.session.steps[0].note


def test_tuning_pauses_when_the_same_configuration_gives_another_result(tmp_path: Path) -> None:
    server = Scripted(SLOTS)

    def drifting(experiments: Sequence[Experiment], path: Path) -> str:
        if server.steps:
            server.accepted = {slots: 0.5 * rate for slots, rate in server.accepted.items()}
        return server.measure(experiments, path)

    plain = msgspec.structs.replace(start(), objectives=Objectives())
    end = tune(tuning_start(plain), tmp_path, drifting, TuneSettings())
    assert end.state == "paused"
    assert end.reason.kind == "experiments.tune_not_repeated"


def test_the_minutes_end_tuning(tmp_path: Path) -> None:
    end = carry_out(Scripted(SLOTS), tmp_path, minutes=0.01)
    assert end.runs == 1
    assert end.baseline["max_num_seqs"] == 2


def test_an_attached_server_keeps_its_own_controls(tmp_path: Path) -> None:
    attached = msgspec.structs.replace(
        start(), target=TargetSpec(kind="attached", url="http://127.0.0.1:1"), baseline={}
    )
    asked: list[str] = []

    def refuse(experiments: Sequence[Experiment], path: Path) -> str:
        asked.extend(each.tested.name for each in experiments)
        raise Refusal("base.unreadable_file")

    with pytest.raises(Refusal):
        tune(tuning_start(attached), tmp_path, refuse, TuneSettings())
    assert asked == ["max_in_flight"]


def test_a_surprising_result_is_taken_over_only_after_an_answer(tmp_path: Path) -> None:
    asked: list[Message] = []

    def drifting(server: Scripted) -> Measure:
        def measure(experiments: Sequence[Experiment], path: Path) -> str:
            if server.steps:
                server.accepted = {slots: 0.5 * rate for slots, rate in server.accepted.items()}
            return server.measure(experiments, path)

        return measure

    plain = msgspec.structs.replace(start(), objectives=Objectives())
    end = tune(
        tuning_start(plain), tmp_path, drifting(Scripted(SLOTS)), TuneSettings(),
        go_on=lambda reason: not asked.append(reason),
    )  # fmt: skip
    assert asked[0].kind == "experiments.tune_not_repeated"
    assert end.state == "done"
    assert len(end.session.steps) > 1


def test_a_result_below_the_band_predicted_before_its_run_is_a_surprise(tmp_path: Path) -> None:
    server = Scripted(SLOTS)

    def measure(experiments: Sequence[Experiment], path: Path) -> str:
        status = server.measure(experiments, path)
        with BenchFile.open(path, read_only=False) as bench:
            store_expected(bench, "max_num_seqs", {16: [30.0, 35.0, 40.0], 8: [8.0, 8.0, 8.0]}, [])
            store_expected(bench, "max_num_seqs", {16: [12.0, 12.0, 12.0]}, [16])
        return status

    plain = msgspec.structs.replace(start(), objectives=Objectives())
    end = tune(tuning_start(plain), tmp_path, measure, TuneSettings(controls=("max_num_seqs",)))
    assert end.state == "paused"
    assert end.reason.kind == "experiments.tune_surprise"
    assert end.reason.values["expected"] == 35.0
    assert end.baseline["max_num_seqs"] == 2


def test_the_costliest_cause_with_a_control_that_may_change_is_searched() -> None:
    totals: dict[Cause, float] = {
        "decode_compute": 500.0, "kv_blocks": 300.0, "sequence_limit": 250.0, "token_budget": 5.0,
    }  # fmt: skip
    found = blamed_controls(totals, ["max_num_seqs", "max_num_batched_tokens"])
    assert [(each.control, each.source, each.cause) for each in found] == [
        ("max_num_seqs", "ledger", "kv_blocks")
    ]
    assert found[0].share == pytest.approx(300 / 1055)
    blocks = blamed_controls(totals, ["num_gpu_blocks_override", "max_num_seqs"])
    assert [each.control for each in blocks] == ["num_gpu_blocks_override", "max_num_seqs"]


def test_the_advised_control_is_searched_and_its_source_is_kept(tmp_path: Path) -> None:
    plain = msgspec.structs.replace(start(), objectives=Objectives())
    names = ("max_num_seqs", "max_num_batched_tokens")
    experiments = Tuning(tuning_start(plain), TuneSettings(controls=names)).next()
    assert isinstance(experiments, list)
    queue = RunQueue(make_plan(experiments))
    baseline = queue.next()
    assert baseline is not None
    judged = [judged_run(baseline, 4.0)]
    queue.update(baseline, judged, advised=["max_num_batched_tokens"])
    assert {run.configuration.control for run in queue.left} == {"max_num_batched_tokens"}
    with BenchFile.create(tmp_path / "a.bench") as bench:
        advised = ControlChoice(
            control="max_num_batched_tokens", source="ledger", cause="token_budget", share=0.4
        )
        store_choices(bench, [advised])
        assert choice_of(bench, "max_num_batched_tokens") == advised
        assert choice_of(bench, "max_num_seqs").source == "gain"
