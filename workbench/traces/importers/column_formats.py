"""Formats described by data: the column or JSON key of each field (`resources/trace_formats`)."""

from typing import Any

import msgspec
import numpy as np

from workbench.base import Record, message, resource
from workbench.traces.canonical_rows import TraceHeader, TraceRow
from workbench.traces.columns import Floats, Labels
from workbench.traces.importers.import_rules import refuse_empty
from workbench.traces.importers.importer import Draft, FileHead, Importer, ImportJob
from workbench.traces.importers.json_rows import decoded_rows
from workbench.traces.importers.row_collector import NAN, RowCollector
from workbench.traces.importers.table_columns import Table, TableTimes, read_tables
from workbench.traces.importers.time_column import TimeColumn
from workbench.traces.io.import_report import SourceLatency
from workbench.traces.trace import Trace
from workbench.traces.trace_limits import MAX_TIME_MS


class FormatColumns(Record, frozen=True):
    """Column or JSON key of each field of a trace."""

    timestamp: str
    input_length: str
    output_length: str
    session_id: str | None = None


class LatencyColumns(Record, frozen=True):
    """Columns of the latencies that the source measured, in seconds.

    With `begin` the others are stamps of the same clock. Without it they are durations above 0.
    """

    begin: str | None = None
    first_token: str | None = None
    end: str | None = None

    def names(self) -> list[str]:
        """Return the columns that are given."""
        return [name for name in (self.begin, self.first_token, self.end) if name is not None]


class ColumnFormat(Record, frozen=True):
    """One format: its columns, and the names by which it is recognized."""

    name: str
    source: str
    """Name of the source, as a trace's header stores it."""
    table: bool
    """True: a delimited table; false: JSON objects."""
    known_by: list[list[str]]
    """A file has this format if it has at least one name of each list."""
    columns: FormatColumns
    time_unit: str | None = None
    """Unit of numeric times; None: found by their size or rate."""
    latency: LatencyColumns = LatencyColumns()
    low_rate: bool = False
    """Warn that the rates are far below what loads a GPU."""

    def matches(self, head: FileHead) -> bool:
        """Check whether a file has this format."""
        if self.table:
            return all(any(name in head.columns for name in names) for names in self.known_by)
        return all(head.has_any_key(*names) for names in self.known_by)

    def load(self, job: ImportJob) -> Draft:
        """Read every row."""
        draft = self._load_table(job) if self.table else self._load_objects(job)
        if self.low_rate:
            job.report.warn(message("traces.low_rate_source"))
        return draft

    def importer(self) -> Importer:
        """Return the importer of this format."""
        return Importer(name=self.name, matches=self.matches, load=self.load)

    def _load_table(self, job: ImportJob) -> Draft:
        columns = self.columns
        needed = [columns.timestamp, columns.input_length, columns.output_length]
        optional = [name for name in (columns.session_id, *self.latency.names()) if name is not None]
        times = TableTimes(job, columns.timestamp, defined=self.time_unit)
        parts = []
        for table in read_tables(job, needed, optional):
            stamps, *rest = table.good_rows(
                times.read(table),
                table.tokens(columns.input_length),
                table.tokens(columns.output_length),
                *self._latencies(table),
                *([] if columns.session_id is None else [_sessions(table, columns.session_id)]),
            )
            times.keep(stamps)
            parts.append(rest)
        if not parts:
            refuse_empty(job)
        prompts, outputs, *latencies = zip(*parts, strict=True)
        sessions = latencies.pop() if columns.session_id is not None else ()
        rows = sum(map(len, prompts))
        job.report.rows_read += rows
        named = Labels.of(session for part in sessions for session in part)
        trace = Trace(
            header=TraceHeader(source=self.source),
            timestamp_ms=times.milliseconds(),
            input_length=np.concatenate(prompts),
            output_length=np.concatenate(outputs),
            classes=Labels.none(rows),
            sessions=named if named.names else None,
        )
        return Draft(trace=trace, latency=_source_latency([np.concatenate(each) for each in latencies]))

    def _latencies(self, table: Table) -> tuple[Floats, ...]:
        """Return ms to the first token and to the end of each row, NaN where unknown; empty without any."""
        if not self.latency.names():
            return ()
        begin = _seconds(table, self.latency.begin)
        first_token, end = _seconds(table, self.latency.first_token), _seconds(table, self.latency.end)
        if self.latency.begin is None:
            return _durations_ms(first_token), _durations_ms(end)
        return (first_token - begin) * 1000, (end - begin) * 1000

    def _load_objects(self, job: ImportJob) -> Draft:
        rows = RowCollector(job, TraceHeader(source=self.source))
        for line, row in decoded_rows(job, self._row_type()):
            session = getattr(row, "session_id", None)
            rows.add(
                TraceRow(
                    timestamp=0.0,
                    input_length=row.input_length,
                    output_length=row.output_length,
                    session_id=None if session is None else str(session),
                ),
                line=line,
                time=row.timestamp,
                ttft_ms=self._latency_of(row, "first_token"),
                e2e_ms=self._latency_of(row, "end"),
            )
        clock = TimeColumn(
            source=job.source,
            report=job.report,
            field=self.columns.timestamp,
            defined=self.time_unit,
            asked=job.time_unit,
        )
        return rows.draft(clock=clock)

    def _latency_of(self, row: Any, name: str) -> float:
        """Return one latency of a JSON row in ms, NaN if unknown."""
        value = getattr(row, name, None)
        if value is None:
            return NAN
        if self.latency.begin is None:
            return float(_durations_ms(np.array([value]))[0])
        return NAN if row.begin is None else (value - row.begin) * 1000

    def _row_type(self) -> type[Any]:
        """Return a struct of the JSON keys, under the names of a trace's fields."""
        keys = {"timestamp": self.columns.timestamp}
        keys |= {"input_length": self.columns.input_length, "output_length": self.columns.output_length}
        fields: list[Any] = [("timestamp", int | float), ("input_length", int), ("output_length", int)]
        if self.columns.session_id is not None:
            keys["session_id"] = self.columns.session_id
            fields.append(("session_id", str | int | None, None))
        for name in LatencyColumns.__struct_fields__:
            key = getattr(self.latency, name)
            if key is not None:
                keys[name] = key
                fields.append((name, float | None, None))
        return msgspec.defstruct("FormatRow", fields, rename=keys, frozen=True)


def column_formats() -> list[ColumnFormat]:
    """Read all formats described by data, in the order of their files' names."""
    return [
        msgspec.toml.decode(path.read_bytes(), type=ColumnFormat)
        for path in sorted(resource("trace_formats").glob("*.toml"))
    ]


def _seconds(table: Table, name: str | None) -> Floats:
    """Return a column of seconds, NaN where it has no number."""
    if name is None or name not in table:
        return np.full(len(table), np.nan)
    return table.numbers_or_nan(name)


def _durations_ms(seconds: Floats) -> Floats:
    return 1000 * np.where((seconds > 0) & (seconds < MAX_TIME_MS), seconds, np.nan)


def _source_latency(milliseconds: list[Floats]) -> SourceLatency | None:
    """Return the latencies to the first token and to the end, None if none is known."""
    if all(np.isnan(each).all() for each in milliseconds):
        return None
    ttft_ms, e2e_ms = milliseconds
    return SourceLatency(ttft_ms=ttft_ms, e2e_ms=e2e_ms)


def _sessions(table: Table, name: str) -> list[str | None]:
    """Return each row's session; a whole number may be written as `41.0`."""
    if name not in table:
        return [None] * len(table)
    return [cell.strip().removesuffix(".0") or None for cell in table.texts(name)]
