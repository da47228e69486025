"""Builds the columns of a step index from the lines of a record, also while the record is written."""

import heapq
from array import array
from collections.abc import Iterable, Sequence
from typing import Annotated

import msgspec
import numpy as np
import numpy.typing as npt

from workbench.advice.blame.step_index import (
    ABORTED,
    ADMITTED,
    DECODE,
    KIND_SHIFT,
    PREEMPTED,
    PREFILL,
    REASONS,
    RECOMPUTE,
    RESUMED,
    EntryColumns,
    EventColumns,
    IndexedRequests,
    Progress,
    StayColumns,
    StepColumns,
    StepIndex,
)
from workbench.base import UNREADABLE, Place, Refusal
from workbench.vllm_dialect import StepHeader

_REPORT_EVERY = 1 << 20
"""Bytes between two calls of `progress`."""
_OTHER = len(REASONS) - 1


_Tokens = Annotated[int, msgspec.Meta(ge=0, lt=1 << KIND_SHIFT)]


class _Line(msgspec.Struct, frozen=True, kw_only=True, tag_field="ev"):
    """The fields that the index needs; others are skipped without being decoded."""


class _Added(_Line, frozen=True, kw_only=True, tag="add"):
    id: str
    t_next: int
    prompt: msgspec.Raw
    """Only counted."""
    priority: int = 0
    arrival_time: float = 0.0
    arrived: float | None = None


class _Scheduled(_Line, frozen=True, kw_only=True, tag="sched"):
    t: int
    mono: float
    us: float
    sched: list[tuple[str, _Tokens]]
    pre: list[tuple[str, int]]
    new: list[str]
    res: list[str]
    hit: dict[str, int]
    run: list[str]
    wait: int
    free: int
    why: str | None = None


class _Updated(_Line, frozen=True, kw_only=True, tag="update"):
    t: int
    mono: float
    fin: list[str]


class _LimitChanged(_Line, frozen=True, kw_only=True, tag="limit"):
    name: str
    new: int
    t_next: int | None = None


class _Finished(_Line, frozen=True, kw_only=True, tag="finish"):
    ids: list[str]


class _Reset(_Line, frozen=True, kw_only=True, tag="reset"):
    pass


class _Dropped(_Line, frozen=True, kw_only=True, tag="dropped"):
    pass


_AnyLine = _Added | _Scheduled | _Updated | _LimitChanged | _Finished | _Reset | _Dropped
_header = msgspec.json.Decoder(StepHeader)
_lines = msgspec.json.Decoder(_AnyLine)


class _State:
    """Progress of a request: tokens computed so far."""

    __slots__ = ("computed", "peak", "place", "prompt")

    def __init__(self, place: int, prompt: int) -> None:
        self.place = place
        self.prompt = prompt
        self.computed = 0
        self.peak = 0
        """Most tokens computed before a preemption."""


