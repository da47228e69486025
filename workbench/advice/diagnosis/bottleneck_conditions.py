"""When each limit binds: one mask over the samples a limit, from gauges, deltas and requests in flight.

Thresholds (docs/reference/diagnosis.md, R1-R7): KV cache full from 90 %, decode starved below 10 % of its own
median, stuck after 60 s; each on at least three samples in a row.
"""

import numpy as np

from workbench.advice.diagnosis.run_view import RunView
from workbench.advice.diagnosis.sample_arrays import (
    Bools,
    Floats,
    Series,
    above,
    around,
    at_least,
    limit_over,
    recent_sum,
    runs,
)

SEAT_LIMITS = ("max_num_active_seqs", "max_num_seqs")
KV_FULL = 0.9
STARVED = 0.1
STUCK_S = 60.0
LIVELOCK_S = 5.0
_RECENT = 4


def none(series: Series) -> Bools:
    """Nowhere."""
    return np.zeros(len(series), dtype=np.bool_)


def waits(series: Series) -> Bools:
    """Requests wait in the scheduler for capacity, and not for one scrape only."""
    return _lasting(series.waiting - np.nan_to_num(series.deferred))


def deferred(series: Series) -> Bools:
    """Requests wait for something else than capacity, and the server says so."""
    return _lasting(series.deferred)


def _lasting(count: Floats) -> Bools:
    smallest = around(count, largest=False)
    return above(count, 0) & (above(smallest, 0) | above(around(count, largest=True), 1))


def seat_limit(view: RunView, series: Series) -> tuple[str, float] | None:
    """The control that caps running requests, and its value over all engines; None: unknown.

    Of the run's begin; `in_force.as_last` gives the view of another moment.
    """
    caps = [(name, view.limit(name)) for name in SEAT_LIMITS]
    known = [(name, value * series.engines) for name, value in caps if value is not None]
    return min(known, key=lambda cap: cap[1], default=None)


def seat_caps(view: RunView, series: Series) -> Floats:
    """How many may run at each moment, over all engines; NaN: unknown."""
    caps = [limit_over(view, name, series.t) for name in SEAT_LIMITS]
    least: Floats = np.fmin(*caps) * series.engines
    return least


def seats(view: RunView, series: Series) -> Bools:
    """As many run as may at that moment, and others wait."""
    caps = seat_caps(view, series)
    full = around(series.running, largest=True)
    if np.isnan(caps).all():
        return _plateau(series, full)
    return waits(series) & at_least(full, caps)


def _plateau(series: Series, full: Floats) -> Bools:
    """The limit is unknown, but running stays at one value while others wait and memory is free."""
    waiting = waits(series) & ~at_least(series.kv, KV_FULL)
    running = series.running[waiting]
    if len(running) < 5 or np.isnan(running).all():
        return none(series)
    most = float(np.nanmax(running))
    level = waiting & at_least(full, most)
    steady = most > 1 and np.count_nonzero(level) >= 0.8 * np.count_nonzero(waiting)
    return level if steady else none(series)


def preempting(series: Series) -> Bools:
    """A preemption was counted within the last few samples."""
    return recent_sum(series.preempted, _RECENT) > 0


def kv(view: RunView, series: Series) -> Bools:
    """The pool is full while requests wait, or running ones are preempted."""
    full = waits(series) & at_least(series.kv, KV_FULL)
    return preempting(series) | full | _gate(view, series)


def _gate(view: RunView, series: Series) -> Bools:
    """The head of the queue needs more blocks than are free: vLLM admits a prompt only as a whole."""
    # Of several engines nobody tells for which one the head waits.
    if view.kv_cache_tokens is None or not len(view.requests) or series.engines > 1:
        return none(series)
    asked = waits(series) & ~at_least(series.kv, KV_FULL)
    asked &= ~at_least(around(series.running, largest=True), seat_caps(view, series))
    free = (1 - series.kv) * view.kv_cache_tokens
    return above(_head_prompts(view, series, asked) - free, 0)


def _head_prompts(view: RunView, series: Series, asked: Bools) -> Floats:
    """Prompt tokens of the head of the queue under first come, first served; NaN where it isn't known.

    Of the requests sent and without a first token, the newest ones wait and the older ones are in prefill.
    """
    requests = view.requests
    order = np.argsort(requests.sent, kind="stable")
    order = order[~np.isnan(requests.sent[order])]
    starts = requests.sent[order] * view.time_scale
    answered = np.where(np.isnan(requests.first_token), requests.done, requests.first_token)[order]
    ends = np.where(np.isnan(answered), np.inf, answered * view.time_scale)
    heads = np.full(len(series), np.nan)
    oldest = 0
    for index in np.flatnonzero(asked):
        t, waiting = series.t[index], int(series.waiting[index])
        while oldest < len(ends) and ends[oldest] <= t:
            oldest += 1
        newest = int(np.searchsorted(starts, t, side="right"))
        pending = oldest + np.flatnonzero(ends[oldest:newest] > t)
        if 0 < waiting <= len(pending):
            heads[index] = requests.input_tokens[order[pending[-waiting]]]
    return heads


