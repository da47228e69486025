"""Figures over all engines from a run's scrapes of the server's metrics.

Counts are summed over the engines. KV usage is a ratio, so the fullest engine's is taken. An engine with an
unknown value makes the figure of that scrape unknown.
"""

from collections.abc import Iterable, Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from workbench.results.percentiles import Floats
from workbench.results.run_records import Sample

_RATIOS = frozenset({"kv_usage"})
_OF_SOME = frozenset({"rejected", "deferred"})
"""Series that not every engine has: the sum is over the known ones."""
GAP_S = 6.0
"""Scrapes come four times a second and wait up to 5 s for an answer; a longer pause can hide a peak."""
_NEAR_S = 2.0
"""A scrape this near to an end of the run represents it."""


def over_engines(samples: Iterable[Sample], name: str) -> float | None:
    """Return a field of one scrape (a sample for each engine) over all engines; None: unknown."""
    values = [getattr(sample, name) for sample in samples]
    known = [value for value in values if value is not None]
    if not known or (len(known) < len(values) and name not in _OF_SOME):
        return None
    return float(max(known)) if name in _RATIOS else float(sum(known))


class Scrapes:
    """The scrapes of one run, ascending in time."""

    def __init__(self, samples: Sequence[Sample]) -> None:
        by_time: dict[float, list[Sample]] = {}
        for sample in samples:
            by_time.setdefault(sample.t, []).append(sample)
        ordered = sorted(by_time.items())
        self._scrapes = [scrape for _, scrape in ordered]
        self.times: Floats = np.array([t for t, _ in ordered], dtype=np.float64)
        """Wall seconds since the schedule's start, shape (scrapes,)."""

    def column(self, name: str) -> Floats:
        """Return a field over all engines, shape (scrapes,); NaN: unknown."""
        values = [over_engines(scrape, name) for scrape in self._scrapes]
        return np.array([np.nan if value is None else value for value in values], dtype=np.float64)

    def by_engine(self, name: str) -> dict[str, Floats]:
        """Return a field of each engine, shape (scrapes,) each; NaN: unknown."""
        found = {engine: np.full(len(self._scrapes), np.nan) for engine in self.engines()}
        for place, scrape in enumerate(self._scrapes):
            for sample in scrape:
                value = getattr(sample, name)
                if value is not None:
                    found[sample.engine][place] = value
        return found

    def between(self, begin: float, end: float) -> NDArray[np.bool_]:
        """Return which scrapes lie in these wall seconds, both ends included."""
        inside: NDArray[np.bool_] = (self.times >= begin) & (self.times <= end)
        return inside

    def growth(self, name: str) -> float | None:
        """Return a counter's growth from the first scrape that has it to the last one; None: unknown."""
        column = self.column(name)
        known = column[~np.isnan(column)]
        return float(known[-1] - known[0]) if known.size else None

    def pause(self, begin: float, end: float) -> tuple[float, float] | None:
        """Return the longest pause of the scrapes between two wall seconds if it hides a peak; None: none."""
        inside = self.times[self.between(begin, end)]
        stops = [begin, *inside.tolist(), end]
        longest = max(pairwise(stops), key=lambda stop: stop[1] - stop[0])
        return longest if longest[1] - longest[0] > GAP_S else None

    def cover(self, begin: float, end: float) -> bool:
        """Return whether the scrapes reach from near `begin` to near `end`, wall seconds."""
        if not self.times.size:
            return False
        return float(self.times[0]) <= begin + _NEAR_S and float(self.times[-1]) >= end - _NEAR_S

    def engines(self) -> tuple[str, ...]:
        """Return the names of all engines, in the order of the page."""
        return tuple(dict.fromkeys(sample.engine for scrape in self._scrapes for sample in scrape))


def largest(column: Floats) -> float | None:
    """Return the largest known value; None: all are unknown."""
    known = column[~np.isnan(column)]
    return float(known.max()) if known.size else None


def mean_over_time(times: Floats, column: Floats, begin: float) -> float | None:
    """Return the mean over time: a scrape stands for the time since the one before; None: all are unknown.

    The first one stands for the time since `begin`.
    """
    weights = time_weights(times, begin)
    known = ~np.isnan(column) & (weights > 0)
    return float(np.average(column[known], weights=weights[known])) if known.any() else None


def time_weights(times: Floats, begin: float) -> Floats:
    """Return the seconds that each scrape stands for, shape (scrapes,)."""
    return np.diff(times, prepend=min(begin, float(times[0]))) if times.size else times