class StepIndexBuilder:
    """Feed it the lines of a record in order, then take the index; more lines and another index may follow.

    Requests that were added before the first line are left out.

    Args:
        header: the record's first line.
        where: the record's name, for refusals.

    Raises:
        Refusal: a line isn't one of a step record; `feed` raises it too.
    """

    def __init__(self, header: bytes, *, where: str) -> None:
        self._where = where
        self._line = 1
        try:
            self._header = _header.decode(header)
        except UNREADABLE as error:
            raise self._bad_line(error) from error
        self._states: dict[str, _State] = {}
        self._ids: list[str] = []
        self._steps = {name: array("q") for name in _COUNTS}
        self._called, self._ended = array("d"), array("d")
        self._why, self._budget, self._head = array("b"), array("i"), array("i")
        self._first_entry = array("q", [0])
        self._request, self._packed = array("I"), array("I")
        self._requests = {name: array("q") for name in ("prompt", "first_call", "finished")}
        self._arrived = array("d")
        self._events = {name: array("i") for name in ("place", "request", "kind", "tokens")}
        self._open: dict[int, int] = {}
        """Place of each call whose output was not processed yet."""
        self._budget_now = self._header.max_num_scheduled_tokens or self._header.max_num_batched_tokens
        self._budget_next: list[tuple[int, int]] = []
        self._slots = _Slots()
        self._queue = _Queue(by_priority=self._header.policy == "priority")

    def feed(self, line: bytes) -> None:
        """Read the next line; empty ones are skipped."""
        self._line += 1
        if not line.strip():
            return
        try:
            self._apply(_lines.decode(line))
        except UNREADABLE as error:
            raise self._bad_line(error) from error

    def _apply(self, decoded: _AnyLine) -> None:
        match decoded:
            case _Scheduled():
                self._add_step(decoded)
            case _Updated():
                place = self._open.pop(decoded.t, None)
                if place is not None:
                    self._ended[place] = decoded.mono
                for name in decoded.fin:
                    if state := self._states.get(name):
                        self._requests["finished"][state.place] = decoded.t
            case _Added():
                self._add_request(decoded)
            case _Finished():
                for name in decoded.ids:
                    self._queue.remove(name)
                    if state := self._states.get(name):
                        self._add_event(len(self._called), state, ABORTED, 0)
            case _LimitChanged() if decoded.name == "max_num_batched_tokens" and decoded.t_next is not None:
                self._budget_next.append((decoded.t_next, decoded.new))
            case _:
                pass

    def _bad_line(self, error: Exception) -> Refusal:
        place = Place(file=self._where, line=self._line)
        return Refusal("dialect.not_a_step_record", place, cause=str(error))

    def _add_request(self, line: _Added) -> None:
        prompt = bytes(line.prompt)
        length = prompt.count(b",") + 1 if prompt.strip(b"[] \t") else 0
        self._states[line.id] = _State(len(self._ids), length)
        self._ids.append(line.id)
        self._requests["prompt"].append(length)
        self._requests["first_call"].append(line.t_next)
        self._requests["finished"].append(-1)
        self._arrived.append(np.nan if line.arrived is None else line.arrived)
        self._queue.add(line.id, (line.priority, line.arrival_time))

    def _add_step(self, line: _Scheduled) -> None:
        place = len(self._called)
        self._open[line.t] = place
        self._called.append(line.mono - line.us / 1e6)
        self._ended.append(np.nan)
        self._why.append(REASONS.index(line.why) if line.why in REASONS else _OTHER)
        while self._budget_next and self._budget_next[0][0] <= line.t:
            self._budget_now = self._budget_next.pop(0)[1]
        self._budget.append(self._budget_now)
        self._add_events(place, line)
        head = self._states.get(self._queue.head() or "")
        self._head.append(-1 if head is None else head.place)
        sums = [0, 0, 0]
        for name, tokens in line.sched:
            if state := self._states.get(name):
                self._add_entry(state, tokens, sums)
        self._first_entry.append(len(self._request))
        counts = (line.t, *sums, len(line.run), line.wait, line.free)
        for column, value in zip(self._steps.values(), counts, strict=True):
            column.append(value)
        self._slots.update(place, line.run, self._states)

    def _add_events(self, place: int, line: _Scheduled) -> None:
        for name, lost in line.pre:
            if state := self._states.get(name):
                state.peak, state.computed = max(state.peak, state.computed), 0
                self._queue.put_back(name)
                self._add_event(place, state, PREEMPTED, lost)
        for kind, names in ((ADMITTED, line.new), (RESUMED, line.res)):
            for name in names:
                if state := self._states.get(name):
                    state.computed = line.hit.get(name, 0)
                    self._queue.remove(name)
                    self._add_event(place, state, kind, state.computed)

    def _add_event(self, place: int, state: _State, kind: int, tokens: int) -> None:
        for column, value in zip(self._events.values(), (place, state.place, kind, tokens), strict=True):
            column.append(value)

    def _add_entry(self, state: _State, tokens: int, sums: list[int]) -> None:
        before = state.computed
        state.computed = after = before + tokens
        if before >= state.prompt and before >= state.peak:
            self._pack(state.place, DECODE, tokens, sums)
            return
        again = max(0, min(state.peak, after) - before)
        if again:
            self._pack(state.place, RECOMPUTE, again, sums)
        if tokens > again:
            self._pack(state.place, PREFILL, tokens - again, sums)

    def _pack(self, request: int, kind: int, tokens: int, sums: list[int]) -> None:
        self._request.append(request)
        self._packed.append(kind << KIND_SHIFT | tokens)
        sums[kind] += tokens

    def index(self, zero: float) -> StepIndex:
        """Return the columns of all lines so far; `zero` is the schedule's start on the engine's clock."""
        counts = {name: np.array(column, dtype=np.int64) for name, column in self._steps.items()}
        return StepIndex(
            header=self._header,
            start=self._header.zero + (zero - self._header.zero) * self._header.time_scale,
            steps=StepColumns(
                called=np.array(self._called),
                ended=np.array(self._ended),
                why=np.array(self._why),
                budget=np.array(self._budget),
                head=np.array(self._head),
                first_entry=np.array(self._first_entry),
                **{name: _narrow(column) for name, column in counts.items()},
            ),
            entries=EntryColumns(np.array(self._request), np.array(self._packed)),
            requests=IndexedRequests(
                ids=list(self._ids),
                arrived=np.array(self._arrived),
                **{name: np.array(column) for name, column in self._requests.items()},
            ),
            events=self._event_columns(),
            stays=self._slots.columns(len(self._called)),
        )

    def _event_columns(self) -> EventColumns:
        columns = {name: np.array(column) for name, column in self._events.items()}
        # Nothing follows on an abort after the last call.
        kept = columns["place"] < len(self._called)
        return EventColumns(**{name: column[kept] for name, column in columns.items()})


