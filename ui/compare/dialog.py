"""The comparison of systems: bench files, offers and demand on the left, the decision sheet on the right."""

from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import QSize, Qt, QTimer
from PySide6.QtWidgets import (
    QAbstractItemView,
    QDialog,
    QFileDialog,
    QGroupBox,
    QHBoxLayout,
    QLabel,
    QListWidget,
    QMessageBox,
    QPushButton,
    QTableView,
    QTabWidget,
    QVBoxLayout,
    QWidget,
)

from ui.compare.comparison import Question, Sheet, compare, write_sheet
from ui.compare.demand_chart import DemandChart
from ui.compare.demand_editor import DemandEditor
from ui.compare.offers_list import OffersList
from ui.compare.page import write_page
from ui.compare.sheet import COLUMNS, SheetModel, scenario_lines
from ui.compare.systems_list import SystemsList
from ui.conductor.background import Background
from ui.forms import DecimalField, Form, WholeField
from ui.language.remarks import remark
from ui.language.texts import Sayable, said, said_all
from ui.look.table_columns import put_on_clipboard
from ui.look.theme import Theme
from ui.window.dialogs import Question as Asking
from ui.window.dialogs import ask_save
from workbench.base import WorkbenchError

_MOST_OF_WINDOW = 0.9
_AFTER_MS = 200
_MOST_TEXT = 30
"""Average characters of a text column: a longer name would push the figures out of sight."""


