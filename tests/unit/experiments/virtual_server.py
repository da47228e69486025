"""A server in virtual time for plans of kind `search`: the embedded engine's scheduler without sockets."""

import asyncio
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from workbench.controls import Value
from workbench.engine import SchedulerConfig
from workbench.engine.replay import PerRequestReplay, jobs_of
from workbench.experiments import Experiment, to_toml
from workbench.experiments.plan.judged_steps import judge_steps
from workbench.experiments.plan.plan import Run, make_plan
from workbench.experiments.plan.run_queue import RunQueue
from workbench.experiments.plan.workload import load_trace, make_schedule
from workbench.experiments.run.search_twin import SearchTwins
from workbench.profiles import StepModel
from workbench.results import (
    BenchFile,
    Conditions,
    RequestRecord,
    RunFrame,
    RunInputs,
    RunSummary,
    summarize_run,
)

_NOISE = 0.05
"""Steps take longer or shorter by chance, which the model doesn't know."""


class VirtualServer:
    """Measures configurations of an experiment; `model` is its secret."""

    def __init__(self, experiment: Experiment, model: StepModel) -> None:
        self._model = model
        self._experiment = experiment
        self.trace, _ = load_trace(experiment.trace, experiment.load)
        rates = experiment.load.offered_rates()
        assert rates
        self._schedule = make_schedule(self.trace, experiment.trace, experiment.load, rates[0], None)
        self.runs: list[dict[str, Value]] = []

    def replay(self, controls: Mapping[str, Value]) -> tuple[list[RequestRecord], RunSummary]:
        """Return the requests of a run with these controls, and its figures."""
        known: dict[str, Any] = {"max_num_seqs": 256, "max_num_batched_tokens": 8192, **controls}
        cap = known.pop("max_in_flight", None)
        config = msgspec.convert(
            {"num_gpu_blocks": 50_000, "max_model_len": 8192, "async_scheduling": False}
            | known
            | {"max_num_active_seqs": cap},
            SchedulerConfig,
        ).validate()
        jobs = jobs_of(self.trace, self._schedule, config)
        replay = PerRequestReplay(jobs, config, self._model, step_noise=_NOISE, seed=1 + len(self.runs))
        replay.run()
        records = replay.records()
        summary = summarize_run(
            records, self.frame, objectives=self._experiment.objectives, conditions=Conditions()
        )
        return records, summary

    @property
    def frame(self) -> RunFrame:
        """The times of each run."""
        length = self._schedule.length_s
        assert length is not None
        return RunFrame(length_s=length, ended=10 * length)

    def accepted(self, controls: Mapping[str, Value]) -> float:
        """Return the accepted requests a second."""
        return self.replay(controls)[1].accepted_rps or 0.0

    def measure(self, experiments: Sequence[Experiment], path: Path) -> str:
        """Run a plan as the conductor does."""
        plan = make_plan(experiments)
        queue = RunQueue(plan)
        with BenchFile.create(path) as bench:
            ids = [
                bench.add_experiment(each.name, to_toml(each), objectives=each.objectives)
                for each in experiments
            ]
            twins = SearchTwins(plan, self.trace, bench)
            while (run := queue.next()) is not None:
                self._store(bench, ids[run.configuration.experiment], run)
                predicted = asyncio.run(twins.after(run))
                queue.update(run, judge_steps(bench), predicted, twins.advised)
        return "done"

    def _store(self, bench: BenchFile, experiment: int, run: Run) -> None:
        controls = run.configuration.controls
        records, summary = self.replay(controls)
        self.runs.append(dict(controls))
        stored = bench.add_run(
            experiment, run.name, control=run.configuration.control, value=run.configuration.value,
            config=controls, repeat=run.repeat, rate=run.rate, frame=self.frame, trace_sha256="t",
            schedule_sha256="s", time_scale=1.0,
        )  # fmt: skip
        bench.write_requests(stored, records)
        bench.finish_run(stored, "done", summary, inputs=RunInputs())
