"""A vLLM on this machine as our own process."""

import asyncio
import contextlib
import os
from collections.abc import Mapping
from pathlib import Path

import msgspec

from workbench.base import Message, message
from workbench.controls import Value, check_interplay
from workbench.servers.child import Child, ServerProcess
from workbench.servers.cleanup import LeftFiles
from workbench.servers.command import (
    HOST,
    free_port,
    inside_environment,
    serve_command,
    serve_environment,
    socket_environment,
)
from workbench.servers.flags import FlagList, flags_of
from workbench.servers.install import Install, find_install
from workbench.servers.model_path import check_local_model, expand_home
from workbench.servers.owned import Launch, OwnedServer
from workbench.servers.processes import ProcessIdentity
from workbench.servers.server import LifecycleState
from workbench.servers.target_spec import TargetSpec
from workbench.vllm_dialect import Phase

_START_TIMEOUT_S = 3600.0
"""Large models load and compile for many minutes; the user sees the phases and can stop."""
_PATIENCE_S = 30.0
_LOOK_STARTING_S, _LOOK_READY_S, _LOOK_ENDING_S = 1.0, 20.0, 0.2


class LocalServer(OwnedServer):
    """`vllm serve` in a session of its own; its descendants are recorded while it lives."""

    def __init__(self, spec: TargetSpec, controls: Mapping[str, Value]) -> None:
        super().__init__(msgspec.structs.replace(spec, model=expand_home(spec.model or "", Path.home())))
        check_interplay(controls)
        self._controls = dict(controls)
        self._tracking: asyncio.Task[None] | None = None
        self._seen: tuple[frozenset[int], LeftFiles] | None = None
        """Processes and files of its record on disk."""
        self.api_key = spec.api_key()

    async def require(self) -> None:
        """Check that this vLLM exists and takes its arguments and controls; nothing is started.

        Raises:
            Refusal: there is no vLLM, or it lacks an argument, variable or control.
        """
        install = await find_install(self._spec.executable)
        self._command_of(install, await flags_of(install), free_port())

    def _command_of(self, install: Install, flags: FlagList, port: int) -> list[str]:
        check_local_model(self._spec.model or "", self._spec.args)
        return serve_command(str(install.script), self._spec, self._controls, flags, install.version, port)

    async def _prepare(self) -> Launch:
        install = await find_install(self._spec.executable)
        self._note(message("servers.using_vllm", version=install.version, found=str(install.script)))
        flags = await flags_of(install)
        port = free_port()
        inside = inside_environment(self._access, self._spec.env)
        sockets = socket_environment(self._access.private, flags, {**os.environ, **self._spec.env})
        return Launch(
            command=self._command_of(install, flags, port),
            environment={**serve_environment(self._spec, self.api_key), **sockets, **inside},
            private=self._access.private,
            url=f"http://{HOST}:{port}",
            with_stdin=False,
            start_timeout_s=_START_TIMEOUT_S,
            patience_s=_PATIENCE_S,
            first_phase=Phase.IMPORTING.message,
        )

    async def _spawn(self, launch: Launch) -> ServerProcess:
        child = await super()._spawn(launch)
        assert isinstance(child, Child)
        self._tracking = asyncio.create_task(self._keep_tracking(child))
        return child

    def _handle_line(self, line: str) -> None:
        # After an aborted start the line may come late; a server that is ready has logged it before.
        if self.state is not LifecycleState.READY:
            self._left_files.read_line(line)
        super()._handle_line(line)

    async def _keep_tracking(self, child: Child) -> None:
        """Keep the record of its descendants up to date; most appear while it starts."""
        while True:
            await self._track(child)
            await asyncio.sleep(_LOOK_READY_S if self.state is LifecycleState.READY else _LOOK_STARTING_S)

    async def _track(self, child: ServerProcess) -> None:
        assert isinstance(child, Child)
        await child.track_descendants()
        identities = list(child.identities.values())
        await asyncio.to_thread(self._left_files.scan, identities)
        seen = (frozenset(child.identities), self._left_files.known)
        if seen != self._seen:
            self._write_record(identities)
            self._seen = seen

    async def _end_child(self, child: ServerProcess) -> list[ProcessIdentity]:
        """Track it to its end: processes that still start make shared memory meanwhile."""
        ending = asyncio.create_task(super()._end_child(child))
        try:
            while not ending.done():
                await self._track(child)
                await asyncio.wait({ending}, timeout=_LOOK_ENDING_S)
            return await ending
        finally:
            ending.cancel()

    async def _end(self) -> Message | None:
        if self._tracking is not None:
            self._tracking.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._tracking
            self._tracking = None
        return await super()._end()
