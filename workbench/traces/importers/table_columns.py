"""A table read column by column; a bad cell breaks its row only."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from workbench.base import Message, message
from workbench.traces.columns import Bools, Floats, Ints
from workbench.traces.importers.decimal_marks import AmbiguousMarkError, NumberColumn
from workbench.traces.importers.delimited import Delimited, Piece
from workbench.traces.importers.importer import ImportJob
from workbench.traces.importers.instants import date_order, is_date, times_of_day, to_ns
from workbench.traces.importers.time_column import TimeColumn, Times
from workbench.traces.io.import_report import in_field
from workbench.traces.io.source_file import shown_names
from workbench.traces.trace_limits import LARGEST_TIME, MAX_TIME_MS, MAX_TOKENS

_HARMLESS = frozenset("0123456789+-.:eETZ ")
"""Messages may repeat values of these characters; other values may be private text."""
_LOOKED_AT = 1000
NOT_A_DATE = message("traces.not_a_date", example="2023-11-16 18:17:03.9799600")
NOT_A_NUMBER = message("traces.not_a_finite_number")


@dataclass(kw_only=True)
class TableReader:
    """Reads one table and keeps what its columns turned out to be."""

    job: ImportJob
    table: Delimited
    _numbers: dict[tuple[str, bool], NumberColumn] = field(default_factory=dict)
    _dates: dict[str, bool] = field(default_factory=dict)
    _orders: dict[str, str | None] = field(default_factory=dict)

    def numbers(self, name: str, cells: Sequence[str], *, whole: bool = False) -> list[int] | list[float]:
        """Read cells of one column; NaN for cells without a number.

        Raises:
            Refusal: the column's marks can be read in two ways.
        """
        dialect = self.table.dialect
        key = (name, whole)
        column = self._numbers.setdefault(key, NumberColumn(self.table.marks, dialect.delimiter, whole=whole))
        try:
            numbers = column.read(cells)
        except AmbiguousMarkError as error:
            self.table.source.refuse(
                message("traces.mark_ambiguous", column=shown_names([name]), mark=error.mark)
            )
        if column.mark == ",":
            self.table.source.assume(message("traces.decimal_comma", column=shown_names([name])))
        return numbers

    def has_dates(self, name: str, cells: Sequence[str]) -> bool:
        """Check whether a column of times holds dates; most of its first cells decide."""
        if name not in self._dates:
            given = [cell for cell in cells if cell.strip()][:_LOOKED_AT]
            self._dates[name] = 2 * sum(map(is_date, given)) > len(given)
        return self._dates[name]

    def instants(self, name: str, cells: Sequence[str]) -> Ints:
        """Read dates as ns since 1970; -1 for cells without a date.

        Raises:
            Refusal: day and month can be in either order.
        """
        texts = [cell.strip() for cell in cells]
        found = _iso(texts)
        if found is not None and (found >= 0).all():
            return found
        of_day = times_of_day(texts)
        if of_day is not None:
            return np.array(of_day, np.int64)
        if name not in self._orders:
            self._orders[name] = date_order(texts)
        order = self._orders[name]
        values = [to_ns(text, order=order) for text in texts]
        if order is None and any(
            value is None and is_date(text) for value, text in zip(values, texts, strict=True)
        ):
            self.table.source.refuse(message("traces.date_order", column=shown_names([name])))
        return np.array([-1 if value is None else value for value in values], np.int64)


class Table:
    """Some rows of a table. Read all columns, then pass them through `good_rows`."""

    def __init__(self, reader: TableReader, piece: Piece) -> None:
        self._reader = reader
        self._piece = piece
        self.good: Bools = np.ones(len(piece.lines), np.bool_)
        """Rows without a problem so far."""

    def __len__(self) -> int:
        return len(self._piece.lines)

    def __contains__(self, name: str) -> bool:
        return name in self._piece.cells

    def line(self, row: int) -> int:
        """Return the line of a row in the file."""
        return self._piece.lines[row]

    def texts(self, name: str) -> list[str]:
        """Return a column's cells as written."""
        return self._piece.cells[name]

    def require(self, good: Bools, name: str, problem: Message) -> None:
        """Break the rows that aren't good."""
        for row in np.flatnonzero(self.good & ~good).tolist():
            value = self.texts(name)[row].strip()
            shown = value if 0 < len(value) <= 40 and _HARMLESS.issuperset(value) else None
            self._reader.job.report.break_row(self.line(row), in_field(name, problem, shown))
        self.good &= good

    def good_rows(self, *columns: Any) -> tuple[Any, ...]:
        """Return columns (arrays or lists) without the broken rows."""
        rows = np.flatnonzero(self.good)
        if len(rows) == len(self):
            return columns
        return tuple(
            column[rows] if isinstance(column, np.ndarray) else [column[row] for row in rows.tolist()]
            for column in columns
        )

    def numbers(self, name: str) -> Floats:
        """Return a column of finite numbers."""
        values = self.numbers_or_nan(name)
        self.require(np.isfinite(values), name, NOT_A_NUMBER)
        return values

    def numbers_or_nan(self, name: str) -> Floats:
        """Return a column of numbers, NaN for cells without one."""
        return np.array(self._reader.numbers(name, self.texts(name)), np.float64)

    def tokens(self, name: str) -> Ints:
        """Return a column of token counts from 0 to the most that a trace may hold."""
        values = np.array(self._reader.numbers(name, self.texts(name), whole=True), np.float64)
        self.require(np.isfinite(values), name, NOT_A_NUMBER)
        values = np.where(np.isfinite(values), values, 0.0)
        self.require(values >= 0, name, message("traces.negative_tokens"))
        self.require(values <= MAX_TOKENS, name, message("traces.too_many_tokens", maximum=MAX_TOKENS))
        self.require(values == np.floor(values), name, message("traces.not_whole_tokens"))
        return np.where(self.good, values, 0.0).astype(np.int64)

    def seconds(self, name: str) -> Floats:
        """Return a column of times as numbers of seconds."""
        values = self.numbers(name)
        self.require(np.abs(values) <= MAX_TIME_MS / 1000, name, message("traces.not_seconds"))
        return np.where(self.good, values, 0.0)

    def numbers_as_written(self, name: str, *, whole: bool = False) -> list[int] | list[float]:
        """Return a column of numbers, whole ones exactly, NaN for cells without one."""
        return self._reader.numbers(name, self.texts(name), whole=whole)

    def instants(self, name: str) -> Ints:
        """Return a column of dates as ns since 1970, -1 for cells without one."""
        return self._reader.instants(name, self.texts(name))

    def dates(self, name: str) -> Ints:
        """Return a column of dates with a time of day as ns since 1970; without a zone they are UTC."""
        cells = self.texts(name)
        instants = self._reader.instants(name, cells)
        numbers = np.array([cell.strip().replace(".", "").isdigit() for cell in cells], np.bool_)
        self.require((instants >= 0) | ~numbers, name, message("traces.two_kinds_of_times"))
        self.require(instants >= 0, name, NOT_A_DATE)
        return instants

    def plain_times(self, name: str) -> Times:
        """Return a column of numeric times in any unit; whole numbers exactly."""
        cells = self.texts(name)
        values = self._reader.numbers(name, cells)
        good = np.array([abs(value) < LARGEST_TIME for value in values], np.bool_)
        if not good.all():
            dates = [not fine and is_date(cell) for fine, cell in zip(good.tolist(), cells, strict=True)]
            self.require(~np.array(dates, np.bool_), name, message("traces.two_kinds_of_times"))
            self.require(good, name, message("traces.not_a_time"))
            values = [value if fine else 0 for value, fine in zip(values, good.tolist(), strict=True)]
        whole = all(isinstance(value, int) for value in values)
        return np.array(values, np.int64) if whole else np.array(values, np.float64)

    def has_dates(self, name: str) -> bool:
        """Check whether a column of times holds dates."""
        return self._reader.has_dates(name, self.texts(name))


