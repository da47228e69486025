"""Transforms of arrival times; the requests stay the same."""

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
    """Divide all times and think times by `factor`; the trace's identity stays.

    Raises:
        Refusal: the factor isn't above 0.
    """
    _check_factor("speedup", factor)
    return _divided(trace, factor, "speedup", factor=float(factor))


def to_mean_rate(trace: Trace, rate: float) -> Trace:
    """Scale all times linearly to a mean of `rate` requests per second; the trace's identity stays.

    Raises:
        Refusal: the rate isn't above 0, or the trace has no rate of its own.
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
    """Spread requests that share a time at random over the following tick, in their order.

    For sources that round times to ticks (Mooncake: 3 s). `tick_ms` None: the commonest gap between times.

    Raises:
        Refusal: the tick isn't above 0, or there is only one time and no tick is given.
    """
    tick = _commonest_gap(trace) if tick_ms is None else tick_ms
    if not tick > 0:
        raise Refusal("traces.not_above_0", Place(key="spread-ticks"), value=tick)
    jitter = stream(seed, "spread").random(len(trace)) * tick
    # Sort the draws within each tick, so that rows (and turns) keep their order.
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
    """Give the requests, in their order, a rate that changes over time.

    Arrivals keep their randomness: each is moved to the time at which the profile has brought as many
    requests.

    Raises:
        Refusal: the trace has no rate of its own.
    """
    brought = trace.timestamp_ms / 1000 * mean_rate(trace)
    times = on_grain(profile.times_for(brought) * 1000)
    stretches = [list(stretch) for stretch in profile.stretches]
    return in_order(replace(trace, timestamp_ms=times)).recorded("rate_profile", stretches=stretches)


def with_arrivals(
    trace: Trace, process: str, *, rate: float | None = None, burstiness: float = 1.0, seed: int = 1
) -> Trace:
    """Give the requests, in their order, times of a random process; think times are removed.

    `rate` None: the trace's own mean rate.

    Raises:
        Refusal: the process is unknown, an argument is out of range, or the trace has no rate of its own.
    """
    asked = mean_rate(trace) if rate is None else rate
    _check_factor("rate", asked)
    due = due_times(process, rate=asked, seed=seed, burstiness=burstiness, requests=len(trace))
    moved = replace(trace, timestamp_ms=on_grain(due * 1000), delay_ms=None)
    return in_order(moved).recorded("arrivals", process=process, rate=asked, burstiness=burstiness, seed=seed)
