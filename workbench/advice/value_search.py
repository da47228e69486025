"""Choose the next value of a limit to measure, so that few runs find the best one.

For a limit on concurrency, throughput and latency both rise with the value. The best value is therefore the
largest one whose latency is within its limit, and the search looks for that border. On a log-log scale it
predicts the latency of values that were not measured, with an error that grows with the distance. It measures
the largest value that may well be feasible, and stops when no value is expected to gain more than `gain`.
"""

import math
from collections.abc import Sequence
from statistics import NormalDist

from workbench.base import Message, Record, message

_SLOPE, _SLOPE_SD = 0.5, 0.3
"""Doublings of latency a doubling of the value, before two values are known. A step whose time doesn't depend
on its batch has 0, one that is proportional to it has 1."""
_CURVATURE = 0.1
"""The slope grows by so much a doubling: weights are read once for all sequences, contexts for each."""
_ERROR_SD, _ERROR_SD_PER_DOUBLING = 0.04, 0.15
"""Error of a prediction from two neighbors, in doublings."""
_WORTH_A_RUN = 0.2
"""Probability of being feasible from which a larger value is measured."""
_START = 0.45
"""Position of the first value among the candidates, 0 to 1."""
_LIMIT_REACHED = 0.85
"""Share of the value that must run on average for a larger one to matter."""
_NORMAL = NormalDist()


class MeasuredValue(Record, frozen=True, kw_only=True):
    """Result of a run with one value."""

    value: float
    latency: float
    """The figure that has a limit, such as ITL p95 in ms; above 0."""
    running: float | None = None
    """Mean number of running sequences; None: unknown."""


class NextRun(Record, frozen=True, kw_only=True):
    """The next run to measure, or the end of the search."""

    value: float | None
    """The value to measure; None if the search is over."""
    best: float | None
    """The largest feasible value measured so far; None: none is."""
    reason: Message
    skipped: tuple[float, ...] = ()
    """At the end: the values that needed no run."""


def next_value(
    values: Sequence[float], measured: Sequence[MeasuredValue], limit: float, *, gain: float = 0.02
) -> NextRun:
    """Return the next value to measure.

    Args:
        values: candidates, above 0.
        measured: results so far.
        limit: of the latency.
        gain: expected relative gain in throughput below which no further run is worth it.
    """
    return _Search(sorted(set(values)), measured, limit, gain).propose()


class _Search:
    def __init__(
        self, values: Sequence[float], measured: Sequence[MeasuredValue], limit: float, gain: float
    ) -> None:
        self._values = values
        self._places = [math.log2(value) for value in values]
        self._limit = math.log2(limit)
        self._gain = gain
        self._known = {values.index(each.value): math.log2(each.latency) for each in measured}
        self._reached = {
            values.index(each.value): each.running is None or each.running >= _LIMIT_REACHED * each.value
            for each in measured
        }

    def propose(self) -> NextRun:
        """Return the next run."""
        if not self._known:
            first = round(_START * (len(self._values) - 1))
            return NextRun(value=self._values[first], best=None, reason=message("advice.search_first"))
        low = max((at for at, latency in self._known.items() if latency <= self._limit), default=-1)
        high = min(
            (at for at, latency in self._known.items() if latency > self._limit), default=len(self._values)
        )
        open_ = range(low + 1, high)
        if not open_:
            return self._over(low, message("advice.search_neighbor_measured"))
        if low >= 0 and not self._reached[low]:
            return self._over(low, message("advice.search_limit_not_reached", value=self._values[low]))
        chances = {at: self._chance(at) for at in open_}
        if low >= 0:
            gains = {at: chance * max(0.0, self._gain_of(at, low)) for at, chance in chances.items()}
            most = max(gains, key=gains.__getitem__)
            if gains[most] < self._gain:
                return self._over(
                    low,
                    message("advice.search_no_gain", percent=100 * gains[most], threshold=100 * self._gain),
                )
        else:
            most = max(chances, key=chances.__getitem__)
        likely = [at for at, chance in chances.items() if chance >= _WORTH_A_RUN]
        chosen = max(likely, default=most)
        return NextRun(
            value=self._values[chosen],
            best=None if low < 0 else self._values[low],
            reason=message("advice.search_chance", percent=100 * chances[chosen]),
        )

    def _over(self, low: int, reason: Message) -> NextRun:
        skipped = tuple(value for at, value in enumerate(self._values) if at not in self._known)
        return NextRun(
            value=None, best=None if low < 0 else self._values[low], reason=reason, skipped=skipped
        )

    def _chance(self, at: int) -> float:
        """Return the probability that a value is feasible."""
        mean, sd = self._predict(at)
        return _NORMAL.cdf((self._limit - mean) / sd)

    def _gain_of(self, at: int, low: int) -> float:
        """Return the relative gain in throughput: sequences over the time of a token."""
        latency = min(self._predict(at)[0], self._limit)
        return float(2.0 ** ((self._places[at] - self._places[low]) - (latency - self._known[low])) - 1)

    def _predict(self, at: int) -> tuple[float, float]:
        """Return the mean and standard deviation of log2 of a value's latency."""
        x = self._places
        below = sorted(place for place in self._known if place < at)
        above = sorted(place for place in self._known if place > at)
        if below and above:
            a, b = below[-1], above[0]
            share = (x[at] - x[a]) / (x[b] - x[a])
            bend = _CURVATURE * (x[at] - x[a]) * (x[b] - x[at]) / 2
            mean = self._known[a] + (self._known[b] - self._known[a]) * share - bend
            return mean, _ERROR_SD + _ERROR_SD_PER_DOUBLING * min(x[at] - x[a], x[b] - x[at])
        near, far = (below[-1], below[-2:-1]) if below else (above[0], above[1:2])
        distance = abs(x[at] - x[near])
        if far:
            width = abs(x[near] - x[far[0]])
            slope = (self._known[near] - self._known[far[0]]) / (x[near] - x[far[0]])
            bend = _CURVATURE * (distance + width) / 2
            slope = max(0.02, slope) + bend if below else max(0.02, slope - bend)
            sd = _ERROR_SD + _ERROR_SD_PER_DOUBLING * distance
        else:
            slope, sd = (_SLOPE if below else 0.8 * _SLOPE), _ERROR_SD + _SLOPE_SD * distance
        return self._known[near] + slope * (x[at] - x[near]), sd
