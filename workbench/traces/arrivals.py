"""When requests arrive: gaps of a seeded random process, or none at all.

All draws come from numpy's PCG64 seeded with `SeedSequence([seed, ARRIVALS])`, gap after gap, so that the
first n arrivals of a seed are the same whether n or a duration bounds them. Times are not rescaled to hit a
total: a Poisson process of 10 requests/s has 1,000 +- 32 arrivals in 100 s, and that variation is part of
what it tests.
"""

from collections.abc import Callable

import numpy as np

from workbench.base import InputError
from workbench.traces.arrays import Floats

ARRIVALS = 0x617272
"""The stream of arrival gaps within a seed ("arr"); other draws use other streams."""

PROCESSES = ("poisson", "constant", "gamma")

_CHUNK = 4096

Draw = Callable[[int], Floats]
"""Draws so many gaps of mean 1."""


def due_times(
    process: str, *, rate: float, seed: int, burstiness: float, requests: int | None, duration_s: float | None
) -> Floats:
    """Due times in seconds; `constant` begins at 0, the random processes after their first gap.

    Raises:
        InputError: an unknown process, or a burstiness that isn't above 0.
    """
    if process == "constant":
        return _constant(rate, requests, duration_s)
    draw = _drawer(
        process, np.random.Generator(np.random.PCG64(np.random.SeedSequence([seed, ARRIVALS]))), burstiness
    )
    if duration_s is None:
        return np.cumsum(draw(requests or 0)) / rate
    return _within(draw, rate, requests, duration_s)


def _drawer(process: str, generator: np.random.Generator, burstiness: float) -> Draw:
    if process == "poisson":
        return generator.standard_exponential
    if process != "gamma":
        raise InputError(f"arrivals {process!r}: one of trace, {', '.join(PROCESSES)}")
    if not burstiness > 0:
        raise InputError(
            f"burstiness {burstiness:g}: a number above 0 (1 is Poisson, below 1 comes in bursts)"
        )
    return lambda count: generator.standard_gamma(burstiness, count) / burstiness


def _constant(rate: float, requests: int | None, duration_s: float | None) -> Floats:
    count = requests if duration_s is None else int(np.ceil(duration_s * rate))
    times = np.arange(count or 0) / rate
    return times if duration_s is None else times[times < duration_s][:requests]


def _within(draw: Draw, rate: float, requests: int | None, duration_s: float) -> Floats:
    gaps = np.zeros(0)
    while True:
        gaps = np.concatenate([gaps, draw(_CHUNK)])
        times = np.cumsum(gaps) / rate
        if times[-1] >= duration_s or (requests is not None and len(times) >= requests):
            return times[times < duration_s][:requests]
