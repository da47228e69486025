"""Looking at answers off the hot path, in slices of a third of a millisecond between looks at the sockets.

What has ended or waits for its first token comes first; what streams is looked at within a quarter of a
second, so that raw bytes never pile up.
"""

import asyncio
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Mapping

from workbench.base import now
from workbench.load.in_flight import Flight

_SLICE_S = 0.0003
_READS = 16
"""Reads looked at between two looks at the clock: some 60 us."""


class Digest:
    """Work for idle moments. `seen(flight)` is called whenever reads of a flight have been looked at."""

    def __init__(self, loop: asyncio.AbstractEventLoop, seen: Callable[[Flight], None]) -> None:
        self._loop = loop
        self._seen = seen
        self._urgent: deque[Flight] = deque()
        self._streaming: deque[Flight] = deque()
        self._chores: deque[Iterator[object]] = deque()
        self._running = False
        self._chore_next = False

    def look(self, flight: Flight) -> None:
        """Look at this flight's reads as soon as the sockets have been served."""
        if not flight.queued:
            flight.queued = True
            self._urgent.append(flight)
            self.wake()

    def sweep(self, flights: Iterable[Flight]) -> None:
        """Look at what these have received so far, when nothing else is to do."""
        if not self._streaming:
            self._streaming.extend(flight for flight in flights if flight.reads and not flight.queued)
            self.wake()

    def chore(self, steps: Iterator[object]) -> None:
        """Work that comes in short steps."""
        self._chores.append(steps)
        self.wake()

    def wake(self) -> None:
        """Go on with the next turn of the loop."""
        if not self._running:
            self._running = True
            self._loop.call_soon(self._work)

    def _work(self) -> None:
        until = now() + _SLICE_S
        while now() < until:
            if not self._step():
                self._running = False
                return
        self._loop.call_soon(self._work)

    def _step(self) -> bool:
        # Chores take turns with answers that press: what is due soon must not wait for the end of a rush.
        self._chore_next = not self._chore_next
        if self._urgent and not (self._chore_next and self._chores):
            flight = self._urgent.popleft()
            if flight.parse(_READS):
                flight.queued = False
            else:
                self._urgent.append(flight)
            self._seen(flight)
        elif self._chores:
            steps = self._chores.popleft()
            if next(steps, self) is not self:
                self._chores.append(steps)
        elif self._streaming:
            flight = self._streaming.popleft()
            if not flight.queued:
                flight.parse(_READS)
                self._seen(flight)
        else:
            return False
        return True


# How late reads were looked at, and so by how much a stamp may be off.
#
# The kernel's stamp of a read is that of its last byte. A worker that falls behind finds several events in
# one read: the first of them came earlier than the stamp says, by at most the time since the socket could
# last have been read. A read that holds one event is exact, however late it is looked at.

PROMPT_S = 0.002
"""Reads looked at within this are not examined: less than any rule about them asks for."""
_EVENT = b"data:"


class Lateness:
    """Reads of one worker, and those whose stamp may be off, by whole milliseconds (rounded up)."""

    __slots__ = ("late_ms", "reads")

    def __init__(self) -> None:
        self.reads = 0
        self.late_ms: Counter[int] = Counter()

    def merged(self, data: bytes, late_s: float) -> None:
        """A read that was looked at `late_s` after its first byte may have come, later than `PROMPT_S`."""
        if data.count(_EVENT) > 1:
            self.late_ms[int(late_s * 1e3) + 1] += 1


def late_p99_ms(reads: int, late_ms: Mapping[int, int]) -> float | None:
    """What 99 % of all reads were not later than, in ms; 0: their stamps are exact. None: no reads."""
    if not reads:
        return None
    beyond = reads - sum(late_ms.values())
    if beyond >= 0.99 * reads:
        return 0.0
    for late in sorted(late_ms):
        beyond += late_ms[late]
        if beyond >= 0.99 * reads:
            return float(late)
    return float(max(late_ms))
