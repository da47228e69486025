"""The requests as a table model over numpy columns: one array of indices holds order and filter.

A proxy model would call Python for each comparison, which takes seconds for 100,000 rows.
"""

from collections.abc import Sequence
from enum import IntEnum
from typing import Any

import numpy as np
from PySide6.QtCore import QObject, Qt

from ui.language import number_text
from ui.language.texts import said
from ui.look.table_columns import NOWHERE, ColumnsModel, Index, alignment
from ui.requests.columns import COLUMNS, Column, outcome_text, place_of, translated
from ui.requests.table import Places, RequestTable, matching, order_by, waited_s

_NONE: Places = np.empty(0, dtype=np.intp)

SYMBOLS = {
    "completed": "✓",
    "failed": "✗",
    "rejected": "⊘",
    "timed_out": "⌛",
    "unfinished": "…",
    "cancelled": "–",
}
"""Symbols, so that an outcome has more than its color."""


class Role(IntEnum):
    """Roles for delegate and view."""

    PLACE = Qt.ItemDataRole.UserRole
    """The request's index in the table, not in the view."""


class RequestsModel(ColumnsModel):
    """Rows are the filtered requests in the sort order."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(COLUMNS, parent)
        self._table: RequestTable | None = None
        self._shown = _NONE
        self._least = np.empty(0)
        self._sorted = (place_of("ttft"), Qt.SortOrder.DescendingOrder)
        self._filter: dict[str, Any] = {"text": "", "outcome": "", "cls": "", "warm_up": True}

    @property
    def table(self) -> RequestTable | None:
        """The shown table; None before the first."""
        return self._table

    def show_table(self, table: RequestTable | None) -> None:
        """Show another run's requests with the same order and filter."""
        self.beginResetModel()
        self._table = table
        self._least = np.empty(0) if table is None else waited_s(table)
        self._arrange()
        self.endResetModel()

    def set_filter(self, **parts: Any) -> None:
        """Change some of text, outcome, cls, warm_up."""
        changed = {**self._filter, **parts}
        if changed != self._filter:
            self.beginResetModel()
            self._filter = changed
            self._arrange()
            self.endResetModel()

    def sort(self, column: int, order: Qt.SortOrder = Qt.SortOrder.AscendingOrder) -> None:
        """Qt: sort by a column; -1 for the order of the schedule."""
        if (column, order) == self._sorted:
            return
        # layoutChanged would split a selection of 100,000 rows into as many ranges and paint for seconds.
        self.beginResetModel()
        self._sorted = (column, order)
        self._arrange()
        self.endResetModel()

    def _arrange(self) -> None:
        table = self._table
        if table is None:
            self._shown = _NONE
            return
        places = np.flatnonzero(matching(table, **self._filter))
        section, order = self._sorted
        if section >= 0:
            column = COLUMNS[section]
            values = table.numbers.get(column.key, table.texts.get(column.key))
            assert values is not None
            least = self._least[places] if column.key in {"ttft", "e2e"} else None
            descending = order == Qt.SortOrder.DescendingOrder
            places = places[order_by(values[places], descending=descending, least=least)]
        self._shown = places

    def place_at(self, row: int) -> int:
        """Return the index in the table of the request in a row."""
        return int(self._shown[row])

    def rows_of(self, places: Sequence[int]) -> list[int]:
        """Return the rows that show these requests, ascending, without filtered ones."""
        return [int(row) for row in np.flatnonzero(np.isin(self._shown, np.array(places, dtype=np.intp)))]

    def rowCount(self, parent: Index = NOWHERE) -> int:
        """Qt: return the number of rows."""
        return 0 if parent.isValid() else len(self._shown)

    def tip_of(self, column: Column) -> str:
        """Return the column's meaning."""
        return translated(column.tip) if column.tip else ""

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Qt: return a cell's data."""
        if not index.isValid() or self._table is None:
            return None
        place, column = self.place_at(index.row()), COLUMNS[index.column()]
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return self.words(place, column)
            case Qt.ItemDataRole.TextAlignmentRole:
                return alignment(column)
            case Qt.ItemDataRole.ToolTipRole:
                return said(self._table.texts["error"][place]) or None
            case Role.PLACE:
                return place
        return None

    def words(self, place: int, column: Column) -> str:
        """Return a cell's text; a dash for an unknown figure."""
        table = self._table
        assert table is not None
        if column.kind == "text":
            text = str(table.texts[column.key][place])
            if column.key == "outcome":
                return f"{SYMBOLS.get(text, '')} {outcome_text(text)}"
            return said(text) if column.key == "error" else text
        value = float(table.numbers[column.key][place])
        if np.isnan(value):
            bound = self._least[place] if column.key in {"ttft", "e2e"} else np.nan
            return number_text.UNKNOWN if np.isnan(bound) else f"≥ {number_text.significant(bound)}"
        return number_text.count(value) if column.kind == "count" else number_text.significant(value)
