"""What the lanes of the stage show: stays in sequence slots, and stretches of one kind of work. No Qt."""

import heapq
from dataclasses import dataclass

import numpy as np

from ui.steps.step_arrays import Bools, Bytes, Floats, Ints, Shorts, StepArrays


@dataclass(frozen=True, slots=True)
class Stays:
    """A request in a slot, from admission to its end or preemption; by begin."""

    request: Shorts
    lane: Shorts
    first: Ints
    """Its first step."""
    last: Ints
    """Its last step with tokens."""
    left: Ints
    """The first step without it."""
    begin: Floats
    end: Floats
    preempted: Bools
    """True if a preemption ended it."""

    def of(self, request: int) -> Ints:
        """Return the places of a request's stays, in order."""
        return np.flatnonzero(self.request == request)


@dataclass(frozen=True, slots=True)
class Stretches:
    """Consecutive steps in which a request did the same kind of work."""

    request: Shorts
    lane: Shorts
    kind: Bytes
    begin: Floats
    end: Floats


@dataclass(frozen=True, slots=True)
class SortedEntries:
    """The entries by request, then step, with the stay that each is of."""

    order: Ints
    """Places in the record's entries."""
    request: Ints
    step: Ints
    stay: Ints
    """Place in `Stays`."""


def sort_entries(arrays: StepArrays) -> tuple[SortedEntries, Stays]:
    """Find the stays of all requests, and give each a lane: the lowest that is free."""
    entries, steps = arrays.entries, arrays.steps
    of_step = np.repeat(np.arange(len(steps)), np.diff(entries.first))
    order = np.argsort(entries.request, kind="stable")
    request, step = entries.request[order].astype(np.int64), of_step[order]
    epoch = _preemptions_before(arrays, request, step)
    starts = np.flatnonzero(_changes(request) | _changes(epoch))
    lasts = np.append(starts[1:], len(order)) - 1
    stays = _stays(arrays, request[starts], epoch[starts], step[starts], step[lasts])
    by_begin = np.argsort(stays.begin, kind="stable")
    ranks = np.empty(len(starts), dtype=np.int64)
    ranks[by_begin] = np.arange(len(starts))
    lengths = np.diff(np.append(starts, len(order)))
    return SortedEntries(order, request, step, np.repeat(ranks, lengths)), _in_order(stays, by_begin)


def stretches_of(arrays: StepArrays, entries: SortedEntries, stays: Stays) -> Stretches:
    """Join consecutive steps of one stay and one kind."""
    kind = arrays.entries.kind[entries.order]
    gap = np.concatenate(([1], np.diff(entries.step))) != 1 if len(kind) else np.zeros(0, dtype=bool)
    starts = np.flatnonzero(_changes(entries.stay) | _changes(kind) | gap)
    lasts = np.append(starts[1:], len(kind)) - 1
    return Stretches(
        request=entries.request[starts].astype(np.int32),
        lane=stays.lane[entries.stay[starts]],
        kind=kind[starts],
        begin=arrays.steps.begin[entries.step[starts]],
        end=arrays.steps.end[entries.step[lasts]],
    )


def _changes(values: "Ints | Bytes") -> Bools:
    """Return a mask of the places whose value differs from the one before; the first does."""
    return np.concatenate(([True], values[1:] != values[:-1])) if len(values) else np.zeros(0, dtype=bool)


def _preemptions_before(arrays: StepArrays, request: Ints, step: Ints) -> Ints:
    """Return how often the request was preempted up to the step, for each pair."""
    keys, stride = _preemption_keys(arrays)
    upto = np.searchsorted(keys, request * stride + step, side="right")
    return (upto - np.searchsorted(keys, request * stride, side="left")).astype(np.int64)


def _preemption_keys(arrays: StepArrays) -> tuple[Ints, int]:
    stride = len(arrays.steps) + 1
    return np.sort(arrays.preempted[:, 1] * stride + arrays.preempted[:, 0]), stride


def _stays(arrays: StepArrays, request: Ints, epoch: Ints, first: Ints, last: Ints) -> Stays:
    steps = arrays.steps
    keys, stride = _preemption_keys(arrays)
    nth = np.searchsorted(keys, request * stride, side="left") + epoch
    preempted = nth < np.searchsorted(keys, (request + 1) * stride, side="left")
    at = keys[np.minimum(nth, len(keys) - 1)] % stride if len(keys) else last
    finished = arrays.requests.finished[request]
    ended = np.where(finished >= last, finished, last)
    left = np.where(preempted, at, ended + 1)
    end = np.where(preempted, steps.begin[np.where(preempted, at, 0)], steps.end[ended])
    begin = steps.begin[first]
    return Stays(
        request=request.astype(np.int32),
        lane=np.zeros(len(request), dtype=np.int32),
        first=first,
        last=last,
        left=left,
        begin=begin,
        end=np.maximum(end, begin),
        preempted=preempted,
    )


def _in_order(stays: Stays, order: Ints) -> Stays:
    begin, end = stays.begin[order], stays.end[order]
    return Stays(
        request=stays.request[order],
        lane=_free_lanes(begin, end),
        first=stays.first[order],
        last=stays.last[order],
        left=stays.left[order],
        begin=begin,
        end=end,
        preempted=stays.preempted[order],
    )


def _free_lanes(begin: Floats, end: Floats) -> Shorts:
    """Return the lowest free lane for each stay, in order of begin."""
    lanes = np.zeros(len(begin), dtype=np.int32)
    free: list[int] = []
    taken: list[tuple[float, int]] = []
    for place, (start, stop) in enumerate(zip(begin.tolist(), end.tolist(), strict=True)):
        while taken and taken[0][0] <= start + 1e-9:
            heapq.heappush(free, heapq.heappop(taken)[1])
        # Every lane below the number of those in use was used before.
        lane = heapq.heappop(free) if free else len(taken)
        lanes[place] = lane
        heapq.heappush(taken, (stop, lane))
    return lanes
