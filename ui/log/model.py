"""The log as a bounded list model, filled in batches."""

import math
from collections.abc import Callable, Iterable
from typing import Any

from PySide6.QtCore import (
    QAbstractListModel,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    QSortFilterProxyModel,
    Qt,
)

from ui.language.texts import said
from ui.live import LogLine
from ui.look.theme import Theme
from workbench.base import Message

Index = QModelIndex | QPersistentModelIndex
_NOWHERE = QModelIndex()

KEPT = 20_000
"""Lines kept; the oldest quarter is dropped at this size."""

LEVELS = ("info", "warning", "error")


class LogModel(QAbstractListModel):
    """Log lines, oldest first."""

    LEVEL = int(Qt.ItemDataRole.UserRole)

    def __init__(self, theme: Theme, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._lines: list[LogLine] = []

    def extend(self, lines: Iterable[LogLine]) -> None:
        """Add lines."""
        new = list(lines)[-KEPT:]
        if not new:
            return
        if len(self._lines) + len(new) > KEPT:
            drop = min(len(self._lines), max(KEPT // 4, len(self._lines) + len(new) - KEPT))
            self.beginRemoveRows(QModelIndex(), 0, drop - 1)
            del self._lines[:drop]
            self.endRemoveRows()
        first = len(self._lines)
        self.beginInsertRows(QModelIndex(), first, first + len(new) - 1)
        self._lines += new
        self.endInsertRows()

    def kept(self) -> list[LogLine]:
        """Return all lines that are kept."""
        return list(self._lines)

    def rowCount(self, parent: Index = _NOWHERE) -> int:
        """Qt: return the number of rows."""
        return 0 if parent.isValid() else len(self._lines)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Qt: return a cell's data."""
        if not index.isValid():
            return None
        line = self._lines[index.row()]
        if role == Qt.ItemDataRole.DisplayRole:
            return text_of(line, said)
        if role == Qt.ItemDataRole.ForegroundRole:
            return self._colour(line)
        if role == self.LEVEL:
            return line.level
        return None

    def _colour(self, line: LogLine) -> Any:
        if line.level == "error":
            return self._theme.ink("fail")
        if line.level == "warning":
            return self._theme.ink("warning")
        return self._theme.secondary if line.source == "server" else None


class LogFilter(QSortFilterProxyModel):
    """Lines of a minimum level that contain the search text."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._least = 0
        self.setFilterCaseSensitivity(Qt.CaseSensitivity.CaseInsensitive)

    def set_least(self, level: str) -> None:
        """Show this level and worse ones."""
        self.beginFilterChange()
        self._least = LEVELS.index(level)
        self.endFilterChange(QSortFilterProxyModel.Direction.Rows)

    def filterAcceptsRow(self, source_row: int, source_parent: Index) -> bool:
        """Qt: return True if the row is shown."""
        level = self.sourceModel().index(source_row, 0, source_parent).data(LogModel.LEVEL)
        return LEVELS.index(level) >= self._least and super().filterAcceptsRow(source_row, source_parent)


def text_of(line: LogLine, say: Callable[[Message | str], str] = str) -> str:
    """Return a log line as text; `say` translates our own texts."""
    mark = {"error": "✗ ", "warning": "⚠ "}.get(line.level, "")
    when = "" if math.isnan(line.t) else f"{line.t:.1f}"
    text = str(line.text) if line.source == "server" else say(line.text)
    return f"{when:>8}  {line.source:<9}  {mark}{text}"
