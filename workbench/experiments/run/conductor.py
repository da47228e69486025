"""The conductor carries out a plan: a server with exactly each configuration, the load, the record.

It is the only writer of results. Nothing here draws or prints: everything that happens is an event.
"""

import asyncio
import contextlib
from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from workbench.base import Message, WorkbenchError, WorkFailure, message
from workbench.controls import values_in_force
from workbench.experiments.findings.before_after import against_baseline
from workbench.experiments.findings.diagnose_run import diagnosed, view_of
from workbench.experiments.findings.summary import keep_conclusions, tell
from workbench.experiments.plan.estimate import Pace
from workbench.experiments.plan.plan import Plan, Run
from workbench.experiments.plan.resume import Resume, run_key
from workbench.experiments.plan.run_queue import Agenda, rungs
from workbench.experiments.plan.workload import HeldWorkload, fitted, say_part
from workbench.experiments.run.answer_quality import QualityCheck
from workbench.experiments.run.bench_recorder import BenchRecorder, StorageError
from workbench.experiments.run.channel import Emit, UserRequests
from workbench.experiments.run.client_calibration import calibrate_first
from workbench.experiments.run.events import (
    ExperimentFinished,
    ExperimentStarted,
    Notice,
    RunFinished,
    RunStarted,
    about,
    as_data,
    notice,
)
from workbench.experiments.run.held_constant import ConstantsCheck, report_changes
from workbench.experiments.run.live_limits import LiveLimits
from workbench.experiments.run.machine_monitor import MachineMonitor, machine_facts, sharing
from workbench.experiments.run.measurement import Measurement, measure
from workbench.experiments.run.prefill_progress import PrefillMonitor
from workbench.experiments.run.prepared_run import PreparedRun, prepare_run
from workbench.experiments.run.remote_workers import workers_for
from workbench.experiments.run.run_figures import (
    NEEDED_OF_OWN_SERVER,
    Incidents,
    RunFigures,
    compute_figures,
    failure_note,
    implausible_column,
    implausible_figures,
    scorecard_row,
)
from workbench.experiments.run.run_settings import cache_salt, run_facts, shared_facts, target_title
from workbench.experiments.run.server_session import ServerSession
from workbench.experiments.run.start_failures import fails_alike, left_out_message
from workbench.experiments.run.step_records import (
    RunSteps,
    StepRecordMonitor,
    fill_missing_times,
    with_queue_source,
)
from workbench.experiments.run.switchback import BlockSwitcher
from workbench.experiments.run.watch_run import RunCompanion, RunWatch, ending_all
from workbench.load import Hire
from workbench.results import BenchFile, MachineSample, Sharing, choose
from workbench.servers import Effective

# What the conductor says first and last: the plan, and what was seen, as events.


def experiment_started(plan: Plan, bench: Path, trace: str, trace_sha256: str) -> ExperimentStarted:
    """The plan is fixed and the bench file open; `trace` is its title."""
    experiment = plan.experiments[0]
    embedded = experiment.target.kind == "embedded"
    return ExperimentStarted(
        name=" + ".join(each.name for each in plan.experiments),
        bench=str(bench),
        plan=plan.described(),
        simulated=embedded,
        profile=experiment.target.profile if embedded else None,
        target=target_title(experiment.target),
        trace=trace,
        trace_sha256=trace_sha256,
        objectives=experiment.objectives.to_json(),
        limits=dict(experiment.baseline),
    )


def experiment_finished(bench: BenchFile, status: str) -> ExperimentFinished:
    """Everything is stored, the conclusions too: what was seen and what to choose."""
    concluded = keep_conclusions(bench)
    return ExperimentFinished(
        status=status,
        bench=str(bench.path),
        csv=None,
        report=tell(bench, concluded),
        verdicts=[verdict.to_json() for verdict in concluded.verdicts],
        choice=choose(bench).to_json(),
    )


def _run_failed(run: Run, why: Message | str) -> Notice:
    """Return the event of a run that failed; it repeats why its server failed."""
    return notice("error", message("experiments.run_failed", run=run.name, why=why))


