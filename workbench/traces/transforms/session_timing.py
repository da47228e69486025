"""Transforms of sessions: what waits for what, and which conversation begins when."""

from dataclasses import replace

import numpy as np

from workbench.base import Place, Refusal
from workbench.traces.columns import Floats
from workbench.traces.random_streams import stream
from workbench.traces.session_groups import previous_turn, session_of_row
from workbench.traces.trace import Trace, in_order
from workbench.traces.trace_limits import on_grain


def closed_sessions(trace: Trace, *, think_ms: float | None = None) -> Trace:
    """Every later turn waits for the end of the one before it, plus its think time.

    A turn without a think time of its own gets `think_ms`; with None, the gap between both arrivals, which
    includes the time that the source took to answer.

    Raises:
        InputError: a trace without sessions.
    """
    previous = previous_turn(trace)
    if not (previous >= 0).any():
        raise Refusal("traces.no_later_turn")
    gaps = trace.timestamp_ms - trace.timestamp_ms[previous]
    delay: Floats = np.full(len(trace), np.nan) if trace.delay_ms is None else trace.delay_ms.copy()
    missing = (previous >= 0) & np.isnan(delay)
    delay[missing] = gaps[missing] if think_ms is None else think_ms
    delay[previous < 0] = np.nan
    return replace(trace, delay_ms=delay).recorded("closed_sessions", think_ms=think_ms)


def open_sessions(trace: Trace) -> Trace:
    """Every turn is due at its own time, whether or not the one before it has ended."""
    return replace(trace, delay_ms=None).recorded("open_sessions")


def stagger_sessions(trace: Trace, rate: float, *, seed: int = 1) -> Trace:
    """Sessions (rows, where there are none) begin by a Poisson process of `rate` a second, in their order.

    For sources whose sessions have no common clock.

    Raises:
        InputError: a rate that isn't above 0.
    """
    if not 0 < rate < float("inf"):
        raise Refusal("traces.not_above_0", Place(key="stagger"), value=rate)
    unit = session_of_row(trace)
    _, first, numbered = np.unique(unit, return_index=True, return_inverse=True)
    order = np.argsort(first)
    begins = np.empty(len(first))
    begins[order] = np.cumsum(stream(seed, "stagger").standard_exponential(len(first))) * 1000 / rate
    times = on_grain(trace.timestamp_ms - trace.timestamp_ms[first][numbered] + begins[numbered])
    return in_order(replace(trace, timestamp_ms=times)).recorded(
        "stagger_sessions", rate=float(rate), seed=seed
    )


def shuffle_sessions(trace: Trace, *, seed: int = 1) -> Trace:
    """Sessions (rows, where there are none) change places.

    Each begins when another one did, its gaps unchanged.
    """
    unit = session_of_row(trace)
    _, first, numbered = np.unique(unit, return_index=True, return_inverse=True)
    begins = trace.timestamp_ms[first]
    moved_to = begins[stream(seed, "shuffle").permutation(len(begins))]
    times = on_grain(trace.timestamp_ms + (moved_to - begins)[numbered])
    return in_order(replace(trace, timestamp_ms=times)).recorded("shuffle_sessions", seed=seed)
