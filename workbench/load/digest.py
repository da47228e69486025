"""Looking at answers off the hot path, in slices of a third of a millisecond between looks at the sockets.

What has ended or waits for its first token comes first; what streams is looked at within a quarter of a
second, so that raw bytes never pile up.
"""

import asyncio
from collections import deque
from collections.abc import Callable, Iterable, Iterator

from workbench.base import now
from workbench.load.flight import Flight

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
