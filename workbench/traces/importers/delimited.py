"""Tables as text: delimiter, quote and header of a file, and its rows.

This is the only place that decides about dialects of CSV. A row that doesn't fit the header is broken; its
neighbors are read.
"""

import csv
import io
import itertools
import re
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from workbench.base import Message, message
from workbench.traces.importers.decimal_marks import Marks
from workbench.traces.io.import_report import UNREADABLE_ROW, ImportReport
from workbench.traces.io.source_file import Source, shown_names
from workbench.traces.trace_limits import MAX_LINE_BYTES, MAX_ROWS

DELIMITERS = (",", "\t", ";", "|")
SPACES = " "
"""Any run of spaces as a delimiter."""
_SEP_LINE = re.compile(r'"?sep=(?P<sep>\\t|.)"?[,;\t]*', re.IGNORECASE)
_LOOKED_AT = 20
_NAME = re.compile(r"[A-Za-z_@#][\w .@()\[\]/%:#-]*")
_PIECE_ROWS = 65_536
_PIECE_BYTES = 8 << 20
_LONGEST_FIELD_LINES = 10_000
_LONGEST_FIELD = 16 << 20
_MARKED_ROWS = 1000

TOO_MANY_FIELDS = message("traces.too_many_fields")


@dataclass(frozen=True, kw_only=True)
class Dialect:
    """Delimiter, quote and header of a table."""

    delimiter: str
    quote: str = '"'
    names: tuple[str, ...]
    """Names of the columns as in the header; a name may appear twice."""
    header_line: int = 1
    """The last line of the header."""

    def repeated_names(self) -> list[str]:
        """Return the names that more than one column has."""
        return [name for name in dict.fromkeys(self.names) if name and self.names.count(name) > 1]

    def labels(self) -> list[str]:
        """Return unique names of the columns: `tokens#2` is the second one called `tokens`."""
        seen: dict[str, int] = {}
        labels = []
        for name in self.names:
            seen[name] = seen.get(name, 0) + 1
            labels.append(name if self.names.count(name) == 1 else f"{name}#{seen[name]}")
        return labels


def find_dialect(lines: Sequence[str]) -> Dialect | None:
    """Return the dialect of a table by its first lines; None if no dialect has a header there.

    A `sep=` line declares the delimiter. Otherwise it is the one that cuts the header into the most fields
    while the following rows have as many.
    """
    start = 0
    declared: str | None = None
    while start < len(lines):
        text = lines[start].strip("\r\n")
        stated = _SEP_LINE.fullmatch(text.strip(" "))
        if stated:
            declared = "\t" if stated["sep"] == "\\t" else stated["sep"]
        elif text.strip() and not _is_comment(text, lines[start + 1 :]):
            break
        start += 1
    else:
        return None
    tried = (declared,) if declared else DELIMITERS
    headers = [
        each for each in (_dialect_with(lines, start, delimiter) for delimiter in tried) if each is not None
    ]
    fitting = [dialect for dialect, fits in headers if fits]
    if fitting:
        return max(fitting, key=lambda each: len(each.names))
    by_spaces = None if declared else _dialect_with(lines, start, SPACES, least=3)
    if by_spaces is not None and by_spaces[1]:
        return by_spaces[0]
    return max((dialect for dialect, _ in headers), key=lambda each: len(each.names), default=None)


def _block(lines: Iterator[tuple[int, str]]) -> list[tuple[int, str]]:
    """Read the next lines, up to a number and a size."""
    block, size = [], 0
    for taken in lines:
        block.append(taken)
        size += len(taken[1])
        if len(block) >= _PIECE_ROWS or size >= _PIECE_BYTES:
            break
    return block


def _is_comment(text: str, following: Sequence[str]) -> bool:
    """Check whether a line is a comment before the header, and not a header that begins with #."""
    if not text.startswith("#"):
        return False
    after = next((line for line in following if line.strip()), "")
    return after.startswith("#") or bool(_NAME.match(after.lstrip('"')))


