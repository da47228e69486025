"""When requests arrive: gaps of a seeded random process, or none at all.

All draws come from the stream "arrivals" of the seed. Two bounds are possible:

- A duration: the process runs for so long, and how many arrive is chance. A Poisson process of 10 requests/s
  has 1,000 +- 32 arrivals in 100 s, and that variation is part of what it tests.
- A number n: the n arrivals fill exactly the time that n requests take at the rate asked, so that the rate
  offered is the rate asked. It is the process under the condition that n arrive in that time; of a Poisson
  process that is n sorted uniform times, of a gamma process n + 1 gaps scaled to it.

This is form 2 of the draws. Form 1, of older bench files, let n arrivals end wherever their gaps took them.
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
"""The newest form of schedules: how due times follow from seed, rate and bounds."""

_CHUNK = 4096

Gaps = Callable[[int], Floats]
"""Draws the next so many gaps of mean 1."""


@dataclass(frozen=True, eq=False)
class Arrivals:
    """Times in seconds, and the time that they fill."""

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
    """Arrivals bounded by number, duration, or the one of both that is reached first.

    `constant` begins at 0.

    Raises:
        InputError: an unknown process, or a burstiness that isn't above 0.
    """
    bound = None if duration_s is None else _requests_by(rate, duration_s)
    if requests is not None and (bound is None or requests <= bound):
        return Arrivals(
            _times_of(rate, _filled_arrivals(process, seed, burstiness, requests, float(requests))),
            float(_times_of(rate, np.array([float(requests)]))[0]),
        )
    assert bound is not None
    assert duration_s is not None
    drawn = _unit_rate_arrivals(process, seed, burstiness, None, bound)
    if requests is not None and len(drawn) > requests:
        drawn = _filled_arrivals(process, seed, burstiness, requests, bound)
    times = _times_of(rate, drawn)
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
    """Times in form 1: the first arrivals of the process, bounded by number, duration or both.

    The first n arrivals of a seed are the same whether n or a duration bounds them; `constant` begins at 0,
    the random processes after their first gap.

    Raises:
        InputError: as `arrivals`.
    """
    bound = None if duration_s is None else _requests_by(rate, duration_s)
    times = _times_of(rate, _unit_rate_arrivals(process, seed, burstiness, requests, bound))
    return times if duration_s is None else times[times < duration_s]


def _times_of(rate: float | RateProfile, brought: Floats) -> Floats:
    """When so many requests have been brought."""
    times: Floats = rate.times_of(brought) if isinstance(rate, RateProfile) else brought / rate
    return times


def _requests_by(rate: float | RateProfile, duration_s: float) -> float:
    return rate.requests_by(duration_s) if isinstance(rate, RateProfile) else rate * duration_s


def _filled_arrivals(process: str, seed: int, burstiness: float, requests: int, bound: float) -> Floats:
    """So many arrivals that fill the time from 0 to `bound`."""
    if process == "constant":
        return np.arange(requests, dtype=np.float64) * (bound / requests if requests else 0.0)
    edges: Floats = np.cumsum(_gaps(process, seed, burstiness)(requests + 1))
    filled: Floats = edges[:-1] / edges[-1] * bound
    return filled


def _unit_rate_arrivals(
    process: str, seed: int, burstiness: float, requests: int | None, bound: float | None
) -> Floats:
    """Arrivals at a mean rate of 1: the first `requests`, or those up to `bound`, or the fewer of both."""
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
