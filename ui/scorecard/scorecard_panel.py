"""The scorecard panel: the table, copy, choice of columns."""

from typing import TYPE_CHECKING

from PySide6.QtCore import (
    QByteArray,
    QEvent,
    QModelIndex,
    QObject,
    QPoint,
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

from ui.live import LiveState
from ui.look.empty_text import EmptyText
from ui.look.table_columns import choose_row, put_on_clipboard
from ui.look.theme import Theme
from ui.scorecard.columns import COLUMNS
from ui.scorecard.delegate import CellDelegate
from ui.scorecard.earlier_plans import GroupedModel, GroupedOrder
from ui.scorecard.model import Role, ScorecardModel

if TYPE_CHECKING:
    from ui.scorecard.chart import ComparisonChart

_CONCLUDED = tuple(place for place, column in enumerate(COLUMNS) if column.key in {"objectives", "verdict"})
_STRETCHED = _CONCLUDED[-1]

_LEAST_VERDICT = 26
"""Average characters, enough for `better (one run each)`."""

_LEAST_CHART = 12
"""Lines of text of the chart's minimum height below the table."""


class ScorecardPanel(QWidget):
    """Shows the rows; a selected row shows its plots."""

    run_chosen = Signal(str)
    behind_chosen = Signal(str)
    """The run to draw behind the others."""
    earlier_chosen = Signal(object, str)
    """An earlier plan's `LiveState` and its run, to look at."""
    earlier_behind = Signal(object, str)
    """The same, to draw behind the others."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.model = ScorecardModel(self)
        self.grouped = GroupedModel(self.model, self)
        self._sorted = GroupedOrder(self)
        self._sorted.setSourceModel(self.grouped)
        self._kept: tuple[object, str] | None = None
        """The selected run with its plan, while the rows are renewed."""
        self._sorted.setSortRole(Role.SORT)
        self._sorted.setFilterKeyColumn(-1)
        self._sorted.setFilterCaseSensitivity(Qt.CaseSensitivity.CaseInsensitive)
        self._filter = QLineEdit()
        self._filter.setObjectName("filter")
        self._prepare_filter()
        self.table = QTableView()
        self._prepare_table(theme)
        EmptyText(self.table, theme, self.tr("Each run of a plan becomes a row here"), self.grouped)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        self._theme = theme
        self._chart: ComparisonChart | None = None
        self._state = LiveState()
        self._widths: dict[int, int] = {}
        """By section, as last set by `fit_columns`."""
        self._needed = 0
        """Pixels that all columns need, from `fit_columns`."""
        self._arranged: tuple[Qt.Orientation, int] | None = None
        """The arrangement of table and chart, and the table's height if it is above."""
        self._split = QSplitter(Qt.Orientation.Horizontal)
        self._split.setObjectName("split")
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
        table.setAccessibleDescription(
            self.tr("One row per run, the baseline first, with signed differences")
        )
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
        # Verdicts stand beside the run's name, visible in any width; the figures scroll.
        for place, section in enumerate(_CONCLUDED, start=1):
            header.moveSection(header.visualIndex(section), place)
        table.activated.connect(self._open)
        table.clicked.connect(self._fold)
        table.selectionModel().selectionChanged.connect(lambda *_: self._show_selected())
        self._sorted.modelAboutToBeReset.connect(self._keep_selected)
        self._sorted.modelReset.connect(self._select_kept)
        table.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        table.customContextMenuRequested.connect(self._row_menu)
        table.installEventFilter(self)

    def _prepare_filter(self) -> None:
        """Set up the filter, hidden until needed: most scorecards have a dozen rows."""
        self._filter.setPlaceholderText(self.tr("Show rows with this text; Escape shows all"))
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
        """Show the filter and focus it."""
        self._filter.setVisible(True)
        self._filter.setFocus()

    def end_filter(self) -> None:
        """Hide the filter and show all rows."""
        self._filter.clear()
        self._filter.setVisible(False)
        self.table.setFocus()

    def show_state(self, state: LiveState) -> None:
        """Show another plan; the rows of the one before stay under its title."""
        before, self._state = self._state, state
        self.model.show_state(state)
        if before is not state:
            self.grouped.keep(before, beside=state)
        if self._chart:
            self._chart.show_state(state)
        self.fit_columns()

    def refresh(self) -> None:
        """Refresh after a change of rows."""
        self.model.refresh()
        if self._chart:
            self._chart.draw()
        self.fit_columns()

    def fit_columns(self) -> None:
        """Fit each column to its header and cells; the verdict takes the rest."""
        header = self.table.horizontalHeader()
        used = 0
        for section in range(len(COLUMNS)):
            if self.table.isColumnHidden(section) or section == _STRETCHED:
                continue
            cells = self.table.sizeHintForColumn(section)
            wanted = max(cells, header.sectionSizeHint(section))
            # A width set by the user stays, unless it cuts something off.
            ours = self._widths.get(section, header.defaultSectionSize()) == header.sectionSize(section)
            if wanted > header.sectionSize(section) or ours:
                header.resizeSection(section, wanted)
                self._widths[section] = wanted
            used += header.sectionSize(section)
        rows_height = self._sorted.rowCount() * self.table.verticalHeader().defaultSectionSize()
        scrolls = rows_height > self.height() - header.height()
        bar = self.table.style().pixelMetric(QStyle.PixelMetric.PM_ScrollBarExtent) if scrolls else 0
        rest = self.table.width() - bar - used
        # A long verdict is elided rather than scrolled; its tooltip is complete.
        wanted = max(self.table.sizeHintForColumn(_STRETCHED), header.sectionSizeHint(_STRETCHED))
        least = min(wanted, self.fontMetrics().averageCharWidth() * _LEAST_VERDICT)
        header.resizeSection(_STRETCHED, max(rest, least))
        self._needed = used + least
        self._share_room()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Qt: share the new size between table and chart."""
        super().resizeEvent(event)
        self._share_room()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Qt: fit the columns to the table's width, which the layout sets last."""
        if watched is self.table and event.type() == QEvent.Type.Resize:
            self.fit_columns()
        return super().eventFilter(watched, event)

    @property
    def chart(self) -> "ComparisonChart":
        """The comparison chart, made on first use."""
        if self._chart is None:
            from ui.scorecard.chart import ComparisonChart  # noqa: PLC0415 - its library is slow to load

            self._chart = ComparisonChart(self._theme)
            self._chart.setVisible(False)
            self._split.addWidget(self._chart)
            self._chart.show_state(self._state)
        return self._chart

    def show_chart(self, *, on: bool) -> None:
        """Show or hide the comparison chart beside the table."""
        self.chart.setVisible(on)
        if on:
            self._arranged = None
            self.chart.draw()
        self.fit_columns()

    def _share_room(self) -> None:
        """Put the chart beside the table, or below a low table whose columns would scroll."""
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
        # The user's sizes stay until another arrangement is better.
        if arranged != self._arranged:
            self._arranged = arranged
            self._split.setOrientation(way)
            self._split.setStretchFactor(1, 1 if below else 0)
            self._split.setSizes([high, left] if below else beside)

    def copy(self) -> None:
        """Copy the selected rows, or all, as tab-separated text and HTML, with headers."""
        rows = sorted({index.row() for index in self.table.selectionModel().selectedRows()}) or list(
            range(self._sorted.rowCount())
        )
        shown = [section for section in range(len(COLUMNS)) if not self.table.isColumnHidden(section)]
        lines = [[self.model.title_of(COLUMNS[section]) for section in shown]]
        lines += [[str(self._sorted.index(row, section).data() or "") for section in shown] for row in rows]
        put_on_clipboard(lines)

    def save_layout(self) -> bytes:
        """Return column widths, order and visibility as opaque bytes."""
        return bytes(self.table.horizontalHeader().saveState().data())

    def restore_layout(self, state: bytes) -> None:
        """Restore what `save_layout` returned."""
        if state:
            self.table.horizontalHeader().restoreState(QByteArray(state))

    def _open(self, index: QModelIndex) -> None:
        name, plan = index.data(Role.RUN), index.data(Role.PLAN)
        if name is None:
            self.grouped.fold(self._sorted.mapToSource(index).row())
        elif plan is None:
            self.run_chosen.emit(name)
        else:
            self.earlier_chosen.emit(plan, name)

    def _fold(self, index: QModelIndex) -> None:
        if index.data(Role.RUN) is None:
            self._open(index)

    def _selected(self) -> QModelIndex | None:
        rows = self.table.selectionModel().selectedRows()
        return rows[0] if len(rows) == 1 else None

    def _show_selected(self) -> None:
        """Show the plots of a row that was just selected alone."""
        chosen = self._selected()
        if chosen is not None and self._kept is None:
            self._open(chosen)

    def _keep_selected(self) -> None:
        chosen = self._selected()
        self._kept = None if chosen is None else (chosen.data(Role.PLAN), chosen.data(Role.RUN))

    def _select_kept(self) -> None:
        """Select the same run in the renewed rows; nothing new is shown for it."""
        if self._kept is not None:
            for row in range(self._sorted.rowCount()):
                index = self._sorted.index(row, 0)
                if (index.data(Role.PLAN), index.data(Role.RUN)) == self._kept:
                    choose_row(self.table, row)
                    break
        self._kept = None

    def _row_menu(self, position: QPoint) -> None:
        index = self.table.indexAt(position)
        if not index.isValid():
            return
        name = index.data(Role.RUN)
        if name is None:
            return
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        plan = index.data(Role.PLAN)
        menu.addAction(self.tr("Show its plots"), lambda: self._open(index))
        menu.addAction(self.tr("Draw it behind the plots"), lambda: self._draw_behind(plan, name))
        menu.addSeparator()
        menu.addAction(self.tr("Copy"), self.copy)
        menu.addAction(self.tr("Filter rows…"), self.begin_filter)
        menu.popup(self.table.viewport().mapToGlobal(position))

    def _draw_behind(self, plan: LiveState | None, name: str) -> None:
        if plan is None:
            self.behind_chosen.emit(name)
        else:
            self.earlier_behind.emit(plan, name)

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
