"""Everything that the stage draws of one record, computed once. No Qt."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ui.steps.step_arrays import DECODE, Bools, Floats, Ints, Shorts, StayColumns, StepArrays
from ui.steps.stretches import SortedEntries, Stretches, sort_entries, stretches_of


@dataclass(frozen=True, slots=True)
class Waits:
    """Stays of requests in the queue."""

    request: Shorts
    begin: Floats
    end: Floats
    again: Bools
    """True after a preemption."""


@dataclass(frozen=True, slots=True)
class Scales:
    """The value at the upper edge of each band: the largest of the record, at every zoom."""

    queue: float
    budget: float
    time_s: float
    blocks: float


@dataclass(frozen=True, slots=True)
class StageData:
    """A record ready to be drawn. Shapes: steps × classes, and as said."""

    arrays: StepArrays
    stays: StayColumns
    stretches: Stretches
    waits: Waits
    lanes: int
    """Slots that were used at once at most."""
    work: npt.NDArray[np.int32]
    """Tokens of each step, shape (steps, 2 * classes + 1): prefill by class, decode by class, recomputed."""
    queue: npt.NDArray[np.int32]
    """Waiting requests by class, then the preempted ones of all classes: (steps, classes + 1)."""
    owners: npt.NDArray[np.int32]
    """KV blocks by class, then those without a known owner: (steps, classes + 1).

    Blocks that several requests share are split between them.
    """
    scales: Scales
    winners: Shorts
    """The request that took the blocks of each preemption; -1 if unknown."""


def stage_data(arrays: StepArrays) -> StageData:
    """Compute what the stage draws of a record."""
    entries, stays = sort_entries(arrays), arrays.stays
    work, queue = _work(arrays), _queue(arrays, stays)
    return StageData(
        arrays=arrays,
        stays=stays,
        stretches=stretches_of(arrays, entries),
        waits=_waits(arrays, stays),
        lanes=int(stays.lane.max()) + 1 if len(stays.lane) else 1,
        work=work,
        queue=queue,
        owners=_owners(arrays, entries, stays),
        scales=_scales(arrays, work, queue),
        winners=_winners(arrays),
    )


def _scales(arrays: StepArrays, work: npt.NDArray[np.int32], queue: npt.NDArray[np.int32]) -> Scales:
    steps = arrays.steps
    return Scales(
        queue=max(1.0, float(queue.sum(axis=1).max(initial=0))),
        budget=max(1.0, float(steps.budget.max(initial=0)), float(work.sum(axis=1).max(initial=0))),
        time_s=max(1e-9, float((steps.end - steps.begin).max(initial=0.0))),
        blocks=max(1.0, float(arrays.blocks)),
    )


def _work(arrays: StepArrays) -> npt.NDArray[np.int32]:
    entries, count, width = arrays.entries, len(arrays.classes), len(arrays.steps)
    of_step = np.repeat(np.arange(width), np.diff(entries.first))
    cls = arrays.requests.cls[entries.request].astype(np.int64)
    layer = cls + np.where(entries.kind == DECODE, count, 0)
    layers = 2 * count + 1
    flat = np.bincount(
        of_step * layers + layer, weights=entries.tokens - entries.again, minlength=width * layers
    )
    work = flat.reshape(width, layers).astype(np.int32)
    work[:, -1] = np.bincount(of_step, weights=entries.again, minlength=width)
    return work


def _queue(arrays: StepArrays, stays: StayColumns) -> npt.NDArray[np.int32]:
    """Count who waits at each step, after its call."""
    count, width = len(arrays.classes), len(arrays.steps)
    changes = np.zeros((width + 1, count + 1), dtype=np.int32)
    requests = arrays.requests
    np.add.at(changes, (np.minimum(requests.first_call, width), requests.cls), 1)
    admitted, first = np.unique(stays.request, return_index=True)
    np.add.at(changes, (stays.first[first], requests.cls[admitted]), -1)
    np.add.at(changes[:, count], arrays.preempted[:, 0], 1)
    again = np.ones(len(stays.request), dtype=bool)
    again[first] = False
    np.add.at(changes[:, count], stays.first[again], -1)
    for step, request in arrays.aborted.tolist():
        last = stays.of(request)[-1:]
        if not len(last):
            changes[step, requests.cls[request]] -= 1
        elif stays.preempted[last[0]]:
            changes[step, count] -= 1
    return np.cumsum(changes, axis=0, dtype=np.int32)[:-1]


def _owners(arrays: StepArrays, entries: SortedEntries, stays: StayColumns) -> npt.NDArray[np.int32]:
    count, width = len(arrays.classes), len(arrays.steps)
    size = arrays.block_size
    blocks = -(-arrays.entries.context[entries.order].astype(np.int64) // size)
    before = np.zeros_like(blocks)
    before[1:] = np.where(entries.stay[1:] == entries.stay[:-1], blocks[:-1], 0)
    growth = blocks - before
    held = np.zeros(len(stays.request), dtype=np.int64)
    np.maximum.at(held, entries.stay, blocks)
    cls = arrays.requests.cls.astype(np.int64)
    changes = np.bincount(
        np.concatenate(
            (entries.step * count + cls[entries.request], stays.left * count + cls[stays.request])
        ),
        weights=np.concatenate((growth, -held)),
        minlength=(width + 1) * count,
    ).reshape(-1, count)
    owned = np.cumsum(changes, axis=0)[:width]
    # Requests with a common prefix share blocks; what they own together is what isn't free.
    used = np.maximum(arrays.blocks - arrays.steps.free, 0)
    total = owned.sum(axis=1)
    scale = np.where(total > used, used / np.maximum(total, 1), 1.0)
    owned = (owned * scale[:, None]).astype(np.int32)
    rest = np.maximum(used - owned.sum(axis=1), 0).astype(np.int32)
    return np.hstack((owned, rest[:, None]))


def _waits(arrays: StepArrays, stays: StayColumns) -> Waits:
    """Return each stay in the queue: before the first admission, and after each preemption."""
    begins, last = arrays.steps.begin, arrays.end
    requests = arrays.requests
    first_call = requests.first_call
    admitted, first = np.unique(stays.request, return_index=True)
    until = np.full(len(first_call), last)
    until[arrays.aborted[:, 1]] = begins[arrays.aborted[:, 0]]
    given_up = until.copy()
    until[admitted] = stays.begin[first]
    # A request that no call saw waits from the end on.
    start = np.append(begins, last)[np.minimum(first_call, len(begins))]
    lost = np.flatnonzero(stays.preempted)
    back = given_up[stays.request[lost]]
    order = np.lexsort((stays.begin, stays.request))
    place = np.empty(len(order), dtype=np.int64)
    place[order] = np.arange(len(order))
    nexts = place[lost] + 1
    known = nexts < len(order)
    following = order[np.minimum(nexts, len(order) - 1)] if len(order) else order
    known &= stays.request[following] == stays.request[lost]
    back[known] = stays.begin[following[known]]
    return Waits(
        request=np.concatenate((np.arange(len(first_call)), stays.request[lost])).astype(np.int32),
        begin=np.concatenate((start, stays.end[lost])),
        end=np.concatenate((np.maximum(until, start), back)),
        again=np.concatenate((np.zeros(len(first_call), dtype=bool), np.ones(len(lost), dtype=bool))),
    )


def _winners(arrays: StepArrays) -> Shorts:
    """Find who took the blocks of each preempted request.

    The scheduler gives blocks in the order of its list; when none is free, it preempts. So the free blocks
    before the call, and what each request needed, say at whom it ran out.
    """
    winners = np.full(len(arrays.preempted), -1, dtype=np.int32)
    for step in np.unique(arrays.preempted[:, 0]).tolist():
        at = np.flatnonzero(arrays.preempted[:, 0] == step)
        winners[at] = _winners_of(arrays, step, arrays.preempted[at, 2])
    return winners


def _winners_of(arrays: StepArrays, step: int, lost: Ints) -> Shorts:
    size = arrays.block_size
    part = arrays.entries_of(step)
    entries = arrays.entries
    after = -(-entries.context[part].astype(np.int64) // size)
    before = -(-(entries.context[part].astype(np.int64) - entries.tokens[part]) // size)
    needs = after - before
    takers = np.flatnonzero(needs > 0)
    if not len(takers):
        return np.full(len(lost), -1, dtype=np.int32)
    freed = -(-lost // size)
    left = int(arrays.steps.free[step]) + int(needs.sum()) - int(freed.sum())
    taken = np.cumsum(needs[takers])
    # A victim's blocks go to the first request that doesn't find enough in what was free until then.
    limits = left + np.concatenate(([0], np.cumsum(freed)[:-1]))
    found = np.minimum(np.searchsorted(taken, limits, side="right"), len(takers) - 1)
    winners: Shorts = entries.request[part][takers[found]]
    return winners
