"""The conductor carries out a plan: a server with exactly each configuration, the load, the record.

It is the only writer of results. Nothing here draws or prints: everything that happens is an event.
"""

import asyncio
import contextlib
from collections.abc import Coroutine, Sequence
from functools import partial
from typing import Any

import msgspec

from workbench.base import InputError, WorkbenchError, now
from workbench.experiments.agenda import Agenda
from workbench.experiments.before_after import against_baseline
from workbench.experiments.begun import run_started
from workbench.experiments.calibrating import calibrate_first
from workbench.experiments.channel import Emit, Requests
from workbench.experiments.cold_cache import cold_hits
from workbench.experiments.diagnosing import diagnosed, view_of
from workbench.experiments.events import Message, Progress, RunFinished, ServerLog, ServerState
from workbench.experiments.failures import failure_note
from workbench.experiments.figures import OWNED_NEED, Incidents, figures_of, row_of
from workbench.experiments.held import Held, say_moved
from workbench.experiments.held_texts import HeldWorkload, fitted
from workbench.experiments.limiting import Limiting
from workbench.experiments.load_there import hire_for
from workbench.experiments.machine import MachineWatching, machine_facts
from workbench.experiments.measurement import Measurement, measure
from workbench.experiments.pace import Pace
from workbench.experiments.part_used import say_part
from workbench.experiments.pinning import Pinning
from workbench.experiments.plan import Configuration, Plan, Run, server_side
from workbench.experiments.plausible import as_facts, impossible
from workbench.experiments.prefill_watching import PrefillWatching
from workbench.experiments.quality import QualityCheck
from workbench.experiments.recorder import Recorder, StorageError
from workbench.experiments.resume import run_key
from workbench.experiments.rungs import rungs
from workbench.experiments.settings import cache_salt, options_of, run_facts, shared_facts, target_of
from workbench.experiments.steps import RunSteps, StepWatching, requeued
from workbench.experiments.stopping import unless
from workbench.experiments.switchback import Switching
from workbench.experiments.telling import experiment_finished, experiment_started
from workbench.experiments.watch import Beside, RunWatch
from workbench.experiments.workload import make_schedule
from workbench.results import MachineSample, RunFrame, RunIdentity
from workbench.servers import Effective, Server, ServerFailedError, make_server