class CompareDialog(QDialog):
    """The dialog that compares systems to buy."""

    def __init__(self, parent: QWidget, theme: Theme, paths: Sequence[Path], folder: Path) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(self.tr("Compare systems"))
        self._theme, self._folder = theme, folder
        self._background, self._writing = Background(self), Background(self)
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(_AFTER_MS)
        self._timer.timeout.connect(self._compare)
        self.systems = SystemsList()
        self.offers = OffersList(theme, folder)
        self.demand = DemandEditor(theme)
        self.top = DecimalField(0.1, 1_000_000, self.tr("req/s"))
        self.summary = QLabel()
        self.headroom = DecimalField(0, 1000, "%")
        self.spare = WholeField(0)
        self.model = SheetModel(self)
        self.table = QTableView()
        self.notes = QListWidget()
        self.scenarios = QListWidget()
        self.chart = DemandChart(theme)
        self.missing = QLabel()
        self.said = QLabel()
        self.tabs = QTabWidget()
        self.page = QPushButton(self.tr("&Page as PDF…"))
        self.copy = QPushButton(self.tr("&Copy"))
        self.export = QPushButton(self.tr("E&xport…"))
        self.close_ = QPushButton(self.tr("Close"))
        self._lay_out()
        self._wire()
        self.systems.add_files(paths)

    def _lay_out(self) -> None:
        self.table.setModel(self.model)
        self.table.setAccessibleName(self.tr("Decision sheet"))
        self.table.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.table.verticalHeader().setVisible(False)
        self.table.verticalHeader().setDefaultSectionSize(self.fontMetrics().height() * 3 // 2)
        self.table.setTabKeyNavigation(False)
        for part, name in (
            (self.notes, self.tr("Remarks")),
            (self.scenarios, self.tr("What would change it")),
        ):
            part.setAccessibleName(name)
            part.setWordWrap(True)
        bold = self.font()
        bold.setBold(True)
        self.said.setFont(bold)
        for label in (self.said, self.missing):
            label.setWordWrap(True)
            label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.tabs.addTab(self.chart, self.tr("Cost and servers"))
        self.tabs.addTab(self.scenarios, self.scenarios.accessibleName())
        self.tabs.addTab(self.notes, self.notes.accessibleName())
        self.tabs.setAccessibleName(self.tr("Cost, scenarios and remarks"))
        self.tabs.tabBar().setAccessibleName(self.tabs.accessibleName())
        right = QVBoxLayout()
        right.addWidget(self.said)
        right.addWidget(self.missing)
        right.addWidget(self.table, 2)
        right.addWidget(self.tabs, 3)
        row = QHBoxLayout()
        row.addStretch(1)
        for button in (self.copy, self.export, self.page, self.close_):
            row.addWidget(button)
        right.addLayout(row)
        left = QWidget()
        left.setLayout(self._left())
        left.setFixedWidth(24 * self.fontMetrics().height())
        layout = QHBoxLayout(self)
        layout.addWidget(left)
        layout.addLayout(right, 1)
        for button in self.findChildren(QPushButton):
            # Enter in a field must not press a button.
            button.setAutoDefault(False)
        em, parent = self.fontMetrics().height(), self.parentWidget()
        wanted = QSize(96 * em, 44 * em)
        self.resize(wanted.boundedTo(parent.window().size() * _MOST_OF_WINDOW) if parent else wanted)

    def _left(self) -> QVBoxLayout:
        demand = Form(self._theme)
        tr = self.tr
        demand.add("top", tr("&Top of the grid"), self.top, tr("The highest rate that can be drawn"))
        demand.add("headroom", tr("&Headroom"), self.headroom, tr("Free share above the peak"))
        demand.add("spare", tr("S&pare"), self.spare, tr("Systems that may fail or be in an update"))
        self.headroom.show_value(20)
        self.spare.show_value(0)
        self.top.show_value(10)
        self.summary.setWordWrap(True)
        drawn = QWidget()
        rows = QVBoxLayout(drawn)
        rows.setContentsMargins(0, 0, 0, 0)
        parts: tuple[QWidget, ...] = (self.demand, self.summary, demand)
        for part in parts:
            rows.addWidget(part)
        column = QVBoxLayout()
        column.setContentsMargins(0, 0, 0, 0)
        for title, content, stretch in (
            (tr("Systems"), self.systems, 2),
            (tr("Offers"), self.offers, 3),
            (tr("Accepted requests a second, by hour of the day"), drawn, 0),
        ):
            box = QGroupBox(title)
            inner = QVBoxLayout(box)
            inner.setContentsMargins(6, 4, 6, 6)
            inner.addWidget(content)
            column.addWidget(box, stretch)
        return column

    def _wire(self) -> None:
        self.systems.changed.connect(self._soon)
        self.systems.add_wanted.connect(self._ask_files)
        self.offers.changed.connect(self._on_offers)
        self.offers.failed.connect(self._complain)
        self.demand.edited.connect(self._soon)
        self.top.edited.connect(self._set_top)
        self.page.clicked.connect(self._ask_page)
        self.headroom.edited.connect(self._soon)
        self.spare.edited.connect(self._soon)
        self.copy.clicked.connect(self._copy)
        self.export.clicked.connect(self._export)
        self.close_.clicked.connect(self.reject)

    def _set_top(self, rate: float) -> None:
        self.demand.set_top(rate)
        self._soon()

    def _ask_files(self) -> None:
        dialog = QFileDialog(
            self,
            self.tr("Add bench files"),
            str(self._folder),
            self.tr("Bench files (*.bench);;All files (*)"),
        )
        dialog.setFileMode(QFileDialog.FileMode.ExistingFiles)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.filesSelected.connect(self._add_files)
        dialog.open()

    def _add_files(self, names: Sequence[str]) -> None:
        self.systems.add_files([Path(name) for name in names])

    def _on_offers(self) -> None:
        self.systems.show_offers(self.offers.names())
        self._soon()

    def _soon(self) -> None:
        """Clear the sheet and compare again soon, after a change of the question."""
        self._background.forget()
        self._show(None)
        self.said.setText(
            self.tr("Comparing …")
            if self.systems.rows()
            else self.tr("Add the bench files of the systems: the same trace, model and objectives on each.")
        )
        self._timer.start()

    def _compare(self) -> None:
        if not self.systems.rows():
            return
        question = Question(
            systems=self.systems.entries(),
            offers=tuple(self.offers.offers),
            curve=self.demand.curve(),
            headroom=self.headroom.value() / 100,
            spare=self.spare.value(),
        )
        self._background.run(lambda: compare(question), self._show_result, self._complain)

    def _show_result(self, sheet: Sheet) -> None:
        self._show(sheet)
        self.said.setText(said(sheet.recommendation))
        if not self.demand.stated:
            self.demand.show_curve(sheet.demand.curve, stated=False)
        self.top.show_value(self.demand.top)
        titles = zip(sheet.lines, sheet.short_titles, strict=True)
        self.systems.show_titles({line.path: title for line, title in titles})

    def _complain(self, error: Sayable) -> None:
        self.said.setText(f"⚠ {remark(error)}")

    def _show(self, sheet: Sheet | None) -> None:
        self.model.show_sheet(sheet)
        self._fit_columns()
        self.chart.show_sheet(sheet)
        self.summary.setText(self.demand.summary())
        needs = said_all(sheet.missing) if sheet else []
        self.missing.setText(
            "\n".join([self.tr("Missing for a decision:"), *(f"○ {need}" for need in needs)]) if needs else ""
        )
        self.missing.setVisible(bool(needs))
        self.notes.clear()
        self.notes.addItems(said_all(sheet.notes) if sheet else [])
        self.scenarios.clear()
        self.scenarios.addItems(scenario_lines(sheet) if sheet else [])
        for button in (self.copy, self.export, self.page):
            button.setEnabled(sheet is not None)

    def _fit_columns(self) -> None:
        """Fit columns to their content; a long name is elided, its tooltip is not."""
        self.table.resizeColumnsToContents()
        most = self.fontMetrics().averageCharWidth() * _MOST_TEXT
        for place, column in enumerate(COLUMNS):
            if column.kind == "text" and self.table.columnWidth(place) > most:
                self.table.setColumnWidth(place, most)

    def _copy(self) -> None:
        put_on_clipboard(self.model.as_lines())

    def _export(self) -> None:
        kinds = ";;".join(
            (self.tr("Decision sheet as CSV (*.csv)"), self.tr("Decision sheet as JSON (*.json)"))
        )
        ask_save(self, self.tr("Export"), self._folder / "decision-sheet.csv", kinds, self.export_to)

    def _ask_page(self) -> None:
        kinds = self.tr("PDF (*.pdf)")
        ask_save(self, self.tr("Page"), self._folder / "comparison.pdf", kinds, self.write_page_to)

    def write_page_to(self, path: Path) -> None:
        """Write the comparison as one printable page."""
        sheet = self.model.sheet
        if sheet is None:
            return
        try:
            write_page(sheet, path)
        except WorkbenchError as error:
            self._complain(error)
        else:
            self.said.setText(self.tr("Wrote {0}").format(path))

    def export_to(self, path: Path) -> None:
        """Write the sheet."""
        sheet = self.model.sheet
        if sheet is not None:
            self._writing.run(
                lambda: write_sheet(sheet, path),
                lambda written: self.said.setText(self.tr("Wrote {0}").format(written)),
                self._complain,
            )

    def reject(self) -> None:
        """Qt: close, after asking about unsaved offers."""
        if not self.offers.unsaved:
            super().reject()
            return
        asking = Asking(self, self.tr("The offers are not saved."), "")
        roles = QMessageBox.ButtonRole
        asking.add("save", self.tr("Save…"), roles.AcceptRole, self.offers.ask_save)
        asking.add("discard", self.tr("Discard them"), roles.DestructiveRole, self._discard)
        asking.add("back", self.tr("Go back"), roles.RejectRole, lambda: None, safe=True)
        asking.open()

    def _discard(self) -> None:
        self.offers.unsaved = False
        self.reject()
