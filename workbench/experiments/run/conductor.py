"""The conductor: carries out a plan with one server at a time, the load and the bench file.

The conductor is the only writer of results. It draws and prints nothing: it emits events.
"""

import asyncio
import contextlib
from collections.abc import Awaitable, Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from workbench.base import Message, WorkbenchError, WorkFailure, message
from workbench.controls import values_in_force
from workbench.experiments.findings.diagnose_run import (
    against_baseline,
    diagnose_and_replay,
    diagnosis_event,
    view_of,
)
from workbench.experiments.findings.summary import keep_conclusions, summarize
from workbench.experiments.learned.learn import expected_facts, learn_valid_run
from workbench.experiments.plan.estimate import TimeLeft
from workbench.experiments.plan.judged_steps import judge_steps
from workbench.experiments.plan.plan import Plan, Run
from workbench.experiments.plan.resume import Resume, run_key
from workbench.experiments.plan.run_queue import RunQueue
from workbench.experiments.plan.workload import PromptedWorkload, fit_to_context, note_part
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
    StepsRecorded,
    about,
    as_data,
    notice,
)
from workbench.experiments.run.held_constant import ConstantsCheck, report_changes
from workbench.experiments.run.live_limits import LiveLimits
from workbench.experiments.run.load_hosts import LoadWorkers, load_workers
from workbench.experiments.run.machine_monitor import MachineMonitor, machine_facts, sharing
from workbench.experiments.run.measurement import Measurement, measure
from workbench.experiments.run.prefill_progress import PrefillMonitor
from workbench.experiments.run.prepared_run import PreparedRun, prepare_run
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
from workbench.experiments.run.run_settings import (
    cache_salt,
    calibrated_targets,
    load_resolution_facts,
    run_facts,
    shared_facts,
    target_title,
)
from workbench.experiments.run.search_twin import SearchTwins
from workbench.experiments.run.server_session import ServerSession
from workbench.experiments.run.start_failures import fails_alike, left_out_message
from workbench.experiments.run.step_records import (
    RunSteps,
    StepRecordMonitor,
    fill_missing_times,
    with_queue_source,
)
from workbench.experiments.run.switchback import BlockSwitcher
from workbench.experiments.run.watch_run import RunCompanion, RunWatch, end_afterwards
from workbench.load import WorkerHost
from workbench.results import BenchFile, MachineSample, Sharing, choose, stored_reasons
from workbench.servers import COPIES, EffectiveConfig
from workbench.traces import Trace

_MOST_ROWS_SENT = 100_000
"""Rows of a trace whose classes an event holds."""

# The first and the last event of a plan.


def experiment_started(plan: Plan, bench: Path, trace: str, trace_sha256: str) -> ExperimentStarted:
    """Return the first event: the plan is fixed, the bench file is open; `trace` is the trace's title."""
    experiment = plan.experiments[0]
    embedded = experiment.target.kind == "embedded"
    return ExperimentStarted(
        name=" + ".join(each.name for each in plan.experiments),
        bench=str(bench),
        plan=plan.planned_runs(),
        simulated=embedded,
        profile=experiment.target.profile if embedded else None,
        target=target_title(experiment.target),
        trace=trace,
        trace_sha256=trace_sha256,
        objectives=experiment.objectives.to_json(),
        limits=dict(experiment.baseline),
    )


def experiment_finished(bench: BenchFile, status: str) -> ExperimentFinished:
    """Store the conclusions and return the last event."""
    concluded = keep_conclusions(bench)
    report = summarize(bench, concluded)
    return ExperimentFinished(
        status=status,
        bench=str(bench.path),
        csv=None,
        report=[str(each) for each in report],
        report_messages=report,
        verdicts=[verdict.to_json() for verdict in concluded.verdicts],
        choice=choose(bench).to_json(),
    )


def _run_failed(run: Run, why: Message | str) -> Notice:
    """Return the event of a failed run; `why` is the failure, with the server's own reason if it has one."""
    return notice("error", message("experiments.run_failed", run=run.name, why=why))


