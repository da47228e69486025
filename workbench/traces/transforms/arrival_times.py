"""Transforms of when requests arrive; which requests there are stays."""

from dataclasses import replace

import numpy as np

from workbench.base import Place, Refusal
from workbench.traces.arrivals.arrival_process import due_times
from workbench.traces.arrivals.rate_profile import RateProfile
from workbench.traces.arrivals.schedule import mean_rate
from workbench.traces.random_streams import stream
from workbench.traces.trace import Trace, in_order
from workbench.traces.trace_limits import on_grain


def speedup(trace: Trace, factor: float) -> Trace:
    """All times and think times divided by `factor`; the trace's identity stays.

    Raises:
        InputError: a factor that isn't above 0.
    """
    _check_factor("speedup", factor)
    return _divided(trace, factor, "speedup", factor=float(factor))


def to_mean_rate(trace: Trace, rate: float) -> Trace:
    """All times scaled linearly to a mean of `rate` requests per second; the trace's identity stays.

    Raises:
        InputError: a rate that isn't above 0, or a trace without a rate of its own.
    """
    _check_factor("rate", rate)
    factor = rate / mean_rate(trace)
    _check_factor("rate", factor)
    return _divided(trace, factor, "mean_rate", factor=factor, rate=float(rate))


def _divided(trace: Trace, by: float, name: str, **parameters: float) -> Trace:
    delay = None if trace.delay_ms is None else trace.delay_ms / by
    divided = replace(trace, timestamp_ms=trace.timestamp_ms / by, delay_ms=delay)
    return divided.recorded(name, **parameters)


def _check_factor(key: str, factor: float) -> None:
    if not 1e-9 <= factor <= 1e9:
        raise Refusal("traces.not_above_0", Place(key=key), value=factor)


def spread_ticks(trace: Trace, *, tick_ms: float | None = None, seed: int = 1) -> Trace:
    """Requests that share a time spread at random over the tick that follows it, keeping their order.

    For sources that snap times to ticks (Mooncake: 3 s). `tick_ms` None: the commonest gap between times.

    Raises:
        InputError: a tick that isn't above 0, or one time only and no tick given.
    """
    tick = _commonest_gap(trace) if tick_ms is None else tick_ms
    if not tick > 0:
        raise Refusal("traces.not_above_0", Place(key="spread-ticks"), value=tick)
    jitter = stream(seed, "spread").random(len(trace)) * tick
    # Sorted within each tick: order statistics of a uniform draw, so that rows (and turns) keep their order.
    jitter = jitter[np.lexsort((jitter, trace.timestamp_ms))]
    spread = replace(trace, timestamp_ms=on_grain(trace.timestamp_ms + jitter))
    return in_order(spread).recorded("spread_ticks", tick_ms=float(tick), seed=seed)


def _commonest_gap(trace: Trace) -> float:
    gaps = np.diff(np.unique(trace.timestamp_ms))
    if not len(gaps):
        raise Refusal("traces.no_tick", Place(key="spread-ticks"))
    values, counts = np.unique(on_grain(gaps), return_counts=True)
    return float(values[np.argmax(counts)])


def with_profile(trace: Trace, profile: RateProfile) -> Trace:
    """The same requests in the same order at a rate that changes over time.

    Arrivals keep their randomness: they are laid out in requests so far and carried to when the profile has
    brought so many.

    Raises:
        InputError: a trace without a rate of its own.
    """
    brought = trace.timestamp_ms / 1000 * mean_rate(trace)
    times = on_grain(profile.times_of(brought) * 1000)
    stretches = [list(stretch) for stretch in profile.stretches]
    return in_order(replace(trace, timestamp_ms=times)).recorded("rate_profile", stretches=stretches)


def with_arrivals(
    trace: Trace, process: str, *, rate: float | None = None, burstiness: float = 1.0, seed: int = 1
) -> Trace:
    """The same requests in the same order at times of a random process; think times go.

    `rate` None: the trace's own mean rate.

    Raises:
        InputError: an unknown process, an argument out of range, or a trace without a rate of its own.
    """
    asked = mean_rate(trace) if rate is None else rate
    _check_factor("rate", asked)
    due = due_times(process, rate=asked, seed=seed, burstiness=burstiness, requests=len(trace))
    moved = replace(trace, timestamp_ms=on_grain(due * 1000), delay_ms=None)
    return in_order(moved).recorded("arrivals", process=process, rate=asked, burstiness=burstiness, seed=seed)
