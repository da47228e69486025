"""Which limit binds at each moment: one bound a sample, in stretches along the run's time axis."""

import numpy as np

from workbench.advice.diagnosis import bottleneck_conditions as moments
from workbench.advice.diagnosis.bottleneck import Bottleneck
from workbench.advice.diagnosis.run_view import RunView
from workbench.advice.diagnosis.sample_arrays import ENOUGH, Bools, Series, durations, lasting, runs
from workbench.base import Record

_STEP_REASONS = {
    "seat": Bottleneck.SEQUENCES,
    "budget": Bottleneck.BUDGET,
    "kv": Bottleneck.KV_CACHE,
    "preempted_this_step": Bottleneck.KV_CACHE,
}


class Segment(Record, frozen=True, kw_only=True):
    """A stretch of the run in which one limit binds; seconds of the run."""

    start: float
    end: float
    bound: Bottleneck


def masks_of(view: RunView, series: Series) -> dict[Bottleneck, Bools]:
    """When each limit binds, the first to be named first; stretches of fewer than three samples are left out.

    Preemption comes before a full house and a full house before full seats, for what stands behind is
    then only a consequence; seats stand before a full pool, because vLLM looks at them first.
    """
    preempting = moments.preempting(series)
    owner, seats, kv = moments.owner(view, series), moments.seats(view, series), moments.kv(view, series)
    budget, blocked = moments.split_behind(series, moments.waits(series) & ~owner & ~seats & ~kv)
    blocked |= moments.deferred(series) & ~owner & ~seats & ~kv
    masks = {
        Bottleneck.LIVELOCK: moments.livelock(series),
        Bottleneck.STUCK: moments.stuck(view, series),
        Bottleneck.ADMISSION: moments.admission(view, series) & ~preempting,
        Bottleneck.ONE_REQUEST: owner,
        Bottleneck.SEQUENCES: seats & ~preempting,
        Bottleneck.KV_CACHE: kv,
        Bottleneck.DECODE_STARVED: moments.starved(view, series),
        Bottleneck.BUDGET: budget,
        Bottleneck.BLOCKED_HEAD: blocked,
        Bottleneck.CLIENT: moments.client(view, series),
        Bottleneck.FRONT_END: moments.front_end(view, series),
    }
    if view.step_waits:
        masks.update(_by_steps(view, series))
    if view.limits.get("static_batching") is True:
        # The batch is closed: whoever waits, waits for its last member and not for seats, tokens or memory.
        masks[Bottleneck.BLOCKED_HEAD] = moments.waits(series)
        masks.update({bound: moments.none(series) for bound in (Bottleneck.SEQUENCES, Bottleneck.BUDGET)})
    return {bound: lasting(mask) for bound, mask in masks.items()}


def _by_steps(view: RunView, series: Series) -> dict[Bottleneck, Bools]:
    """From the scheduler's own reasons: a limit binds where it kept the head waiting in half of the steps."""
    times = np.asarray([step.t for step in view.step_waits], dtype=np.float64) * view.time_scale
    place = np.searchsorted(series.t, times, side="left")
    inside = place < len(series)
    steps = np.bincount(place[inside], minlength=len(series))
    found: dict[Bottleneck, Bools] = {}
    for bound in (Bottleneck.SEQUENCES, Bottleneck.BUDGET, Bottleneck.KV_CACHE):
        names = [_STEP_REASONS.get(step.reason or "") is bound for step in view.step_waits]
        held = np.bincount(place[inside & np.asarray(names)], minlength=len(series))
        found[bound] = np.asarray((held > 0) & (2 * held >= steps), dtype=np.bool_)
    found[Bottleneck.KV_CACHE] = found[Bottleneck.KV_CACHE] | moments.preempting(series)
    found[Bottleneck.BLOCKED_HEAD] = moments.deferred(series)
    return found


def strip_of(series: Series, masks: dict[Bottleneck, Bools]) -> list[Bottleneck]:
    """One bound a sample: the first that holds; gaps of at most two samples take what is around them."""
    labels = [_without(series, index) for index in range(len(series))]
    for bound, mask in reversed(masks.items()):
        for index in np.flatnonzero(mask):
            labels[int(index)] = bound
    return _bridged(labels)


def _without(series: Series, index: int) -> Bottleneck:
    running, waiting = series.running[index], series.waiting[index]
    if np.isnan(running) or np.isnan(waiting):
        return Bottleneck.UNKNOWN
    open_ones = series.in_flight[index]
    return Bottleneck.IDLE if running + waiting == 0 and not open_ones > 0 else Bottleneck.NONE


def _bridged(labels: list[Bottleneck]) -> list[Bottleneck]:
    """Flicker between two stretches of the same bound is not a change of bound."""
    bridged = list(labels)
    index = 0
    while index < len(labels):
        end = index
        while end < len(labels) and labels[end] == labels[index]:
            end += 1
        short = end - index < ENOUGH
        if short and index > 0 and end < len(labels) and bridged[index - 1] == labels[end]:
            bridged[index:end] = [labels[end]] * (end - index)
        index = end
    return bridged


def segments_of(series: Series, labels: list[Bottleneck]) -> list[Segment]:
    """Stretches of one bound, without gaps between them."""
    if not labels:
        return []
    spans = durations(series.t)
    starts = series.t[0] + np.concatenate(([0.0], np.cumsum(spans)))
    segments = []
    for bound in dict.fromkeys(labels):
        mask = np.asarray([label is bound for label in labels], dtype=np.bool_)
        for first, last in runs(mask):
            segments.append(Segment(start=float(starts[first]), end=float(starts[last]), bound=bound))
    return sorted(segments, key=lambda segment: segment.start)


def shares_of(segments: list[Segment]) -> dict[str, float]:
    """Share of the run's time that each bound held, largest first."""
    total = sum(segment.end - segment.start for segment in segments)
    if total <= 0:
        return {}
    shares: dict[str, float] = {}
    for segment in segments:
        held = (segment.end - segment.start) / total
        shares[segment.bound.value] = shares.get(segment.bound.value, 0.0) + held
    return dict(sorted(shares.items(), key=lambda item: -item[1]))
