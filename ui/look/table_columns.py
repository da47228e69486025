"""Common parts of all tables: columns as data, headers, rows for the clipboard."""

from collections.abc import Sequence
from html import escape
from typing import Any, Protocol

from PySide6.QtCore import (
    QAbstractTableModel,
    QItemSelectionModel,
    QMimeData,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    Qt,
)
from PySide6.QtWidgets import QApplication, QTableView

Index = QModelIndex | QPersistentModelIndex
NOWHERE = QModelIndex()


class Column(Protocol):
    """One column of a table."""

    @property
    def kind(self) -> str:
        """`text`, or a kind of number."""

    @property
    def tip(self) -> str:
        """The column's meaning; empty if the header says it."""

    def header(self) -> str:
        """Return the title with its unit."""


def alignment(column: Column) -> int:
    """Return left for text, right for numbers."""
    side = Qt.AlignmentFlag.AlignLeft if column.kind == "text" else Qt.AlignmentFlag.AlignRight
    return int((side | Qt.AlignmentFlag.AlignVCenter).value)


class ColumnsModel(QAbstractTableModel):
    """A model whose columns are declared as data: their count and headers."""

    def __init__(self, columns: Sequence[Column], parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._columns = tuple(columns)

    def columnCount(self, parent: Index = NOWHERE) -> int:
        """Qt: return the number of columns."""
        return 0 if parent.isValid() else len(self._columns)

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> Any:
        """Qt: return a header's data."""
        if orientation != Qt.Orientation.Horizontal or not 0 <= section < len(self._columns):
            return None
        column = self._columns[section]
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return self.title_of(column)
            case Qt.ItemDataRole.ToolTipRole:
                return self.tip_of(column) or None
            case Qt.ItemDataRole.TextAlignmentRole:
                return alignment(column)
        return None

    def title_of(self, column: Any) -> str:
        """Return the header's text."""
        return str(column.header())

    def tip_of(self, column: Any) -> str:
        """Return the header's tooltip in the user's language."""
        return str(column.tip)


def choose_row(table: QTableView, row: int) -> None:
    """Select this row alone, whatever keys are held; `selectRow` would extend or toggle."""
    flags = QItemSelectionModel.SelectionFlag.ClearAndSelect | QItemSelectionModel.SelectionFlag.Rows
    table.selectionModel().setCurrentIndex(table.model().index(row, _first_seen(table)), flags)


def _first_seen(table: QTableView) -> int:
    """Return the first visible column, so that the view needs no scrolling to the current cell."""
    header = table.horizontalHeader()
    sections = [header.logicalIndex(place) for place in range(header.count())]
    return next((section for section in sections if not header.isSectionHidden(section)), 0)


def put_on_clipboard(lines: Sequence[Sequence[str]]) -> None:
    """Put lines of cells, headers first, on the clipboard as tab-separated text and as an HTML table."""
    data = QMimeData()
    data.setText("\n".join("\t".join(line) for line in lines) + "\n")
    html = "".join(f"<tr>{''.join(f'<td>{escape(cell)}</td>' for cell in line)}</tr>" for line in lines)
    data.setHtml(f"<table>{html}</table>")
    QApplication.clipboard().setMimeData(data)