def run_started(prepared: PreparedRun, plan: Plan, run_queue: RunQueue) -> RunStarted:
    """Return the event of a run whose load begins now."""
    run, schedule, effective = prepared.run, prepared.schedule, prepared.effective
    configuration = run.configuration
    return RunStarted(
        run=run.name,
        index=run_queue.started,
        of=len(run_queue),
        experiment=plan.experiments[configuration.experiment].name,
        control=configuration.control,
        value=configuration.value,
        rate=run.rate,
        duration_s=round(schedule.length_s or 0.0, 3),
        requests=len(schedule),
        simulated=bool(effective.simulated),
        limits=values_in_force(
            configuration.controls, effective.arguments, started_by_us=prepared.server.command is not None
        ),
    )


def steps_recorded(run: str, trace: Trace, records: Mapping[Path, int], zero: float) -> StepsRecorded:
    """Return the event of a run whose steps are being recorded on this machine."""
    names = list(trace.classes.names)
    sent = len(trace) <= _MOST_ROWS_SENT
    return StepsRecorded(
        run=run,
        zero=zero,
        records=[(str(file), begin) for file, begin in records.items()],
        classes=names if sent else [],
        row_classes=trace.classes.codes.tolist() if sent and len(names) > 1 else [],
    )


def run_finished(bench: BenchFile, name: str, status: str, run_id: int) -> RunFinished:
    """Return the event of a run whose row is final."""
    reasons = stored_reasons(bench.run(run_id).summary)
    return RunFinished(run=name, status=status, row=scorecard_row(bench, run_id), reason_messages=reasons)


