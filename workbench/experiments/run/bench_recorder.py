"""Storing a plan's results: one bench file, committed four times a second."""

import asyncio
import contextlib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from workbench.base import Message, Refusal, WorkbenchError, WorkFailure, utc_now
from workbench.experiments.plan.plan import Plan, Run
from workbench.experiments.plan.resume import (
    finish_broken_runs,
    finished_runs,
    is_invalid,
    own_experiments,
    run_key,
)
from workbench.experiments.run.events import RunDiagnosed, encode_event
from workbench.experiments.run.held_constant import effective_columns
from workbench.experiments.run.run_figures import RunFigures
from workbench.experiments.spec.experiment_text import to_toml
from workbench.results import (
    REPLACED,
    WATCHED,
    BenchFile,
    LimitChange,
    MachineSample,
    RequestRecord,
    RunEntry,
    RunFrame,
    RunInputs,
    Sample,
    stored_reasons,
    worth_retrying,
)
from workbench.servers import EffectiveConfig
from workbench.traces import Schedule

FLUSH_S = 0.25
"""Seconds between commits; records arrive within 0.25 s, so a crash loses at most half a second."""


class StorageError(WorkFailure):
    """The bench file can't be written any more (disk full, or read-only); its content is kept."""


@contextlib.contextmanager
def _storing() -> Iterator[None]:
    try:
        yield
    except WorkbenchError as error:
        if isinstance(error, Refusal | WorkFailure):
            raise StorageError(error.kind, error.place, **error.values) from error
        raise StorageError("experiments.not_stored", why=str(error)) from error


