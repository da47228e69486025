"""Transforms of sessions: which turn waits for which, and when conversations begin."""

from dataclasses import replace

import numpy as np

from workbench.base import Place, Refusal
from workbench.traces.columns import Floats
from workbench.traces.random_streams import stream
from workbench.traces.trace import Trace, in_order, previous_turn, session_of_row
from workbench.traces.trace_limits import on_grain


def closed_sessions(trace: Trace, *, think_ms: float | None = None) -> Trace:
    """Let every later turn wait for the end of the previous one, plus its think time.

    A turn without a think time gets `think_ms`; if that is None, the gap between both arrivals, which
    includes the source's time to answer.

    Raises:
        Refusal: the trace has no sessions.
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
    """Make every turn due at its own time, whether or not the previous one has ended."""
    return replace(trace, delay_ms=None).recorded("open_sessions")


def stagger_sessions(trace: Trace, rate: float, *, seed: int = 1) -> Trace:
    """Let sessions (rows if there are none) begin by a Poisson process of `rate` a second, in their order.

    For sources whose sessions have no common clock.

    Raises:
        Refusal: the rate isn't above 0.
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
    """Exchange the times of sessions (rows if there are none).

    Each begins when another one did, with unchanged gaps.
    """
    unit = session_of_row(trace)
    _, first, numbered = np.unique(unit, return_index=True, return_inverse=True)
    begins = trace.timestamp_ms[first]
    moved_to = begins[stream(seed, "shuffle").permutation(len(begins))]
    times = on_grain(trace.timestamp_ms + (moved_to - begins)[numbered])
    return in_order(replace(trace, timestamp_ms=times)).recorded("shuffle_sessions", seed=seed)
