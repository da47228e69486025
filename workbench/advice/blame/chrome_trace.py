"""A run's steps as Chrome trace JSON, which Perfetto and chrome://tracing open.

Lanes: the steps, the sequence slots with what each request computed, and the waiting queue. Arrows go from a
preempted request to the one that took its blocks; counters show budget, queue and KV blocks.
"""

from collections.abc import Iterator, Mapping, Sequence

import msgspec
import numpy as np

from workbench.advice.blame.step_index import (
    DECODE,
    PREEMPTED,
    PREFILL,
    REASONS,
    RECOMPUTE,
    Ints,
    StepIndex,
)

_STEPS, _SLOTS, _QUEUE = 1, 2, 3
"""Processes of the trace."""
_KINDS = {PREFILL: "prefill", RECOMPUTE: "recompute", DECODE: "decode"}


_Args = Mapping[str, int | float | str | None]


class _Event(msgspec.Struct, kw_only=True, omit_defaults=True):
    """One event, with the keys of the trace event format."""

    ph: str
    pid: int
    tid: int | None = None
    name: str
    cat: str | None = None
    ts: float | None = None
    dur: float | None = None
    id: int | None = None
    s: str | None = None
    bp: str | None = None
    args: _Args | None = None


def chrome_trace(index: StepIndex, names: Sequence[str], classes: Sequence[str]) -> bytes:
    """Return the trace as JSON.

    Args:
        index: the run's steps.
        names: a name for each request of the index.
        classes: the class of each request.
    """
    writer = _Writer(index, names, classes)
    events = [
        *_titles(),
        *writer.steps(),
        *writer.stays(),
        *writer.computing(),
        *writer.preemptions(),
        *writer.queue(),
    ]
    return msgspec.json.encode({"displayTimeUnit": "ms", "traceEvents": events})