class BenchRecorder:
    """Stores a plan's runs as they happen; every method raises `StorageError` if that fails."""

    def __init__(self, bench: BenchFile) -> None:
        self._bench = bench
        self._experiments: list[int] = []
        self._run: int | None = None
        self._finished = 0
        self._plan: Plan | None = None
        self.kept: dict[bytes, RunEntry] = {}
        """Finished runs of an earlier conductor that are not repeated, by `run_key`."""
        self._tries: dict[bytes, list[int]] = {}
        """Ids of the finished tries of each run; the last one counts."""

    @property
    def path(self) -> Path:
        """Path of the bench file."""
        return self._bench.path

    @property
    def in_run(self) -> bool:
        """Return true if a run has begun and isn't finished."""
        return self._run is not None

    @property
    def steps_folder(self) -> Path:
        """Folder of the schedulers' step records, beside the bench file."""
        return self._bench.path.with_suffix(".steps")

    @property
    def bench(self) -> BenchFile:
        """The open bench file, for figures that are computed from it alone."""
        return self._bench

    @_storing()
    def start(self, plan: Plan, facts: Mapping[str, Any]) -> None:
        """Store the experiments; `facts` are scorecard columns that hold for all runs."""
        self._plan = plan
        for experiment in plan.experiments:
            cost = experiment.cost
            self._experiments.append(
                self._bench.add_experiment(
                    experiment.name,
                    to_toml(experiment),
                    objectives=experiment.objectives,
                    cost=None if cost is None else msgspec.to_builtins(cost),
                    facts=facts,
                )
            )
        self._bench.flush()

    @_storing()
    def resume(self, plan: Plan, *, invalid: bool = False) -> list[str]:
        """Resume a file that holds these experiments; return the names of the runs to repeat.

        These are the runs that broke off and, with `invalid`, the invalid ones.
        """
        self._plan = plan
        self._experiments = [entry.id for entry in own_experiments(self._bench)]
        again = finish_broken_runs(self._bench)
        finished = finished_runs(self._bench)
        self._tries = {key: [run.id] for key, run in finished.items() if run.status == "done"}
        self.kept = {key: run for key, run in finished.items() if not (invalid and is_invalid(run))}
        again += [run.name for key, run in finished.items() if key not in self.kept]
        for experiment in self._experiments:
            self._bench.update_experiment(experiment, status="running", ended_utc=None)
        self._bench.flush()
        return again

    @_storing()
    def add_shared_facts(self, facts: Mapping[str, Any]) -> None:
        """Add scorecard columns that hold for all runs."""
        for entry in self._bench.experiments():
            if entry.id in self._experiments:
                self._bench.update_experiment(entry.id, facts={**entry.facts, **facts})
        self._bench.flush()

    @_storing()
    def start_run(
        self,
        run: Run,
        schedule: Schedule,
        frame: RunFrame,
        command: str | None,
        effective: EffectiveConfig,
        trace_sha256: str,
        facts: Mapping[str, Any],
    ) -> None:
        """Store the start of a run; its records and samples follow."""
        self._add_run(
            run,
            command=command,
            effective=effective_columns(effective),
            trace_sha256=trace_sha256,
            schedule_sha256=schedule.sha256(),
            simulated=effective.simulated,
            profile=effective.profile,
            time_scale=frame.time_scale,
            frame=frame,
            facts=dict(facts),
        )
        self._bench.flush()

    @_storing()
    def start_watch(
        self, title: str, run: str, effective: EffectiveConfig, frame: RunFrame, facts: Mapping[str, Any]
    ) -> None:
        """Store the start of a watch of a server under its own traffic: an experiment without a file."""
        self._experiments.append(self._bench.add_experiment(title, "", facts=facts))
        self._run = self._bench.add_run(
            self._experiments[-1],
            run,
            control=None,
            value=None,
            config={},
            effective=effective_columns(effective),
            simulated=effective.simulated,
            profile=effective.profile,
            time_scale=frame.time_scale,
            frame=frame,
        )
        self._bench.flush()

    @_storing()
    def finish_watch(self, summary: Mapping[str, Any], inputs: RunInputs, frame: RunFrame) -> int:
        """Store the watched server's figures and return the run's id."""
        assert self._run is not None
        self._bench.update_run(
            self._run, status=WATCHED, summary=dict(summary), inputs=inputs, frame=frame, ended_utc=utc_now()
        )
        self._finished, self._run = self._run, None
        self._bench.flush()
        return self._finished

    def _add_run(self, run: Run, **measured: Any) -> None:
        """Store what the plan says of a run, and `measured` fields of its row."""
        configuration = run.configuration
        self._run = self._bench.add_run(
            self._experiments[configuration.experiment],
            run.name,
            control=configuration.control,
            value=configuration.value,
            config=configuration.controls,
            repeat=run.repeat,
            rate=run.rate,
            concurrency=run.concurrency,
            **measured,
        )

    @_storing()
    def records(self, records: Sequence[RequestRecord]) -> None:
        """Store requests of the run that ended."""
        assert self._run is not None
        self._bench.write_requests(self._run, records)

    @_storing()
    def samples(self, samples: Sequence[Sample]) -> None:
        """Store scrapes of the run."""
        assert self._run is not None
        self._bench.write_samples(self._run, samples)

    @_storing()
    def machine(self, sample: MachineSample) -> None:
        """Store a sample of the server's machine."""
        assert self._run is not None
        self._bench.write_machine(self._run, [sample])

    @_storing()
    def add_facts(self, facts: Mapping[str, Any]) -> None:
        """Add scorecard columns of the run."""
        assert self._run is not None
        if facts:
            self._bench.update_run(self._run, facts={**self._bench.run(self._run).facts, **facts})

    @_storing()
    def limit_change(self, change: LimitChange) -> None:
        """Store a change of a running server's limit, refused changes included."""
        self._bench.write_limit_change(self._run, change)

    @_storing()
    def log(self, kind: str, line: str) -> None:
        """Store a line of the log; `kind` is `server`, `event` or `warning`."""
        self._bench.write_log(self._run, kind, [line])

    @_storing()
    def finish_run(self, status: str, figured: RunFigures | None) -> int:
        """Store the run's final figures (None: it has none) and return its id."""
        assert self._run is not None
        if figured is None:
            self._bench.finish_run(self._run, status, None)
        else:
            self._bench.update_run(self._run, frame=figured.frame)
            self._bench.finish_run(self._run, status, figured.summary, inputs=figured.inputs)
        self._finished, self._run = self._run, None
        if status == "done":
            self._replace(self._finished)
        return self._finished

    def _replace(self, run_id: int) -> None:
        """Mark earlier tries of a finished run as replaced; they stay visible."""
        tries = self._tries.setdefault(run_key(self._bench.run(run_id)), [])
        for earlier in tries:
            self._bench.update_run(earlier, status=REPLACED)
        tries.append(run_id)
        self._bench.flush()

    def try_count(self, run: Run) -> int:
        """Return the number of tries of this run in this file; their prompts may still be cached."""
        key = run_key(run)
        return sum(run_key(entry) == key for entry in self._bench.runs())

    def repeatable_reasons(self) -> list[Message]:
        """Return why the last run is invalid; empty if another try can't help."""
        entry = self._bench.run(self._finished)
        reasons = stored_reasons(entry.summary)
        return reasons if is_invalid(entry) and worth_retrying(reasons) else []

    @_storing()
    def diagnosis(self, event: RunDiagnosed) -> None:
        """Store the diagnosis of the last run as its event."""
        self._bench.write_log(self._finished, "event", [encode_event(event).decode().strip()])
        self._bench.flush()

    @_storing()
    def store_failed_run(self, run: Run, reason: str, status: str = "failed") -> int:
        """Store a run that never began or broke off, with its reason."""
        if self._run is None:
            self._add_run(run)
        self.log("warning", reason)
        return self.finish_run(status, None)

    @_storing()
    def finish(self, status: str) -> None:
        """Store the end of the plan."""
        for experiment in self._experiments:
            self._bench.finish_experiment(experiment, status)
        self._bench.flush()

    async def keep_flushing(self) -> None:
        """Commit four times a second until cancelled."""
        while True:
            await asyncio.sleep(FLUSH_S)
            with _storing():
                self._bench.flush()
