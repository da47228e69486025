"""A server on another machine, under the keeper there: read line by line over any number of connections."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from typing import Any

import msgspec

from workbench.base import UNREADABLE, InputError, WorkbenchError, message
from workbench.servers.child import LineSplitter
from workbench.servers.processes import ProcessIdentity
from workbench.servers.server import ServerFailedError
from workbench.servers.ssh.connection import SshConnection

_CHUNK = 65_536
_AGAIN_S = (0.5, 1.0, 2.0, 5.0)
_TAIL_S = 10.0
_REACH_S = 20.0
"""Within which its machine must be reached to end it."""
_STOP_S = 30.0
"""Beyond the server's own patience: the keeper's waits for what was killed add up to 24 s."""


class RemoteChild:
    """One server. `on_line` gets its lines in order, each once, whatever becomes of the connection."""

    def __init__(
        self, link: SshConnection, keeper: Sequence[str], folder: str, on_line: Callable[[str], None]
    ) -> None:
        self.pid = 0
        """There, not here."""
        self.folder = folder
        self.port = 0
        """On which it was told to listen, there."""
        self.fetch: Callable[[], Awaitable[None]] | None = None
        """Takes what is wanted of its folder when it has ended; then the folder goes."""
        self._link = link
        self._keeper = list(keeper)
        self._on_line = on_line
        self._exit: int | None = None
        self._offset = 0
        self._splitter = LineSplitter()
        self._following: asyncio.Task[None] | None = None

    @property
    def exit_code(self) -> int | None:
        """None while it lives, as far as we know."""
        return self._exit

    async def start(self, command: Sequence[str], environment: Mapping[str, str]) -> None:
        """Have it started in a session of its own.

        Raises:
            ServerFailedError: it wasn't; says why.
        """
        job = msgspec.json.encode({"command": list(command), "env": dict(environment)})
        self.pid = int((await self.ask("start", self.folder, stdin=job))["pid"])
        self._following = asyncio.create_task(self._follow())

    async def ended(self) -> int:
        """Wait until it has ended and its log is read."""
        if self._following is not None:
            await asyncio.wait({self._following})
        return -1 if self._exit is None else self._exit

    async def track_descendants(self) -> None:
        """The keeper does, once a second."""

    async def listens(self, url: str) -> bool:  # noqa: ARG002  # the port there is another than the URL's
        """Whether one of its processes listens on its port; false while nobody can be asked."""
        with suppress(WorkbenchError):
            return bool((await self.ask("listens", self.folder, str(self.port)))["listens"])
        return False

    async def end(self, *, patience_s: float) -> list[ProcessIdentity]:
        """Ask it to end, wait, then have every process on its roll ended; returns what lives even so.

        If its machine can't be reached, the server itself is what lives.
        """
        unknown = ProcessIdentity(
            pid=self.pid, started=0.0, name=f"a server on {self._link.host}, which isn't reachable"
        )
        clock = asyncio.get_running_loop().time
        by = clock() + _REACH_S
        try:
            for again in _AGAIN_S:
                with suppress(WorkbenchError, TimeoutError):
                    async with asyncio.timeout_at(by):
                        await self._link.open()
                    # A keeper that hangs isn't asked again, a connection that dropped is opened anew.
                    by = clock() + patience_s + _STOP_S
                    return await self._end_there(patience_s)
                if clock() + again >= by:
                    break
                # A connection that has just dropped is noticed by the first call on it.
                await asyncio.sleep(again)
            return [unknown]
        finally:
            await self._stop_following()

    async def _end_there(self, patience_s: float) -> list[ProcessIdentity]:
        """Harmless when it is done again."""
        words = ("stop", self.folder, f"{patience_s:g}")
        told = await self.ask(*words, timeout_s=patience_s + _STOP_S)
        if self._following is not None:
            await asyncio.wait({self._following}, timeout=_TAIL_S)
        living = [ProcessIdentity(pid=pid, started=0.0, name=name) for pid, name in told["living"]]
        if self.fetch is not None:
            await self.fetch()
        if not living:
            await self.ask("remove", self.folder)
        return living

    async def ask(self, *words: str, stdin: bytes | None = None, timeout_s: float = 60.0) -> dict[str, Any]:
        """One call of the keeper.

        Raises:
            ServerFailedError: it failed; says why.
        """
        said = await self._link.call([*self._keeper, *words], stdin=stdin, timeout_s=timeout_s)
        if said.exit_code:
            reason = said.last_error or message("servers.nothing")
            raise ServerFailedError("servers.keeper_failed", host=self._link.host, said=reason)
        try:
            return msgspec.json.decode(said.output, type=dict[str, Any])
        except UNREADABLE as error:
            raise ServerFailedError(
                "servers.keeper_unreadable", host=self._link.host, cause=str(error)
            ) from error

    async def _stop_following(self) -> None:
        following, self._following = self._following, None
        if following is not None:
            following.cancel()
            with suppress(asyncio.CancelledError):
                await following

    async def _follow(self) -> None:
        """Read the log to its end, over as many connections as that takes."""
        tries = 0
        while True:
            before = self._offset
            with suppress(ServerFailedError, InputError):
                await self._read_on()
            if self._exit is not None:
                break
            if tries == 0 or self._offset > before:
                self._on_line(str(message("servers.ssh_connecting_again", host=self._link.host)))
                tries = 0
            await asyncio.sleep(_AGAIN_S[min(tries, len(_AGAIN_S) - 1)])
            tries += 1
        for line in self._splitter.end():
            self._on_line(line)

    async def _read_on(self) -> None:
        async with self._link.process([*self._keeper, "follow", self.folder, str(self._offset)]) as process:
            while data := await process.stdout.read(_CHUNK):
                self._offset += len(data)
                for line in self._splitter.feed(data):
                    self._on_line(line)
            last = await process.stderr.read()
        with suppress(KeyError, *UNREADABLE):
            self._exit = int(msgspec.json.decode(last, type=dict[str, int])["exit"])
