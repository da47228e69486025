"""Rows collected one by one into compact columns."""

from array import array
from collections.abc import Sequence
from dataclasses import replace
from typing import TypeAlias

import msgspec
import numpy as np

from workbench.base import Message, message
from workbench.traces.canonical_rows import TraceHeader, TraceRow
from workbench.traces.columns import Ids, Labels, restore_signs
from workbench.traces.importers.importer import Draft, ImportJob
from workbench.traces.importers.time_column import TimeColumn, Times
from workbench.traces.io.import_report import SourceLatency, in_field
from workbench.traces.trace import (
    Trace,
    optional_floats,
    optional_ints,
    optional_labels,
    optional_priorities,
)
from workbench.traces.trace_limits import LARGEST_TIME, MAX_BLOCK_TOKENS, MAX_IDS, MAX_TIME_MS, MAX_TOKENS

NAN = float("nan")


def row_problem(row: TraceRow) -> Message | None:
    """Return the problem of a row's values, with its field; None if there is none."""
    for name, tokens in (("input_length", row.input_length), ("output_length", row.output_length)):
        if not 0 <= tokens <= MAX_TOKENS:
            return in_field(name, message("traces.tokens_out_of_range", value=tokens, maximum=MAX_TOKENS))
    if not abs(row.timestamp) <= MAX_TIME_MS:
        return in_field("timestamp", message("traces.not_finite_ms"))
    for name, value in (("delay", row.delay), ("cancel_after_ms", row.cancel_after_ms)):
        if value is not None and not 0 <= value <= MAX_TIME_MS:
            return in_field(name, message("traces.not_ms_from_0"))
    for name, count in (("turn", row.turn), ("cancel_after_tokens", row.cancel_after_tokens)):
        if count is not None and not 0 <= count <= MAX_TOKENS:
            return in_field(name, message("base.out_of_range", value=count, minimum=0, maximum=MAX_TOKENS))
    if row.cancel_after_tokens is not None and row.cancel_after_ms is not None:
        return message("traces.cancelled_twice")
    if not -(2**31) <= row.priority < 2**31:
        return in_field("priority", message("traces.not_32_bit"))
    return None


def _ids_problem(ids: tuple[int, ...]) -> Message | None:
    if ids and (min(ids) < -(2**63) or max(ids) >= 2**64):
        return in_field("hash_ids", message("traces.ids_over_64_bits"))
    return None


_Rest: TypeAlias = tuple[str | None, str | None, int | None, float | None, int | None, float | None, int]
_NOTHING: _Rest = (None, None, None, None, None, None, 0)


def _rest_of(row: TraceRow) -> _Rest:
    """Return the fields that few sources have; one shared tuple for all rows without any."""
    rest = (
        row.cls,
        row.session_id,
        row.turn,
        row.delay,
        row.cancel_after_tokens,
        row.cancel_after_ms,
        row.priority,
    )
    return _NOTHING if rest == _NOTHING else rest


def _time_problem(time: float | None) -> Message | None:
    """Return the problem of a time in an unknown unit."""
    return None if time is None or abs(time) < LARGEST_TIME else message("traces.time_not_finite")


def times_array(values: Sequence[float]) -> Times:
    """Return times as an array; whole ones exactly."""
    whole = all(isinstance(value, int) for value in values)
    return np.array(values, np.int64) if whole else np.array(values, np.float64)


