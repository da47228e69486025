"""Watch a server under its own traffic: send nothing, follow its metrics, store and diagnose them."""

import asyncio
import contextlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec

from workbench.advice import RunView
from workbench.base import (
    Message,
    Place,
    Record,
    Refusal,
    message,
    now,
    require_writable_folder,
)
from workbench.controls import values_in_force
from workbench.experiments.findings.diagnose_run import diagnosis_event
from workbench.experiments.run.bench_recorder import BenchRecorder, StorageError
from workbench.experiments.run.channel import (
    Emit,
    UserRequests,
    read_commands,
    run_until_set,
    stamped,
    stop_on_signals,
    without_secrets,
)
from workbench.experiments.run.events import (
    ExperimentFinished,
    ExperimentStarted,
    PlannedRun,
    RunDiagnosed,
    RunFinished,
    RunStarted,
    ServerLog,
    ServerState,
    notice,
)
from workbench.experiments.run.followers import Followers
from workbench.experiments.run.host_columns import host_facts
from workbench.experiments.run.live_sample import SampleBuilder
from workbench.experiments.run.measurement import Hooks, Measurement, observe
from workbench.experiments.run.plan_registry import registration
from workbench.experiments.run.run_figures import scorecard_row
from workbench.experiments.run.run_settings import system_facts, target_title
from workbench.experiments.run.watch_run import RunWatch
from workbench.load import Target
from workbench.results import (
    WATCHED,
    BenchFile,
    Conditions,
    RunFrame,
    RunIdentity,
    RunInputs,
    Sample,
    WatchedFigures,
    watched_figures,
    watched_summary,
)
from workbench.servers import EffectiveConfig, LifecycleState, Server, TargetSpec, check_target, make_server

RUN = "watch"
"""Name of the only run of a watch."""


class WatchOrder(Record, frozen=True, kw_only=True):
    """A server to watch, and where to store what is seen."""

    target: TargetSpec
    bench: Path
    length_s: float | None = None
    """Wall seconds; None: until it is stopped."""


class Watched(msgspec.Struct, frozen=True, kw_only=True):
    """Result of a watch."""

    server: EffectiveConfig
    figures: WatchedFigures
    diagnosis: RunDiagnosed


def watch_server(order: WatchOrder, emit: Emit, *, commands: bool = False) -> Watched | None:
    """Watch a server until the time is over or the user stops; None: stopped before it answered.

    The bench file is created once the server has answered; it gives no verdict.

    Args:
        order: the server, the bench file, the time.
        emit: takes the events.
        commands: whether to read commands from standard input.

    Raises:
        InputError: nothing was written: the server doesn't answer or has no metrics, or the bench file can't
            be made.
    """
    check_target(order.target, where="watch")
    require_writable_folder(order.bench.parent)
    requests = UserRequests()
    followers = Followers(emit, requests)
    send = stamped(without_secrets(followers, order.target.secrets()))

    async def conduct() -> Watched | None:
        stop_on_signals(requests)
        if commands:
            read_commands(requests, send)
        connection = _Connection(order.target, send, requests)
        try:
            effective = await connection.open()
            if effective is None:
                return None
            with registration(order.bench) as announced, BenchFile.create(order.bench) as file:
                file.known_secrets = order.target.secrets()
                async with followers.listening(announced, send):
                    return await _Watch(order, connection, effective, file, send, requests).run()
        finally:
            await connection.close()

    return asyncio.run(conduct())


class _Connection:
    """The server, its events, and the state in which it was last."""

    def __init__(self, target: TargetSpec, emit: Emit, requests: UserRequests) -> None:
        self.server: Server = make_server(target, {})
        self._emit = emit
        self._requests = requests
        self._detail: Message | str = ""

    async def open(self) -> EffectiveConfig | None:
        """Connect and return what the server uses; None: the user stopped.

        Raises:
            InputError: it doesn't answer, or has no metrics of vLLM.
        """
        await run_until_set(self._requests.stop, self.server.start(self._log, self.report_state))
        if self._requests.stop.is_set():
            return None
        effective = await self.server.effective()
        if not effective.has_metrics:
            place = Place(file="watch", key="url")
            raise Refusal("experiments.watch_needs_metrics", place, url=self.server.url, why=self._detail)
        return effective

    async def close(self) -> None:
        """Disconnect; a second call does nothing."""
        await self.server.stop()

    def report_state(self, state: str, detail: Message | str) -> None:
        """Emit the server's new state and its detail."""
        if state == LifecycleState.READY:
            self._detail = detail
        data = detail if isinstance(detail, Message) else None
        self._emit(
            ServerState(state=state, detail=str(detail), message=data, url=self.server.url, attached=True)
        )

    def _log(self, line: str) -> None:
        self._emit(ServerLog(line=line))


class Silence:
    """Notices that the metrics stay away; `now` are seconds of one clock."""

    def __init__(self, patience_s: float = 5.0) -> None:
        self._patience_s = patience_s
        self._heard: float | None = None
        self.silent = False

    def heard(self, now: float) -> bool:
        """Take a page; return true if it ends a silence."""
        ended, self.silent, self._heard = self.silent, False, now
        return ended

    def began(self, now: float) -> bool:
        """Return true once when the silence has become too long."""
        if self._heard is None or self.silent or now - self._heard < self._patience_s:
            return False
        self.silent = True
        return True


