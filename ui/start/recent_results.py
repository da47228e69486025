"""Recent results by name, system, trace, verdict and date, with a search."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QCoreApplication, QSortFilterProxyModel, Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QHeaderView, QLabel, QLineEdit, QTableView, QVBoxLayout, QWidget

from ui.conductor.background import Background
from ui.language.number_text import SIMULATED
from ui.language.texts import said
from ui.look.table_columns import NOWHERE, ColumnsModel, Index

if TYPE_CHECKING:
    from workbench.experiments import BenchDigest

_MOST = 60
"""Newest bench files that are read."""
_ROWS_SHOWN = 8
_SHARES = (0.28, 0.3, 0.14, 0.28)
"""Shares of the width that the date leaves: name, system, trace, verdict."""


class _Column:
    """One column; all are texts."""

    kind = "text"
    tip = ""

    def __init__(self, title: str) -> None:
        self._title = title

    def header(self) -> str:
        """Return the title."""
        return self._title


class ResultsModel(ColumnsModel):
    """One row for each bench file, the newest first."""

    def __init__(self) -> None:
        titles = (_t("Name"), _t("System"), _t("Trace"), _t("Verdict"), _t("Date"))
        super().__init__([_Column(title) for title in titles])
        self._found: list[BenchDigest] = []

    def show(self, found: "Sequence[BenchDigest]") -> None:
        """Show these results."""
        self.beginResetModel()
        self._found = sorted(found, key=lambda each: each.started_utc, reverse=True)
        self.endResetModel()

    def path(self, row: int) -> Path:
        """Return the bench file of a row."""
        return Path(self._found[row].path)

    def rowCount(self, parent: Index = NOWHERE) -> int:
        """Qt: return the number of rows."""
        return 0 if parent.isValid() else len(self._found)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Qt: return a cell's data."""
        if not index.isValid():
            return None
        found = self._found[index.row()]
        if role == Qt.ItemDataRole.ToolTipRole:
            return f"{self._text(index)}\n{found.path}"
        return self._text(index) if role == Qt.ItemDataRole.DisplayRole else None

    def _text(self, index: Index) -> str:
        found = self._found[index.row()]
        mark = f"{SIMULATED} " if found.simulated else ""
        date = found.started_utc[:16].replace("T", " ")
        return (found.name, mark + found.system, found.trace, said(found.verdict), date)[index.column()]


class RecentResults(QWidget):
    """The table and its search; hidden without any result."""

    chosen = Signal(Path)

    def __init__(self) -> None:
        super().__init__()
        self.model = ResultsModel()
        self.search = QLineEdit()
        self.table = QTableView()
        self._filter = QSortFilterProxyModel(self)
        self._background = Background(self)
        self._known: dict[tuple[str, float], BenchDigest] = {}
        self._lay_out()
        self.search.textChanged.connect(self._filter.setFilterFixedString)
        self.table.activated.connect(lambda index: self._choose(index.row()))
        self.table.doubleClicked.connect(lambda index: self._choose(index.row()))
        self.setVisible(False)

    def _lay_out(self) -> None:
        self._filter.setSourceModel(self.model)
        self._filter.setFilterKeyColumn(-1)
        self._filter.setFilterCaseSensitivity(Qt.CaseSensitivity.CaseInsensitive)
        table = self.table
        table.setModel(self._filter)
        table.setObjectName("recent_results")
        table.setAccessibleName(self.tr("Recent results"))
        table.setSelectionBehavior(QTableView.SelectionBehavior.SelectRows)
        table.setSelectionMode(QTableView.SelectionMode.SingleSelection)
        table.setEditTriggers(QTableView.EditTrigger.NoEditTriggers)
        table.setShowGrid(False)
        table.setWordWrap(False)
        table.setTabKeyNavigation(False)
        table.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        table.verticalHeader().hide()
        table.verticalHeader().setDefaultSectionSize(self.fontMetrics().height() + 7)
        header = table.horizontalHeader()
        header.setHighlightSections(False)
        header.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        self.search.setPlaceholderText(self.tr("Search by name, system, trace, verdict or date"))
        self.search.setAccessibleName(self.search.placeholderText())
        self.search.setClearButtonEnabled(True)
        row = QHBoxLayout()
        row.addWidget(QLabel(self.tr("Recent results")))
        row.addWidget(self.search, 1)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addLayout(row)
        column.addWidget(table)

    def refresh(self, folder: Path, others: Sequence[str]) -> None:
        """Read the folder's newest bench files, and recent ones elsewhere, in the background."""
        known = dict(self._known)
        self._background.run(lambda: _digests(folder, others, known), self._show, lambda _error: None)

    def _show(self, found: "dict[tuple[str, float], BenchDigest]") -> None:
        if found.keys() != self._known.keys() or not self.model.rowCount():
            self._known = found
            self.model.show(list(found.values()))
        rows = min(self.model.rowCount(), _ROWS_SHOWN)
        section = self.table.verticalHeader().defaultSectionSize()
        self.table.setFixedHeight(rows * section + self.table.horizontalHeader().sizeHint().height() + 4)
        self.setVisible(bool(self.model.rowCount()))

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Qt: share the width among the columns."""
        super().resizeEvent(event)
        date = self.fontMetrics().horizontalAdvance("0000-00-00 00:00") + 14
        rest = max(0, self.table.viewport().width() - date)
        for column, share in enumerate(_SHARES):
            self.table.setColumnWidth(column, round(rest * share))
        self.table.setColumnWidth(len(_SHARES), date)

    def _choose(self, row: int) -> None:
        source = self._filter.mapToSource(self._filter.index(row, 0))
        if source.isValid():
            self.chosen.emit(self.model.path(source.row()))


def _digests(
    folder: Path, others: Sequence[str], known: "dict[tuple[str, float], BenchDigest]"
) -> "dict[tuple[str, float], BenchDigest]":
    """Read the newest bench files; an unreadable one is left out, an unchanged one is not read again."""
    from workbench.base import WorkbenchError  # noqa: PLC0415 - as below
    from workbench.experiments import digest_bench  # noqa: PLC0415 - the core loads when first needed

    paths = {*folder.glob("*/*.bench"), *(Path(text) for text in others if text.endswith(".bench"))}
    dated = sorted(((path.stat().st_mtime, path) for path in paths if path.is_file()), reverse=True)
    found = {}
    for changed, path in dated[:_MOST]:
        key = str(path), changed
        try:
            found[key] = known[key] if key in known else digest_bench(path)
        except (WorkbenchError, OSError):
            continue
    return found


def _t(text: str) -> str:
    """Return `text` in the user's language."""
    return QCoreApplication.translate("recent results", text)
