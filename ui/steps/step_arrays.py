"""A run's step index as the stage draws it: on the schedule's time, with the run's names. No Qt."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from workbench.advice.blame import StepIndex
from workbench.advice.blame.step_index import ABORTED, DECODE, PREEMPTED, PREFILL, REASONS, RECOMPUTE

__all__ = ["DECODE", "PREFILL", "REASONS", "RECOMPUTE"]

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Shorts = npt.NDArray[np.int32]
Bytes = npt.NDArray[np.uint8]
Bools = npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class StepColumns:
    """One row a step, in order."""

    number: Ints
    begin: Floats
    """Its own time begins: its call, or the end of the step before if that is later."""
    end: Floats
    budget: Shorts
    waiting: Shorts
    running: Shorts
    free: Shorts
    """Free KV blocks after the call."""
    why: Bytes
    """Index of `REASONS`."""
    head: Shorts
    """The request at the head of the queue; -1: the queue was empty."""

    def __len__(self) -> int:
        return len(self.begin)


@dataclass(frozen=True, slots=True)
class EntryColumns:
    """One row a request in a step, ordered by step, then as scheduled."""

    first: Ints
    """Shape (steps + 1,): the entries of step s are `first[s]:first[s + 1]`."""
    request: Shorts
    kind: Bytes
    """`RECOMPUTE` if any of its tokens was computed before a preemption."""
    tokens: Shorts
    again: Shorts
    """Tokens of these that were computed before a preemption."""
    context: Shorts
    """Tokens of its context after the step."""


@dataclass(frozen=True, slots=True)
class DrawnRequests:
    """One row a request of the record."""

    ids: Sequence[str]
    """The id that the client sent; the engine's if the run doesn't know it."""
    number: Shorts
    """Index in the schedule; -1 if the run doesn't know it."""
    cls: Bytes
    """Index of `StepArrays.classes`."""
    prompt: Shorts
    first_call: Ints
    """The step that could have scheduled it first."""


@dataclass(frozen=True, slots=True)
class StayColumns:
    """A request in a slot, from admission to its end or preemption; by begin."""

    request: Shorts
    lane: Shorts
    first: Ints
    """Its first step."""
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
class StepArrays:
    """A record of one engine. Times are (simulated) seconds since the schedule's start."""

    steps: StepColumns
    entries: EntryColumns
    requests: DrawnRequests
    stays: StayColumns
    classes: Sequence[str]
    """Names; requests that aren't in the run are of the last, "", if there are any."""
    preempted: Ints
    """Shape (preemptions, 3): step, request, computed tokens that were lost."""
    aborted: Ints
    """Shape (aborts, 2): the first step after it, request."""
    slots: int
    """The sequence limit."""
    block_size: int
    blocks: int
    """KV blocks of the server, without the null block."""

    @property
    def begin(self) -> float:
        """Begin of the first step."""
        return float(self.steps.begin[0]) if len(self.steps) else 0.0

    @property
    def end(self) -> float:
        """End of the last step."""
        return float(self.steps.end[-1]) if len(self.steps) else 1.0

    def entries_of(self, step: int) -> slice:
        """Return the entries of a step."""
        return slice(int(self.entries.first[step]), int(self.entries.first[step + 1]))

    def step_at(self, t: float) -> int:
        """Return the step under way at `t`, or the last before it; -1 before the first."""
        return int(np.searchsorted(self.steps.begin, t, side="right")) - 1


@dataclass(frozen=True, slots=True)
class KnownRequest:
    """Data of a request that the run stores beside the record."""

    id: str
    number: int
    cls: str


def arrays_of(index: StepIndex, known: Mapping[str, KnownRequest]) -> StepArrays:
    """Return an index as the stage draws it; `known` are the run's requests by the engine's id."""
    found = [known.get(name) for name in index.requests.ids]
    classes = sorted({one.cls for one in known.values()} - {""})
    if not classes or any(one is None or not one.cls for one in found):
        classes = [*classes, ""]
    steps = _steps(index)
    return StepArrays(
        steps=steps,
        entries=_entries(index),
        requests=_requests(index, found, classes),
        stays=_stays(index, steps),
        classes=classes,
        preempted=_events(index, PREEMPTED),
        aborted=_events(index, ABORTED)[:, :2],
        slots=index.header.max_num_active_seqs or index.header.max_num_seqs,
        block_size=max(1, index.header.block_size),
        blocks=index.header.num_gpu_blocks - 1,
    )


