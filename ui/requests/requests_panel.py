"""The requests panel: choice of the run, filters, the table, and the chosen requests' lives."""

from collections.abc import Callable
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import (
    QByteArray,
    QItemSelection,
    QItemSelectionModel,
    QPoint,
    Qt,
    Signal,
)
from PySide6.QtGui import QAction, QKeySequence, QShortcut
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHBoxLayout,
    QHeaderView,
    QLabel,
    QLineEdit,
    QMenu,
    QSplitter,
    QTableView,
    QVBoxLayout,
)

from ui.conductor.background import Background
from ui.forms import Choice
from ui.language import number_text
from ui.language.texts import Sayable, said
from ui.live import Changed, LiveState
from ui.look.elided_label import ElidedLabel
from ui.look.table_columns import choose_row, put_on_clipboard
from ui.look.theme import Theme
from ui.requests.blame_view import BlameView
from ui.requests.columns import COLUMNS, OUTCOMES, outcome_text, place_of
from ui.requests.explaining import explain
from ui.requests.life import life_of
from ui.requests.life_view import MOST, LifeView
from ui.requests.model import RequestsModel
from ui.requests.table import RequestTable
from ui.window.panel import Panel

if TYPE_CHECKING:
    from workbench.advice.blame import Blame

Reader = Callable[[Path, str], RequestTable]
Explainer = Callable[[Path, str], "Blame | None"]
_ROWS_MEASURED = 60
"""Rows measured for a column's width."""


