"""Choose the value of a control to run next by what it may gain, and end when none may gain enough.

The objective, such as accepted requests a second, rises and then falls with most limits. It is interpolated
between measured values on a log-log scale; a model's predictions are corrected by the measured values. The
next run has the highest expected gain over the best value so far. Without a model it halves the side with
that gain.
"""

import math
from collections.abc import Mapping, Sequence
from statistics import NormalDist

from workbench.base import Message, Record, message
from workbench.controls import Value

_ERROR, _ERROR_PER_DOUBLING = 0.02, 0.12
"""Error of a value interpolated from the nearest measured one, as a share."""
_ERROR_OF_ONE = 0.5
"""The same per doubling while a single value is known: the objective may be proportional to the limit."""
_ERROR_OF_CHORD = 0.4
"""Error midway between two measured values, as a share of their difference: curves bend."""
_DEEPEST = 2.0
"""A value that gives almost nothing doesn't drag its neighbors down by more than this (logarithm)."""
_LARGEST_ERROR, _MOST_LOG_GAIN = 1.0, 5.0
"""Bounds of what is expected of a value far from all measured ones."""
_MODEL_ERROR, _MODEL_ERROR_PER_DOUBLING = 0.01, 0.02
"""The same of a prediction that the nearest measured value corrected, beside its own cases."""
_WORST_MODEL_ERROR = 0.25
"""A model that is further off than this, after its common error is taken out, isn't used."""
_ALIKE = 0.95
"""Values with at least this share of the highest expected gain are equally promising."""
_CLEARLY = 2.0
"""Standard errors from which a smaller objective counts as smaller."""
_NORMAL = NormalDist()


class TriedValue(Record, frozen=True, kw_only=True):
    """Result of the run with one value."""

    value: Value | None
    """A value of the control; None if it is unknown, such as a version's default."""
    objective: float | None
    """The higher the better; None if the run gave no valid figure."""
    noise: float = 0.0
    """Standard error of the objective, as a share of it."""
    most: float | None = None
    """The objective's highest possible value, such as the offered rate; None: unknown."""
    reached: bool = True
    """False if the limit never held anything back, so that larger values change nothing."""


class UntriedValue(Record, frozen=True, kw_only=True):
    """A value that needs no run."""

    value: Value
    reason: Message


class RunChoice(Record, frozen=True, kw_only=True):
    """The next value to run, or the end of a search."""

    value: Value | None
    """None if the search is over."""
    best: TriedValue | None
    """The best value so far; None: no run gave a valid figure."""
    reason: Message
    expected_gain: float | None = None
    """Expected gain of the value to run, as a share of the best objective so far; None: unknown."""
    untried: tuple[UntriedValue, ...] = ()
    """At the end: the values without a run."""


def choose_run(
    values: Sequence[Value],
    tried: Sequence[TriedValue],
    *,
    gain: float = 0.02,
    predicted: Mapping[Value, Sequence[float]] | None = None,
) -> RunChoice:
    """Return the next value to run.

    Args:
        values: candidates, without the baseline's.
        tried: results so far, the baseline's included.
        gain: expected relative gain below which no further run is worth it.
        predicted: a model's objective by value, for tried values too: in several cases of equal
            probability, the middle one being the model's own. None: there is no model.
    """
    return _Search(values, tried, gain, predicted or {}).choose()


