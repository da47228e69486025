"""Parsing of answers off the hot path, in slices of a third of a millisecond between polls of the sockets.

Answers that ended or lack their first token come first; streaming answers are parsed within a quarter of a
second, so that raw bytes never pile up.
"""

import asyncio
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Mapping

from workbench.base import now
from workbench.load.attempt import Attempt

_SLICE_S = 0.0003
_READS = 16
"""Reads parsed between two readings of the clock: some 60 us."""


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
        """Parse this attempt's reads as soon as the sockets are served."""
        if not attempt.queued:
            attempt.queued = True
            self._urgent.append(attempt)
            self.wake()

    def parse_streaming(self, attempts: Iterable[Attempt]) -> None:
        """Parse the reads of these attempts when there is nothing else to do."""
        if not self._streaming:
            self._streaming.extend(attempt for attempt in attempts if attempt.reads and not attempt.queued)
            self.wake()

    def add_chore(self, steps: Iterator[object]) -> None:
        """Add work that is done in short steps."""
        self._chores.append(steps)
        self.wake()

    def wake(self) -> None:
        """Continue with the next turn of the loop."""
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
        # Chores alternate with urgent answers, so that bodies due soon don't wait for the end of a rush.
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


# Lateness of reads, by which a stamp may be off.
#
# The kernel stamps the last byte of a read. A worker that falls behind finds several events in one read: the
# first of them is older than the stamp, by at most the time since the socket could last have been read.
# A read of one event is exact, however late it is parsed.

PROMPT_S = 0.002
"""Reads within this time are not examined: every rule about lateness allows more."""
_EVENT = b"data:"


class ReadLateness:
    """Reads of one worker, and those whose stamp may be off, by milliseconds (rounded up)."""

    __slots__ = ("late_ms", "reads")

    def __init__(self) -> None:
        self.reads = 0
        self.late_ms: Counter[int] = Counter()

    def add_late(self, data: bytes, late_s: float) -> None:
        """Count a read that was handled `late_s`, above `PROMPT_S`, after its first byte may have arrived."""
        if data.count(_EVENT) > 1:
            self.late_ms[int(late_s * 1e3) + 1] += 1


def late_p99_ms(reads: int, late_ms: Mapping[int, int]) -> float | None:
    """Return the p99 of the reads' lateness in ms; 0: stamps are exact; None: no reads."""
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
