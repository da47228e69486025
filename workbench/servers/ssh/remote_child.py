"""A server process on another machine, under our keeper; its log is read over any number of connections."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from typing import TypeVar

import msgspec

from workbench.base import UNREADABLE, InputError, WorkbenchError, message
from workbench.servers.child import LineSplitter
from workbench.servers.processes import ProcessIdentity
from workbench.servers.server import ServerFailedError
from workbench.servers.ssh.connection import SshConnection

T = TypeVar("T")

_CHUNK = 65_536
_AGAIN_S = (0.5, 1.0, 2.0, 5.0)
_TAIL_S = 10.0
_REACH_S = 20.0
"""Time in which its machine must be reached to end it."""
_STOP_S = 30.0
"""Added to the server's own time to end: the keeper waits up to 24 s for killed processes."""


class _Started(msgspec.Struct, frozen=True):
    pid: int


class _Listens(msgspec.Struct, frozen=True):
    listens: bool


class _Living(msgspec.Struct, frozen=True):
    living: list[tuple[int, str]]
    """Pid and name of each process."""


class FreePort(msgspec.Struct, frozen=True):
    """The keeper's answer to `port`."""

    port: int


class Scratch(msgspec.Struct, frozen=True):
    """The keeper's answer to `scratch`."""

    path: str
    sockets: str | None = None
    """The user's own folder for vLLM's sockets there; None: not set."""


class RemoteChild:
    """One server process. `on_line` gets its lines in order, each once, even if the connection drops."""

    def __init__(
        self, link: SshConnection, keeper: Sequence[str], folder: str, on_line: Callable[[str], None]
    ) -> None:
        self.pid = 0
        """Pid on the other machine."""
        self.folder = folder
        self.port = 0
        """Port on which it listens on that machine."""
        self.fetch: Callable[[], Awaitable[None]] | None = None
        """Fetches files from its folder after its end, before the folder is removed."""
        self._link = link
        self._keeper = list(keeper)
        self._on_line = on_line
        self._exit: int | None = None
        self._offset = 0
        self._splitter = LineSplitter()
        self._following: asyncio.Task[None] | None = None

    @property
    def exit_code(self) -> int | None:
        """The exit code; None while it lives, as far as we know."""
        return self._exit

    async def start(self, command: Sequence[str], environment: Mapping[str, str]) -> None:
        """Start it in a session of its own.

        Raises:
            ServerFailedError: it couldn't be started.
        """
        job = msgspec.json.encode({"command": list(command), "env": dict(environment)})
        self.pid = (await self.ask(_Started, "start", self.folder, stdin=job)).pid
        self._following = asyncio.create_task(self._follow())

    async def ended(self) -> int:
        """Wait until it has ended and its log is read."""
        if self._following is not None:
            await asyncio.wait({self._following})
        return -1 if self._exit is None else self._exit

    async def track_descendants(self) -> None:
        """Do nothing: the keeper tracks them once a second."""

    async def listens(self, url: str) -> bool:  # noqa: ARG002  # the port there is another than the URL's
        """Return whether one of its processes listens on its port; False without a connection."""
        with suppress(WorkbenchError):
            return (await self.ask(_Listens, "listens", self.folder, str(self.port))).listens
        return False

    async def end(self, *, patience_s: float) -> list[ProcessIdentity]:
        """Ask it to end, wait, then end all its processes; return those that still live.

        If its machine can't be reached, return the server itself.
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
                    # A hanging keeper isn't asked again; a dropped connection is opened again.
                    by = clock() + patience_s + _STOP_S
                    return await self._end_there(patience_s)
                if clock() + again >= by:
                    break
                # A dropped connection is noticed by the first call on it.
                await asyncio.sleep(again)
            return [unknown]
        finally:
            await self._stop_following()

    async def _end_there(self, patience_s: float) -> list[ProcessIdentity]:
        """End it through the keeper; may be repeated."""
        words = ("stop", self.folder, f"{patience_s:g}")
        answer = await self.ask(_Living, *words, timeout_s=patience_s + _STOP_S)
        if self._following is not None:
            await asyncio.wait({self._following}, timeout=_TAIL_S)
        living = [ProcessIdentity(pid=pid, started=0.0, name=name) for pid, name in answer.living]
        if self.fetch is not None:
            await self.fetch()
        if not living:
            await self.ask(dict, "remove", self.folder)
        return living

    async def ask(
        self, answer: type[T], *words: str, stdin: bytes | None = None, timeout_s: float = 60.0
    ) -> T:
        """Call the keeper; return its answer as an `answer`.

        Raises:
            ServerFailedError: the call failed.
        """
        said = await self._link.call([*self._keeper, *words], stdin=stdin, timeout_s=timeout_s)
        if said.exit_code:
            reason = said.last_error or message("servers.nothing")
            raise ServerFailedError("servers.keeper_failed", host=self._link.host, said=reason)
        try:
            return msgspec.json.decode(said.output, type=answer)
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
                await self._read_log()
            if self._exit is not None:
                break
            if tries == 0 or self._offset > before:
                self._on_line(str(message("servers.ssh_connecting_again", host=self._link.host)))
                tries = 0
            await asyncio.sleep(_AGAIN_S[min(tries, len(_AGAIN_S) - 1)])
            tries += 1
        for line in self._splitter.end():
            self._on_line(line)

    async def _read_log(self) -> None:
        async with self._link.process([*self._keeper, "follow", self.folder, str(self._offset)]) as process:
            while data := await process.stdout.read(_CHUNK):
                self._offset += len(data)
                for line in self._splitter.feed(data):
                    self._on_line(line)
            last = await process.stderr.read()
        with suppress(KeyError, *UNREADABLE):
            self._exit = int(msgspec.json.decode(last, type=dict[str, int])["exit"])
