"""A machine behind an SSH connection: commands on it, and its clock against ours."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, suppress
from typing import Any

from workbench.base import WorkbenchError, now
from workbench.servers.run_command import CommandOutput
from workbench.servers.ssh.connection import SshConnection
from workbench.servers.ssh.program_copy import COPIES, program_there
from workbench.servers.target_spec import TargetSpec

_TELL_TIME = "import sys, time\nfor _ in sys.stdin: print(repr(time.monotonic()), flush=True)"
_TIME_MODULE = ("-m", "workbench.base.tell_time")
_PINGS = 7


class SshHost:
    """A machine behind an SSH connection.

    Args:
        link: the connection.
        url: the server's URL on that machine.
        program: the executable of a copy of this program there; None: its python3 is used.
    """

    def __init__(self, link: SshConnection, url: str, program: str | None = None) -> None:
        self.host = link.host
        self.url = url
        self.program = program
        self._link = link
        self._starting = asyncio.Lock()
        self._open: set[asyncio.Task[None]] = set()
        """One task for each started command; it closes the command's connection."""

    async def call(self, words: Sequence[str]) -> CommandOutput:
        """Run a command on it to its end."""
        return await self._link.call(words)

    async def start(self, words: Sequence[str]) -> Any:
        """Start a command on a connection of its own: sshd allows ten sessions each (MaxSessions)."""
        link = SshConnection(self.host)
        try:
            # One by one: sshd drops simultaneous connections (MaxStartups).
            async with self._starting:
                process = await link.start(words)
        except BaseException:
            await link.close()
            raise
        task = asyncio.create_task(_close_after(process, link))
        self._open.add(task)
        task.add_done_callback(self._open.discard)
        return process

    async def forward(self, port: int) -> int:
        """Forward a free port of 127.0.0.1 here to `port` there."""
        return int(await self._link.forward(0, port))

    async def close(self) -> None:
        """End the started commands that still run."""
        for task in self._open:
            task.cancel()
        await asyncio.gather(*self._open, return_exceptions=True)

    async def clock_ahead_s(self) -> float | None:
        """Return how far its clock is ahead of ours, by the quickest round trip; None without an answer.

        The error is at most half of that round trip.
        """
        words = ["python3", "-u", "-c", _TELL_TIME] if self.program is None else [self.program, *_TIME_MODULE]
        with suppress(WorkbenchError, ValueError):
            async with self._link.process(words) as process:
                trips = [await _ping(process) for _ in range(_PINGS)]
            return min(trips)[1]
        return None


@asynccontextmanager
async def connect_host(spec: TargetSpec) -> AsyncIterator[SshHost]:
    """Connect to the machine of an ssh target for the time of the context; copy this program if it is needed.

    Raises:
        Refusal: asyncssh is missing, the host is unknown, it refuses our login, or it can't run a copy.
        ServerFailedError: it can't be reached.
    """
    assert spec.host is not None
    link = SshConnection(spec.host)
    machine = SshHost(link, "")
    async with COPIES.hold():
        try:
            await link.open()
            machine.program = await program_there(link, spec)
            yield machine
        finally:
            await machine.close()
            await link.close()


async def _close_after(process: Any, link: SshConnection) -> None:
    try:
        await process.wait_closed()
    finally:
        await link.close()


async def _ping(process: Any) -> tuple[float, float]:
    """Return the duration of a round trip, and how far the remote clock is ahead."""
    sent = now()
    process.stdin.write(b"\n")
    remote_time = float(await process.stdout.readline())
    came = now()
    return came - sent, remote_time - (sent + came) / 2