def owner(view: RunView, series: Series) -> Bools:
    """One request runs, holds half of the pool or more, and others wait."""
    caps = seat_caps(view, series)
    one_seat = ~above(caps, 1) & ~np.isnan(caps)
    alone = above(series.running, 0) & ~above(around(series.running, largest=True), 1)
    return waits(series) & alone & at_least(series.kv, 0.5) & ~one_seat


def admission(view: RunView, series: Series) -> Bools:
    """Requests are refused; between refusals the house is full."""
    refused = recent_sum(series.rejected, _RECENT) > 0
    if not refused.any():
        return refused
    inside = around(series.running + series.waiting, largest=True)
    return refused | at_least(inside, limit_over(view, "max_num_queued_reqs", series.t))


def starved(view: RunView, series: Series) -> Bools:
    """Requests decode, others prefill, and hardly a token comes out."""
    known = len(view.requests) > 0
    among = series.decoding if known else series.running
    each = series.output_rate / np.where(above(among, 0), among, np.nan)
    lively = each[above(each, 0)]
    if len(lively) < 8:
        return none(series)
    slow = ~at_least(each, STARVED * float(np.median(lively))) & ~np.isnan(each)
    if known:
        return slow & above(series.decoding, 0) & above(series.in_flight - series.decoding, 0)
    # Without requests: nobody finished meanwhile, and prompts come through more than usual.
    busy = series.prompt_rate[above(series.prompt_rate, 0)]
    prompts = at_least(
        around(series.prompt_rate, largest=True), float(np.median(busy)) if len(busy) else np.inf
    )
    return slow & prompts & above(series.running, 1) & ~above(recent_sum(series.succeeded, _RECENT), 0)


def split_behind(series: Series, behind: Bools) -> tuple[Bools, Bools]:
    """Moments at which requests wait though no other limit binds: token budget, and blocked head.

    Where prompts come through, the step's tokens are spent on prefill; where none does all the while,
    something holds the head of the queue back.
    """
    flowing, still = none(series), none(series)
    for first, last in runs(behind):
        moved = np.nan_to_num(series.prompt_rate[first : min(last + _RECENT, len(series))])
        (flowing if moved.max() > 0 else still)[first:last] = True
    return flowing, still


def livelock(series: Series) -> Bools:
    """Nothing runs, the pool is empty, and requests wait all the same."""
    empty = (series.running == 0) & (np.nan_to_num(series.kv, nan=1.0) <= 0.001)
    return _for_long(empty & above(series.waiting, 0), series.t, LIVELOCK_S)


def stuck(view: RunView, series: Series) -> Bools:
    """Requests are there and for a minute of wall time no token comes and none finishes."""
    there = above(np.nan_to_num(series.running) + np.nan_to_num(series.waiting), 0)
    quiet = there & (_still(series.output_tokens) & _still(series.succeeded_total))
    return _for_long(quiet, series.t, STUCK_S * view.time_scale)


def _still(total: Floats) -> Bools:
    """Where a counter is known and hasn't grown since the sample before."""
    if not len(total):
        return np.zeros(0, dtype=np.bool_)
    grown = np.diff(total, prepend=total[:1])
    return np.asarray(grown == 0, dtype=np.bool_)


def _for_long(mask: Bools, t: Floats, seconds: float) -> Bools:
    kept = np.zeros(len(mask), dtype=np.bool_)
    for first, last in runs(mask):
        if t[last - 1] - t[first] >= seconds:
            kept[first:last] = True
    return kept


def client(view: RunView, series: Series) -> Bools:
    """The server has room, and the client holds requests back or keeps only so many open."""
    room = ~above(series.waiting, 0) & ~np.isnan(series.waiting)
    held = above(around(series.held, largest=False), 0)
    if view.concurrency is None:
        return room & held
    open_ones = around(series.in_flight, largest=True)
    return room & (held | at_least(open_ones, view.concurrency))


def front_end(view: RunView, series: Series) -> Bools:
    """Many requests were sent that the scheduler doesn't know of."""
    inside = series.running + series.waiting
    missing = series.in_flight - inside
    room = ~above(series.waiting, 0) & ~np.isnan(series.waiting)
    room &= ~at_least(series.running, seat_caps(view, series))
    many = at_least(around(missing, largest=False), 3) & above(missing - 0.3 * series.in_flight, 0)
    return room & many