def takers(index: StepIndex) -> Ints:
    """Return, for each event, the request that took most KV blocks in the step of a preemption.

    Shape as the events; -1 for other events, and where nobody's blocks grew.
    """
    size = index.header.block_size
    found = np.full(len(index.events.place), -1, dtype=np.int64)
    for event in np.flatnonzero(index.events.kind == PREEMPTED).tolist():
        first, end = index.entries_of(int(index.events.place[event]))
        after = index.context[first:end]
        before = after - index.entries.tokens[first:end]
        grown = -(-after // size) - -(-before // size)
        if len(grown) and grown.max() > 0:
            found[event] = index.entries.request[first + int(grown.argmax())]
    return found


def _titles() -> Iterator[_Event]:
    for process, name in ((_STEPS, "steps"), (_SLOTS, "sequence slots"), (_QUEUE, "waiting queue")):
        yield _Event(ph="M", pid=process, name="process_name", args={"name": name})
        yield _Event(ph="M", pid=process, name="process_sort_index", args={"sort_index": process})


class _Writer:
    """Makes the events of one run; times are microseconds since the schedule's start."""

    def __init__(self, index: StepIndex, names: Sequence[str], classes: Sequence[str]) -> None:
        self._index = index
        self._names = [f"{name} ({cls})" for name, cls in zip(names, classes, strict=True)]
        steps = index.steps
        self._called = (steps.called - index.start) * 1e6
        ended = np.fmax.accumulate(np.where(np.isnan(steps.ended), -np.inf, steps.ended))
        self._ended = np.maximum((ended - index.start) * 1e6, self._called)
        # Under async scheduling a step is scheduled while the one before it runs.
        before = np.concatenate([self._called[:1], self._ended[:-1]])
        self._began = np.minimum(np.maximum(self._called, before), self._ended)
        self._stay = self._stays_of_entries()
        slots = np.append(index.stays.slot.astype(np.int64), -1)
        self._slot = slots[self._stay]
        """Sequence slot of each entry; -1 if unknown."""
        # A stay that ends after the last call ends with the last step.
        calls = np.append(self._called, self._ended[-1:] if len(steps) else 0.0)
        self._leaves = calls[index.stays.end]

    def _stays_of_entries(self) -> Ints:
        """Return the stay of each entry; -1 if unknown."""
        index = self._index
        stays = index.stays
        span = len(index.steps) + 1
        sorting = np.lexsort((stays.begin, stays.request))
        at = stays.request[sorting].astype(np.int64) * span + stays.begin[sorting]
        keys = index.entries.request.astype(np.int64) * span + index.entry_place
        last = np.searchsorted(at, keys, side="right") - 1
        if not len(at):
            return np.full(len(keys), -1)
        own = sorting[np.maximum(last, 0)]
        inside = (last >= 0) & (stays.request[own] == index.entries.request)
        return np.where(inside & (index.entry_place < stays.end[own]), own, -1)

    def steps(self) -> Iterator[_Event]:
        """Yield a slice and counters for each step."""
        steps = self._index.steps
        columns = (steps.prefill, steps.recompute, steps.decode, steps.budget, steps.running, steps.waiting)
        rows = zip(
            *(column.tolist() for column in (steps.number, self._began, self._ended, steps.why, steps.free)),
            *(column.tolist() for column in columns),
            strict=True,
        )
        for number, began, ended, why, free, prefill, recompute, decode, budget, running, waiting in rows:
            work = {"prefill": prefill, "recompute": recompute, "decode": decode}
            there = {"running": running, "waiting": waiting}
            args: _Args = {**work, "budget": budget, **there, "free_blocks": free, "why": REASONS[why]}
            yield _slice(_STEPS, 0, f"step {number}", began, ended, args)
            for name, values in (("tokens", work), ("requests", there), ("KV", {"free blocks": free})):
                yield _Event(ph="C", pid=_STEPS, name=name, ts=began, args=values)

    def stays(self) -> Iterator[_Event]:
        """Yield a slice for each request in a sequence slot."""
        stays = self._index.stays
        columns = (stays.request, stays.slot, self._called[stays.begin], self._leaves)
        for request, slot, begin, end in zip(*(column.tolist() for column in columns), strict=True):
            yield _slice(_SLOTS, slot, self._names[request], begin, end)

    def computing(self) -> Iterator[_Event]:
        """Yield what each request computed; equal work in consecutive steps is one slice."""
        index = self._index
        order, _ = index.entries_by_request
        request, kind = index.entries.request[order], index.entries.kind[order]
        place, slot = index.entry_place[order], self._slot[order]
        new = np.ones(len(order), dtype=bool)
        # Each prefill chunk is a slice of its own.
        same = (request[1:] == request[:-1]) & (kind[1:] == kind[:-1]) & (kind[1:] == DECODE)
        new[1:] = ~(same & (place[1:] == place[:-1] + 1) & (slot[1:] == slot[:-1]))
        begins = np.flatnonzero(new)
        if not len(begins):
            return
        ends = np.append(begins[1:], len(order)) - 1
        tokens = np.add.reduceat(index.entries.tokens[order].astype(np.int64), begins)
        for begin, end, count in zip(begins.tolist(), ends.tolist(), tokens.tolist(), strict=True):
            if slot[begin] < 0:
                continue
            # Under async scheduling, a request's last step may end after it has left.
            leaves = float(self._leaves[self._stay[order[begin]]])
            since = min(float(self._began[place[begin]]), leaves)
            until = min(float(self._ended[place[end]]), leaves)
            args = {"tokens": count, "request": self._names[request[begin]]}
            yield _slice(_SLOTS, int(slot[begin]), _KINDS[int(kind[begin])], since, until, args)

    def preemptions(self) -> Iterator[_Event]:
        """Yield an arrow from each preempted request to the one that took its blocks."""
        index = self._index
        events, stays = index.events, index.stays
        ends = zip(stays.request.tolist(), stays.end.tolist(), strict=True)
        lanes = dict(zip(ends, stays.slot.tolist(), strict=True))
        taken = takers(index)
        for event in np.flatnonzero(events.kind == PREEMPTED).tolist():
            place, victim = int(events.place[event]), int(events.request[event])
            slot, at = lanes.get((victim, place), 0), float(self._called[place])
            lost: _Args = {"request": self._names[victim], "lost_tokens": int(events.tokens[event])}
            yield _Event(ph="i", s="t", pid=_SLOTS, tid=slot, name="preempted", ts=at, args=lost)
            first, end = index.entries_of(place)
            found = np.flatnonzero(index.entries.request[first:end] == taken[event])
            if len(found):
                lane = max(0, int(self._slot[first + int(found[0])]))
                yield _arrow("s", slot, event, at - 1)
                yield _arrow("f", lane, event, float(self._began[place]))

    def queue(self) -> Iterator[_Event]:
        """Yield how long each request waited, at first and after each preemption."""
        index = self._index
        numbers, events = index.steps.number, index.events
        waiting: dict[int, tuple[str, float]] = {}
        firsts = np.searchsorted(numbers, index.requests.first_call)
        for request, place in enumerate(firsts.tolist()):
            if place < len(numbers):
                waiting[request] = "waiting", float(self._called[place])
        for request, place, kind in zip(
            events.request.tolist(), events.place.tolist(), events.kind.tolist(), strict=True
        ):
            if kind == PREEMPTED:
                waiting[request] = "preempted", float(self._called[place])
            elif request in waiting:
                yield from self._wait(request, *waiting.pop(request), float(self._called[place]))
        for request, (name, since) in waiting.items():
            yield from self._wait(request, name, since, float(self._called[-1]))

    def _wait(self, request: int, name: str, since: float, until: float) -> Iterator[_Event]:
        if until <= since:
            return
        name = f"{name}: {self._names[request]}"
        for phase, at in (("b", since), ("e", until)):
            yield _Event(ph=phase, pid=_QUEUE, tid=0, name=name, cat="queue", id=request, ts=at)


def _slice(
    process: int,
    lane: int,
    name: str,
    began: float,
    ended: float,
    args: _Args | None = None,
) -> _Event:
    return _Event(ph="X", pid=process, tid=lane, name=name, ts=began, dur=max(0.0, ended - began), args=args)


def _arrow(phase: str, lane: int, number: int, at: float) -> _Event:
    bind = "e" if phase == "f" else None
    return _Event(
        ph=phase, pid=_SLOTS, tid=lane, name="preempted", cat="preemption", id=number, ts=at, bp=bind
    )
