"""Any table, or any JSON objects, with a mapping of their columns."""

import math
from collections.abc import Iterator, Sequence
from typing import Any

from workbench.base import Message, message
from workbench.traces.canonical_rows import TraceHeader, TraceRow
from workbench.traces.importers.import_rules import without_times
from workbench.traces.importers.importer import Draft, FileHead, ImportJob
from workbench.traces.importers.instants import date_order, is_date, to_ns
from workbench.traces.importers.json_documents import Broken, values
from workbench.traces.importers.json_records import unwrapped
from workbench.traces.importers.log_rows import SessionNames, finite_number, is_known, token_count
from workbench.traces.importers.row_collector import RowCollector, row_problem
from workbench.traces.importers.table_columns import Table, read_tables, table_of, table_records
from workbench.traces.importers.time_column import TimeColumn
from workbench.traces.io.column_mapping import ColumnMapping
from workbench.traces.io.import_report import NOT_JSON, in_field
from workbench.traces.io.source_file import Source, shown_names
from workbench.traces.trace_limits import LARGEST_TIME

_SINCE_1970 = 1e9
_DEEPEST = 8
_LENGTHS = ("input_length", "output_length")
_TEXTS = ("session_id", "class")

Record = dict[str, Any]


def load_mapped(job: ImportJob, mapping: ColumnMapping) -> Draft:
    """Read every record with the required fields; others are dropped and counted by the wrong field."""
    found = _MappedRows(job, mapping)
    if job.head.dialect is not None:
        found.read_table()
    else:
        found.read_objects()
    return found.draft()


def note_columns(job: ImportJob, mapping: ColumnMapping) -> None:
    """Note which column is read as which field."""
    taken = [f"{field} = {shown_names([column])}" for field, column in mapping.columns.items()]
    job.report.note(message("traces.columns_by_name", columns=taken))


class _MappedRows:
    """Rows so far, with times in a unit that is found at the end."""

    def __init__(self, job: ImportJob, mapping: ColumnMapping) -> None:
        self._job = job
        self._columns = mapping.columns
        self._mapping = mapping
        self._rows = RowCollector(job, TraceHeader(source="mapped columns"))
        self._sessions = SessionNames()
        self._dates = False
        """The times are ns since 1970, made from dates."""

    def read_table(self) -> None:
        """Read all rows of a table."""
        for table in read_tables(self._job, list(self._columns.values())):
            fields = {name: self._cells(table, name, column) for name, column in self._columns.items()}
            column = self._columns.get("timestamp")
            given = table.texts(column) if column is not None else [""] * len(table)
            for row in range(len(table)):
                cells = {name: values_[row] for name, values_ in fields.items()}
                self._add(table.line(row), cells, given=given[row])

    def _cells(self, table: Table, field: str, column: str) -> Sequence[Any]:
        if field in _TEXTS:
            return [cell.strip() for cell in table.texts(column)]
        if field != "timestamp":
            return table.numbers_as_written(column, whole=field in _LENGTHS)
        self._dates = table.has_dates(column)
        if self._dates:
            return [ns if ns >= 0 else None for ns in table.instants(column).tolist()]
        return table.numbers_as_written(column)

    def read_objects(self) -> None:
        """Read all JSON objects."""
        report = self._job.report

        def broken(line: int, problem: Message) -> None:
            report.break_row(line, problem, reason=NOT_JSON)

        records = list(self._objects(broken))
        if not self._mapping.timed:
            for line, fields in records:
                self._add(line, fields)
            return
        texts = [fields["timestamp"] for _, fields in records if isinstance(fields["timestamp"], str)]
        dates = [text for text in texts if is_date(text)]
        self._dates = 2 * len(dates) > len(records)
        order = date_order(dates)
        if self._dates and order is None:
            column = shown_names([self._columns["timestamp"]])
            self._job.source.refuse(message("traces.date_order", column=column))
        for line, fields in records:
            given = fields["timestamp"]
            fields["timestamp"] = _instant(given, order) if self._dates else _plain_time(given)
            self._add(line, fields, given=given)

    def _objects(self, broken: Broken) -> Iterator[tuple[int, Record]]:
        missing = object()
        for line, record in flat_objects(self._job.source, broken=broken):
            fields = {field: record.get(column, missing) for field, column in self._columns.items()}
            yield line, {field: None if value is missing else value for field, value in fields.items()}

    def _has_time(self, line: int, time: float | None, given: Any) -> bool:
        """Check whether a record has a time; without one it is dropped."""
        if time is not None and abs(time) < LARGEST_TIME:
            return True
        column = self._columns["timestamp"]
        numeric = _plain_time(given) is not None
        if numeric if self._dates else isinstance(given, str) and is_date(given):
            self._job.report.break_row(line, in_field(column, message("traces.two_kinds_of_times")))
        else:
            self._job.report.skip(in_field(column, message("traces.no_time")))
        return False

    def _add(self, line: int, fields: Record, *, given: Any = None) -> None:
        """Add one record; a field without a time or a count drops it."""
        report, columns = self._job.report, self._columns
        time = fields.get("timestamp")
        if self._mapping.timed and not self._has_time(line, time, given):
            return
        lengths = {field: token_count(fields[field]) for field in _LENGTHS}
        wrong = next((columns[field] for field, tokens in lengths.items() if tokens is None), None)
        if wrong is not None:
            report.skip(in_field(wrong, message("traces.no_count")))
            return
        row = TraceRow(
            timestamp=0.0,
            input_length=lengths["input_length"] or 0,
            output_length=lengths["output_length"] or 0,
            cls=_name(fields.get("class")),
            session_id=self._sessions.of(fields.get("session_id")),
            turn=token_count(fields.get("turn")),
            delay=_optional(fields.get("delay")),
            cancel_after_tokens=token_count(fields.get("cancel_after_tokens")),
            cancel_after_ms=_optional(fields.get("cancel_after_ms")),
            priority=token_count(fields.get("priority")) or 0,
        )
        problem = row_problem(row)
        if problem:
            report.skip(problem)
            return
        ttft_ms, e2e_ms = finite_number(fields.get("ttft_ms")), finite_number(fields.get("e2e_ms"))
        self._rows.add(row, line=line, time=time, ttft_ms=ttft_ms, e2e_ms=e2e_ms)

    def draft(self) -> Draft:
        """Return all rows."""
        job = self._job
        if not self._mapping.timed:
            return without_times(self._rows.draft(), job.report)
        column = self._columns["timestamp"]
        asked = self._mapping.unit or job.time_unit
        clock = TimeColumn(
            source=job.source,
            report=job.report,
            field=column,
            defined=self._mapping.defined,
            asked=asked,
            dates=self._dates,
        )
        return self._rows.draft(clock=clock)


