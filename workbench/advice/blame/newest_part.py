"""The newest steps of a long record, as an index of their own."""

from dataclasses import fields

import numpy as np

from workbench.advice.blame.step_index import (
    ABORTED,
    ADMITTED,
    PREEMPTED,
    EntryColumns,
    EventColumns,
    IndexedRequests,
    Ints,
    StayColumns,
    StepColumns,
    StepIndex,
)


def newest_part(index: StepIndex, most_entries: int) -> StepIndex:
    """Return the newest steps with at most `most_entries` entries, and the requests in them.

    A request that started earlier gets the context it had reached, as if all of it were a cache hit.
    """
    steps = index.steps
    first_entry = steps.first_entry
    first = int(np.searchsorted(first_entry, first_entry[-1] - most_entries))
    if first <= 0 or first >= len(steps):
        return index
    kept = _living(index, first)
    renamed = np.cumsum(kept) - 1
    cut = int(first_entry[first])
    columns = {each.name: getattr(steps, each.name)[first:] for each in fields(StepColumns)}
    columns["first_entry"] = columns["first_entry"] - cut
    columns["head"] = np.where(columns["head"] >= 0, renamed[columns["head"]], -1)
    stays = index.stays
    seen = stays.end > first
    requests = index.requests
    return StepIndex(
        header=index.header,
        start=index.start,
        steps=StepColumns(**columns),
        entries=EntryColumns(renamed[index.entries.request[cut:]], index.entries.packed[cut:]),
        requests=IndexedRequests(
            ids=[requests.ids[place] for place in np.flatnonzero(kept).tolist()],
            prompt=requests.prompt[kept],
            first_call=requests.first_call[kept],
            arrived=requests.arrived[kept],
            finished=requests.finished[kept],
        ),
        events=_events(index, first, cut, kept, renamed),
        stays=StayColumns(
            request=renamed[stays.request[seen]],
            slot=stays.slot[seen],
            begin=np.maximum(stays.begin[seen] - first, 0),
            end=stays.end[seen] - first,
        ),
    )


def _living(index: StepIndex, first: int) -> np.typing.NDArray[np.bool_]:
    """Return which requests had not ended before a place."""
    requests, events, stays = index.requests, index.events, index.stays
    gone: np.typing.NDArray[np.bool_] = (requests.finished >= 0) & (
        requests.finished < index.steps.number[first]
    )
    gone[events.request[(events.kind == ABORTED) & (events.place <= first)]] = True
    gone[stays.request[stays.end > first]] = False
    # Under async scheduling a request that has ended may be in the next step.
    gone[index.entries.request[int(index.steps.first_entry[first]) :]] = False
    gone[events.request[events.place >= first]] = False
    head = index.steps.head[first:]
    gone[head[head >= 0]] = False
    return ~gone


def _events(
    index: StepIndex, first: int, cut: int, kept: np.typing.NDArray[np.bool_], renamed: Ints
) -> EventColumns:
    events = index.events
    later = events.place >= first
    tokens = _context_at(index, first, cut, kept)
    carried = np.flatnonzero(tokens)
    return EventColumns(
        place=np.concatenate((np.zeros(len(carried), dtype=np.int64), events.place[later] - first)),
        request=renamed[np.concatenate((carried, events.request[later]))],
        kind=np.concatenate((np.full(len(carried), ADMITTED), events.kind[later])),
        tokens=np.concatenate((tokens[carried], events.tokens[later])),
    )


def _context_at(index: StepIndex, first: int, cut: int, kept: np.typing.NDArray[np.bool_]) -> Ints:
    """Return each kept request's context before a step; shape (r,). 0: it didn't run."""
    events, count = index.events, len(kept)
    earlier = events.place < first
    # The last event of a request overwrites those before.
    place, context = np.full(count, -1), np.zeros(count, dtype=np.int64)
    place[events.request[earlier]] = events.place[earlier]
    running = np.zeros(count, dtype=bool)
    running[events.request[earlier]] = events.kind[earlier] < PREEMPTED
    context[events.request[earlier]] = events.tokens[earlier]
    running &= kept
    at = np.flatnonzero(running[index.entries.request[:cut]])
    request = index.entries.request[at]
    inside = index.entry_place[at] >= place[request]
    computed = np.bincount(request[inside], weights=index.entries.tokens[at][inside], minlength=count)
    return np.where(running, context + computed.astype(np.int64), 0)
