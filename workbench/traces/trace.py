"""A trace: its columns and operations on the whole."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np

from workbench.traces.canonical_rows import TraceHeader, TraceRow
from workbench.traces.columns import NO_IDS, Floats, Ids, Ints, Labels, TraceColumns, ids_array, select_ragged
from workbench.traces.identity import trace_sha256
from workbench.traces.length_classes import banded


@dataclass(frozen=True, eq=False, kw_only=True, slots=True)
class Trace(TraceColumns):
    """Requests in the order of their arrival; the first arrives at 0.

    Make one with `Trace.from_rows`, `read_trace` or a generator; change one with `transforms`.
    """

    @classmethod
    def from_rows(cls, rows: Iterable[TraceRow], *, block_tokens: int = 512, source: str = "") -> "Trace":
        """Make a trace of these rows, sorted by arrival and moved so that the first arrives at 0.

        Rows without a class get the band of their input length.
        """
        listed = list(rows)
        lengths = np.array([row.input_length for row in listed], np.int64)
        offsets, flat = _ragged([row.hash_ids or () for row in listed])
        return in_order(
            cls(
                header=TraceHeader(block_tokens=block_tokens, source=source),
                timestamp_ms=np.array([row.timestamp for row in listed], np.float64),
                input_length=lengths,
                output_length=np.array([row.output_length for row in listed], np.int64),
                classes=banded(lengths, known=Labels.of(row.cls for row in listed)),
                hash_offsets=offsets,
                hash_flat=flat,
                sessions=optional_labels([row.session_id for row in listed]),
                turn=optional_ints([row.turn for row in listed]),
                delay_ms=optional_floats([row.delay for row in listed]),
                cancel_after_tokens=optional_ints([row.cancel_after_tokens for row in listed]),
                cancel_after_ms=optional_floats([row.cancel_after_ms for row in listed]),
                priority=optional_priorities([row.priority for row in listed]),
            )
        )

    def row(self, row: int) -> TraceRow:
        """Return one row as in the canonical file."""
        ids = self.hash_ids(row).tolist()
        return TraceRow(
            timestamp=float(self.timestamp_ms[row]),
            input_length=int(self.input_length[row]),
            output_length=int(self.output_length[row]),
            hash_ids=tuple(ids) or None,
            cls=self.classes[row],
            session_id=None if self.sessions is None else self.sessions[row],
            turn=_known_int(self.turn, row),
            delay=_known_float(self.delay_ms, row),
            cancel_after_tokens=_known_int(self.cancel_after_tokens, row),
            cancel_after_ms=_known_float(self.cancel_after_ms, row),
            priority=0 if self.priority is None else int(self.priority[row]),
        )

    def rows(self) -> Iterator[TraceRow]:
        """Return all rows in order."""
        return (self.row(index) for index in range(len(self)))

    def sha256(self, seed: int) -> str:
        """Return the workload's identity: rows, seed and prompt-builder version, before any rate scaling."""
        return trace_sha256(self, seed)

    def recorded(self, transform: str, **parameters: Any) -> "Trace":
        """Return the same rows with one more transform in the header."""
        return replace(self, header=self.header.with_transform(transform, **parameters))

    def select(self, index: Ints) -> "Trace":
        """Return rows `index`, in that order, times unchanged (see `in_order`)."""
        changes: dict[str, Any] = {}
        for known in fields(self):
            column = getattr(self, known.name)
            if isinstance(column, Labels):
                changes[known.name] = column.select(index)
            elif isinstance(column, np.ndarray) and not known.name.startswith("hash_"):
                changes[known.name] = column[index]
        if self.hash_offsets is not None:
            changes["hash_offsets"], changes["hash_flat"] = select_ragged(
                self.hash_offsets, self.hash_flat, index
            )
        return replace(self, **changes)


def in_order(trace: Trace) -> Trace:
    """Sort rows by arrival (ties keep their order) and move times so that the first is 0."""
    times = trace.timestamp_ms
    if len(times) and np.any(times[1:] < times[:-1]):
        trace = trace.select(np.argsort(times, kind="stable"))
        times = trace.timestamp_ms
    if len(times) and times[0] != 0:
        return replace(trace, timestamp_ms=times - times[0])
    return trace


def previous_turn(trace: Trace) -> Ints:
    """Return for each row the previous row of its session, -1 for a first turn or a row without a session."""
    previous = np.full(len(trace), -1)
    if trace.sessions is None:
        return previous
    codes = trace.sessions.codes
    order = np.argsort(codes, kind="stable")
    follows = (codes[order][1:] == codes[order][:-1]) & (codes[order][1:] >= 0)
    previous[order[1:][follows]] = order[:-1][follows]
    return previous


def session_of_row(trace: Trace) -> Ints:
    """Return a number for each session, and one for each row without a session."""
    if trace.sessions is None:
        return np.arange(len(trace))
    codes = trace.sessions.codes.astype(np.int64)
    alone = codes < 0
    codes[alone] = len(trace.sessions.names) + np.arange(int(alone.sum()))
    return codes


def optional_ints(values: Sequence[int | None]) -> Ints | None:
    """Return a column of non-negative integers, -1 where unknown; None if all are unknown."""
    if all(value is None for value in values):
        return None
    return np.array([-1 if value is None else value for value in values], np.int64)


def optional_floats(values: Sequence[float | None]) -> Floats | None:
    """Return a column of floats, NaN where unknown; None if all are unknown."""
    if all(value is None for value in values):
        return None
    return np.array([np.nan if value is None else value for value in values], np.float64)


def optional_labels(values: Sequence[str | None]) -> Labels | None:
    """Return a column of names; None if no row has one."""
    return None if all(value is None for value in values) else Labels.of(values)


def optional_priorities(values: Sequence[int]) -> Ints | None:
    """Return a column of priorities; None if all are 0."""
    return np.array(values, np.int64) if any(values) else None


def _ragged(rows: Sequence[Sequence[int]]) -> tuple[Ints | None, Ids]:
    if not any(rows):
        return None, NO_IDS
    offsets = np.zeros(len(rows) + 1, np.int64)
    np.cumsum([len(row) for row in rows], out=offsets[1:])
    return offsets, ids_array([block for row in rows for block in row])


def _known_int(column: Ints | None, row: int) -> int | None:
    return None if column is None or column[row] < 0 else int(column[row])


def _known_float(column: Floats | None, row: int) -> float | None:
    return None if column is None or np.isnan(column[row]) else float(column[row])
