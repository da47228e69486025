"""When requests arrive: gaps of a seeded random process, or none at all.

All draws come from the stream "arrivals" of the seed, gap after gap, so that the first n arrivals of a seed
are the same whether n or a duration bounds them. Times are not rescaled to hit a total: a Poisson process
of 10 requests/s has 1,000 +- 32 arrivals in 100 s, and that variation is part of what it tests.
"""

from collections.abc import Callable

import numpy as np

from workbench.base import InputError
from workbench.traces.arrays import Floats
from workbench.traces.rates import RateProfile
from workbench.traces.streams import stream

PROCESSES = ("poisson", "constant", "gamma")

_CHUNK = 4096

Gaps = Callable[[int], Floats]
"""Draws the next so many gaps of mean 1."""


def due_times(
    process: str,
    *,
    rate: float | RateProfile,
    seed: int,
    burstiness: float = 1.0,
    requests: int | None = None,
    duration_s: float | None = None,
) -> Floats:
    """Due times in seconds, bounded by number, duration or both.

    `constant` begins at 0, the random processes after their first gap.

    Raises:
        InputError: an unknown process, or a burstiness that isn't above 0.
    """
    bound = None if duration_s is None else _brought_by(rate, duration_s)
    laid_out = _laid_out(process, seed, burstiness, requests, bound)
    times: Floats = rate.times_of(laid_out) if isinstance(rate, RateProfile) else laid_out / rate
    return times if duration_s is None else times[times < duration_s]


def _brought_by(rate: float | RateProfile, duration_s: float) -> float:
    return rate.brought_by(duration_s) if isinstance(rate, RateProfile) else rate * duration_s


def _laid_out(
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
        arrivals = np.cumsum(drawn)
        if arrivals[-1] >= bound or (requests is not None and len(arrivals) >= requests):
            return arrivals[arrivals < bound][:requests]


def _gaps(process: str, seed: int, burstiness: float) -> Gaps:
    generator = stream(seed, "arrivals")
    if process == "poisson":
        return generator.standard_exponential
    if process != "gamma":
        raise InputError(f"arrivals {process!r}: one of trace, {', '.join(PROCESSES)}")
    if not 0 < burstiness < float("inf"):
        problem = "a number above 0 (1 is Poisson, below 1 comes in bursts)"
        raise InputError(f"burstiness {burstiness:g}: {problem}")
    return lambda count: generator.standard_gamma(burstiness, count) / burstiness
