"""The scorecard as a workbook: numbers stay numbers in every locale, text is never a formula."""

import io
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from workbench.base import write_atomic
from workbench.results.bench.queries import BenchQueries
from workbench.results.exports.csv_export import cell
from workbench.results.scorecard.scorecard_rows import COLUMNS, scorecard_rows

if TYPE_CHECKING:
    from openpyxl.worksheet.worksheet import Worksheet

_LONGEST_TEXT = 32767
"""The largest number of characters in a cell of the format."""
_TOO_LONG = 10**15
_WHY_TEXT = "Written as text: of a number, a spreadsheet keeps 15 digits."
_WIDTH = 14
_WIDE = 60


def write_xlsx(bench: BenchQueries, path: Path) -> None:
    """Write the sheets `Scorecard` and `Columns`; an earlier file is replaced only by a complete one.

    Raises:
        Refusal: the folder does not exist or can't be written to.
    """
    from openpyxl import Workbook  # noqa: PLC0415  # slow to import, and only this export needs it

    book = Workbook()
    scorecard = book.worksheets[0]
    scorecard.title = "Scorecard"
    _fill(scorecard, [column.name for column in COLUMNS], _rows(bench), freeze="B2")
    definitions = [[each.name, each.unit, each.definition, each.source] for each in COLUMNS]
    columns = book.create_sheet("Columns")
    _fill(columns, ["column", "unit", "definition", "source"], definitions, freeze="A2")
    columns.column_dimensions["C"].width = _WIDE
    content = io.BytesIO()
    book.save(content)
    write_atomic(path, content.getvalue())


def _rows(bench: BenchQueries) -> list[list[Any]]:
    return [[row.cells[column.name] for column in COLUMNS] for row in scorecard_rows(bench)]


def _fill(sheet: "Worksheet", header: Sequence[str], rows: Sequence[Sequence[Any]], *, freeze: str) -> None:
    from openpyxl.styles import Font  # noqa: PLC0415  # as above
    from openpyxl.utils import get_column_letter  # noqa: PLC0415  # as above

    for column, name in enumerate(header, start=1):
        _put(sheet, 1, column, name)
        sheet.cell(1, column).font = Font(bold=True)
        sheet.column_dimensions[get_column_letter(column)].width = max(_WIDTH, len(name) + 2)
    for line, values in enumerate(rows, start=2):
        for column, value in enumerate(values, start=1):
            _put(sheet, line, column, value)
    sheet.freeze_panes = freeze
    sheet.auto_filter.ref = sheet.dimensions


def _put(sheet: "Worksheet", line: int, column: int, value: Any) -> None:
    from openpyxl.cell.cell import ILLEGAL_CHARACTERS_RE  # noqa: PLC0415  # as above

    shown = cell(value)
    target = sheet.cell(line, column)
    if isinstance(shown, int) and abs(shown) >= _TOO_LONG:
        from openpyxl.comments import Comment  # noqa: PLC0415  # as above

        target.comment = Comment(_WHY_TEXT, "vLLM Workbench")
        shown = str(shown)
    if not isinstance(shown, str):
        target.value = shown
        return
    target.value = ILLEGAL_CHARACTERS_RE.sub("", shown)[:_LONGEST_TEXT]
    # The library takes text with a leading "=" for a formula.
    target.data_type = "s"