def _steps(index: StepIndex) -> StepColumns:
    steps = index.steps
    called = steps.called - index.start
    # Without an end, a step lasts until the next call.
    following = np.append(called[1:], called[-1:])
    ended = np.where(np.isnan(steps.ended), following, steps.ended - index.start)
    ended = np.maximum.accumulate(np.maximum(ended, called))
    begin = np.maximum(called, np.concatenate(([-np.inf], ended))[: len(called)])
    return StepColumns(
        number=steps.number.astype(np.int64),
        begin=begin,
        end=np.maximum(ended, begin),
        budget=steps.budget.astype(np.int32),
        waiting=steps.waiting.astype(np.int32),
        running=steps.running.astype(np.int32),
        free=steps.free.astype(np.int32),
        why=steps.why.astype(np.uint8),
        head=steps.head.astype(np.int32),
    )


def _entries(index: StepIndex) -> EntryColumns:
    """Join the two entries of a request that computes new and lost tokens in one step."""
    request, place = index.entries.request.astype(np.int32), index.entry_place
    kind, tokens = index.entries.kind, index.entries.tokens.astype(np.int32)
    again = np.where(kind == RECOMPUTE, tokens, 0).astype(np.int32)
    second = np.zeros(len(request), dtype=bool)
    second[1:] = (request[1:] == request[:-1]) & (place[1:] == place[:-1])
    starts = np.flatnonzero(~second)
    lasts = np.append(starts[1:], len(request))[: len(starts)] - 1
    again = np.add.reduceat(again, starts) if len(starts) else again
    counts = np.bincount(place[starts], minlength=len(index.steps))
    return EntryColumns(
        first=np.concatenate(([0], np.cumsum(counts))).astype(np.int64),
        request=request[starts],
        kind=np.where(again > 0, RECOMPUTE, kind[lasts]).astype(np.uint8),
        tokens=np.add.reduceat(tokens, starts) if len(starts) else tokens,
        again=again,
        context=index.context[lasts].astype(np.int32),
    )


def _requests(
    index: StepIndex, found: Sequence[KnownRequest | None], classes: Sequence[str]
) -> DrawnRequests:
    requests = index.requests
    ids = [one.id if one else name for one, name in zip(found, requests.ids, strict=True)]
    return DrawnRequests(
        ids=ids,
        number=np.array([one.number if one else -1 for one in found], dtype=np.int32),
        cls=np.array([classes.index(one.cls if one else "") for one in found], dtype=np.uint8),
        prompt=requests.prompt.astype(np.int32),
        first_call=np.searchsorted(index.steps.number, requests.first_call).astype(np.int64),
    )


def _events(index: StepIndex, kind: int) -> Ints:
    events = index.events
    found = events.kind == kind
    table = np.stack((events.place[found], events.request[found], events.tokens[found]), axis=1)
    return table.astype(np.int64)


def _stays(index: StepIndex, steps: StepColumns) -> StayColumns:
    stays, events = index.stays, index.events
    order = np.lexsort((stays.slot, stays.begin))
    request, first, left = stays.request[order], stays.begin[order], stays.end[order].astype(np.int64)
    stride = len(steps) + 1
    lost = events.kind == PREEMPTED
    keys = events.request[lost].astype(np.int64) * stride + events.place[lost]
    preempted = np.isin(request.astype(np.int64) * stride + left, keys)
    begin = steps.begin[first]
    cut = steps.begin[np.minimum(left, len(steps) - 1)]
    end = np.where(preempted, cut, steps.end[np.maximum(left - 1, 0)])
    return StayColumns(
        request=request.astype(np.int32),
        lane=stays.slot[order].astype(np.int32),
        first=first.astype(np.int64),
        left=left,
        begin=begin,
        end=np.maximum(end, begin),
        preempted=preempted,
    )