def flat_records(source: Source, head: FileHead, job: ImportJob) -> Iterator[tuple[int, Record]]:
    """Yield numbered records of a table or of JSON, for a preview."""
    if head.dialect is not None:
        return table_records(table_of(job))
    return flat_objects(source, broken=lambda _line, _problem: None)


def flat_objects(source: Source, *, broken: Broken) -> Iterator[tuple[int, Record]]:
    """Yield numbered JSON objects whose nested members have dotted names (`usage.input`)."""
    for line, value in values(source, broken=broken):
        for record in unwrapped(value):
            if isinstance(record, dict):
                yield line, flattened(record)
            else:
                broken(line, message("traces.not_an_object"))


def flattened(value: Record, prefix: str = "", depth: int = 0) -> Record:
    """Return an object with the members of its inner objects under dotted names."""
    found: Record = {}
    for key, inner in value.items():
        name = f"{prefix}{key}"
        if isinstance(inner, dict) and depth < _DEEPEST:
            found |= flattened(inner, f"{name}.", depth + 1)
        else:
            found[name] = inner
    return found


def _plain_time(value: Any) -> int | float | None:
    """Return a numeric time stamp, None if it isn't one."""
    if isinstance(value, str):
        text = value.strip()
        try:
            value = int(text) if text.lstrip("-").isdigit() and len(text) < 20 else float(text)
        except ValueError:
            return None
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return value if isinstance(value, int) or math.isfinite(value) else None


def _instant(value: Any, order: str | None) -> int | None:
    """Return a date, or a number that can only count from 1970, as ns."""
    if not isinstance(value, str) and isinstance(value, int | float) and value < _SINCE_1970:
        return None
    return to_ns(value, order=order)


def _name(value: Any) -> str | None:
    return None if value is None or value == "" or not isinstance(value, str | int) else str(value)


def _optional(value: Any) -> float | None:
    given = finite_number(value)
    return given if is_known(given) else None
