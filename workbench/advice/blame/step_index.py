"""A run's step record as columns: what the step view and the ledger read, without the record's JSON.

Build one from the record's lines (`StepIndexBuilder`), or open the file that was written beside the record
(`StepIndex.open`). Its size is below 100 bytes a step and 8 a scheduled request. Read it like this:

    index = StepIndex.open(path)
    steps = index.steps                       # a column is an array with one value a step
    seconds = steps.called - index.start      # since the schedule's start, in the run's (simulated) seconds
    place = steps.place_at(index.start + 12.5)    # the step under way at 12.5 s
    first, end = index.entries_of(place)          # who was computed in it
    index.entries.request[first:end], index.entries.tokens[first:end], index.entries.kind[first:end]
    index.requests.ids                            # the engine's ids of all requests

A `place` is a step's position in the columns, from 0; its `number` is the scheduler's own count.
`stays` are the lanes: which request held which sequence slot, from which step to which.
"""

import io
import zipfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields
from functools import cached_property
from pathlib import Path
from typing import Any, Self

import msgspec
import numpy as np
import numpy.typing as npt

from workbench.base import UNREADABLE, Place, Refusal, write_atomic
from workbench.vllm_dialect import StepHeader

PREFILL, RECOMPUTE, DECODE = 0, 1, 2
"""Kinds of an entry. An entry with new and recomputed prompt tokens is two entries."""
ADMITTED, RESUMED, PREEMPTED, ABORTED = 0, 1, 2, 3
"""Kinds of an event."""
REASONS = (None, "seat", "budget", "kv", "preempted_this_step", "other")
"""Values of `why`: the reason why the head of the queue was not admitted."""
_VERSION = 2
KIND_SHIFT = 30
_TOKENS = (1 << KIND_SHIFT) - 1

Ints = npt.NDArray[np.integer[Any]]
Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class StepColumns:
    """One value for each call of the scheduler, in order; shape (n,). Times are of the record's clock."""

    number: Ints
    called: Floats
    """Start of the scheduler's call."""
    ended: Floats
    """Its output was processed; NaN: never."""
    prefill: Ints
    """Prompt tokens computed for the first time."""
    recompute: Ints
    decode: Ints
    running: Ints
    """Running requests after the call."""
    waiting: Ints
    free: Ints
    """Free KV blocks after the call."""
    why: Ints
    """Index into `REASONS`."""
    budget: Ints
    """Token budget in force."""
    head: Ints
    """The request at the head of the queue after the call; -1: the queue was empty."""
    first_entry: Ints
    """Shape (n + 1,): the entries of step i are first_entry[i] up to first_entry[i + 1]."""

    def __len__(self) -> int:
        """Return the number of steps."""
        return len(self.number)

    def place_at(self, moment: float) -> int:
        """Return the last step called until `moment`; 0 before the first."""
        return max(0, int(np.searchsorted(self.called, moment, side="right")) - 1)


@dataclass(frozen=True)
class EntryColumns:
    """One value for each request in each step; shape (m,)."""

    request: Ints
    """Index into the requests."""
    packed: Ints
    """Tokens, and the kind in the two highest bits."""

    @cached_property
    def tokens(self) -> Ints:
        """Tokens of the request in the step."""
        return self.packed & _TOKENS

    @cached_property
    def kind(self) -> Ints:
        """`PREFILL`, `RECOMPUTE` or `DECODE`."""
        return (self.packed >> KIND_SHIFT).astype(np.uint8)


@dataclass(frozen=True)
class IndexedRequests:
    """One value for each request, in the order of arrival; shape (r,)."""

    ids: Sequence[str]
    """The engine's ids."""
    prompt: Ints
    """Prompt tokens."""
    first_call: Ints
    """Number of the call that could have scheduled it first."""
    arrived: Floats
    """Time at which the front end received it; NaN if unknown."""
    finished: Ints
    """Number of the step that ended it; -1: none did."""


@dataclass(frozen=True)
class EventColumns:
    """Admissions, preemptions and aborts, in order."""

    place: Ints
    request: Ints
    kind: Ints
    """`ADMITTED`, `RESUMED`, `PREEMPTED`, or `ABORTED` before the call."""
    tokens: Ints
    """Tokens found in the prefix cache; for a preemption the computed tokens lost; else 0."""


@dataclass(frozen=True)
class StayColumns:
    """Requests by sequence slot over time."""

    request: Ints
    slot: Ints
    """The lowest slot that was free, from 0."""
    begin: Ints
    """The first step's place."""
    end: Ints
    """The place after the last step's."""


_TABLES: Mapping[str, type[Any]] = {
    "steps": StepColumns,
    "entries": EntryColumns,
    "events": EventColumns,
    "stays": StayColumns,
}


