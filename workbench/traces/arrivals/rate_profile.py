"""A rate that changes during a run: ramps, steps and bursts.

A profile is a cycle of stretches; within a stretch the rate is linear. Arrivals are drawn with gaps of mean
1, counted in requests, and mapped to the time at which the profile has brought that number of requests. This
is exact for Poisson arrivals (time rescaling); other processes keep their burstiness.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from workbench.base import Place, Refusal
from workbench.traces.columns import Floats

FORMS = "ramp:FROM:TO:SECONDS, steps:RATE@SECONDS,RATE@SECONDS or bursts:BASE:PEAK:EVERY:FOR"
_PLACE = Place(key="profile")


@dataclass(frozen=True)
class RateProfile:
    """Stretches of (seconds, rate at the beginning, rate at the end), repeated as often as needed.

    Raises:
        Refusal: no stretch, a length that isn't above 0, a rate below 0, or no request in a whole cycle.
    """

    stretches: tuple[tuple[float, float, float], ...]

    def __post_init__(self) -> None:
        for seconds, begin, end in self.stretches:
            if not (0 < seconds < float("inf") and 0 <= begin < float("inf") and 0 <= end < float("inf")):
                raise Refusal("traces.profile_stretch", _PLACE, seconds=seconds, begin=begin, end=end)
        if not self.stretches or self.requests_per_cycle <= 0:
            raise Refusal("traces.profile_empty", _PLACE)

    @property
    def cycle_s(self) -> float:
        """Return the length of one cycle."""
        return sum(seconds for seconds, _, _ in self.stretches)

    @property
    def requests_per_cycle(self) -> float:
        """Return the mean number of requests in one cycle."""
        return sum(seconds * (begin + end) / 2 for seconds, begin, end in self.stretches)

    @property
    def mean_rate(self) -> float:
        """Return the requests per second over a whole cycle."""
        return self.requests_per_cycle / self.cycle_s

    def scaled_to(self, rate: float) -> "RateProfile":
        """Return the same shape with another mean rate."""
        factor = rate / self.mean_rate
        return RateProfile(tuple((seconds, a * factor, b * factor) for seconds, a, b in self.stretches))

    def requests_by(self, seconds: float) -> float:
        """Return the mean number of requests up to a time."""
        cycles, rest = divmod(seconds, self.cycle_s)
        brought = cycles * self.requests_per_cycle
        for length, begin, end in self.stretches:
            within = min(rest, length)
            brought += begin * within + (end - begin) * within * within / (2 * length)
            rest -= within
        return brought

    def times_for(self, requests: Floats) -> Floats:
        """Return the times by which the profile has brought the given rising numbers of requests."""
        cycles, within = np.divmod(requests, self.requests_per_cycle)
        areas = np.array([seconds * (begin + end) / 2 for seconds, begin, end in self.stretches])
        seconds, begin, end = (np.array(column) for column in zip(*self.stretches, strict=True))
        area_ends = np.cumsum(areas)
        stretch = np.minimum(np.searchsorted(area_ends, within, side="right"), len(areas) - 1)
        left = within - (area_ends - areas)[stretch]
        time_starts = np.cumsum(seconds) - seconds
        slope = ((end - begin) / seconds)[stretch]
        first = begin[stretch]
        # Root of first*t + slope*t^2/2 = left in the form that is exact for slope 0.
        root = np.sqrt(np.maximum(first * first + 2 * slope * left, 0))
        into: Floats = 2 * left / np.maximum(first + root, np.finfo(np.float64).tiny)
        times: Floats = cycles * self.cycle_s + time_starts[stretch] + np.minimum(into, seconds[stretch])
        return times


def ramp(begin: float, end: float, seconds: float) -> RateProfile:
    """Make a linear profile from one rate to another."""
    return RateProfile(((seconds, begin, end),))


def steps(levels: Sequence[tuple[float, float]]) -> RateProfile:
    """Make a profile of (rate, seconds), one after another."""
    return RateProfile(tuple((seconds, rate, rate) for rate, seconds in levels))


def bursts(base: float, peak: float, every_s: float, for_s: float) -> RateProfile:
    """Make a profile of `base` requests/s, and of `peak` for the last `for_s` of every `every_s` seconds.

    Raises:
        Refusal: the bursts are as long as their period or longer.
    """
    if not 0 < for_s < every_s:
        raise Refusal("traces.bursts_too_long", _PLACE, length=for_s, period=every_s)
    return RateProfile(((every_s - for_s, base, base), (for_s, peak, peak)))


def parse_profile(text: str) -> RateProfile:
    """Read `ramp:2:20:120`, `steps:4@60,12@60` or `bursts:4:20:30:5`.

    Raises:
        Refusal: `text` has another form.
    """
    kind, _, rest = text.partition(":")
    try:
        if kind == "steps":
            pairs = [level.split("@") for level in rest.split(",")]
            return steps([(float(rate), float(seconds)) for rate, seconds in pairs])
        figures = [float(figure) for figure in rest.split(":")]
        if kind == "ramp" and len(figures) == 3:
            return ramp(*figures)
        if kind == "bursts" and len(figures) == 4:
            return bursts(*figures)
    except ValueError as error:
        raise Refusal("traces.profile_form", _PLACE, text=text, forms=FORMS) from error
    raise Refusal("traces.profile_form", _PLACE, text=text, forms=FORMS)