class _Watch:
    """One watch of a connected server."""

    def __init__(
        self,
        order: WatchOrder,
        connection: _Connection,
        effective: EffectiveConfig,
        bench: BenchFile,
        emit: Emit,
        requests: UserRequests,
    ) -> None:
        self._order = order
        self._connection = connection
        self._effective = effective
        self._recorder = BenchRecorder(bench)
        self._emit = emit
        self._requests = requests
        self._scale = effective.time_scale or 1.0
        self._limits = values_in_force({}, effective.arguments, started_by_us=False)
        self._title = str(message("experiments.watch_of", server=target_title(order.target)))

    async def run(self) -> Watched:
        """Watch, store, diagnose."""
        self._begin()
        flushing = asyncio.create_task(self._keep_flushing())
        try:
            measurement = await self._observe()
        finally:
            flushing.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await flushing
        found = self._finish(measurement)
        await self._connection.close()
        self._emit_end()
        return found

    def _begin(self) -> None:
        facts = {**host_facts(self._order.target), **system_facts(self._effective)}
        frame = RunFrame(length_s=0.0, time_scale=self._scale, server_time_scale=1.0)
        self._recorder.start_watch(self._title, RUN, self._effective, frame, facts)
        length_s = (self._order.length_s or 0.0) * self._scale
        self._emit(self._started(length_s))
        self._emit(
            RunStarted(
                run=RUN,
                index=1,
                of=1,
                experiment=self._title,
                control=None,
                value=None,
                rate=None,
                duration_s=round(length_s, 3),
                requests=0,
                simulated=self._effective.simulated,
                limits=self._limits,
            )
        )

    def _started(self, length_s: float) -> ExperimentStarted:
        planned = PlannedRun(
            run=RUN,
            experiment=self._title,
            control=None,
            value=None,
            rate=None,
            concurrency=None,
            repeat=1,
            expected_s=length_s / self._scale,
        )
        return ExperimentStarted(
            name=self._title,
            bench=str(self._recorder.path),
            plan=[planned],
            simulated=self._effective.simulated,
            profile=self._effective.profile,
            target=target_title(self._order.target),
            trace=str(message("experiments.own_traffic")),
            trace_sha256="",
            objectives={},
            limits=self._limits,
            watch=True,
        )

    async def _keep_flushing(self) -> None:
        """Store what is seen; end the watch once that fails."""
        try:
            await self._recorder.keep_flushing()
        except StorageError as error:
            self._emit(notice("error", error))
            self._requests.trigger("stop")
            raise

    async def _observe(self) -> Measurement:
        server, target = self._connection.server, self._order.target
        watch = RunWatch(
            RUN,
            self._order.length_s,
            self._recorder,
            self._emit,
            lambda left: left,
            self._connection.report_state,
        )
        where = Target(
            url=server.url or "",
            model=server.model or "",
            endpoint="completions",
            api_key=server.api_key or target.api_key(),
            headers=target.all_headers(),
            ca_file=target.ca_file,
        )
        end, length_s = self._requests.end_run, self._order.length_s
        return await observe(RUN, where, self._scale, self._hearing(watch.hooks()), end, length_s)

    def _hearing(self, hooks: Hooks) -> Hooks:
        """Return the hooks that also say when the metrics stay away, and when they are back."""
        silence, url = Silence(), self._connection.server.url

        def on_samples(samples: Sequence[Sample]) -> None:
            if silence.heard(now()):
                self._connection.report_state("ready", "")
                self._emit(notice("info", message("experiments.watch_heard", url=url)))
            hooks.on_samples(samples)

        def on_tick(picture: SampleBuilder, run_t: float) -> None:
            hooks.on_tick(picture, run_t)
            if silence.began(now()):
                said = message("experiments.watch_silent", url=url)
                self._connection.report_state("degraded", said)
                self._emit(notice("warning", said))

        return msgspec.structs.replace(hooks, on_samples=on_samples, on_tick=on_tick)

    def _finish(self, measurement: Measurement) -> Watched:
        effective, server = self._effective, measurement.server
        figures = watched_figures(
            measurement.samples,
            server,
            measurement.ended,
            time_scale=self._scale,
            version=effective.version,
        )
        identity = RunIdentity(simulated=effective.simulated, profile=effective.profile)
        summary = watched_summary(figures, server, self._scale, identity)
        frame = RunFrame(
            length_s=figures.seconds,
            time_scale=self._scale,
            server_time_scale=1.0,
            ended=measurement.ended,
        )
        inputs = RunInputs(server=server, conditions=Conditions(vllm_version=effective.version))
        run_id = self._recorder.finish_watch(summary, inputs, frame)
        for note in figures.notes:
            self._emit(notice("warning", note))
        self._emit(RunFinished(run=RUN, status=WATCHED, row=scorecard_row(self._recorder.bench, run_id)))
        diagnosis = diagnosis_event(self._view(measurement, summary, frame))
        self._recorder.diagnosis(diagnosis)
        self._emit(diagnosis)
        self._recorder.finish("done")
        return Watched(server=effective, figures=figures, diagnosis=diagnosis)

    def _view(self, measurement: Measurement, summary: dict[str, Any], frame: RunFrame) -> RunView:
        mixed = measurement.server is not None and measurement.server.mixed is not None
        return RunView(
            samples=() if mixed else measurement.samples,
            limits=self._limits,
            figures=summary,
            kv_cache_tokens=self._effective.kv_cache_tokens,
            length_s=frame.length_s,
            time_scale=self._scale,
            name=RUN,
            vllm_version=self._effective.version,
            own_load=False,
        )

    def _emit_end(self) -> None:
        self._emit(ExperimentFinished(status="done", bench=str(self._recorder.path), csv=None, report=[]))