class RequestsPanel(Panel):
    """Every request of one run, read in the background once the panel is visible."""

    request_chosen = Signal(str, str)
    """Run and id of the only selected request."""
    steps_wanted = Signal(str, str)
    """Run and id of a request whose steps are asked for."""

    def __init__(
        self, theme: Theme, reader: Reader | None = None, explainer: Explainer | None = None
    ) -> None:
        super().__init__()
        self.read = reader or _read
        self._explain = explainer or explain
        self._ledger: Blame | None = None
        self._state = LiveState()
        self.run = ""
        self._stale = False
        self._chosen_here = False
        self._fitted = False
        self._kept: list[int] = []
        self._background = Background(self)
        self._explaining = Background(self)
        self.model = RequestsModel(self)
        self.table = QTableView()
        self.life = LifeView(theme)
        self.blame = BlameView(theme)
        self.blame.hide()
        self._runs = Choice([])
        self._runs.setObjectName("runs")
        self._outcome = Choice([("", self.tr("Every outcome"))] + [(o, outcome_text(o)) for o in OUTCOMES])
        self._class = Choice([("", self.tr("Every class"))])
        self._search = QLineEdit()
        self._search.setObjectName("search")
        self._said = ElidedLabel()
        self._said.setObjectName("status")
        self._prepare_table()
        self._lay_out()
        self._wire()

    def _prepare_table(self) -> None:
        table = self.table
        table.setModel(self.model)
        table.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        table.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        table.setFrameShape(table.Shape.NoFrame)
        table.setShowGrid(False)
        table.setWordWrap(False)
        table.setTabKeyNavigation(False)
        table.setAccessibleName(self.tr("Requests"))
        rows = table.verticalHeader()
        rows.hide()
        rows.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        rows.setDefaultSectionSize(self.fontMetrics().height() + 4)
        header = table.horizontalHeader()
        header.setHighlightSections(False)
        header.setResizeContentsPrecision(_ROWS_MEASURED)
        header.setSectionsMovable(True)
        header.setStretchLastSection(True)
        header.setSortIndicatorClearable(True)
        header.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        header.customContextMenuRequested.connect(self._choose_columns)
        header.setSortIndicator(place_of("ttft"), Qt.SortOrder.DescendingOrder)
        table.setSortingEnabled(True)
        for section, column in enumerate(COLUMNS):
            table.setColumnHidden(section, not column.shown)

    def _lay_out(self) -> None:
        self._runs.setAccessibleName(self.tr("Run"))
        self._outcome.setAccessibleName(self.tr("Outcome"))
        self._class.setAccessibleName(self.tr("Class"))
        self._search.setAccessibleName(self.tr("Search requests"))
        self._search.setPlaceholderText(self.tr("Id, session, error"))
        self._search.setClearButtonEnabled(True)
        bar = QHBoxLayout()
        bar.setContentsMargins(8, 4, 8, 4)
        bar.setSpacing(8)
        label = QLabel(self.tr("R&un"))
        label.setBuddy(self._runs)
        bar.addWidget(label)
        bar.addWidget(self._runs, 3)
        # A few fixed words: as wide as they are.
        self._outcome.setSizeAdjustPolicy(Choice.SizeAdjustPolicy.AdjustToContents)
        bar.addWidget(self._outcome)
        bar.addWidget(self._class, 1)
        bar.addWidget(self._search, 2)
        # A long error takes no room from the choices.
        bar.addWidget(self._said, 2)
        split = QSplitter(Qt.Orientation.Horizontal)
        split.addWidget(self.table)
        lives = QSplitter(Qt.Orientation.Vertical)
        lives.addWidget(self.life)
        lives.addWidget(self.blame)
        lives.setChildrenCollapsible(False)
        split.addWidget(lives)
        split.setChildrenCollapsible(False)
        split.setStretchFactor(0, 3)
        split.setStretchFactor(1, 2)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addLayout(bar)
        layout.addWidget(split, 1)

    def _wire(self) -> None:
        self._runs.chosen.connect(self.show_run)
        self._outcome.chosen.connect(lambda outcome: self._narrow(outcome=outcome))
        self._class.chosen.connect(lambda cls: self._narrow(cls=cls))
        self._search.textChanged.connect(lambda text: self._narrow(text=text.strip()))
        self.table.selectionModel().selectionChanged.connect(lambda *_: self._show_lives())
        self.model.modelAboutToBeReset.connect(self._keep_chosen)
        self.model.modelReset.connect(self._choose_kept)
        steps = QAction(self.tr("Show in steps"), self.table)
        steps.triggered.connect(self._ask_for_steps)
        self.table.addAction(steps)
        self.table.setContextMenuPolicy(Qt.ContextMenuPolicy.ActionsContextMenu)
        shortcut = QShortcut(QKeySequence.StandardKey.Copy, self.table)
        shortcut.setContext(Qt.ShortcutContext.WidgetShortcut)
        shortcut.activated.connect(self.copy)

    def show_state(self, state: LiveState) -> None:
        """Clear the table for another plan."""
        self._state, self.run, self._chosen_here = state, "", False
        self._background.forget()
        self._explaining.forget()
        self._show_ledger(None)
        self._show_table(None)
        self._fill_runs()
        self._choose_default()

    def on_change(self, changed: Changed) -> None:
        """Read again after a run ended or was added."""
        if changed & (Changed.PLAN | Changed.ROWS | Changed.END):
            self._fill_runs()
            before = self.run
            if not self._chosen_here:
                self._choose_default()
            if self.run and self.run == before:
                self._stale = True
                self._load_if_seen()

    def show_run(self, name: str) -> None:
        """Show this run's requests, and keep it when other runs start."""
        self._chosen_here = True
        self._show_run(name)

    def _show_run(self, name: str) -> None:
        if name in self._state.runs and name != self.run:
            self.run, self._stale = name, True
            self._runs.show_value(name)
            self._load_if_seen()

    def on_visible(self) -> None:
        """Read the requests that are due."""
        self._load_if_seen()

    def _fill_runs(self) -> None:
        begun = [run.name for run in self._state.runs.values() if run.status not in {"planned", "skipped"}]
        if [self._runs.itemData(at) for at in range(self._runs.count())] != begun:
            self._runs.set_options([(name, name) for name in begun])
            self._runs.show_value(self.run)

    def _choose_default(self) -> None:
        """Show the run that was measured last, else the running one."""
        runs = self._state.runs
        ended = [name for name, run in runs.items() if run.row]
        name = (self._state.current or "") if self._state.read_only or not ended else ended[-1]
        if name in runs and runs[name].status != "planned":
            self._show_run(name)

    def _load_if_seen(self) -> None:
        if not (self._stale and self.run and self._state.bench and self.is_on_screen()):
            return
        self._stale = False
        path, run = Path(self._state.bench), self.run
        self._said.show_text(self.tr("Reading …"))
        self._show_ledger(None)
        self._background.run(lambda: self.read(path, run), self._show_table, self._say_failure)
        self._explaining.run(
            lambda: self._explain(path, run), self._show_ledger, lambda _error: self._show_ledger(None)
        )

    def _say_failure(self, error: Sayable) -> None:
        self._show_table(None)
        self._said.show_text(said(error))

    def _show_table(self, table: RequestTable | None) -> None:
        if table is None or self.model.table is None or self.model.table.run != table.run:
            self._kept = []
            self.table.clearSelection()
        self.model.show_table(table)
        if table is not None:
            self._fit(table)
        self._say_count()
        if self.model.rowCount() and not self.table.selectionModel().hasSelection():
            choose_row(self.table, 0)
        self._show_lives()

    def _show_ledger(self, ledger: "Blame | None") -> None:
        """Show why requests were slow, if the run recorded its steps."""
        self._ledger = ledger
        self.blame.setVisible(ledger is not None)
        self._show_blame()

    def _show_blame(self) -> None:
        table = self.model.table
        if self._ledger is None or table is None:
            return
        places = self._chosen_places()
        if len(places) == 1:
            request = str(table.texts["request_id"][places[0]])
            self.blame.show_request(self._ledger, request)
        else:
            self.blame.show_run(self._ledger)

    def choose_request(self, run: str, request: str) -> None:
        """Select a request as if by a click, if its run is shown."""
        table = self.model.table
        if table is None or table.run != run:
            return
        places = np.flatnonzero(table.texts["request_id"] == request).tolist()
        if places != self._chosen_places() and (rows := self.model.rows_of(places)):
            choose_row(self.table, rows[0])

    def _chosen_request(self) -> str | None:
        """Return the id of the only selected request."""
        places, table = self._chosen_places(), self.model.table
        return str(table.texts["request_id"][places[0]]) if table is not None and len(places) == 1 else None

    def _ask_for_steps(self) -> None:
        request = self._chosen_request()
        if request is not None:
            self.steps_wanted.emit(self.run, request)

    def _keep_chosen(self) -> None:
        self._kept = self._chosen_places()

    def _choose_kept(self) -> None:
        """Keep the selection when the sort order or filter changes."""
        selection = QItemSelection()
        for row in self.model.rows_of(self._kept):
            index = self.model.index(row, 0)
            selection.select(index, index)
        flags = QItemSelectionModel.SelectionFlag.ClearAndSelect | QItemSelectionModel.SelectionFlag.Rows
        self.table.selectionModel().select(selection, flags)

    def _fit(self, table: RequestTable) -> None:
        """Fill the choice of classes, hide empty columns, fit widths."""
        classes = sorted(set(table.texts["cls"]), key=number_text.by_number)
        chosen = self._class.currentData() or ""
        self._class.set_options([("", self.tr("Every class")), *((name, name) for name in classes)])
        self._class.show_value(chosen if chosen in classes else "")
        self._narrow(cls=self._class.currentData())
        self._class.setVisible(len(classes) > 1)
        if not self._fitted:
            self.table.setColumnHidden(place_of("cls"), len(classes) == 1)
        for section, column in enumerate(COLUMNS):
            if column.server:
                known = table.knows(column.key)
                self.table.setColumnHidden(section, not known)
        header = self.table.horizontalHeader()
        for section in range(len(COLUMNS)):
            wanted = max(self.table.sizeHintForColumn(section), header.sectionSizeHint(section))
            if wanted > header.sectionSize(section) or not self._fitted:
                header.resizeSection(section, wanted)
        self._fitted = True

    def _narrow(self, **parts: object) -> None:
        self.model.set_filter(**parts)
        self._say_count()

    def _say_count(self) -> None:
        table = self.model.table
        if table is None:
            self._said.show_text("" if self._state.runs else self.tr("No run yet"))
            return
        mark = f" · {self.tr('simulated')}" if table.simulated else ""
        shown, all_ = number_text.count(self.model.rowCount()), number_text.count(len(table))
        text = (
            self.tr("{0} of {1}").format(shown, all_)
            if shown != all_
            else self.tr("{0} requests").format(all_)
        )
        self._said.show_text(text + mark)

    def _chosen_rows(self, most: int | None = None) -> list[int]:
        """Return the selected rows; one index for each of 100,000 rows would take seconds."""
        selection = self.table.selectionModel().selection()
        ranges = [selection.at(place) for place in range(selection.size())]
        rows = {row for one in ranges for row in islice(range(one.top(), one.bottom() + 1), most)}
        return sorted(rows)[:most]

    def _chosen_places(self) -> list[int]:
        return sorted(self.model.place_at(row) for row in self._chosen_rows(MOST))

    def _show_lives(self) -> None:
        table = self.model.table
        lives = [] if table is None else [life_of(table, place) for place in self._chosen_places()]
        self.life.show_lives(lives)
        self._show_blame()
        request = self._chosen_request()
        if request is not None:
            self.request_chosen.emit(self.run, request)

    def copy(self) -> None:
        """Copy the selected rows as tab-separated text and HTML, with headers."""
        rows = self._chosen_rows()
        shown = [section for section in range(len(COLUMNS)) if not self.table.isColumnHidden(section)]
        lines = [[COLUMNS[section].header() for section in shown]]
        if self.model.table is not None and self.model.table.simulated:
            lines[0][0] = self.tr("{0} (simulated)").format(lines[0][0])
        lines += [[str(self.model.index(row, section).data() or "") for section in shown] for row in rows]
        put_on_clipboard(lines)

    def save_layout(self) -> bytes:
        """Return column widths, order and visibility as opaque bytes."""
        return bytes(self.table.horizontalHeader().saveState().data())

    def restore_layout(self, state: bytes) -> None:
        """Restore what `save_layout` returned."""
        if state:
            self._fitted = self.table.horizontalHeader().restoreState(QByteArray(state))

    def _choose_columns(self, position: QPoint) -> None:
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        for section, column in enumerate(COLUMNS[1:], start=1):
            action = menu.addAction(column.header())
            action.setCheckable(True)
            action.setChecked(not self.table.isColumnHidden(section))
            action.toggled.connect(lambda on, at=section: self.table.setColumnHidden(at, not on))
        menu.popup(self.table.horizontalHeader().mapToGlobal(position))


def _read(path: Path, run: str) -> RequestTable:
    """Read in the background's thread, where loading the core blocks nothing."""
    from ui.requests.reading import read_requests  # noqa: PLC0415 - as said

    return read_requests(path, run)
