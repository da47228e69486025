"""What the conductor writes down: one bench file, flushed at least twice a second while anything goes on."""

import asyncio
import contextlib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from workbench.base import Message, Refusal, WorkbenchError, WorkFailure
from workbench.experiments.plan.plan import Plan, Run
from workbench.experiments.plan.resume import finished_runs, is_invalid, mend, own_experiments, run_key
from workbench.experiments.run.events import RunDiagnosed, encode_event
from workbench.experiments.run.held_constant import effective_columns
from workbench.experiments.run.run_figures import RunFigures
from workbench.experiments.spec.experiment_text import to_toml
from workbench.results import (
    REPLACED,
    BenchFile,
    LimitChange,
    MachineSample,
    RequestRecord,
    RunEntry,
    RunFrame,
    Sample,
    stored_reasons,
    worth_retrying,
)
from workbench.servers import Effective
from workbench.traces import Schedule

FLUSH_S = 0.25
"""A crash of the conductor loses no request that ended half a second before; records reach it in 0.25 s."""


class StorageError(WorkFailure):
    """The bench file takes nothing more: its disk is full, or it became read-only. What it holds is kept."""


@contextlib.contextmanager
def _storing() -> Iterator[None]:
    try:
        yield
    except WorkbenchError as error:
        if isinstance(error, Refusal | WorkFailure):
            raise StorageError(error.kind, error.place, **error.values) from error
        raise StorageError("experiments.not_stored", why=str(error)) from error


class BenchRecorder:
    """Stores a plan's runs as they happen; every method raises `StorageError` where that can't be done."""

    def __init__(self, bench: BenchFile) -> None:
        self._bench = bench
        self._experiments: list[int] = []
        self._run: int | None = None
        self._finished = 0
        self._plan: Plan | None = None
        self.kept: dict[bytes, RunEntry] = {}
        """Runs of an earlier conductor that need not be done again, by `run_key`."""
        self._tries: dict[bytes, list[int]] = {}
        """Ids of the tries of each run that came to their end, the last of which counts."""

    @property
    def path(self) -> Path:
        """The bench file."""
        return self._bench.path

    @property
    def in_run(self) -> bool:
        """Whether a run has begun and isn't finished."""
        return self._run is not None

    @property
    def steps_folder(self) -> Path:
        """Where records of schedulers' steps go: beside the bench file, to which they belong."""
        return self._bench.path.with_suffix(".steps")

    @property
    def bench(self) -> BenchFile:
        """The open file, for the figures that are computed from it alone."""
        return self._bench

    @_storing()
    def begin(self, plan: Plan, facts: Mapping[str, Any]) -> None:
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
    def begin_again(self, plan: Plan, *, invalid: bool = False) -> list[str]:
        """Go on in a file that holds these experiments; returns the names of runs that are done again.

        These are the ones that broke off and, with `invalid`, those from which nothing can be concluded.
        """
        self._plan = plan
        self._experiments = [entry.id for entry in own_experiments(self._bench)]
        again = mend(self._bench)
        finished = finished_runs(self._bench)
        self._tries = {key: [run.id] for key, run in finished.items() if run.status == "done"}
        self.kept = {key: run for key, run in finished.items() if not (invalid and is_invalid(run))}
        again += [run.name for key, run in finished.items() if key not in self.kept]
        for experiment in self._experiments:
            self._bench.update_experiment(experiment, status="running", ended_utc=None)
        self._bench.flush()
        return again

    @_storing()
    def more_shared_facts(self, facts: Mapping[str, Any]) -> None:
        """Scorecard columns of all runs that are known only now."""
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
        effective: Effective,
        trace_sha256: str,
        facts: Mapping[str, Any],
    ) -> None:
        """A run begins; its records and samples follow."""
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
    def records(self, records: Sequence[RequestRecord]) -> None:
        """Requests of the run that ended."""
        assert self._run is not None
        self._bench.write_requests(self._run, records)

    @_storing()
    def samples(self, samples: Sequence[Sample]) -> None:
        """Scrapes of the run."""
        assert self._run is not None
        self._bench.write_samples(self._run, samples)

    @_storing()
    def machine(self, sample: MachineSample) -> None:
        """What the machine under the server does."""
        assert self._run is not None
        self._bench.write_machine(self._run, [sample])

    @_storing()
    def more_facts(self, facts: Mapping[str, Any]) -> None:
        """Scorecard columns of the run that are known at its end only."""
        assert self._run is not None
        if facts:
            self._bench.update_run(self._run, facts={**self._bench.run(self._run).facts, **facts})

    @_storing()
    def limit_change(self, change: LimitChange) -> None:
        """A limit that was changed or refused while a server ran."""
        self._bench.write_limit_change(self._run, change)

    @_storing()
    def log(self, kind: str, line: str) -> None:
        """A line of `server`, `event` or `warning`."""
        self._bench.write_log(self._run, kind, [line])

    @_storing()
    def finish_run(self, status: str, figured: RunFigures | None) -> int:
        """The run's figures are final (None: it has none); returns its id."""
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
        """A run that has come to its end is the one of its tries that counts; the others stay to be seen."""
        tries = self._tries.setdefault(run_key(self._bench.run(run_id)), [])
        for earlier in tries:
            self._bench.update_run(earlier, status=REPLACED)
        tries.append(run_id)
        self._bench.flush()

    def tries(self, run: Run) -> int:
        """How often this run was begun so far, in this file; a server may still hold what they sent."""
        key = run_key(run)
        return sum(run_key(entry) == key for entry in self._bench.runs())

    def disturbed(self) -> list[Message]:
        """Return why the run that has just finished is invalid; empty where another try can't help."""
        entry = self._bench.run(self._finished)
        reasons = stored_reasons(entry.summary)
        return reasons if is_invalid(entry) and worth_retrying(reasons) else []

    @_storing()
    def diagnosis(self, event: RunDiagnosed) -> None:
        """What was made of the run that has just finished, as its event."""
        self._bench.write_log(self._finished, "event", [encode_event(event).decode().strip()])
        self._bench.flush()

    @_storing()
    def failed_run(self, run: Run, reason: str, status: str = "failed") -> int:
        """A run that never began or broke off, with its reason."""
        if self._run is None:
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
            )
        self.log("warning", reason)
        return self.finish_run(status, None)

    @_storing()
    def finish(self, status: str) -> None:
        """The plan has ended."""
        for experiment in self._experiments:
            self._bench.finish_experiment(experiment, status)
        self._bench.flush()

    async def keep_flushing(self) -> None:
        """Commit four times a second until cancelled."""
        while True:
            await asyncio.sleep(FLUSH_S)
            with _storing():
                self._bench.flush()
