"""The scorecard's panel: the table, copy, columns to choose."""

from typing import TYPE_CHECKING

from PySide6.QtCore import (
    QByteArray,
    QEvent,
    QModelIndex,
    QObject,
    QPoint,
    QSortFilterProxyModel,
    Qt,
    Signal,
)
from PySide6.QtGui import QKeySequence, QResizeEvent, QShortcut
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHeaderView,
    QLineEdit,
    QMenu,
    QSplitter,
    QStyle,
    QTableView,
    QVBoxLayout,
    QWidget,
)

from ui.empty_text import EmptyWords
from ui.live import LiveState
from ui.scorecard.columns import COLUMNS
from ui.scorecard.delegate import CellDelegate
from ui.scorecard.model import Role, ScorecardModel
from ui.table_columns import put_on_clipboard
from ui.theme import Theme

if TYPE_CHECKING:
    from ui.scorecard.chart import ComparisonChart

_CONCLUDED = tuple(place for place, column in enumerate(COLUMNS) if column.key in {"objectives", "verdict"})
_STRETCHED = _CONCLUDED[-1]

_LEAST_VERDICT = 26
"""Average characters: what a verdict rests on, `better (one run each)`, is seen too."""

_LEAST_CHART = 12
"""Lines of text that the chart is high at least, below the table."""


