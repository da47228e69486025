"""Arrival times of a seeded random process.

All draws come from the stream "arrivals" of the seed. Two bounds are possible:

- A duration: the process runs that long, and the number of arrivals is random. A Poisson process of
  10 requests/s has 1,000 +- 32 arrivals in 100 s; that variation is part of the test.
- A number n: n arrivals fill exactly the time that n requests take at the given rate, so the offered rate is
  the given rate. This is the process conditioned on n arrivals in that time: n sorted uniform times for
  Poisson, n + 1 scaled gaps for gamma.

This is form 2 of the draws. In form 1, of older bench files, n arrivals end wherever their gaps end.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from workbench.base import Place, Refusal
from workbench.traces.arrivals.rate_profile import RateProfile
from workbench.traces.columns import Floats
from workbench.traces.random_streams import stream

PROCESSES = ("poisson", "constant", "gamma")

SCHEDULE_FORM = 2
"""The newest form of schedules: the rule by which due times follow from seed, rate and bounds."""

_CHUNK = 4096

Gaps = Callable[[int], Floats]
"""Draws the given number of gaps of mean 1."""


@dataclass(frozen=True, eq=False)
class Arrivals:
    """Times in seconds, and the time span that they fill."""

    times: Floats
    length_s: float


def arrivals(
    process: str,
    *,
    rate: float | RateProfile,
    seed: int,
    burstiness: float = 1.0,
    requests: int | None = None,
    duration_s: float | None = None,
) -> Arrivals:
    """Draw arrivals up to `requests` or `duration_s`, whichever is reached first.

    `constant` begins at 0.

    Raises:
        Refusal: the process is unknown, or the burstiness isn't above 0.
    """
    bound = None if duration_s is None else _requests_by(rate, duration_s)
    if requests is not None and (bound is None or requests <= bound):
        return Arrivals(
            _times_for(rate, _filled_arrivals(process, seed, burstiness, requests, float(requests))),
            float(_times_for(rate, np.array([float(requests)]))[0]),
        )
    assert bound is not None
    assert duration_s is not None
    drawn = _unit_rate_arrivals(process, seed, burstiness, None, bound)
    if requests is not None and len(drawn) > requests:
        drawn = _filled_arrivals(process, seed, burstiness, requests, bound)
    times = _times_for(rate, drawn)
    return Arrivals(times[times < duration_s], duration_s)


def due_times(
    process: str,
    *,
    rate: float | RateProfile,
    seed: int,
    burstiness: float = 1.0,
    requests: int | None = None,
    duration_s: float | None = None,
) -> Floats:
    """Draw times in form 1: the first arrivals of the process, up to a number, a duration or both.

    The first n arrivals of a seed are the same for both bounds. `constant` begins at 0, the random processes
    after their first gap.

    Raises:
        Refusal: see `arrivals`.
    """
    bound = None if duration_s is None else _requests_by(rate, duration_s)
    times = _times_for(rate, _unit_rate_arrivals(process, seed, burstiness, requests, bound))
    return times if duration_s is None else times[times < duration_s]


def _times_for(rate: float | RateProfile, brought: Floats) -> Floats:
    """Return the times at which the given numbers of requests have arrived on average."""
    times: Floats = rate.times_for(brought) if isinstance(rate, RateProfile) else brought / rate
    return times


def _requests_by(rate: float | RateProfile, duration_s: float) -> float:
    return rate.requests_by(duration_s) if isinstance(rate, RateProfile) else rate * duration_s


def _filled_arrivals(process: str, seed: int, burstiness: float, requests: int, bound: float) -> Floats:
    """Draw `requests` arrivals that fill the time from 0 to `bound`."""
    if process == "constant":
        return np.arange(requests, dtype=np.float64) * (bound / requests if requests else 0.0)
    edges: Floats = np.cumsum(_gaps(process, seed, burstiness)(requests + 1))
    filled: Floats = edges[:-1] / edges[-1] * bound
    return filled


def _unit_rate_arrivals(
    process: str, seed: int, burstiness: float, requests: int | None, bound: float | None
) -> Floats:
    """Draw arrivals at a mean rate of 1: the first `requests`, those up to `bound`, or the fewer of both."""
    if process == "constant":
        count = int(np.ceil(bound)) if bound is not None else requests or 0
        return np.arange(count if requests is None else min(count, requests), dtype=np.float64)
    gaps = _gaps(process, seed, burstiness)
    if bound is None:
        return np.cumsum(gaps(requests or 0))
    drawn = np.zeros(0)
    while True:
        drawn = np.concatenate([drawn, gaps(_CHUNK)])
        arrived = np.cumsum(drawn)
        if arrived[-1] >= bound or (requests is not None and len(arrived) >= requests):
            return arrived[arrived < bound][:requests]


def _gaps(process: str, seed: int, burstiness: float) -> Gaps:
    generator = stream(seed, "arrivals")
    if process == "poisson":
        return generator.standard_exponential
    if process != "gamma":
        raise Refusal("base.not_one_of", Place(key="arrivals"), value=process, choices=["trace", *PROCESSES])
    if not 0 < burstiness < float("inf"):
        raise Refusal("traces.burstiness_range", Place(key="burstiness"), value=burstiness)
    return lambda count: generator.standard_gamma(burstiness, count) / burstiness