class Conductor:
    """Carries out one plan into one bench file."""

    def __init__(
        self,
        plan: Plan,
        chosen: PromptedWorkload,
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
        self._run_queue = RunQueue(plan)
        self._twins = SearchTwins(plan, chosen.trace, recorder.bench)
        self._time_left = TimeLeft(plan, self._run_queue)
        self._constants = ConstantsCheck()
        self._limits = LiveLimits(recorder.limit_change, emit)
        self._session = ServerSession(
            self._experiment.target,
            recorder,
            emit,
            requests,
            self._time_left,
            self._limits,
            self._server_failed,
        )
        self._workload: PromptedWorkload | None = None
        self._failures = 0
        self._measuring = False
        self._abort_reason: Message | None = None
        """Why this run was ended early, such as a lost server; None: it wasn't."""

    async def run(self, *, resume: Resume = "no", calibrated: bool = False) -> str:
        """Do every run of the plan and return `done`, `stopped` or `failed`; every measurement is stored.

        Args:
            resume: `no` for a new bench file; otherwise finished runs are kept, except invalid ones for
                `invalid`.
            calibrated: whether to calibrate the load generator first.
        """
        sha256 = self._chosen.trace.sha256(self._experiment.trace.seed)
        again: list[str] = []
        if resume != "no":
            again = self._recorder.resume(self._plan, invalid=resume == "invalid")
        else:
            self._recorder.start(
                self._plan, shared_facts(self._experiment, trace_name=self._chosen.title, trace_sha256=sha256)
            )
        self._emit(experiment_started(self._plan, self._recorder.path, self._chosen.title, sha256))
        if resume != "no":
            self._report_resumed(again)
        companions = [
            asyncio.create_task(self._while_storing(work))
            for work in (self._recorder.keep_flushing, self._keep_changing_limits)
        ]
        async with COPIES.hold():
            try:
                if calibrated:
                    await self._calibrate()
                await self._all_runs()
            finally:
                await self._session.stop()
                for task in companions:
                    task.cancel()
                for task in companions:
                    with contextlib.suppress(asyncio.CancelledError):
                        await task
        return self._finish()

    async def _calibrate(self) -> None:
        """Calibrate the load generator on each machine of the load."""
        for target in calibrated_targets(self._experiment):
            await calibrate_first(target, self._emit, self._requests, lambda _: None)
        self._recorder.add_shared_facts(load_resolution_facts(self._experiment))

    async def _while_storing(self, work: Callable[[], Awaitable[None]]) -> None:
        """Run `work`; stop the plan once results can't be stored."""
        try:
            await work()
        except StorageError as error:
            self._emit(notice("error", error))
            self._requests.trigger("stop")
            raise

    async def _keep_changing_limits(self) -> None:
        """Change the running server's limits as the user asks, one after the other."""
        while True:
            await self._limits.change_for_user(*await self._requests.limits.get())

    async def _all_runs(self) -> None:
        while not (self._requests.stop.is_set() or self._requests.stop_after_run):
            run = self._run_queue.next()
            if run is None:
                return
            kept = self._recorder.kept.get(run_key(run))
            if kept is not None:
                self._constants.load_stored(kept)
                self._session.pinning.load_stored(kept)
                self._emit(run_finished(self._recorder.bench, run.name, kept.status, kept.id))
            else:
                await self._run_with_repeats(run)
            predicted = await self._twins.after(run)
            judged = judge_steps(self._recorder.bench)
            for note in self._run_queue.update(run, judged, predicted, self._twins.advised):
                self._emit(notice("info", note))

    async def _run_with_repeats(self, run: Run) -> None:
        """Do a run; repeat it if other programs disturbed it, as often as `repeat.disturbed` allows."""
        await self._try_run(run)
        for _ in range(self._plan.experiments[run.configuration.experiment].repeat.disturbed):
            if self._requests.stop.is_set() or self._requests.stop_after_run:
                return
            reasons = self._recorder.repeatable_reasons()
            if not reasons:
                return
            self._emit(notice("info", message("experiments.run_repeated", run=run.name, reasons=reasons)))
            await self._try_run(run)

    async def _try_run(self, run: Run) -> None:
        self._requests.next_run()
        self._abort_reason = None
        started = False
        try:
            await self._session.ensure_ready(run)
            started = True
            if not self._requests.stop.is_set():
                await self._measure_run(run)
        except StorageError:
            raise
        except WorkbenchError as error:
            if self._requests.end_run.is_set() and self._abort_reason is None:
                self._ended_early(run, error)
            else:
                self._failed(run, error)
                if not started:
                    self._leave_out_alike(run, error)

    def _leave_out_alike(self, run: Run, error: WorkbenchError) -> None:
        """Leave out the runs whose server would fail to start in the same way."""
        any_served = self._session.any_served or bool(self._recorder.kept)
        alike = fails_alike(run.configuration, error, any_served=any_served)
        dropped = self._run_queue.drop(
            lambda each: run_key(each) not in self._recorder.kept and alike(each.configuration)
        )
        if dropped:
            said = left_out_message(dropped, ends_plan=not self._run_queue.left)
            self._emit(notice("warning", said))

    def _report_resumed(self, again: list[str]) -> None:
        kept = sum(run_key(run) in self._recorder.kept for run in self._plan.runs)
        repeated = message("experiments.resumed_repeats", runs=again) if again else None
        self._emit(notice("info", message("experiments.resumed", kept=kept, repeated=repeated)))

    def _fitted_workload(self) -> PromptedWorkload:
        """Return the trace fitted to the server's longest context, fitted once so that all runs share it."""
        if self._workload is None:
            effective = self._session.effective
            length = effective.max_model_len if effective else None
            self._workload = fit_to_context(self._chosen, length, self._experiment.trace)
            for note in self._workload.notes:
                self._emit(notice("warning", note))
            for remark in self._workload.remarks:
                self._emit(notice("info", remark))
        return self._workload

    async def _measure_run(self, run: Run) -> None:
        server, effective = self._session.server, self._session.effective
        assert server is not None
        assert effective is not None
        prepared = prepare_run(
            self._experiment,
            run,
            self._fitted_workload(),
            server,
            effective,
            self._cache_salt(run, effective),
        )
        if changed := await server.replica_changes():
            raise WorkFailure("experiments.replicas_changed", found=changed)
        async with load_workers(self._experiment, server, self._host_lost) as workers:
            await self._measure_prepared(prepared, workers)

    async def _measure_prepared(self, prepared: PreparedRun, workers: LoadWorkers) -> None:
        run, server, effective = prepared.run, prepared.server, prepared.effective
        switcher = await self._switching(run)
        facts = await self._facts(prepared)
        if self._requests.end_run.is_set():
            raise WorkFailure("experiments.ended_before_load")
        if switcher is not None:
            facts["blocks"] = [block.stored() for block in switcher.blocks]
        self._recorder.start_run(
            run, prepared.schedule, prepared.frame, server.command, effective, prepared.trace_sha256, facts
        )
        self._emit(run_started(prepared, self._plan, self._run_queue))
        self._time_left.run_begins()
        machine, steps, prompts = self._watchers(prepared, load_elsewhere=workers.elsewhere)
        # They end in this order: the step record is complete once the machine's last sample is taken.
        companions: list[RunCompanion] = [*([switcher] if switcher else []), machine, steps, prompts]
        measurement = await self._load(prepared, workers.host, companions)
        measurement.replica_changes = await server.replica_changes()
        measurement.hosts = workers.outcome()
        self._time_left.run_ended(run)
        self._emit(self._session.progress(run, "computing"))
        self._recorder.add_facts({**machine.facts, **measurement.hosts.facts()})
        if steps.missing:
            self._emit(notice("warning", steps.missing))
        if steps.found is not None:
            self._recorder.records(fill_missing_times(steps.found, measurement.records))
            self._recorder.add_facts(steps.found.facts(self._recorder.path))
        await self._store(prepared, measurement, machine.samples, steps.found)

    async def _facts(self, prepared: PreparedRun) -> dict[str, Any]:
        """Return the facts known before the load; run the quality prompts if the experiment has them."""
        run, effective = prepared.run, prepared.effective
        setting_changes = report_changes(self._constants, run, effective, self._emit)
        facts = run_facts(run.configuration, effective, prepared.schedule, prepared.options, setting_changes)
        facts |= self._session.memory.facts
        facts |= await expected_facts(self._plan, run, prepared.workload.trace)
        facts |= note_part(self._experiment, run, prepared.workload.trace, prepared.schedule, self._emit)
        if self._quality is not None:
            self._emit(self._session.progress(run, "comparing answers"))
            facts |= await self._quality.facts(run.configuration, prepared.target, self._requests.end_run)
        return facts

    def _watchers(
        self, prepared: PreparedRun, *, load_elsewhere: bool
    ) -> tuple[MachineMonitor, StepRecordMonitor, PrefillMonitor]:
        """Return the monitors of the server during the load."""
        name, scale, server, recorder = (
            prepared.run.name,
            prepared.options.time_scale,
            prepared.server,
            self._recorder,
        )
        load_here = self._experiment.target.load_python is None and not load_elsewhere
        machine = MachineMonitor(name, scale, server, recorder.machine, self._emit, load_here=load_here)
        store = partial(recorder.log, "event")
        prompts = PrefillMonitor(name, scale, server, prepared.effective.arguments, store, self._emit)
        engines = prepared.effective.arguments.get("data_parallel_size") or 1
        return machine, StepRecordMonitor(server, engines, partial(self._announce_steps, prepared)), prompts

    def _announce_steps(self, prepared: PreparedRun, records: Mapping[Path, int], zero: float) -> None:
        self._emit(steps_recorded(prepared.run.name, prepared.workload.trace, records, zero))

    async def _load(
        self, prepared: PreparedRun, hire: WorkerHost, companions: Sequence[RunCompanion]
    ) -> Measurement:
        """Apply the run's load while the companions run."""
        name, workload = prepared.run.name, prepared.workload
        report_state = self._session.report_state
        watch = RunWatch(
            name,
            prepared.wall_length_s,
            self._recorder,
            self._emit,
            self._time_left.plan_left,
            report_state,
        )
        hooks = watch.hooks(self._limits.schedule_begins, *(each.begin for each in companions))
        self._measuring = True
        try:
            async with end_afterwards(companions):
                try:
                    return await measure(
                        name,
                        prepared.target,
                        workload.trace,
                        prepared.schedule,
                        prepared.options,
                        hooks,
                        self._requests.end_run,
                        worker_host=hire,
                        texts=workload.texts,
                        replicas=prepared.server.replicas,
                    )
                finally:
                    self._measuring = False
        finally:
            self._limits.end_run()

    async def _switching(self, run: Run) -> BlockSwitcher | None:
        """Return the switchback, set to its first block; None for another kind of experiment."""
        experiment = self._plan.experiments[run.configuration.experiment]
        if experiment.switchback is None:
            return None
        change = partial(self._limits.change, by="switchback")
        switcher = BlockSwitcher(experiment, change, self._abort_run)
        await switcher.prepare()
        return switcher

    def _abort_run(self, why: Message) -> None:
        """End the run, which can't continue as planned."""
        self._abort_reason = why
        self._requests.end_run.set()

    def _host_lost(self, found: Message) -> None:
        self._emit(notice("error", message("experiments.host_lost_now", host_and_why=found)))

    def _server_failed(self, why: Message) -> None:
        if self._measuring:
            self._abort_run(why)

    def _cache_salt(self, run: Run, effective: EffectiveConfig) -> str | None:
        """Return a salt that keeps the prefix caches of runs apart; None unless the server is vLLM."""
        tries = self._recorder.try_count(run)
        return cache_salt(self._recorder.path, run.name, tries) if effective.version else None

    async def _store(
        self,
        prepared: PreparedRun,
        measurement: Measurement,
        machine: Sequence[MachineSample],
        steps: RunSteps | None,
    ) -> None:
        figured = await self._compute_figures(
            prepared, measurement, steps, sharing(machine, measurement.ended)
        )
        run, target = prepared.run, self._experiment.target
        status = self._status(measurement)
        if self._abort_reason is not None:
            self._emit(_run_failed(run, self._abort_reason))
        elif (note := failure_note(measurement.records)) is not None:
            self._emit(notice("warning", about(run.name, note)))
        end_s = figured.frame.measured(measurement.ended)[1] / prepared.frame.time_scale
        view = view_of(
            self._experiment, prepared, measurement, figured, steps, machine, self._limits.all_changes
        )
        wrong = implausible_figures(view, target, prepared.effective)
        for sentence in wrong:
            self._emit(notice("warning", about(run.name, sentence)))
        self._recorder.add_facts({**machine_facts(machine, end_s), **implausible_column(wrong)})
        run_id = self._recorder.finish_run(status, figured)
        learn_valid_run(self._recorder.bench, run_id, target)
        self._emit(run_finished(self._recorder.bench, run.name, status, run_id))
        if view.samples:
            found = await asyncio.to_thread(diagnose_and_replay, view, steps, measurement.records)
            beside = against_baseline(self._recorder.bench, run_id)
            event = diagnosis_event(view, wrong, beside, found)
            self._recorder.diagnosis(event)
            self._emit(event)

    async def _compute_figures(
        self, prepared: PreparedRun, measurement: Measurement, steps: RunSteps | None, shared: Sharing
    ) -> RunFigures:
        """Compute the run's figures."""
        cold = await prepared.cold_hits(len(measurement.records))
        return compute_figures(
            measurement,
            with_queue_source(steps, prepared.frame),
            prepared.identity(),
            asked=prepared.asked,
            effective=prepared.effective,
            objectives=self._experiment.objectives,
            needed=() if self._experiment.target.kind == "attached" else NEEDED_OF_OWN_SERVER,
            incidents=Incidents(
                changed_limits=self._limits.user_changes,
                server_lost=None if self._abort_reason is None else str(self._abort_reason),
                sharing=shared,
                replica_changes=measurement.replica_changes,
                lost_hosts=measurement.hosts.lost,
                clock_error_ms=measurement.hosts.clock_error_ms,
                tunnel_drops=prepared.tunnel_drops,
                prefix_hit_ideal=cold,
            ),
        )

    def _status(self, measurement: Measurement) -> str:
        if self._abort_reason is not None:
            self._failures += 1
            return "failed"
        if self._requests.skip.is_set():
            return "skipped"
        return "partial" if measurement.stopped else "done"

    def _ended_early(self, run: Run, error: WorkbenchError) -> None:
        """Store a run that a stop or a skip ended before its first request; it doesn't count as failed."""
        skipped = self._requests.skip.is_set()
        if not skipped and not self._recorder.in_run:
            return
        status = "skipped" if skipped else "partial"
        run_id = self._recorder.store_failed_run(run, str(error), status)
        self._emit(run_finished(self._recorder.bench, run.name, status, run_id))

    def _failed(self, run: Run, error: WorkbenchError) -> None:
        self._failures += 1
        run_id = self._recorder.store_failed_run(run, str(error))
        self._emit(_run_failed(run, as_data(error)))
        self._emit(run_finished(self._recorder.bench, run.name, "failed", run_id))

    def _finish(self) -> str:
        stopped = self._requests.stop.is_set() or self._requests.stop_after_run
        status = "stopped" if stopped else "failed" if self._failures else "done"
        self._recorder.finish(status)
        self._emit(experiment_finished(self._recorder.bench, status))
        return status