class ScorecardWidget(QWidget):
    """Shows the rows; `run_chosen` when one is opened by double click or Enter."""

    run_chosen = Signal(str)
    behind_chosen = Signal(str)
    """This run is to be drawn behind the others."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.model = ScorecardModel(self)
        self._sorted = QSortFilterProxyModel(self)
        self._sorted.setSourceModel(self.model)
        self._sorted.setSortRole(Role.SORT)
        self._sorted.setFilterKeyColumn(-1)
        self._sorted.setFilterCaseSensitivity(Qt.CaseSensitivity.CaseInsensitive)
        self._filter = QLineEdit()
        self._prepare_filter()
        self.table = QTableView()
        self._prepare_table(theme)
        EmptyWords(self.table, theme, self.tr("Each run of a plan becomes a row here"), self.model)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        self._theme = theme
        self._chart: ComparisonChart | None = None
        self._state = LiveState()
        self._widths: dict[int, int] = {}
        """By section, as `fit_columns` set them last."""
        self._needed = 0
        """Pixels that all columns need, by `fit_columns`."""
        self._arranged: tuple[Qt.Orientation, int] | None = None
        """How table and chart share the room, and the table's height where it is above."""
        self._split = QSplitter(Qt.Orientation.Horizontal)
        self._split.addWidget(self.table)
        self._split.setChildrenCollapsible(False)
        layout.addWidget(self._filter)
        layout.addWidget(self._split, 1)

    def _prepare_table(self, theme: Theme) -> None:
        table = self.table
        table.setModel(self._sorted)
        table.setItemDelegate(CellDelegate(theme))
        table.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        table.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        table.setFrameShape(table.Shape.NoFrame)
        table.setShowGrid(False)
        table.setAlternatingRowColors(False)
        table.setTabKeyNavigation(False)
        table.setWordWrap(False)
        table.verticalHeader().hide()
        table.verticalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        table.verticalHeader().setDefaultSectionSize(self.fontMetrics().height() + 6)
        table.setAccessibleName(self.tr("Scorecard"))
        table.setAccessibleDescription(self.tr("One row a run, the baseline first, differences to it signed"))
        header = table.horizontalHeader()
        header.setSectionsMovable(True)
        header.setHighlightSections(False)
        header.setSectionResizeMode(QHeaderView.ResizeMode.Interactive)
        header.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        header.customContextMenuRequested.connect(self._choose_columns)
        header.setSectionsClickable(True)
        header.setSortIndicatorClearable(True)
        header.setSortIndicator(-1, Qt.SortOrder.AscendingOrder)
        table.setSortingEnabled(True)
        for section, column in enumerate(COLUMNS):
            table.setColumnHidden(section, not column.shown)
        # What is concluded stands beside the run's name, seen in any width; the figures behind it scroll.
        for place, section in enumerate(_CONCLUDED, start=1):
            header.moveSection(header.visualIndex(section), place)
        table.activated.connect(self._open)
        table.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        table.customContextMenuRequested.connect(self._row_menu)
        table.installEventFilter(self)

    def _prepare_filter(self) -> None:
        """Out of sight until asked for: most scorecards have a dozen rows."""
        self._filter.setPlaceholderText(self.tr("Rows that hold this text; Escape shows all"))
        self._filter.setAccessibleName(self.tr("Filter the scorecard"))
        self._filter.setClearButtonEnabled(True)
        self._filter.setVisible(False)
        self._filter.textChanged.connect(self._sorted.setFilterFixedString)
        for keys, call in (
            (QKeySequence(QKeySequence.StandardKey.Find), self.begin_filter),
            (QKeySequence(Qt.Key.Key_Escape), self.end_filter),
        ):
            shortcut = QShortcut(keys, self)
            shortcut.setContext(Qt.ShortcutContext.WidgetWithChildrenShortcut)
            shortcut.activated.connect(call)

    def begin_filter(self) -> None:
        """Let the user narrow the rows."""
        self._filter.setVisible(True)
        self._filter.setFocus()

    def end_filter(self) -> None:
        """All rows again."""
        self._filter.clear()
        self._filter.setVisible(False)
        self.table.setFocus()

    def show_state(self, state: LiveState) -> None:
        """Show another plan."""
        self.model.show_state(state)
        self._state = state
        if self._chart:
            self._chart.show_state(state)
        self.fit_columns()

    def refresh(self) -> None:
        """Rows changed."""
        self.model.refresh()
        if self._chart:
            self._chart.draw()
        self.fit_columns()

    def fit_columns(self) -> None:
        """Give each column what its header and cells need; the verdict takes the rest."""
        header = self.table.horizontalHeader()
        used = 0
        for section in range(len(COLUMNS)):
            if self.table.isColumnHidden(section) or section == _STRETCHED:
                continue
            cells = self.table.sizeHintForColumn(section)
            wanted = max(cells, header.sectionSizeHint(section))
            # A width that the user chose stays, unless it cuts something off.
            ours = self._widths.get(section, header.defaultSectionSize()) == header.sectionSize(section)
            if wanted > header.sectionSize(section) or ours:
                header.resizeSection(section, wanted)
                self._widths[section] = wanted
            used += header.sectionSize(section)
        rows_height = self._sorted.rowCount() * self.table.verticalHeader().defaultSectionSize()
        scrolls = rows_height > self.height() - header.height()
        bar = self.table.style().pixelMetric(QStyle.PixelMetric.PM_ScrollBarExtent) if scrolls else 0
        rest = self.table.width() - bar - used
        # A long verdict is elided, its tooltip is not: better than a bar to move.
        wanted = max(self.table.sizeHintForColumn(_STRETCHED), header.sectionSizeHint(_STRETCHED))
        least = min(wanted, self.fontMetrics().averageCharWidth() * _LEAST_VERDICT)
        header.resizeSection(_STRETCHED, max(rest, least))
        self._needed = used + least
        self._share_room()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Qt: the table may keep its height while the chart loses its own."""
        super().resizeEvent(event)
        self._share_room()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Qt: columns follow the table's width, which the layout sets after the room's own."""
        if watched is self.table and event.type() == QEvent.Type.Resize:
            self.fit_columns()
        return super().eventFilter(watched, event)

    @property
    def chart(self) -> "ComparisonChart":
        """The comparison chart, made when first asked for."""
        if self._chart is None:
            from ui.scorecard.chart import ComparisonChart  # noqa: PLC0415 - its library is slow to load

            self._chart = ComparisonChart(self._theme)
            self._chart.setVisible(False)
            self._split.addWidget(self._chart)
            self._chart.show_state(self._state)
        return self._chart

    def show_chart(self, *, on: bool) -> None:
        """Show the comparison chart beside the table."""
        self.chart.setVisible(on)
        if on:
            self._arranged = None
            self.chart.draw()
        self.fit_columns()

    def _share_room(self) -> None:
        """Chart beside the table; below a low one whose columns would scroll while half of it is empty."""
        if self._chart is None or self._chart.isHidden():
            return
        beside = [self.width() * 2 // 3, self.width() // 3]
        bar = self.table.style().pixelMetric(QStyle.PixelMetric.PM_ScrollBarExtent)
        high = self.table.horizontalHeader().height() + self.table.verticalHeader().length()
        high += bar if self._needed > self.width() else 0
        left = self._split.height() - high
        below = self._needed > beside[0] and left >= max(high, _LEAST_CHART * self.fontMetrics().height())
        way = Qt.Orientation.Vertical if below else Qt.Orientation.Horizontal
        arranged = (way, high if below else 0)
        # What the user made of it since stays, until another arrangement is better.
        if arranged != self._arranged:
            self._arranged = arranged
            self._split.setOrientation(way)
            self._split.setStretchFactor(1, 1 if below else 0)
            self._split.setSizes([high, left] if below else beside)

    def copy(self) -> None:
        """Put the selected rows, or all, on the clipboard as tab-separated text and as HTML, with headers."""
        rows = sorted({index.row() for index in self.table.selectionModel().selectedRows()}) or list(
            range(self._sorted.rowCount())
        )
        shown = [section for section in range(len(COLUMNS)) if not self.table.isColumnHidden(section)]
        lines = [[COLUMNS[section].header() for section in shown]]
        lines += [[str(self._sorted.index(row, section).data() or "") for section in shown] for row in rows]
        put_on_clipboard(lines)

    def save_layout(self) -> bytes:
        """Column widths, order and visibility as opaque bytes."""
        return bytes(self.table.horizontalHeader().saveState().data())

    def restore_layout(self, state: bytes) -> None:
        """Take back what `save_layout` gave."""
        if state:
            self.table.horizontalHeader().restoreState(QByteArray(state))

    def _open(self, index: QModelIndex) -> None:
        self.run_chosen.emit(index.data(Role.RUN))

    def _row_menu(self, position: QPoint) -> None:
        index = self.table.indexAt(position)
        if not index.isValid():
            return
        name = index.data(Role.RUN)
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.addAction(self.tr("Show its plots"), lambda: self.run_chosen.emit(name))
        menu.addAction(self.tr("Draw it behind the plots"), lambda: self.behind_chosen.emit(name))
        menu.addSeparator()
        menu.addAction(self.tr("Copy"), self.copy)
        menu.addAction(self.tr("Filter rows…"), self.begin_filter)
        menu.popup(self.table.viewport().mapToGlobal(position))

    def _choose_columns(self, position: QPoint) -> None:
        menu = QMenu(self)
        for section, column in enumerate(COLUMNS[1:], start=1):
            action = menu.addAction(column.header())
            action.setCheckable(True)
            action.setChecked(not self.table.isColumnHidden(section))
            action.toggled.connect(lambda on, at=section: self._show_column(at, on=on))
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.popup(self.table.horizontalHeader().mapToGlobal(position))

    def _show_column(self, section: int, *, on: bool) -> None:
        self.table.setColumnHidden(section, not on)
        self.fit_columns()
