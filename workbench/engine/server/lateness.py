"""Lateness against the ideal clock, wall milliseconds."""

from bisect import bisect_left
from typing import Any

EDGES_MS = [0.05 * 1.25**power for power in range(60)]
"""5 % to 25 % apart up to half a minute."""


class LatenessHistogram:
    """Counts in fixed bins, with constant cost."""

    def __init__(self) -> None:
        self._counts = [0] * (len(EDGES_MS) + 1)
        self._max = 0.0

    def add(self, seconds: float) -> None:
        """Count an event that happened `seconds` late."""
        late = max(0.0, seconds * 1e3)
        self._counts[bisect_left(EDGES_MS, late)] += 1
        self._max = max(self._max, late)

    def quantile(self, share: float) -> float | None:
        """Return the upper bound in ms of the bin that reaches this share of events; None without events."""
        total = sum(self._counts)
        if not total:
            return None
        seen = 0
        for count, edge in zip(self._counts, [*EDGES_MS, self._max], strict=True):
            seen += count
            if seen >= share * total:
                return min(edge, self._max)
        return self._max

    def summary(self) -> dict[str, Any]:
        """Return count, p50, p99 and maximum in milliseconds."""
        return {
            "steps": sum(self._counts),
            "p50": self.quantile(0.5),
            "p99": self.quantile(0.99),
            "max": self._max if any(self._counts) else None,
        }
