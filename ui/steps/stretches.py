"""Stretches of one kind of work, from the entries sorted by request. No Qt."""

from dataclasses import dataclass

import numpy as np

from ui.steps.step_arrays import Bytes, Floats, Ints, Shorts, StepArrays


@dataclass(frozen=True, slots=True)
class Stretches:
    """Consecutive steps in which a request did the same kind of work in one slot."""

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
    """Place in the stays."""


def sort_entries(arrays: StepArrays) -> SortedEntries:
    """Sort the entries by request, and find the stay of each."""
    entries, stays = arrays.entries, arrays.stays
    of_step = np.repeat(np.arange(len(arrays.steps)), np.diff(entries.first))
    order = np.argsort(entries.request, kind="stable")
    request, step = entries.request[order].astype(np.int64), of_step[order]
    stride = len(arrays.steps) + 1
    keys = stays.request.astype(np.int64) * stride + stays.first
    sorting = np.argsort(keys)
    at = np.searchsorted(keys[sorting], request * stride + step, side="right") - 1
    stay = sorting[np.maximum(at, 0)] if len(sorting) else at
    kept = stays.request[stay] == request if len(sorting) else np.zeros(len(at), dtype=bool)
    if kept.all():
        return SortedEntries(order, request, step, stay)
    return SortedEntries(order[kept], request[kept], step[kept], stay[kept])


def stretches_of(arrays: StepArrays, entries: SortedEntries) -> Stretches:
    """Join consecutive steps of one stay and one kind."""
    kind, stay, step = arrays.entries.kind[entries.order], entries.stay, entries.step
    begins = np.ones(len(kind), dtype=bool)
    begins[1:] = (stay[1:] != stay[:-1]) | (kind[1:] != kind[:-1]) | (np.diff(step) != 1)
    starts = np.flatnonzero(begins)
    lasts = np.append(starts[1:], len(kind))[: len(starts)] - 1
    return Stretches(
        request=entries.request[starts].astype(np.int32),
        lane=arrays.stays.lane[stay[starts]],
        kind=kind[starts],
        begin=arrays.steps.begin[step[starts]],
        end=arrays.steps.end[step[lasts]],
    )