class RowCollector:
    """Builds a trace row by row in compact arrays; columns that no row uses cost little.

    Args:
        job: its report counts the rows.
        header: the trace's header.
        strict: a broken row ends the import.
    """

    def __init__(self, job: ImportJob, header: TraceHeader, *, strict: bool = False) -> None:
        self._source = job.source
        self._report = job.report
        self._header = header
        self._strict = strict
        self._times, self._ttft, self._e2e = array("d"), array("d"), array("d")
        self._inputs, self._outputs, self._counts, self._ids = array("q"), array("q"), array("q"), array("Q")
        self._negative_ids = array("q")
        """Indices of negative ids among all ids."""
        self._rest: list[_Rest] = []
        self._texts: list[str | None] = []
        self._raw_times: list[float] = []
        """Times in a unit that isn't known yet; whole numbers stay exact."""

    def __len__(self) -> int:
        return len(self._times)

    def set_block_tokens(self, block_tokens: int, *, line: int) -> None:
        """Set the tokens of a block before the first row.

        Raises:
            Refusal: the size differs from the one before, or is out of range.
        """
        if not 1 <= block_tokens <= MAX_BLOCK_TOKENS:
            problem = message("base.out_of_range", value=block_tokens, minimum=1, maximum=MAX_BLOCK_TOKENS)
            self._source.refuse(in_field("block_size", problem), line=line)
        if len(self) and block_tokens != self._header.block_tokens:
            self._source.refuse(in_field("block_size", message("traces.other_block_size")), line=line)
        self._header = msgspec.structs.replace(self._header, block_tokens=block_tokens)

    def add(
        self,
        row: TraceRow,
        *,
        line: int,
        time: float | None = None,
        ttft_ms: float = NAN,
        e2e_ms: float = NAN,
        text: str | None = None,
    ) -> bool:
        """Append a row and return whether it was kept; a value out of range breaks it.

        Args:
            row: the row with its time in ms, unless `time` is given.
            line: the row's line, for messages.
            time: its time in a unit that is known once all rows are read (see `draft`).
            ttft_ms: the source's time to first token.
            e2e_ms: the source's time to the end.
            text: the prompt, if the user wants it kept in memory.
        """
        problem = row_problem(row) or _ids_problem(row.hash_ids or ()) or _time_problem(time)
        if problem and self._strict:
            self._source.refuse(problem, line=line)
        if problem:
            self._report.break_row(line, problem)
            return False
        if time is not None:
            self._raw_times.append(time)
        self._report.rows_read += 1
        self._times.append(row.timestamp)
        self._inputs.append(row.input_length)
        self._outputs.append(row.output_length)
        self._ttft.append(ttft_ms)
        self._e2e.append(e2e_ms)
        self._counts.append(self._add_ids(row.hash_ids or (), line))
        self._rest.append(_rest_of(row))
        self._texts.append(text)
        return True

    def _add_ids(self, ids: tuple[int, ...], line: int) -> int:
        if not ids:
            return 0
        if len(self._ids) + len(ids) > MAX_IDS:
            self._source.refuse(
                in_field("hash_ids", message("traces.too_many_ids", maximum=MAX_IDS)), line=line
            )
        if min(ids) < 0:
            begin = len(self._ids)
            self._negative_ids.extend(begin + at for at, block in enumerate(ids) if block < 0)
            ids = tuple(block % 2**64 for block in ids)
        self._ids.extend(ids)
        return len(ids)

    def trace(self) -> Trace:
        """Return the rows so far, in the order added."""
        counts = np.array(self._counts, np.int64)
        ids = self._signed_ids()
        classes, sessions, turns, delays, tokens, times, priorities = (
            zip(*self._rest, strict=True) if self._rest else ((),) * len(_NOTHING)
        )
        return Trace(
            header=self._header,
            timestamp_ms=np.array(self._times, np.float64),
            input_length=np.array(self._inputs, np.int64),
            output_length=np.array(self._outputs, np.int64),
            classes=Labels.of(classes),
            hash_offsets=np.concatenate([np.zeros(1, np.int64), np.cumsum(counts)]) if len(ids) else None,
            hash_flat=ids,
            sessions=optional_labels(sessions),
            turn=optional_ints(turns),
            delay_ms=optional_floats(delays),
            cancel_after_tokens=optional_ints(tokens),
            cancel_after_ms=optional_floats(times),
            priority=optional_priorities(priorities),
        )

    def _signed_ids(self) -> Ids:
        bits, negative = np.array(self._ids, np.uint64), np.array(self._negative_ids, np.int64)
        try:
            return restore_signs(bits, negative)
        except OverflowError:
            self._source.refuse(in_field("hash_ids", message("traces.same_64_bits")))

    def texts(self) -> tuple[str | None, ...] | None:
        """Return the kept prompts, if any."""
        return None if all(text is None for text in self._texts) else tuple(self._texts)

    def draft(self, *, keep_times: bool = False, clock: TimeColumn | None = None) -> Draft:
        """Return the rows so far; `clock` finds the unit of the times that `add` got."""
        trace = self.trace()
        if clock is not None:
            trace = replace(trace, timestamp_ms=clock.milliseconds(times_array(self._raw_times)))
        return Draft(trace=trace, latency=self.latency(), texts=self.texts(), keep_times=keep_times)

    def latency(self) -> SourceLatency | None:
        """Return the source's latencies, if any."""
        ttft, e2e = np.array(self._ttft, np.float64), np.array(self._e2e, np.float64)
        if np.isnan(ttft).all() and np.isnan(e2e).all():
            return None
        return SourceLatency(ttft_ms=ttft, e2e_ms=e2e)
