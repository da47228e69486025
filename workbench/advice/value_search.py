"""Choose the next value of a limit to measure, so that few runs find the best one.

For a limit on concurrency, throughput and latency both rise with the value. The best value is therefore the
largest one whose latency is within its limit, and the search looks for that border. A step takes a fixed time
and a time for each sequence, so latency is proportional to 1 + value / h. The point h, from which sequences
cost more than the fixed part, is unknown: each value of it is weighed by how well it explains the measured
latencies. What it leaves unexplained is interpolated, with an error that grows with the distance on a
logarithmic scale. The search measures the largest value that may well be feasible, and stops when no value is
expected to gain more than `gain`.
"""

import itertools
import math
from collections.abc import Sequence
from statistics import NormalDist

from workbench.base import Message, Record, message

_HALF, _HALF_SD = 6.0, 2.0
"""Mean and standard deviation of log2 h before the first run: mostly 8 to 512 sequences."""
_POINTS = [_HALF + _HALF_SD * step / 4 for step in range(-10, 11)]
_ERROR_SD, _DRIFT_SD = 0.04, 0.15
"""Error of log2 of a latency: of each run, and of the formula over one doubling."""
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
    throughput: float | None = None
    """Objective to maximize, above 0, also where the latency is too high; None: value over latency."""


class NextRun(Record, frozen=True, kw_only=True):
    """The next run to measure, or the end of the search."""

    value: float | None
    """The value to measure; None if the search is over."""
    best: float | None
    """The feasible value with the highest throughput so far; None: none is feasible."""
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
        at = {each.value: values.index(each.value) for each in measured}
        self._latency = {at[each.value]: math.log2(each.latency) for each in measured}
        self._throughput = {
            at[each.value]: math.log2(each.throughput or each.value / each.latency) for each in measured
        }
        self._reached = {
            at[each.value]: each.running is None or each.running >= _LIMIT_REACHED * each.value
            for each in measured
        }
        feasible = [place for place, latency in self._latency.items() if latency <= self._limit]
        self._best = max(feasible, key=self._throughput.__getitem__, default=None)

    def propose(self) -> NextRun:
        """Return the next run."""
        if not self._latency:
            first = round(_START * (len(self._values) - 1))
            return NextRun(value=self._values[first], best=None, reason=message("advice.search_first"))
        low = max((at for at, latency in self._latency.items() if latency <= self._limit), default=-1)
        high = min(
            (at for at, latency in self._latency.items() if latency > self._limit), default=len(self._values)
        )
        open_ = range(low + 1, high)
        if not open_:
            return self._over(message("advice.search_neighbor_measured"))
        if low >= 0 and not self._reached[low]:
            return self._over(message("advice.search_limit_not_reached", value=self._values[low]))
        weights = self._weights()
        chances = {at: self._chance(at, weights) for at in open_}
        if self._best is not None:
            most = max(self._expected_gain(at, weights) for at in open_)
            if most < self._gain:
                return self._over(
                    message("advice.search_no_gain", percent=100 * most, threshold=100 * self._gain)
                )
        likely = [at for at, chance in chances.items() if chance >= _WORTH_A_RUN]
        chosen = max(likely, default=max(chances, key=chances.__getitem__))
        return NextRun(
            value=self._values[chosen],
            best=self._best_value(),
            reason=message("advice.search_chance", percent=100 * chances[chosen]),
        )

    def _best_value(self) -> float | None:
        return None if self._best is None else self._values[self._best]

    def _over(self, reason: Message) -> NextRun:
        skipped = tuple(value for at, value in enumerate(self._values) if at not in self._latency)
        return NextRun(value=None, best=self._best_value(), reason=reason, skipped=skipped)

    def _shape(self, at: int, half: float) -> float:
        """Return log2 of 1 + value / h."""
        return math.log2(1 + 2.0 ** (self._places[at] - half))

    def _weights(self) -> list[float]:
        """Return the probability of each point h, from what it leaves unexplained between neighbors."""
        logs = []
        for half in _POINTS:
            log = -0.5 * ((half - _HALF) / _HALF_SD) ** 2
            for one, other in itertools.pairwise(sorted(self._latency)):
                rest = self._latency[other] - self._shape(other, half)
                rest -= self._latency[one] - self._shape(one, half)
                distance = self._places[other] - self._places[one]
                log -= 0.5 * rest**2 / (_DRIFT_SD**2 * distance + 2 * _ERROR_SD**2)
            logs.append(log)
        weights = [math.exp(log - max(logs)) for log in logs]
        return [weight / sum(weights) for weight in weights]

    def _chance(self, at: int, weights: Sequence[float]) -> float:
        """Return the probability that a value is feasible."""
        return sum(weight * self._feasible(at, half) for weight, half in zip(weights, _POINTS, strict=True))

    def _feasible(self, at: int, half: float) -> float:
        rest, sd = self._interpolated({k: v - self._shape(k, half) for k, v in self._latency.items()}, at)
        return _NORMAL.cdf((self._limit - rest - self._shape(at, half)) / sd)

    def _expected_gain(self, at: int, weights: Sequence[float]) -> float:
        """Return the mean relative gain in throughput, which is 0 if the value isn't feasible."""
        assert self._best is not None
        found = 0.0
        for weight, half in zip(weights, _POINTS, strict=True):
            rests = {k: v - self._places[k] + self._shape(k, half) for k, v in self._throughput.items()}
            rest, _ = self._interpolated(rests, at)
            log = rest + self._places[at] - self._shape(at, half) - self._throughput[self._best]
            found += weight * self._feasible(at, half) * max(0.0, 2.0**log - 1)
        return found

    def _interpolated(self, known: dict[int, float], at: int) -> tuple[float, float]:
        """Return the mean and standard deviation of a random walk through known points."""
        x = self._places
        below = max((place for place in known if place < at), default=None)
        above = min((place for place in known if place > at), default=None)
        if below is not None and above is not None:
            left, right, width = x[at] - x[below], x[above] - x[at], x[above] - x[below]
            mean = (known[below] * right + known[above] * left) / width
            return mean, math.hypot(_ERROR_SD, _DRIFT_SD * math.sqrt(left * right / width))
        near = above if below is None else below
        assert near is not None
        return known[near], math.hypot(_ERROR_SD, _DRIFT_SD * math.sqrt(abs(x[at] - x[near])))
