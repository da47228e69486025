"""Looking at answers off the hot path, in slices of a third of a millisecond between looks at the sockets.

What has ended or waits for its first token comes first; what streams is looked at within a quarter of a
second, so that raw bytes never pile up.
"""

import asyncio
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Mapping

from workbench.base import now
from workbench.load.attempt import Attempt

_SLICE_S = 0.0003
_READS = 16
"""Reads looked at between two looks at the clock: some 60 us."""


class ReadParser:
    """Parses reads in idle moments; `on_parsed(attempt)` is called after each slice of an attempt's reads."""

    def __init__(self, loop: asyncio.AbstractEventLoop, on_parsed: Callable[[Attempt], None]) -> None:
        self._loop = loop
        self._on_parsed = on_parsed
        self._urgent: deque[Attempt] = deque()
        self._streaming: deque[Attempt] = deque()
        self._chores: deque[Iterator[object]] = deque()
        self._running = False
        self._chore_next = False

    def parse_soon(self, attempt: Attempt) -> None:
        """Look at this attempt's reads as soon as the sockets have been served."""
        if not attempt.queued:
            attempt.queued = True
            self._urgent.append(attempt)
            self.wake()

    def parse_streaming(self, attempts: Iterable[Attempt]) -> None:
        """Look at what these have received so far, when nothing else is to do."""
        if not self._streaming:
            self._streaming.extend(attempt for attempt in attempts if attempt.reads and not attempt.queued)
            self.wake()

    def add_chore(self, steps: Iterator[object]) -> None:
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
            attempt = self._urgent.popleft()
            if attempt.parse(_READS):
                attempt.queued = False
            else:
                self._urgent.append(attempt)
            self._on_parsed(attempt)
        elif self._chores:
            steps = self._chores.popleft()
            if next(steps, self) is not self:
                self._chores.append(steps)
        elif self._streaming:
            attempt = self._streaming.popleft()
            if not attempt.queued:
                attempt.parse(_READS)
                self._on_parsed(attempt)
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


class ReadLateness:
    """Reads of one worker, and those whose stamp may be off, by whole milliseconds (rounded up)."""

    __slots__ = ("late_ms", "reads")

    def __init__(self) -> None:
        self.reads = 0
        self.late_ms: Counter[int] = Counter()

    def add_late(self, data: bytes, late_s: float) -> None:
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