class TableTimes:
    """Times of a table's rows: dates, or numbers whose unit is known once all are read.

    For each table call `read`, then pass the times of its good rows to `keep`.
    """

    def __init__(self, job: ImportJob, name: str, *, defined: str | None = None) -> None:
        self._name = name
        self._clock = TimeColumn(
            source=job.source, report=job.report, field=name, defined=defined, asked=job.time_unit
        )
        self._dates = False
        self._parts: list[Times] = []

    def read(self, table: Table) -> Times:
        """Return the times of all rows of a table."""
        self._dates = table.has_dates(self._name)
        return table.dates(self._name) if self._dates else table.plain_times(self._name)

    def keep(self, times: Times) -> None:
        """Keep the times of a table's good rows."""
        self._parts.append(times)

    def milliseconds(self) -> Floats:
        """Return all kept times, in ms from the earliest."""
        parts: list[Any] = [np.zeros(0, np.int64), *self._parts]
        times: Times = np.concatenate(parts)
        return replace(self._clock, dates=self._dates).milliseconds(times)


def table_of(job: ImportJob) -> Delimited:
    """Return the job's file as a table.

    Raises:
        Refusal: the file has no header.
    """
    if job.head.dialect is None:
        job.source.refuse(message("traces.not_a_table"), line=1)
    return Delimited(source=job.source, report=job.report, dialect=job.head.dialect, chosen=job.chosen)


def read_tables(job: ImportJob, columns: Sequence[str], optional: Sequence[str] = ()) -> Iterator[Table]:
    """Read a table, a bounded number of rows at a time.

    Raises:
        Refusal: one of `columns` is missing or appears twice, or the file has a problem.
    """
    table = table_of(job)
    reader = TableReader(job=job, table=table)
    there = [name for name in optional if name in table.dialect.names]
    for piece in table.pieces([*columns, *there]):
        yield Table(reader, piece)


def table_records(table: Delimited) -> Iterator[tuple[int, dict[str, str]]]:
    """Yield numbered rows of a table as records of texts; a repeated column is numbered (`tokens#2`)."""
    table = replace(table, chosen=True)
    for piece in table.pieces(table.dialect.labels()):
        names = list(piece.cells)
        for line, *cells in zip(piece.lines, *piece.cells.values(), strict=True):
            yield line, dict(zip(names, cells, strict=True))


def _iso(texts: Sequence[str]) -> Ints | None:
    """Return ISO 8601 dates as ns since 1970, -1 for other texts; None if no text is one.

    pandas loads only when a table with dates is read: it takes longer than everything else.
    """
    import pandas  # noqa: ICN001, PLC0415 - see above

    if not any(text[:4].isdigit() and text[4:5] == "-" for text in texts[:_LOOKED_AT]):
        return None
    times = pandas.to_datetime(list(texts), format="ISO8601", utc=True, errors="coerce")
    known = times.notna()
    values = times.tz_localize(None).to_numpy("datetime64[ns]").view(np.int64)
    return np.where(known & (values >= 0), values, -1)
