"""The machine behind a connection: commands on it, and its clock against ours."""

from collections.abc import Sequence
from contextlib import suppress
from typing import Any

from workbench.base import WorkbenchError, now
from workbench.servers.asking import Said
from workbench.servers.ssh.link import Link

_TELL_TIME = "import sys, time\nfor _ in sys.stdin: print(repr(time.monotonic()), flush=True)"
_PINGS = 7


class Machine:
    """Another machine, reached over a link; `url` is the server's there."""

    def __init__(self, link: Link, url: str) -> None:
        self.host = link.host
        self.url = url
        self._link = link

    async def call(self, words: Sequence[str]) -> Said:
        """Run a command there to its end."""
        return await self._link.call(words)

    async def start(self, words: Sequence[str]) -> Any:
        """Start a command there."""
        return await self._link.start(words)

    async def clock_ahead_s(self) -> float | None:
        """How far its monotonic clock is ahead of ours, by the quickest of some round trips; None: no answer.

        Wrong by half of that round trip at most.
        """
        with suppress(WorkbenchError, ValueError):
            async with self._link.process(["python3", "-u", "-c", _TELL_TIME]) as process:
                trips = [await _ping(process) for _ in range(_PINGS)]
            return min(trips)[1]
        return None


async def _ping(process: Any) -> tuple[float, float]:
    """Duration of a round trip, and how far the clock there is ahead."""
    sent = now()
    process.stdin.write(b"\n")
    told = float(await process.stdout.readline())
    came = now()
    return came - sent, told - (sent + came) / 2
