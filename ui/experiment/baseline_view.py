"""The baseline's table: click or Space puts a control under test, Enter or F2 edits a value."""

from typing import Any

from PySide6.QtCore import (
    QAbstractItemModel,
    QModelIndex,
    QSortFilterProxyModel,
    Qt,
    Signal,
)
from PySide6.QtGui import QBrush, QKeyEvent, QPainter
from PySide6.QtWidgets import (
    QAbstractItemView,
    QComboBox,
    QHeaderView,
    QLineEdit,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTableView,
    QWidget,
)

from ui.experiment.baseline_model import BaselineColumn, BaselineModel, BaselineRole, Index
from ui.language.number_text import plain
from ui.look.theme import Theme, blend
from workbench.controls import Control

_ROWS_SHOWN = 9
_ACCENT_WIDTH = 3


class BaselineView(QTableView):
    """Shows the usual controls, or all."""

    control_selected = Signal(object)
    """The `Control` of the current row."""

    def __init__(self, model: BaselineModel, theme: Theme) -> None:
        super().__init__()
        self._content = model
        self._shown = _UsualFilter(self)
        self._shown.setSourceModel(model)
        self.setModel(self._shown)
        self.setItemDelegate(_Delegate(self, theme))
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.setEditTriggers(
            QAbstractItemView.EditTrigger.DoubleClicked
            | QAbstractItemView.EditTrigger.SelectedClicked
            | QAbstractItemView.EditTrigger.EditKeyPressed
            | QAbstractItemView.EditTrigger.AnyKeyPressed
        )
        self.setTabKeyNavigation(False)
        self.setShowGrid(False)
        self.setWordWrap(False)
        self.setFrameShape(self.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setAccessibleName(self.tr("Baseline controls"))
        self._prepare_headers()
        self.clicked.connect(self._on_click)
        model.dataChanged.connect(self._fit_height)
        self._fit_height()

    def _prepare_headers(self) -> None:
        rows = self.verticalHeader()
        rows.hide()
        rows.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        rows.setDefaultSectionSize(self.fontMetrics().height() + 7)
        columns = self.horizontalHeader()
        columns.setHighlightSections(False)
        columns.setSectionResizeMode(BaselineColumn.TEST, QHeaderView.ResizeMode.ResizeToContents)
        columns.setSectionResizeMode(BaselineColumn.CONTROL, QHeaderView.ResizeMode.Stretch)
        columns.setSectionResizeMode(BaselineColumn.VALUE, QHeaderView.ResizeMode.ResizeToContents)

    def show_all(self, *, on: bool) -> None:
        """Show every control, or only the usual ones and those that are set."""
        self._shown.set_all(on=on)
        self._fit_height()

    def look_at(self, name: str) -> None:
        """Make this control's row current."""
        row = self._shown.mapFromSource(self._content.index(self._content.row_of(name), BaselineColumn.VALUE))
        if row.isValid():
            self.setCurrentIndex(row)

    def _fit_height(self, *_args: object) -> None:
        rows = min(max(self._shown.rowCount(), 1), _ROWS_SHOWN)
        height = (
            rows * self.verticalHeader().defaultSectionSize()
            + self.horizontalHeader().sizeHint().height()
            + 2
        )
        self.setFixedHeight(height)

    def _on_click(self, index: QModelIndex) -> None:
        if index.column() == BaselineColumn.TEST:
            self._content.test(self._shown.mapToSource(index))

    def currentChanged(self, current: Index, previous: Index) -> None:
        """Qt: emit the control of the current row."""
        super().currentChanged(current, previous)
        if current.isValid():
            self.control_selected.emit(current.data(BaselineRole.CONTROL))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Qt: handle Enter, Space and Delete."""
        index = self.currentIndex()
        if self.state() == QAbstractItemView.State.EditingState:
            # Enter in an editor also arrives here while the editor still commits.
            super().keyPressEvent(event)
        elif event.key() == Qt.Key.Key_Space and index.isValid():
            self._content.test(self._shown.mapToSource(index))
        elif event.key() in {Qt.Key.Key_Return, Qt.Key.Key_Enter} and index.isValid():
            self.edit(index.siblingAtColumn(BaselineColumn.VALUE))
        elif event.key() == Qt.Key.Key_Delete and index.isValid():
            self.model().setData(index.siblingAtColumn(BaselineColumn.VALUE), "")
        else:
            super().keyPressEvent(event)


class _UsualFilter(QSortFilterProxyModel):
    def __init__(self, parent: QTableView) -> None:
        super().__init__(parent)
        self._all = False

    def set_all(self, *, on: bool) -> None:
        self.beginFilterChange()
        self._all = on
        self.endFilterChange(QSortFilterProxyModel.Direction.Rows)

    def filterAcceptsRow(self, source_row: int, source_parent: Index) -> bool:
        index = self.sourceModel().index(source_row, 0, source_parent)
        return self._all or bool(index.data(BaselineRole.USUAL))


class _Delegate(QStyledItemDelegate):
    """Draws an accent for the control under test and defaults in gray; makes the editors."""

    def __init__(self, parent: QTableView, theme: Theme) -> None:
        super().__init__(parent)
        self._theme = theme

    def initStyleOption(self, option: QStyleOptionViewItem, index: Index) -> None:
        super().initStyleOption(option, index)
        palette = option.palette
        if index.data(BaselineRole.PROBLEM) and index.column() == BaselineColumn.VALUE:
            palette.setColor(palette.ColorRole.Text, self._theme.ink("fail"))
            option.text = f"⚠ {option.text}"
        elif index.column() == BaselineColumn.TEST and index.data(BaselineRole.UNDER_TEST):
            palette.setColor(palette.ColorRole.Text, self._theme.ink("under_test"))
        elif index.data(BaselineRole.LACKING) or (
            index.column() != BaselineColumn.CONTROL and not index.data(BaselineRole.CHANGED)
        ):
            palette.setColor(palette.ColorRole.Text, self._theme.secondary)
        option.palette = palette
        if index.data(BaselineRole.UNDER_TEST):
            option.backgroundBrush = QBrush(
                blend(self._theme.mark("under_test"), self._theme.background, 0.14)
            )

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        super().paint(painter, option, index)
        if index.column() == BaselineColumn.TEST and index.data(BaselineRole.UNDER_TEST):
            painter.fillRect(
                option.rect.left(),
                option.rect.top(),
                _ACCENT_WIDTH,
                option.rect.height(),
                self._theme.mark("under_test"),
            )

    def createEditor(self, parent: QWidget, option: QStyleOptionViewItem, index: Index) -> QWidget:
        del option  # part of Qt's signature
        control: Control = index.data(BaselineRole.CONTROL)
        if control.kind == "switch":
            return _combo(parent, [("default", None), ("on", True), ("off", False)])
        if control.kind == "choice":
            return _combo(parent, [("default", None), *((choice, choice) for choice in control.choices)])
        editor = QLineEdit(parent)
        editor.setPlaceholderText("default")
        editor.setAlignment(Qt.AlignmentFlag.AlignRight)
        return editor

    def setEditorData(self, editor: QWidget, index: Index) -> None:
        value: Any = index.data(Qt.ItemDataRole.EditRole)
        if isinstance(editor, QComboBox):
            at = next(
                (
                    row
                    for row in range(editor.count())
                    if editor.itemData(row) is value or editor.itemData(row) == value
                ),
                0,
            )
            editor.setCurrentIndex(at)
            editor.showPopup()
        elif isinstance(editor, QLineEdit):
            editor.setText("" if value is None else plain(value))

    def setModelData(self, editor: QWidget, model: QAbstractItemModel, index: Index) -> None:
        if isinstance(editor, QComboBox):
            model.setData(index, editor.currentData())
        elif isinstance(editor, QLineEdit):
            model.setData(index, editor.text())


def _combo(parent: QWidget, options: list[tuple[str, object]]) -> QComboBox:
    combo = QComboBox(parent)
    for words, value in options:
        combo.addItem(words, value)
    return combo
