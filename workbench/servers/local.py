"""A vLLM on this machine as our own process."""

import asyncio
import contextlib
from collections.abc import Mapping
from pathlib import Path

from workbench.controls import Value, check_interplay
from workbench.dialect import Phase
from workbench.servers import leftovers
from workbench.servers.child import Child, Running
from workbench.servers.command import HOST, free_port, inside_environment, serve_command, serve_environment
from workbench.servers.flags import flags_of
from workbench.servers.install import Install, find_install
from workbench.servers.owned import Launch, OwnedServer
from workbench.servers.server import State
from workbench.servers.spec import TargetSpec

_START_TIMEOUT_S = 3600.0
"""Large models load and compile for many minutes; who waits sees the phases and can stop."""
_PATIENCE_S = 30.0
_LOOK_STARTING_S, _LOOK_READY_S = 1.0, 20.0


class LocalServer(OwnedServer):
    """`vllm serve` in a session of its own; its descendants are written down while it lives."""

    def __init__(self, spec: TargetSpec, controls: Mapping[str, Value]) -> None:
        super().__init__(spec)
        check_interplay(controls)
        self._controls = dict(controls)
        self._roll: Path | None = None
        self._looking: asyncio.Task[None] | None = None
        self.api_key = spec.api_key()

    async def require(self) -> None:
        """Whether this vLLM is there and takes what it would be started with; nothing is started.

        Raises:
            InputError: no vLLM there, or a word, variable or control that it can't be given.
        """
        await self._command_of(await find_install(self._spec.executable), free_port())

    async def _command_of(self, install: Install, port: int) -> list[str]:
        flags = await flags_of(install)
        return serve_command(str(install.script), self._spec, self._controls, flags, install.version, port)

    async def _prepare(self) -> Launch:
        await self._sweep()
        install = await find_install(self._spec.executable)
        self._on_log(f"vLLM {install.version}: {install.script}")
        port = free_port()
        command = await self._command_of(install, port)
        inside = inside_environment(self._ways, self._spec.env)
        return Launch(
            command=command,
            environment={**serve_environment(self._spec, self.api_key), **inside},
            url=f"http://{HOST}:{port}",
            with_stdin=False,
            start_timeout_s=_START_TIMEOUT_S,
            patience_s=_PATIENCE_S,
            first_phase=Phase.IMPORTING,
        )

    async def _sweep(self) -> None:
        """End what earlier runs of this program left behind."""
        for left_over in await asyncio.to_thread(leftovers.find_left_overs):
            names = ", ".join(f"{one.name} ({one.pid})" for one in left_over.living)
            self._on_log(f"ending what an earlier run left behind: {names}")
            stubborn = await leftovers.end_left_over(left_over)
            if stubborn:
                self._on_log(f"still living: {', '.join(str(one.pid) for one in stubborn)}")

    async def _spawn(self, launch: Launch) -> Running:
        child = await super()._spawn(launch)
        assert isinstance(child, Child)
        self._roll = leftovers.rolls_folder() / f"{child.pid}.json"
        self._looking = asyncio.create_task(self._look(child, self._roll))
        return child

    async def _look(self, child: Child, roll: Path) -> None:
        """Keep the roll of its descendants; new ones appear while it starts, hardly ever later."""
        written: set[int] = set()
        while True:
            await child.look_around()
            if set(child.marks) != written:
                written = set(child.marks)
                leftovers.write_roll(roll, self.command or "", list(child.marks.values()))
            await asyncio.sleep(_LOOK_READY_S if self.state is State.READY else _LOOK_STARTING_S)

    async def _end(self) -> str:
        if self._looking is not None:
            self._looking.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._looking
            self._looking = None
        left = await super()._end()
        if self._roll is not None and not left:
            self._roll.unlink(missing_ok=True)
        return left