def run_started(held: PreparedRun, plan: Plan, agenda: Agenda) -> RunStarted:
    """Return the event of a run whose load begins now."""
    run, schedule, effective = held.run, held.schedule, held.effective
    configuration = run.configuration
    return RunStarted(
        run=run.name,
        index=agenda.begun,
        of=len(agenda),
        experiment=plan.experiments[configuration.experiment].name,
        control=configuration.control,
        value=configuration.value,
        rate=run.rate,
        duration_s=round(schedule.length_s or 0.0, 3),
        requests=len(schedule),
        simulated=bool(effective.simulated),
        limits=values_in_force(
            configuration.controls, effective.arguments, started_by_us=held.server.command is not None
        ),
    )


class Conductor:
    """Carries out one plan into one bench file."""

    def __init__(
        self,
        plan: Plan,
        chosen: HeldWorkload,
        recorder: BenchRecorder,
        emit: Emit,
        requests: UserRequests,
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
        self._held = ConstantsCheck()
        self._limiting = LiveLimits(recorder.limit_change, emit)
        self._serving = ServerSession(
            self._experiment.target,
            recorder,
            emit,
            requests,
            self._pace,
            self._limiting,
            self._server_failed,
        )
        self._workload: HeldWorkload | None = None
        self._failures = 0
        self._measuring = False
        self._lost: Message | None = None
        """Why the server ended during this run."""

    async def run(self, *, resume: Resume = "no", calibrated: bool = False) -> str:
        """Do every run of the plan; returns `done`, `stopped` or `failed`. What was measured is stored.

        To `resume`, the recorder's file holds the plan's experiments, whose finished runs are kept, but for
        invalid ones that are to be done again; with `calibrated` the load generator is looked at first.
        """
        sha256 = self._chosen.trace.sha256(self._experiment.trace.seed)
        again: list[str] = []
        if resume != "no":
            again = self._recorder.begin_again(self._plan, invalid=resume == "invalid")
        else:
            self._recorder.begin(
                self._plan, shared_facts(self._experiment, trace_name=self._chosen.title, trace_sha256=sha256)
            )
        self._emit(experiment_started(self._plan, self._recorder.path, self._chosen.title, sha256))
        if resume != "no":
            self._say_resumed(again)
        beside = [
            asyncio.create_task(self._while_storing(work))
            for work in (self._recorder.keep_flushing, self._keep_changing_limits)
        ]
        try:
            if calibrated:
                store = self._recorder.more_shared_facts
                await calibrate_first(self._experiment.target, self._emit, self._requests, store)
            await self._all_runs()
        finally:
            await self._serving.stop()
            for task in beside:
                task.cancel()
            for task in beside:
                with contextlib.suppress(asyncio.CancelledError):
                    await task
        return self._finish()

    async def _while_storing(self, work: Callable[[], Awaitable[None]]) -> None:
        """Where nothing can be stored any more, nothing more is measured."""
        try:
            await work()
        except StorageError as error:
            self._emit(notice("error", error))
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
                self._serving.pinning.take_stored(kept)
                self._emit(
                    RunFinished(
                        run=run.name, status=kept.status, row=scorecard_row(self._recorder.bench, kept.id)
                    )
                )
            else:
                await self._undisturbed(run)
            for note in self._agenda.took(run, rungs(self._recorder.bench)):
                self._emit(notice("info", note))

    async def _undisturbed(self, run: Run) -> None:
        """The run, and at once again where this machine spoilt it, as often as the experiment allows."""
        await self._try_run(run)
        for _ in range(self._plan.experiments[run.configuration.experiment].repeat.disturbed):
            if self._requests.stop.is_set() or self._requests.stop_after_run:
                return
            reasons = self._recorder.disturbed()
            if not reasons:
                return
            self._emit(notice("info", message("experiments.run_repeated", run=run.name, reasons=reasons)))
            await self._try_run(run)

    async def _try_run(self, run: Run) -> None:
        self._requests.next_run()
        self._lost = None
        started = False
        try:
            await self._serving.ready(run)
            started = True
            if not self._requests.stop.is_set():
                await self._one_run(run)
        except StorageError:
            raise
        except WorkbenchError as error:
            if self._requests.end_run.is_set() and self._lost is None:
                self._ended_early(run, error)
            else:
                self._failed(run, error)
                if not started:
                    self._leave_out_alike(run, error)

    def _leave_out_alike(self, run: Run, error: WorkbenchError) -> None:
        """Drop the runs whose server would fail to start as this one did."""
        any_served = self._serving.any_served or bool(self._recorder.kept)
        alike = fails_alike(run.configuration, error, any_served=any_served)
        dropped = self._agenda.leave_out(
            lambda each: run_key(each) not in self._recorder.kept and alike(each.configuration)
        )
        if dropped:
            said = left_out_message(dropped, ends_plan=not self._agenda.left)
            self._emit(notice("warning", said))

    def _say_resumed(self, again: list[str]) -> None:
        kept = sum(run_key(run) in self._recorder.kept for run in self._plan.runs)
        repeated = message("experiments.resumed_repeats", runs=again) if again else None
        self._emit(notice("info", message("experiments.resumed", kept=kept, repeated=repeated)))

    def _fitted(self) -> HeldWorkload:
        """The trace as the server's longest context allows, decided once so that all runs have the same."""
        if self._workload is None:
            effective = self._serving.effective
            length = effective.max_model_len if effective else None
            self._workload = fitted(self._chosen, length, self._experiment.trace)
            for note in self._workload.notes:
                level = "info" if note in self._workload.mild else "warning"
                self._emit(notice(level, note))
        return self._workload

    async def _one_run(self, run: Run) -> None:
        server, effective = self._serving.server, self._serving.effective
        assert server is not None
        assert effective is not None
        held = prepare_run(
            self._experiment, run, self._fitted(), server, effective, self._cache_salt(run, effective)
        )
        hire = await workers_for(self._experiment, server)
        switching = await self._switching(run)
        facts = await self._facts(held)
        if self._requests.end_run.is_set():
            raise WorkFailure("experiments.ended_before_load")
        if switching is not None:
            facts["blocks"] = [block.stored() for block in switching.blocks]
        self._recorder.start_run(
            run, held.schedule, held.frame, server.command, effective, held.trace_sha256, facts
        )
        self._emit(run_started(held, self._plan, self._agenda))
        self._pace.run_begins()
        machine, steps, prompts = self._watchers(held)
        # The record is read to its end once its last lines are there.
        beside: list[RunCompanion] = [*([switching] if switching else []), machine, steps, prompts]
        measurement = await self._load(held, hire, beside)
        self._pace.run_ended(run)
        self._emit(self._serving.progress(run, "computing"))
        self._recorder.more_facts(machine.facts)
        if steps.lacking:
            self._emit(notice("warning", steps.lacking))
        if steps.found is not None:
            self._recorder.records(fill_missing_times(steps.found, measurement.records))
            self._recorder.more_facts(steps.found.facts(self._recorder.path))
        await self._store(held, measurement, machine.samples, steps.found)

    async def _facts(self, held: PreparedRun) -> dict[str, Any]:
        """What is known of the run before its load; with prompts to be compared, the server is asked them."""
        run, effective = held.run, held.effective
        moved = report_changes(self._held, run, effective, self._emit)
        facts = run_facts(run.configuration, effective, held.schedule, held.options, moved)
        facts |= self._serving.memory.facts
        facts |= say_part(self._experiment, run, held.workload.trace, held.schedule, self._emit)
        if self._quality is not None:
            self._emit(self._serving.progress(run, "comparing answers"))
            facts |= await self._quality.facts(run.configuration, held.target, self._requests.end_run)
        return facts

    def _watchers(self, held: PreparedRun) -> tuple[MachineMonitor, StepRecordMonitor, PrefillMonitor]:
        """What looks at the server while the load goes on."""
        name, scale, server, recorder = held.run.name, held.options.time_scale, held.server, self._recorder
        load_here = self._experiment.target.load_python is None
        machine = MachineMonitor(name, scale, server, recorder.machine, self._emit, load_here=load_here)
        store = partial(recorder.log, "event")
        prompts = PrefillMonitor(name, scale, server, held.effective.arguments, store, self._emit)
        engines = held.effective.arguments.get("data_parallel_size") or 1
        return machine, StepRecordMonitor(server, engines), prompts

    async def _load(self, held: PreparedRun, hire: Hire, beside: Sequence[RunCompanion]) -> Measurement:
        """The run's load, with what goes on beside it."""
        name, workload = held.run.name, held.workload
        tell_state = self._serving.tell_state
        watch = RunWatch(name, held.wall_length_s, self._recorder, self._emit, self._pace, tell_state)
        hooks = watch.hooks(self._limiting.schedule_begins, *(each.begin for each in beside))
        self._measuring = True
        try:
            async with ending_all(beside):
                try:
                    return await measure(
                        name,
                        held.target,
                        workload.trace,
                        held.schedule,
                        held.options,
                        hooks,
                        self._requests.end_run,
                        hire=hire,
                        texts=workload.texts,
                    )
                finally:
                    self._measuring = False
        finally:
            self._limiting.end_run()

    async def _switching(self, run: Run) -> BlockSwitcher | None:
        """Of a switchback, set to its first block."""
        experiment = self._plan.experiments[run.configuration.experiment]
        if experiment.switchback is None:
            return None
        change = partial(self._limiting.change, by="switchback")
        switching = BlockSwitcher(experiment, change, self._lose)
        await switching.prepare()
        return switching

    def _lose(self, why: Message) -> None:
        """The run can't go on as planned."""
        self._lost = why
        self._requests.end_run.set()

    def _server_failed(self, why: Message) -> None:
        if self._measuring:
            self._lose(why)

    def _cache_salt(self, run: Run, effective: Effective) -> str | None:
        """Keeps the prefix caches of runs on one server apart; only vLLM is known to take the field."""
        tries = self._recorder.tries(run)
        return cache_salt(self._recorder.path, run.name, tries) if effective.version else None

    async def _store(
        self,
        held: PreparedRun,
        measurement: Measurement,
        machine: Sequence[MachineSample],
        steps: RunSteps | None,
    ) -> None:
        figured = await self._figured(held, measurement, steps, sharing(machine, measurement.ended))
        run, target = held.run, self._experiment.target
        status = self._status(measurement)
        if self._lost is not None:
            self._emit(_run_failed(run, self._lost))
        elif (note := failure_note(measurement.records)) is not None:
            self._emit(notice("warning", about(run.name, note)))
        end_s = figured.frame.measured(measurement.ended)[1] / held.frame.time_scale
        view = view_of(self._experiment, held, measurement, figured, steps, machine, self._limiting.taken)
        wrong = implausible_figures(view, target, held.effective)
        for sentence in wrong:
            self._emit(notice("warning", about(run.name, sentence)))
        self._recorder.more_facts({**machine_facts(machine, end_s), **implausible_column(wrong)})
        run_id = self._recorder.finish_run(status, figured)
        self._emit(RunFinished(run=run.name, status=status, row=scorecard_row(self._recorder.bench, run_id)))
        if view.samples:
            event = diagnosed(view, wrong, against_baseline(self._recorder.bench, run_id))
            self._recorder.diagnosis(event)
            self._emit(event)

    async def _figured(
        self, held: PreparedRun, measurement: Measurement, steps: RunSteps | None, shared: Sharing
    ) -> RunFigures:
        """The run's figures, once it is known what a cold cache could serve of what was sent."""
        cold = await held.cold_hits(len(measurement.records))
        return compute_figures(
            measurement,
            with_queue_source(steps, held.frame),
            held.identity(),
            asked=held.asked,
            effective=held.effective,
            objectives=self._experiment.objectives,
            needed=() if self._experiment.target.kind == "attached" else NEEDED_OF_OWN_SERVER,
            incidents=Incidents(
                changed_limits=self._limiting.changed,
                server_lost=None if self._lost is None else str(self._lost),
                sharing=shared,
                tunnel_drops=held.tunnel_drops,
                prefix_hit_ideal=cold,
            ),
        )

    def _status(self, measurement: Measurement) -> str:
        if self._lost is not None:
            self._failures += 1
            return "failed"
        if self._requests.skip.is_set():
            return "skipped"
        return "partial" if measurement.stopped else "done"

    def _ended_early(self, run: Run, error: WorkbenchError) -> None:
        """A stop or a skip came before the run's first request: nothing has failed."""
        skipped = self._requests.skip.is_set()
        if not skipped and not self._recorder.in_run:
            return
        status = "skipped" if skipped else "partial"
        run_id = self._recorder.failed_run(run, str(error), status)
        self._emit(RunFinished(run=run.name, status=status, row=scorecard_row(self._recorder.bench, run_id)))

    def _failed(self, run: Run, error: WorkbenchError) -> None:
        self._failures += 1
        run_id = self._recorder.failed_run(run, str(error))
        self._emit(_run_failed(run, as_data(error)))
        self._emit(
            RunFinished(run=run.name, status="failed", row=scorecard_row(self._recorder.bench, run_id))
        )

    def _finish(self) -> str:
        stopped = self._requests.stop.is_set() or self._requests.stop_after_run
        status = "stopped" if stopped else "failed" if self._failures else "done"
        self._recorder.finish(status)
        self._emit(experiment_finished(self._recorder.bench, status))
        return status
