"""Which limit binds at each moment: one bound a sample, in stretches along the run's time axis."""

import numpy as np

from workbench.advice.diagnosis import bottleneck_conditions as moments
from workbench.advice.diagnosis.bottleneck import Bound
from workbench.advice.diagnosis.run_view import RunView
from workbench.advice.diagnosis.sample_arrays import ENOUGH, Bools, Series, durations, lasting, runs
from workbench.base import Record

_STEP_REASONS = {
    "seat": Bound.SEATS,
    "budget": Bound.BUDGET,
    "kv": Bound.KV,
    "preempted_this_step": Bound.KV,
}


class Segment(Record, frozen=True, kw_only=True):
    """A stretch of the run in which one limit binds; seconds of the run."""

    start: float
    end: float
    bound: Bound


def masks_of(view: RunView, series: Series) -> dict[Bound, Bools]:
    """When each limit binds, the first to be named first; stretches of fewer than three samples are left out.

    Preemption comes before a full house and a full house before full seats, for what stands behind is
    then only a consequence; seats stand before a full pool, because vLLM looks at them first.
    """
    preempting = moments.preempting(series)
    owner, seats, kv = moments.owner(view, series), moments.seats(view, series), moments.kv(view, series)
    budget, blocked = moments.split_behind(series, moments.waits(series) & ~owner & ~seats & ~kv)
    blocked |= moments.deferred(series) & ~owner & ~seats & ~kv
    masks = {
        Bound.LIVELOCK: moments.livelock(series),
        Bound.STUCK: moments.stuck(view, series),
        Bound.ADMISSION: moments.admission(view, series) & ~preempting,
        Bound.OWNER: owner,
        Bound.SEATS: seats & ~preempting,
        Bound.KV: kv,
        Bound.STARVED: moments.starved(view, series),
        Bound.BUDGET: budget,
        Bound.BLOCKED: blocked,
        Bound.CLIENT: moments.client(view, series),
        Bound.FRONT_END: moments.front_end(view, series),
    }
    if view.step_waits:
        masks.update(_by_steps(view, series))
    if view.limits.get("static_batching") is True:
        # The batch is closed: whoever waits, waits for its last member and not for seats, tokens or memory.
        masks[Bound.BLOCKED] = moments.waits(series)
        masks.update({bound: moments.none(series) for bound in (Bound.SEATS, Bound.BUDGET)})
    return {bound: lasting(mask) for bound, mask in masks.items()}


def _by_steps(view: RunView, series: Series) -> dict[Bound, Bools]:
    """From the scheduler's own reasons: a limit binds where it kept the head waiting in half of the steps."""
    times = np.asarray([step.t for step in view.step_waits], dtype=np.float64) * view.time_scale
    place = np.searchsorted(series.t, times, side="left")
    inside = place < len(series)
    steps = np.bincount(place[inside], minlength=len(series))
    found: dict[Bound, Bools] = {}
    for bound in (Bound.SEATS, Bound.BUDGET, Bound.KV):
        names = [_STEP_REASONS.get(step.reason or "") is bound for step in view.step_waits]
        held = np.bincount(place[inside & np.asarray(names)], minlength=len(series))
        found[bound] = np.asarray((held > 0) & (2 * held >= steps), dtype=np.bool_)
    found[Bound.KV] = found[Bound.KV] | moments.preempting(series)
    found[Bound.BLOCKED] = moments.deferred(series)
    return found


def strip_of(series: Series, masks: dict[Bound, Bools]) -> list[Bound]:
    """One bound a sample: the first that holds; gaps of at most two samples take what is around them."""
    labels = [_without(series, index) for index in range(len(series))]
    for bound, mask in reversed(masks.items()):
        for index in np.flatnonzero(mask):
            labels[int(index)] = bound
    return _bridged(labels)


def _without(series: Series, index: int) -> Bound:
    running, waiting = series.running[index], series.waiting[index]
    if np.isnan(running) or np.isnan(waiting):
        return Bound.UNKNOWN
    open_ones = series.in_flight[index]
    return Bound.IDLE if running + waiting == 0 and not open_ones > 0 else Bound.NONE


def _bridged(labels: list[Bound]) -> list[Bound]:
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


def segments_of(series: Series, labels: list[Bound]) -> list[Segment]:
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