def _dialect_with(
    lines: Sequence[str], start: int, delimiter: str, *, least: int = 2
) -> tuple[Dialect, bool] | None:
    """Return the dialect with this delimiter and whether the rows agree; None without a header in it."""
    quote = "'" if lines[start].lstrip().startswith("'") else '"'
    numbered = list(enumerate((line.strip("\r\n") for line in lines[start:]), start + 1))
    rows = list(itertools.islice(_RowCutter(numbered, iter(()), delimiter, quote), _LOOKED_AT))
    if not rows or rows[0].cells is None:
        return None
    names = [name.strip().lstrip("\ufeff") for name in rows[0].cells]
    while names and not names[-1]:
        names.pop()
    if len(names) < least:
        return None
    # The last of the first lines may be cut.
    body = [row.cells for row in rows[1:-1] if row.cells is not None] or [
        row.cells for row in rows[1:] if row.cells is not None
    ]
    fitting = sum(
        len(names) - 1 <= len(_without_blank_end(cells, len(names))) <= len(names) for cells in body
    )
    if delimiter == SPACES and not all(_NAME.fullmatch(name) for name in names):
        return None
    dialect = Dialect(delimiter=delimiter, quote=quote, names=tuple(names), header_line=rows[0].last_line)
    return dialect, not body or 2 * fitting >= len(body)


def _without_blank_end(cells: list[str], most: int) -> list[str]:
    """Return the cells without the empty ones of trailing delimiters."""
    end = len(cells)
    while end > most and not cells[end - 1].strip():
        end -= 1
    return cells[:end]


@dataclass(frozen=True, slots=True)
class _TableRow:
    """One row; `cells` None: broken by `problem`."""

    line: int
    last_line: int
    cells: list[str] | None
    problem: Message = UNREADABLE_ROW


class _RowCutter:
    """Cuts a block of numbered lines into rows; a quoted field may contain line ends.

    Args:
        block: the lines.
        beyond: the lines after the block, for a field that continues there.
    """

    def __init__(
        self, block: Iterable[tuple[int, str]], beyond: Iterator[tuple[int, str]], delimiter: str, quote: str
    ) -> None:
        self._waiting = deque(block)
        self._beyond = beyond
        self._delimiter = delimiter
        self._quote = quote
        cut = r"\s" if delimiter == SPACES else re.escape(delimiter)
        self._opens = re.compile(rf"(?:^|{cut})\s*{quote}")
        self._spaced = f"{delimiter} {quote}"

    def __iter__(self) -> Iterator[_TableRow]:
        while self._waiting:
            number, text = self._waiting.popleft()
            if not text.strip():
                continue
            if self._quote not in text:
                yield _TableRow(number, number, split(text, self._delimiter))
            elif not self._opens.search(text):
                yield _TableRow(number, number, self._parsed(text, strict=False), _no_end())
            else:
                yield self._quoted(number, text)

    def _quoted(self, number: int, text: str) -> _TableRow:
        """Read a row with quotes: its lines up to the one that closes the last quote."""
        parts, size = [(number, text)], len(text)
        unclosed = text.count(self._quote) % 2
        while unclosed and len(parts) < _LONGEST_FIELD_LINES and size < _LONGEST_FIELD:
            taken = self._waiting.popleft() if self._waiting else next(self._beyond, None)
            if taken is None:
                break
            parts.append(taken)
            size += len(taken[1]) + 1
            unclosed ^= taken[1].count(self._quote) % 2
        cells = None if unclosed else self._parsed("\n".join(part for _, part in parts))
        if cells is not None:
            return _TableRow(number, parts[-1][0], cells)
        # Only this line is broken: read the others on their own.
        self._waiting.extendleft(reversed(parts[1:]))
        return _TableRow(number, number, None, _no_end())

    def _parsed(self, text: str, *, strict: bool = True) -> list[str] | None:
        reader = csv.reader(
            io.StringIO(text, newline=""),
            delimiter=self._delimiter,
            quotechar=self._quote,
            skipinitialspace=self._spaced in text,
            strict=strict,
        )
        try:
            return next(reader, None)
        except csv.Error:
            return None


def _no_end() -> Message:
    return message("traces.quote_without_end")


def _comparable_name(name: str) -> str:
    """Return a name without the differences that people overlook; pandas adds `.1` to a second column."""
    return re.sub(r"[\s_-]+", "", re.sub(r"\.\d+$", "", name)).lower()


def shown_delimiter(delimiter: str) -> str:
    """Return a delimiter as messages show it."""
    return {"\t": "tab", SPACES: "space"}.get(delimiter, delimiter)


def split(text: str, delimiter: str) -> list[str]:
    """Cut a line without quotes."""
    return text.split() if delimiter == SPACES else text.split(delimiter)