_COUNTS = ("number", "prefill", "recompute", "decode", "running", "waiting", "free")


def _narrow(column: npt.NDArray[np.int64]) -> npt.NDArray[np.int32]:
    return column.astype(np.int32)


class _Queue:
    """Follows the waiting queue as far as its head, by vLLM's rules."""

    def __init__(self, *, by_priority: bool) -> None:
        self._by_priority = by_priority
        self._heap: list[tuple[tuple[float, float], int, str]] = []
        self._waiting: dict[str, int] = {}
        """The latest heap entry of each waiting request."""
        self._keys: dict[str, tuple[float, float]] = {}
        self._added = 0

    def add(self, name: str, priority: tuple[int, float]) -> None:
        """Add a request: first come first served, or by priority and arrival time."""
        self._added += 1
        self._push(name, priority if self._by_priority else (self._added, 0.0))

    def put_back(self, name: str) -> None:
        """Put a preempted request back: to the front, or to where its priority belongs."""
        self._added += 1
        self._push(name, self._keys[name] if self._by_priority else (-self._added, 0.0))

    def _push(self, name: str, key: tuple[float, float]) -> None:
        self._keys[name] = key
        self._waiting[name] = self._added
        heapq.heappush(self._heap, (key, self._added, name))

    def remove(self, name: str) -> None:
        """Remove an admitted or aborted request."""
        self._waiting.pop(name, None)

    def head(self) -> str | None:
        """Return the request that is next; None if nobody waits."""
        while self._heap and self._waiting.get(self._heap[0][2]) != self._heap[0][1]:
            heapq.heappop(self._heap)
        return self._heap[0][2] if self._heap else None


class _Slots:
    """Gives each running request the lowest free sequence slot."""

    def __init__(self) -> None:
        self._held: dict[str, int] = {}
        """The stay of each running request."""
        self._running: Sequence[str] = ()
        self._free: list[int] = []
        self._stays = {name: array("i") for name in ("request", "slot", "begin", "end")}

    def update(self, place: int, running: Sequence[str], states: dict[str, _State]) -> None:
        """Follow the running list of the next step."""
        if running == self._running:
            return
        self._running = running
        now = set(running)
        stays = self._stays
        for name in [name for name in self._held if name not in now]:
            stay = self._held.pop(name)
            stays["end"][stay] = place
            heapq.heappush(self._free, stays["slot"][stay])
        for name in running:
            state = states.get(name)
            if state is None or name in self._held:
                continue
            slot = heapq.heappop(self._free) if self._free else len(self._held)
            self._held[name] = len(stays["slot"])
            for column, value in zip(stays.values(), (state.place, slot, place, -1), strict=True):
                column.append(value)

    def columns(self, steps: int) -> StayColumns:
        """Return the stays; those that last end after the last step."""
        columns = {name: np.array(column) for name, column in self._stays.items()}
        columns["end"][columns["end"] < 0] = steps
        return StayColumns(**columns)


def build_step_index(
    lines: Iterable[bytes], zero: float, *, where: str, progress: Progress | None = None
) -> StepIndex:
    """Build the index of a whole record.

    Args:
        lines: the header, then the record.
        zero: the schedule's start on the engine's clock, in wall seconds.
        where: the record's name, for refusals.
        progress: called now and then with the bytes read so far.

    Raises:
        Refusal: a line isn't one of a step record.
    """
    iterator = iter(lines)
    builder = StepIndexBuilder(next(iterator, b""), where=where)
    done = reported = 0
    for line in iterator:
        builder.feed(line)
        done += len(line)
        if progress is not None and done - reported >= _REPORT_EVERY:
            reported = done
            progress(done)
    return builder.index(zero)