class _Search:
    def __init__(
        self,
        values: Sequence[Value],
        tried: Sequence[TriedValue],
        gain: float,
        predicted: Mapping[Value, Sequence[float]],
    ) -> None:
        done = [each.value for each in tried]
        self._open = [value for value in values if not any(_same(value, other) for other in done)]
        self._known = [each for each in tried if each.objective is not None]
        self._tried = tried
        self._gain = gain
        self._model = predicted
        self._best = max(
            (each for each in tried if each.objective is not None),
            key=lambda each: each.objective or 0.0,
            default=None,
        )

    def choose(self) -> RunChoice:
        """Return the next run, or the end."""
        best = self._best
        if best is None or not best.objective:
            return self._without_best()
        left = self._most_left(best)
        if left is not None and left < self._gain:
            return self._over(message("advice.search_all_accepted", percent=100 * left))
        excluded = self._excluded(best)
        open_ = [value for value in self._open if value not in excluded]
        gains = {value: self._expected_gain(value, best, left) for value in open_}
        worth = {value: gain for value, gain in gains.items() if gain >= self._gain}
        if not worth:
            highest = max(gains.values(), default=0.0)
            reason = (
                message("advice.search_no_gain", percent=100 * highest, threshold=100 * self._gain)
                if open_
                else message("advice.search_none_left")
            )
            return self._over(reason, excluded)
        chosen = self._pick(worth, best)
        if math.isinf(gains[chosen]):
            return RunChoice(value=chosen, best=best, reason=message("advice.search_no_neighbor"))
        reason = message("advice.search_expected_gain", percent=100 * gains[chosen])
        return RunChoice(value=chosen, best=best, reason=reason, expected_gain=gains[chosen])

    def _without_best(self) -> RunChoice:
        """Return the most promising value, else the middle one, while nothing was accepted so far."""
        if not self._open:
            return self._over(message("advice.search_none_left"))
        value = self._open[(len(self._open) - 1) // 2]
        means = {value: sum(self._model.get(value, ())) for value in self._open}
        if any(means.values()):
            value = max(means, key=means.__getitem__)
        return RunChoice(value=value, best=self._best, reason=message("advice.search_nothing_known"))

    def _over(self, reason: Message, excluded: Mapping[Value, Message] | None = None) -> RunChoice:
        why = excluded or {}
        untried = tuple(UntriedValue(value=value, reason=why.get(value, reason)) for value in self._open)
        return RunChoice(value=None, best=self._best, reason=reason, untried=untried)

    def _most_left(self, best: TriedValue) -> float | None:
        """Return the largest gain that the objective's highest value leaves."""
        if best.most is None or not best.objective:
            return None
        return max(0.0, best.most / best.objective - 1)

    def _excluded(self, best: TriedValue) -> dict[Value, Message]:
        """Return the open values that can't be better, with the reason."""
        found: dict[Value, Message] = {}
        for value in self._open:
            place = _place(value)
            if place is None:
                continue
            slack = [each for each in self._tried if not each.reached and _below(each.value, place)]
            if slack:
                found[value] = message("advice.search_limit_not_reached", value=slack[0].value)
                continue
            worse = self._worse_between(place, best)
            # The model may explain a dip, but we never search past a value with no accepted request.
            if worse is not None and worse.objective and self._modelled():
                worse = None
            if worse is not None:
                found[value] = message("advice.search_beyond_worse", worse=worse.value, best=best.value)
        return found

    def _worse_between(self, place: float, best: TriedValue) -> TriedValue | None:
        """Return the worst of the clearly worse values between the best one and this place, or None."""
        found: list[TriedValue] = []
        middle = _place(best.value)
        if middle is None:
            return None
        for each in self._tried:
            at = _place(each.value)
            if at is None or each.objective is None or not min(middle, place) < at < max(middle, place):
                continue
            noise = _CLEARLY * math.hypot(each.noise, best.noise)
            if not each.objective or each.objective < (best.objective or 0.0) * (1 - noise):
                found.append(each)
        return min(found, key=lambda each: each.objective or 0.0, default=None)

    def _modelled(self) -> bool:
        """Return True if the model explains the measured values better than it could by chance."""
        residuals = [rest for each in self._known if (rest := self._residual(each)) is not None]
        return bool(residuals) and max(residuals) - min(residuals) <= 2 * _WORST_MODEL_ERROR

    def _residual(self, each: TriedValue) -> float | None:
        """Return the logarithm of measured over predicted; None if one of them is 0 or unknown."""
        cases = () if each.value is None else self._model.get(each.value, ())
        middle = cases[len(cases) // 2] if cases else 0.0
        return math.log(each.objective / middle) if each.objective and middle > 0 else None

    def _expected_gain(self, value: Value, best: TriedValue, left: float | None) -> float:
        """Return the mean of the relative gain, counting losses as 0."""
        found = self._predict(value)
        if found is None:
            return math.inf
        assert best.objective
        (means, sd), held = found, math.log(best.objective)
        rise = sum(_mean_rise(min(mean - held, _MOST_LOG_GAIN), sd) for mean in means) / len(means)
        return max(0.0, rise if left is None else min(rise, left))

    def _predict(self, value: Value) -> tuple[list[float], float] | None:
        """Return the objective's logarithm in each case, and their error; None: nothing is known of it."""
        if self._modelled() and value in self._model:
            points = [(_place(each.value) or 0.0, self._residual(each), each.noise) for each in self._known]
            known = sorted((place, rest, noise) for place, rest, noise in points if rest is not None)
            rest, distance, error = _between(known, _place(value) or 0.0, flat=True)
            # What the model missed at one value holds for its neighbors, and less and less beyond.
            kept = 0.5**distance
            error = math.hypot(error, (1 - kept) * rest)
            rest *= kept
            sd = math.hypot(_MODEL_ERROR, _MODEL_ERROR_PER_DOUBLING * distance, error)
            return [rest + math.log(case) if case > 0 else -math.inf for case in self._model[value]], sd
        place = _place(value)
        floor = math.log((self._best and self._best.objective) or 1.0) - _DEEPEST
        measured = [
            (at, max(floor, math.log(each.objective)) if each.objective else floor, each.noise)
            for each in self._known
            if (at := _place(each.value)) is not None
        ]
        if place is None or not measured:
            return None
        mean, distance, error = _between(sorted(measured), place, flat=False)
        slope = _ERROR_OF_ONE if len(measured) == 1 else _ERROR_PER_DOUBLING
        return [mean], min(_LARGEST_ERROR, math.hypot(_ERROR, slope * distance, error))

    def _pick(self, worth: Mapping[Value, float], best: TriedValue) -> Value:
        """Return the value with the highest gain; without a model the middle of its side of the best."""
        highest = max(worth, key=worth.__getitem__)
        place, middle = _place(highest), _place(best.value)
        if place is None or middle is None:
            return highest
        if self._modelled():
            # Of equally promising values the smallest change is the safest.
            alike = [value for value, gain in worth.items() if gain >= _ALIKE * worth[highest]]
            return min(alike, key=lambda value: abs((_place(value) or math.inf) - middle))
        side = sorted(
            (value for value in worth if _same_side(_place(value), place, middle)),
            key=lambda value: _place(value) or 0.0,
        )
        return side[len(side) // 2]


def _mean_rise(mean: float, sd: float) -> float:
    """Return the mean of exp(x) - 1, counting losses as 0, for a normal x."""
    if math.isinf(mean):
        return 0.0
    return math.exp(mean + sd * sd / 2) * _NORMAL.cdf((mean + sd * sd) / sd) - _NORMAL.cdf(mean / sd)


def _between(
    points: Sequence[tuple[float, float, float]], place: float, *, flat: bool
) -> tuple[float, float, float]:
    """Interpolate between points (place, figure, noise).

    Beyond the last point the figure stays if `flat`, else it continues at half the slope of the last two.

    Returns:
        The figure, the distance to the nearest point, and the error of that point and of the chord.
    """
    below = [point for point in points if point[0] <= place]
    above = [point for point in points if point[0] > place]
    near = min(points, key=lambda point: abs(point[0] - place))
    distance = abs(near[0] - place)
    if below and above:
        (x0, y0, _), (x1, y1, _) = below[-1], above[0]
        share = (place - x0) / (x1 - x0)
        bend = _ERROR_OF_CHORD * abs(y1 - y0) * min(share, 1 - share) * 2
        return y0 + (y1 - y0) * share, distance, math.hypot(near[2], bend)
    outer = (below[-2:] or above[:2]) if not flat else []
    if len(outer) == 2 and outer[1][0] > outer[0][0]:
        slope = (outer[1][1] - outer[0][1]) / (outer[1][0] - outer[0][0])
        return near[1] + slope * (place - near[0]) / 2, distance, near[2]
    return near[1], distance, near[2]


def _place(value: Value | None) -> float | None:
    """Return the logarithm of a number above 0; None for other values, which have no neighbors."""
    if isinstance(value, bool) or not isinstance(value, (int, float)) or value <= 0:
        return None
    return math.log2(value)


def _below(value: Value | None, place: float) -> bool:
    at = _place(value)
    return at is not None and at < place


def _same(one: Value, other: Value | None) -> bool:
    return one == other and isinstance(one, bool) == isinstance(other, bool)


def _same_side(place: float | None, other: float, middle: float) -> bool:
    return place is not None and (place > middle) == (other > middle)