@dataclass(frozen=True, kw_only=True)
class Piece:
    """Some rows by columns; all lists have one entry a row."""

    lines: list[int]
    cells: dict[str, list[str]]
    """Cells by the columns' labels (see `Dialect.labels`)."""


@dataclass(kw_only=True)
class Delimited:
    """A table to read, with the marks of the numbers at its beginning."""

    source: Source
    report: ImportReport
    dialect: Dialect
    marks: Marks = field(default_factory=Marks)
    chosen: bool = False
    """The user named the columns: one of almost the same name is a different column."""

    def require(self, name: str) -> None:
        """Require that exactly one column has this name.

        Raises:
            Refusal: no column has it, or several have.
        """
        if name in self.dialect.labels():
            alike = [each for each in self.dialect.names if _comparable_name(each) == _comparable_name(name)]
            if len(alike) > 1 and not self.chosen:
                self.source.refuse(
                    message("traces.columns_alike", names=[shown_names(alike)]),
                    line=self.dialect.header_line,
                )
            return
        places = [str(place) for place, each in enumerate(self.dialect.names, 1) if each == name]
        if len(places) > 1:
            shown = shown_names([name])
            self.source.refuse(
                message("traces.column_twice", name=shown, places=places, second=f"{shown}#2"),
                line=self.dialect.header_line,
            )
        self.source.refuse(
            message("traces.no_column", name=name, names=shown_names(list(self.dialect.names))),
            line=self.dialect.header_line,
        )

    def pieces(self, names: Sequence[str]) -> Iterator[Piece]:
        """Read these columns, a bounded number of rows at a time. Broken rows go to the report."""
        csv.field_size_limit(MAX_LINE_BYTES)
        if self.dialect.delimiter != ",":
            self.source.assume(
                message("traces.delimiter_read", delimiter=shown_delimiter(self.dialect.delimiter))
            )
        for name in names:
            self.require(name)
        places = [self.dialect.labels().index(name) for name in names]
        total = 0
        for lines, rows in self._batches():
            total += len(rows)
            if total > MAX_ROWS:
                self.source.refuse(message("traces.too_many_rows", maximum=MAX_ROWS))
            if total == len(rows):
                self.marks.add(cell for row in rows[:_MARKED_ROWS] for cell in row)
            columns = [[row[place] for row in rows] for place in places]
            yield Piece(lines=lines, cells=dict(zip(names, columns, strict=True)))

    def _batches(self) -> Iterator[tuple[list[int], list[list[str]]]]:
        dialect = self.dialect
        lines = (
            (number, line.decode())
            for number, line in self.source.open().raw_lines()
            if number > dialect.header_line
        )
        while block := _block(lines):
            quick = self._plain_rows(block)
            if quick is not None:
                yield quick
                continue
            fitted = (
                (record.line, self._cells_of_row(record))
                for record in _RowCutter(block, lines, dialect.delimiter, dialect.quote)
            )
            kept = [(line, cells) for line, cells in fitted if cells is not None]
            if kept:
                yield [line for line, _ in kept], [cells for _, cells in kept]

    def _plain_rows(self, block: list[tuple[int, str]]) -> tuple[list[int], list[list[str]]] | None:
        """Return the rows of a block without quotes, blank or repeated headers; None if it has any."""
        quote, delimiter, names = self.dialect.quote, self.dialect.delimiter, self.dialect.names
        if any(quote in text for _, text in block):
            return None
        rows = [split(text, delimiter) for _, text in block]
        if {len(cells) for cells in rows} != {len(names)}:
            return None
        if any(cells[0] in ("", names[0]) for cells in rows):
            return None
        return [number for number, _ in block], rows

    def _cells_of_row(self, record: _TableRow) -> list[str] | None:
        """Return the cells of a row, one a column; None if the row is blank, broken, or a repeated header."""
        cells, most = record.cells, len(self.dialect.names)
        if cells is None:
            self.report.break_row(record.line, record.problem)
            return None
        if len(cells) != most:
            cells = _without_blank_end(cells, most)
            if len(cells) > most:
                self.report.break_row(record.line, TOO_MANY_FIELDS)
                return None
            cells += [""] * (most - len(cells))
        first = cells[0]
        if first.strip() == self.dialect.names[0] and tuple(map(str.strip, cells)) == self.dialect.names:
            self.source.assume(message("traces.header_again"))
            return None
        if not first and not any(cell.strip() for cell in cells):
            return None
        return cells