@dataclass(frozen=True)
class StepIndex:
    """The steps of a run on one engine."""

    header: StepHeader
    start: float
    """The schedule's start on the record's clock, on which a second is one of the engine's time."""
    steps: StepColumns
    entries: EntryColumns
    requests: IndexedRequests
    events: EventColumns
    stays: StayColumns

    def entries_of(self, place: int) -> tuple[int, int]:
        """Return the first entry of a step, and the one after its last."""
        first = self.steps.first_entry
        return int(first[place]), int(first[place + 1])

    @cached_property
    def context(self) -> Ints:
        """Tokens of the request's context after each entry; shape (m,)."""
        return _context(self)

    @cached_property
    def entry_place(self) -> Ints:
        """The step of each entry; shape (m,)."""
        return np.repeat(np.arange(len(self.steps)), np.diff(self.steps.first_entry))

    @cached_property
    def entries_by_request(self) -> tuple[Ints, Ints]:
        """Entries sorted by request, then time, and where each request's begin; shapes (m,) and (r + 1,)."""
        order = np.argsort(self.entries.request, kind="stable")
        begins = np.searchsorted(self.entries.request[order], np.arange(len(self.requests.ids) + 1))
        return order, begins

    # -- the file ----------------------------------------------------------------------------------

    def to_bytes(self) -> bytes:
        """Return the content of the file, an npz without compression."""
        arrays = {
            f"{table}.{field.name}": getattr(getattr(self, table), field.name)
            for table, columns in _TABLES.items()
            for field in fields(columns)
        }
        requests = self.requests
        for name in ("prompt", "first_call", "arrived", "finished"):
            arrays[f"requests.{name}"] = getattr(requests, name)
        about = _About(version=_VERSION, start=self.start, header=self.header, ids=list(requests.ids))
        arrays["about"] = np.frombuffer(msgspec.json.encode(about), dtype=np.uint8)
        file = io.BytesIO()
        np.savez(file, **arrays)
        return file.getvalue()

    def save(self, path: Path) -> None:
        """Write the file.

        Raises:
            Refusal: it can't be written there.
        """
        write_atomic(path, self.to_bytes())

    @classmethod
    def open(cls, path: Path) -> Self:
        """Read the file.

        Raises:
            Refusal: it isn't there, is damaged, or is of another version.
        """
        try:
            return cls.from_bytes(path.read_bytes(), where=str(path))
        except OSError as error:
            raise Refusal("base.unreadable_file", Place(file=str(path)), cause=error.strerror) from error

    @classmethod
    def from_bytes(cls, content: bytes, *, where: str) -> Self:
        """Read the content of the file.

        Raises:
            Refusal: it is damaged, or of another version.
        """
        try:
            with np.load(io.BytesIO(content), allow_pickle=False) as arrays:
                about = msgspec.json.decode(arrays["about"].tobytes(), type=_About)
                tables = {
                    table: columns(*(arrays[f"{table}.{field.name}"] for field in fields(columns)))
                    for table, columns in _TABLES.items()
                }
                own = ("prompt", "first_call", "arrived", "finished")
                requests = IndexedRequests(about.ids, *(arrays[f"requests.{name}"] for name in own))
            index = cls(about.header, about.start, requests=requests, **tables)
            if about.version != _VERSION or not _is_whole(index):
                raise ValueError("columns that don't fit")
        except (OSError, EOFError, KeyError, zipfile.BadZipFile, *UNREADABLE) as error:
            raise Refusal("base.unreadable_file", Place(file=where), cause=str(error)) from error
        return index


class _About(msgspec.Struct, kw_only=True):
    version: int
    start: float
    header: StepHeader
    ids: list[str]


def _is_whole(index: StepIndex) -> bool:
    """Return whether the lengths fit and every reference is inside its table."""
    count, places, entries = len(index.requests.ids), len(index.steps), len(index.entries.request)
    first = index.steps.first_entry
    lengths = [
        *((getattr(index.steps, field.name), places) for field in fields(StepColumns)[:-1]),
        (first, places + 1),
        (index.entries.packed, entries),
        *((getattr(index.requests, field.name), count) for field in fields(IndexedRequests)),
        *((getattr(index.events, field.name), len(index.events.place)) for field in fields(EventColumns)),
        *((getattr(index.stays, field.name), len(index.stays.slot)) for field in fields(StayColumns)),
    ]
    inside = [
        *((column, count) for column in (index.entries.request, index.events.request, index.stays.request)),
        *((column, places) for column in (index.events.place, index.stays.begin)),
        (index.stays.end, places + 1),
        (index.steps.why, len(REASONS)),
        (index.steps.head + 1, count + 1),
    ]
    return (
        all(len(column) == length for column, length in lengths)
        and all(_is_column(column) for column, _ in lengths if isinstance(column, np.ndarray))
        and all(_below(column, limit) for column, limit in inside)
        and bool((index.stays.begin <= index.stays.end).all())
        and first[0] == 0
        and int(first[-1]) == entries
        and bool((np.diff(first) >= 0).all())
    )


def _is_column(column: npt.NDArray[np.generic]) -> bool:
    return column.ndim == 1 and column.dtype.kind in "iuf"


def _below(column: Ints, limit: int) -> bool:
    return not len(column) or (int(column.min()) >= 0 and int(column.max()) < limit)


def sum_at(places: Ints, values: Floats | Ints, size: int) -> Floats:
    """Return the sum of the values at each place; shape (size,)."""
    return np.asarray(np.bincount(places, weights=values, minlength=size), dtype=np.float64)


def _context(index: StepIndex) -> Ints:
    order, _ = index.entries_by_request
    span = len(index.steps) + 1
    keys = index.entries.request[order].astype(np.int64) * span + index.entry_place[order]
    totals = np.concatenate([[0], np.cumsum(index.entries.tokens[order], dtype=np.int64)])
    admitted = index.events.kind < PREEMPTED
    at = index.events.request[admitted].astype(np.int64) * span + index.events.place[admitted]
    sorting = np.argsort(at, kind="stable")
    at, hits = at[sorting], index.events.tokens[admitted][sorting].astype(np.int64)
    if not len(at):
        return np.zeros(len(keys), dtype=np.int64)
    # Each entry counts from its request's last admission on.
    last = np.maximum(np.searchsorted(at, keys, side="right") - 1, 0)
    begins = np.searchsorted(keys, at, side="left")
    found = np.empty(len(keys), dtype=np.int64)
    found[order] = totals[1:] - totals[begins[last]] + hits[last]
    return found


Progress = Callable[[int], None]
"""Takes the bytes read so far."""
