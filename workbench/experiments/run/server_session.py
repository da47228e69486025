"""The plan's server: exactly one at a time, restarted only if a run needs another configuration."""

from collections.abc import Callable

import msgspec

from workbench.base import InputError, Message, message, now
from workbench.experiments.plan.estimate import TimeLeft
from workbench.experiments.plan.plan import Configuration, Run
from workbench.experiments.run.bench_recorder import BenchRecorder
from workbench.experiments.run.channel import Emit, UserRequests, run_until_set
from workbench.experiments.run.events import Progress, ServerLog, ServerState, as_data, notice
from workbench.experiments.run.kv_memory import KvPinning, memory_taken_by_others
from workbench.experiments.run.live_limits import LiveLimits
from workbench.experiments.run.server_memory import MemoryWatch
from workbench.servers import EffectiveConfig, Server, ServerFailedError, TargetSpec, make_server


class ServerSession:
    """Starts, keeps and stops the server; emits its events.

    Args:
        target: kind and place of the server.
        recorder: takes its log.
        emit: takes its events.
        requests: a stop among them ends a start.
        pace: takes the duration of each start.
        limits: sets its limits.
        on_failed: takes why it ended by itself.
    """

    def __init__(
        self,
        target: TargetSpec,
        recorder: BenchRecorder,
        emit: Emit,
        requests: UserRequests,
        time_left: TimeLeft,
        limits: LiveLimits,
        on_failed: Callable[[Message], None],
    ) -> None:
        self.pinning = KvPinning(target.kv)
        self.memory = MemoryWatch(target, emit)
        self.server: Server | None = None
        self.effective: EffectiveConfig | None = None
        """Effective configuration of the server that was ready last."""
        self.any_served = False
        """True once any server of the plan was ready."""
        self._target = target
        self._recorder = recorder
        self._emit = emit
        self._requests = requests
        self._time_left = time_left
        self._limits = limits
        self._on_failed = on_failed
        self._running: Configuration | None = None

    async def ensure_ready(self, run: Run) -> None:
        """Ensure a server with exactly the run's configuration; after a stop there may be none.

        Raises:
            WorkbenchError: the server can't be had.
        """
        if self._serves(run.configuration) and await self._takes_limits(run):
            self._running = run.configuration
            return
        await self.stop()
        began = now()
        self._emit(self.progress(run, "starting server"))
        controls = self.pinning.controls(run.configuration)
        for held in await memory_taken_by_others(self._target, controls):
            self._emit(notice("warning", held))
        self.memory.reset()
        self.server = make_server(self._target, controls)
        self.server.steps_folder = self._recorder.steps_folder
        await run_until_set(self._requests.stop, self.server.start(self._log, self.report_state))
        if self._requests.stop.is_set():
            return
        self.any_served = True
        self.effective = await self.server.effective()
        for note in self.effective.notes:
            self._emit(notice("warning", note))
        self.pinning.record_server(run.configuration, self.effective)
        self._running = run.configuration
        self._time_left.server_took(now() - began)
        await self.memory.report(controls, self.effective)
        await self._limits.server_ready(self.server)
        await self._set_limits(run)

    async def stop(self) -> None:
        """Stop the server, if there is one."""
        server, self.server, self._running = self.server, None, None
        self._limits.server_gone()
        if server is not None:
            await server.stop()

    def report_state(self, state: str, detail: Message | str) -> None:
        """Emit the server's new state and its detail."""
        server = self.server
        url, command, pid = (server.url, server.command, server.pid) if server else (None, None, None)
        data = detail if isinstance(detail, Message) else None
        event = ServerState(
            state=state,
            detail=str(detail),
            message=data,
            url=url,
            command=command,
            pid=pid,
            attached=self._target.kind == "attached",
        )
        self._emit(event)
        if state == "failed":
            why = detail or message("experiments.server_ended")
            self._on_failed(message("experiments.server_lost", why=why))

    def progress(self, run: Run, phase: str) -> Progress:
        """Return the progress event of a phase outside the run's load."""
        if phase == "computing":
            left = self._time_left.plan_left(0.0)
        else:
            left = self._time_left.before_load(run, starts=phase == "starting server")
        return Progress(
            run=run.name, phase=phase, run_elapsed_s=0.0, run_left_s=0.0, plan_left_s=round(left, 1)
        )

    def _log(self, line: str) -> None:
        self.memory.feed(line)
        self._recorder.log("server", line)
        self._emit(ServerLog(line=line))

    async def _set_limits(self, run: Run) -> None:
        """Set the run's own limits on the running server; restore limits that were changed meanwhile."""
        assert self.effective is not None
        live = run.configuration.live_limits()
        await self._limits.begin_run(run.name, self.effective.time_scale or 1.0, live)
        arguments = {**self.effective.arguments, **live}
        self.effective = msgspec.structs.replace(self.effective, arguments=arguments)

    async def _takes_limits(self, run: Run) -> bool:
        """Return whether the running server took the run's limits; otherwise it must restart."""
        try:
            await self._set_limits(run)
        except (InputError, ServerFailedError) as error:
            self._emit(notice("warning", message("experiments.server_restarts", why=as_data(error))))
            return False
        return True

    def _serves(self, configuration: Configuration) -> bool:
        """Return whether the running server has this configuration; the load's controls may differ."""
        if self.server is None or self._running is None or self.server.state != "ready":
            return False
        return self._running.launch_controls() == configuration.launch_controls()