class Conductor:
    """Carries out one plan into one bench file."""

    def __init__(
        self,
        plan: Plan,
        chosen: HeldWorkload,
        recorder: Recorder,
        emit: Emit,
        requests: Requests,
        quality: QualityCheck | None = None,
    ) -> None:
        self._plan = plan
        self._chosen = chosen
        self._recorder = recorder
        self._emit = emit
        self._quality = quality
        self._requests = requests
        self._experiment = plan.experiments[0]
        self._agenda = Agenda(plan)
        self._pace = Pace(plan, self._agenda)
        self._held = Held()
        self._pinning = Pinning(self._experiment.target.kv)
        self._limiting = Limiting(recorder.limit_change, emit)
        self._workload: HeldWorkload | None = None
        self._server: Server | None = None
        self._running: Configuration | None = None
        self._effective: Effective | None = None
        self._failures = 0
        self._measuring = False
        self._lost: str | None = None
        """Why the server ended during this run."""

    async def carry_out(self, *, resume: bool = False, calibrated: bool = False) -> str:
        """Do every run of the plan; returns `done`, `stopped` or `failed`. What was measured is stored.

        With `resume` the recorder's file holds the plan's experiments, and their finished runs are kept; with
        `calibrated` the load generator is looked at first.
        """
        sha256 = self._chosen.trace.sha256(self._experiment.trace.seed)
        broken: list[str] = []
        if resume:
            broken = self._recorder.begin_again(self._plan)
        else:
            self._recorder.begin(
                self._plan, shared_facts(self._experiment, trace_name=self._chosen.title, trace_sha256=sha256)
            )
        self._emit(experiment_started(self._plan, self._recorder.path, self._chosen.title, sha256))
        if resume:
            self._say_resumed(broken)
        beside = [
            asyncio.create_task(self._while_storing(work))
            for work in (self._recorder.keep_flushing(), self._keep_changing_limits())
        ]
        try:
            if calibrated:
                store = self._recorder.more_shared_facts
                await calibrate_first(self._experiment.target, self._emit, self._requests, store)
            await self._all_runs()
        finally:
            await self._stop_server()
            for task in beside:
                task.cancel()
            for task in beside:
                with contextlib.suppress(asyncio.CancelledError):
                    await task
        return self._finish()

    async def _while_storing(self, work: Coroutine[Any, Any, None]) -> None:
        """Where nothing can be stored any more, nothing more is measured."""
        try:
            await work
        except StorageError as error:
            self._emit(Message(level="error", text=str(error)))
            self._requests.take("stop")
            raise

    async def _keep_changing_limits(self) -> None:
        """Carry out what the user asks of the running server, one after the other."""
        while True:
            await self._limiting.take(*await self._requests.limits.get())

    async def _all_runs(self) -> None:
        while not (self._requests.stop.is_set() or self._requests.stop_after_run):
            run = self._agenda.next()
            if run is None:
                return
            kept = self._recorder.kept.get(run_key(run))
            if kept is not None:
                self._held.take_stored(kept)
                self._pinning.take_stored(kept)
                self._emit(
                    RunFinished(run=run.name, status=kept.status, row=row_of(self._recorder.bench, kept.id))
                )
            else:
                await self._try_run(run)
            for note in self._agenda.took(run, rungs(self._recorder.bench)):
                self._emit(Message(level="info", text=note))

    async def _try_run(self, run: Run) -> None:
        self._requests.next_run()
        try:
            await self._ready(run)
            if not self._requests.stop.is_set():
                await self._one_run(run)
        except StorageError:
            raise
        except WorkbenchError as error:
            self._failed(run, error)

    def _say_resumed(self, broken: list[str]) -> None:
        kept = sum(run_key(run) in self._recorder.kept for run in self._plan.runs)
        again = f"; done again: {', '.join(broken)}" if broken else ""
        self._emit(Message(level="info", text=f"resumed: {kept} finished runs are kept{again}"))

    async def _ready(self, run: Run) -> None:
        """A server with exactly the run's configuration, started anew only where that changes."""
        if self._serves(run.configuration) and await self._takes_limits(run):
            self._running = run.configuration
            return
        await self._stop_server()
        began = now()
        self._emit(self._progress(run, "starting server"))
        controls = self._pinning.controls(run.configuration)
        self._server = make_server(self._experiment.target, controls)
        self._server.steps_folder = self._recorder.steps_folder
        await unless(self._requests.stop, self._server.start(self._log, self._state))
        if self._requests.stop.is_set():
            return
        self._effective = await self._server.effective()
        self._pinning.saw(run.configuration, self._effective)
        self._running = run.configuration
        self._pace.server_took(now() - began)
        await self._limiting.server_ready(self._server)
        await self._set_limits(run)

    async def _set_limits(self, run: Run) -> None:
        """The run's own limits on the running server; what was changed while it ran is put back."""
        assert self._effective is not None
        live = run.configuration.live()
        await self._limiting.begin_run(run.name, self._effective.time_scale or 1.0, live)
        arguments = {**self._effective.arguments, **live}
        self._effective = msgspec.structs.replace(self._effective, arguments=arguments)

    async def _takes_limits(self, run: Run) -> bool:
        """Whether the running server can be had as the run needs it; else it is started anew."""
        try:
            await self._set_limits(run)
        except (InputError, ServerFailedError) as error:
            self._emit(Message(level="warning", text=f"the server is started anew: {error}"))
            return False
        return True

    def _serves(self, configuration: Configuration) -> bool:
        """Whether the running server serves this configuration too: at most the caller's controls differ."""
        if self._server is None or self._running is None or self._server.state != "ready":
            return False
        return self._running.launched() == configuration.launched()

    def _progress(self, run: Run, phase: str) -> Progress:
        left = round(self._pace.plan_left(0.0), 1)
        return Progress(run=run.name, phase=phase, run_elapsed_s=0.0, run_left_s=0.0, plan_left_s=left)

    def _log(self, line: str) -> None:
        self._recorder.log("server", line)
        self._emit(ServerLog(line=line))

    def _state(self, state: str, detail: str) -> None:
        server = self._server
        url, command, pid = (server.url, server.command, server.pid) if server else (None, None, None)
        self._emit(ServerState(state=state, detail=detail, url=url, command=command, pid=pid))
        if state == "failed" and self._measuring:
            self._lose(f"the server was lost: {detail or 'it ended'}")

    async def _stop_server(self) -> None:
        server, self._server, self._running = self._server, None, None
        self._limiting.server_gone()
        if server is not None:
            await server.stop()

    def _fitted(self) -> HeldWorkload:
        """The trace as the server's longest context allows, decided once so that all runs have the same."""
        if self._workload is None:
            length = self._effective.max_model_len if self._effective else None
            self._workload = fitted(self._chosen, length, self._experiment.trace)
            for note in self._workload.notes:
                self._emit(Message(level="warning", text=note))
        return self._workload

    async def _one_run(self, run: Run) -> None:
        server, effective = self._server, self._effective
        assert server is not None
        assert effective is not None
        experiment, workload = self._experiment, self._fitted()
        trace = workload.trace
        schedule = make_schedule(
            trace, experiment.trace, experiment.load, run.rate, run.concurrency, experiment.burst
        )
        options = options_of(
            experiment, run.configuration, effective, schedule.length_s, self._cache_salt(run)
        )
        frame = RunFrame(
            length_s=schedule.length_s or 0.0, time_scale=options.time_scale, server_time_scale=1.0
        )
        sha256 = trace.sha256(experiment.trace.seed)
        hire = await hire_for(experiment, server)
        switching = await self._switching(run)
        moved = say_moved(self._held, run, effective, self._emit)
        facts = run_facts(run.configuration, effective, schedule, options, moved) | say_part(
            experiment, run, trace, schedule, self._emit
        )
        if self._quality is not None:
            self._emit(self._progress(run, "comparing answers"))
            facts |= await self._quality.facts(
                run.configuration, target_of(experiment, server, effective), self._requests.end_run
            )
        if switching is not None:
            facts["blocks"] = [block.stored() for block in switching.blocks]
        self._recorder.start_run(run, schedule, frame, server.command, effective, sha256, facts)
        self._emit(run_started(run, self._plan, self._agenda, schedule, effective))
        self._pace.run_begins()
        self._lost, self._measuring = None, True
        wall_length = frame.length_s / options.time_scale
        watch = RunWatch(run.name, wall_length, self._recorder, self._emit, self._pace, self._state)
        machine = MachineWatching(run.name, options.time_scale, server, self._recorder.machine, self._emit)
        steps = StepWatching(server)
        store = partial(self._recorder.log, "event")
        prompts = PrefillWatching(
            run.name, options.time_scale, server, effective.arguments, store, self._emit
        )
        # The record is read to its end once its last lines are there.
        beside: list[Beside] = [*([switching] if switching else []), machine, steps, prompts]
        try:
            measurement = await measure(
                run.name,
                target_of(experiment, server, effective),
                trace,
                schedule,
                options,
                watch.hooks(self._limiting.schedule_begins, *(each.begin for each in beside)),
                self._requests.end_run,
                hire=hire,
                texts=workload.texts,
            )
        finally:
            self._measuring = False
            for each in beside:
                await each.end()
            self._limiting.end_run()
        self._pace.run_ended(run)
        self._emit(self._progress(run, "computing"))
        identity = RunIdentity(
            simulated=effective.simulated,
            profile=effective.profile,
            trace_sha256=sha256,
            schedule_sha256=schedule.sha256(),
            command=server.command,
        )
        self._recorder.more_facts(machine.facts)
        if steps.found is not None:
            self._recorder.records(requeued(steps.found, measurement.records))
            self._recorder.more_facts(steps.found.facts(self._recorder.path))
        cold = await cold_hits(trace, schedule, options, experiment.load.endpoint, len(measurement.records))
        self._store(run, frame, measurement, identity, machine.samples, steps.found, cold)

    async def _switching(self, run: Run) -> Switching | None:
        """Of a switchback, set to its first block."""
        experiment = self._plan.experiments[run.configuration.experiment]
        if experiment.switchback is None:
            return None
        change = partial(self._limiting.change, by="switchback")
        switching = Switching(experiment, change, self._lose)
        await switching.prepare()
        return switching

    def _lose(self, why: str) -> None:
        """The run can't go on as planned."""
        self._lost = why
        self._requests.end_run.set()

    def _cache_salt(self, run: Run) -> str | None:
        """Keeps the prefix caches of runs on one server apart; only vLLM is known to take the field."""
        assert self._effective is not None
        return cache_salt(self._recorder.path, run.name) if self._effective.version else None

    def _store(
        self,
        run: Run,
        frame: RunFrame,
        measurement: Measurement,
        identity: RunIdentity,
        machine: Sequence[MachineSample],
        steps: RunSteps | None,
        cold: float | None,
    ) -> None:
        assert self._effective is not None
        figured = figures_of(
            measurement,
            frame,
            identity,
            asked=server_side(run.configuration.controls),
            effective=self._effective,
            objectives=self._experiment.objectives,
            needed=() if self._experiment.target.kind == "attached" else OWNED_NEED,
            incidents=Incidents(
                changed_limits=self._limiting.changed, server_lost=self._lost, prefix_hit_ideal=cold
            ),
        )
        status = self._status(measurement)
        if self._lost is not None:
            self._emit(Message(level="error", text=f"{run.name}: {self._lost}"))
        elif (note := failure_note(measurement.records)) is not None:
            self._emit(Message(level="warning", text=f"{run.name}: {note}"))
        end_s = figured.frame.measured(measurement.ended)[1] / frame.time_scale
        view = view_of(
            self._experiment, run, measurement, figured, self._effective, steps, machine, self._limiting.taken
        )
        wrong = impossible(view, self._experiment.target, self._effective)
        for sentence in wrong:
            self._emit(Message(level="warning", text=f"{run.name}: {sentence}"))
        self._recorder.more_facts({**machine_facts(machine, end_s), **as_facts(wrong)})
        run_id = self._recorder.finish_run(status, figured)
        self._emit(RunFinished(run=run.name, status=status, row=row_of(self._recorder.bench, run_id)))
        if measurement.samples:
            event = diagnosed(view, wrong, against_baseline(self._recorder.bench, run_id))
            self._recorder.diagnosis(event)
            self._emit(event)

    def _status(self, measurement: Measurement) -> str:
        if self._lost is not None:
            self._failures += 1
            return "failed"
        if self._requests.skip.is_set():
            return "skipped"
        return "partial" if measurement.stopped else "done"

    def _failed(self, run: Run, error: WorkbenchError) -> None:
        self._failures += 1
        run_id = self._recorder.failed_run(run, str(error))
        self._emit(Message(level="error", text=f"{run.name}: {error}"))
        self._emit(RunFinished(run=run.name, status="failed", row=row_of(self._recorder.bench, run_id)))

    def _finish(self) -> str:
        stopped = self._requests.stop.is_set() or self._requests.stop_after_run
        status = "stopped" if stopped else "failed" if self._failures else "done"
        self._recorder.finish(status)
        self._emit(experiment_finished(self._recorder.bench, status))
        return status
