"""The scorecard as CSV: UTF-8 without BOM, commas, decimal points, a row for each configuration and rate."""

import csv
import io
import math
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from workbench.base import write_atomic
from workbench.results.bench.queries import BenchQueries
from workbench.results.scorecard.column import as_text
from workbench.results.scorecard.scorecard_rows import COLUMNS, scorecard_rows

# Cells of exports: six digits, and text that a spreadsheet can't take for a formula.

_DIGITS = 6
_FORMULA = ("=", "+", "-", "@", "\t", "\r")

Cell = str | float | int | bool | None


def cell(value: Any) -> Cell:
    """Return a value as text, number, truth value or None; six significant digits, NaN as None."""
    if value is None or isinstance(value, bool | int | str):
        return value
    if isinstance(value, float):
        return significant(value) if math.isfinite(value) else None
    return as_text(value)


def significant(value: float) -> float:
    """Round to six significant digits, but keep the whole part."""
    if value == 0:
        return 0.0
    return round(value, max(0, _DIGITS - 1 - math.floor(math.log10(abs(value)))))


def guarded(text: str) -> str:
    """Put an apostrophe before text that a spreadsheet takes for a formula (docs/reference/bench-file.md)."""
    return f"'{text}" if text.startswith(_FORMULA) else text


def plain_number(value: float) -> str:
    """Return a number with a decimal point and without an exponent, which every parser reads."""
    if isinstance(value, int) or value.is_integer():
        return str(int(value))
    digits = max(1, _DIGITS - 1 - math.floor(math.log10(abs(value))))
    return f"{value:.{digits}f}".rstrip("0").rstrip(".")


def write_csv(bench: BenchQueries, path: Path) -> None:
    """Write the scorecard; an earlier file of that name is replaced only by a complete one.

    Raises:
        Refusal: the folder does not exist or can't be written to.
    """
    write_atomic(path, csv_text(bench))


def csv_text(bench: BenchQueries, *, report_sha256: str | None = None) -> str:
    """Return the scorecard as CSV text with its header; `report_sha256` belongs to the report beside it."""
    names = [column.name for column in COLUMNS]
    with_report = {} if report_sha256 is None else {"report_sha256": report_sha256}
    rows = [[_text({**row.cells, **with_report}[name]) for name in names] for row in scorecard_rows(bench)]
    return "".join(map(_line, [names, *rows]))


def table_csv(names: Sequence[str], rows: Iterable[Mapping[str, Any]]) -> str:
    """Return any rows in the same form: a line of `names`, then a line for each row."""
    return "".join(map(_line, [list(names), *([_text(row[name]) for name in names] for row in rows)]))


def _line(cells: list[str]) -> str:
    """Return one line. The csv module quotes a carriage return in a cell only if lines end with one."""
    buffer = io.StringIO()
    csv.writer(buffer, lineterminator="\r\n").writerow(cells)
    return buffer.getvalue().removesuffix("\r\n") + "\n"


def _text(value: Any) -> str:
    shown = cell(value)
    if shown is None:
        return ""
    if isinstance(shown, bool):
        return "true" if shown else "false"
    return guarded(shown) if isinstance(shown, str) else plain_number(shown)
