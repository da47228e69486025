"""The last scrapes of a server's counters, and what they rose by a second."""

from collections import deque
from collections.abc import Mapping

from workbench.results import Sample

RATE_S = 0.9
"""Wall seconds that a rate is taken over, at least.

A page that came late is stamped late, and the next one may follow at once: over so short a time a single
step's tokens would be a spike. Four scrapes a second make this one second.
"""

Scrape = Mapping[str, Sample]
"""One sample an engine, by its name."""


class RecentScrapes:
    """Holds the scrapes that a rate looks back on."""

    def __init__(self) -> None:
        self._held: deque[Scrape] = deque()

    def take(self, scrape: Scrape) -> None:
        """The newest."""
        self._held.append(scrape)
        while len(self._held) > 2 and _between(self._held[1], scrape) >= RATE_S:
            self._held.popleft()

    def rate(self, field: str, scale: float) -> float | None:
        """What a counter of `Sample` rose by, in `scale` seconds a wall second; None: not known."""
        if len(self._held) < 2:
            return None
        first, last = self._held[0], self._held[-1]
        change, elapsed = change_between(first, last, field), _between(first, last) * scale
        # A counter that fell is that of a server that was started anew.
        return change / elapsed if change is not None and change >= 0 and elapsed > 0 else None


def change_between(before: Scrape, after: Scrape, field: str) -> float | None:
    """How much a counter changed, sum of the engines that are known in both; None: of none."""
    changes = []
    for engine, sample in after.items():
        begun, ended = getattr(before.get(engine, sample), field), getattr(sample, field)
        if begun is not None and ended is not None:
            changes.append(ended - begun)
    return sum(changes) if changes else None


def _between(before: Scrape, after: Scrape) -> float:
    """Wall seconds from one to the other; 0 where one is empty."""
    begun = min((sample.t for sample in before.values()), default=None)
    ended = min((sample.t for sample in after.values()), default=None)
    return 0.0 if begun is None or ended is None else ended - begun
