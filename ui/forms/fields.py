"""Fields that commit on Enter or when left; the mouse wheel doesn't change an unfocused field."""

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QWheelEvent
from PySide6.QtWidgets import (
    QComboBox,
    QFileDialog,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QSizePolicy,
    QToolButton,
    QWidget,
)

from ui.forms.numbers import pass_wheel
from ui.forms.typed import typed_number, written_number


class Choice(QComboBox):
    """A choice of labeled values; `chosen` only after a choice by the user."""

    chosen = Signal(object)

    def __init__(self, options: Sequence[tuple[object, str]]) -> None:
        super().__init__()
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.setMinimumContentsLength(6)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.set_options(options)
        self.activated.connect(lambda index: self.chosen.emit(self.itemData(index)))

    def set_options(self, options: Sequence[tuple[object, str]]) -> None:
        """Replace the options."""
        self.clear()
        for value, words in options:
            self.addItem(words, value)

    def show_value(self, value: object) -> None:
        """Show this value; an unknown one is added to the options."""
        index = next((at for at in range(self.count()) if self.itemData(at) == value), -1)
        if index < 0 and value not in {None, ""}:
            self.addItem(str(value), value)
            index = self.count() - 1
        self.setCurrentIndex(index)

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Qt: pass the wheel to a focused field only."""
        pass_wheel(self, event, super().wheelEvent)


class TextField(QLineEdit):
    """A line of text; `edited` on Enter or when the field is left, if it changed."""

    edited = Signal(str)

    def __init__(self, placeholder: str = "") -> None:
        super().__init__()
        self.setPlaceholderText(placeholder)
        self._shown = ""
        self.editingFinished.connect(self._commit)

    def show_value(self, value: str) -> None:
        """Show a value without emitting `edited`."""
        self._shown = value
        if value != self.text():
            self.setText(value)
            self.setCursorPosition(0)

    def _commit(self) -> None:
        if self.text() != self._shown:
            self._shown = self.text()
            self.edited.emit(self._shown)


class OptionalNumber(QWidget):
    """An optional number; `edited` gives a float, None, or the text if it is no number."""

    edited = Signal(object)

    def __init__(self, unit: str, placeholder: str) -> None:
        super().__init__()
        self.field = TextField(placeholder)
        self.field.setMinimumWidth(self.fontMetrics().horizontalAdvance("0000000"))
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(4)
        row.addWidget(self.field, 1)
        if unit:
            # An empty label would make the field narrower than its neighbors.
            row.addWidget(QLabel(unit))
        self.setFocusProxy(self.field)
        self.field.edited.connect(lambda text: self.edited.emit(number_in(text)))

    def show_value(self, value: object) -> None:
        """Show a number, None, or an invalid text."""
        self.field.show_value(
            "" if value is None else written_number(value) if isinstance(value, float) else str(value)
        )


class PathField(QWidget):
    """A file, typed or chosen in a dialog; `edited` gives the path as text."""

    edited = Signal(str)

    def __init__(self, title: str, kinds: str) -> None:
        super().__init__()
        self._title, self._kinds = title, kinds
        self.folder = ""
        self.field = TextField()
        self.button = QToolButton()
        self.button.setText("…")
        self.button.setToolTip(title)
        self.button.setAccessibleName(title)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(4)
        row.addWidget(self.field, 1)
        row.addWidget(self.button)
        self.setFocusProxy(self.field)
        self.field.edited.connect(self.edited)
        self.button.clicked.connect(self._browse)

    def show_value(self, value: str) -> None:
        """Show this path."""
        self.field.show_value(value)

    def _browse(self) -> None:
        dialog = QFileDialog(self, self._title, self.folder, self._kinds)
        dialog.setFileMode(QFileDialog.FileMode.ExistingFile)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.fileSelected.connect(self.edited)
        dialog.open()


def beside(*parts: QWidget) -> QWidget:
    """Return some widgets in a row as one field; the first one stretches and gets the focus."""
    row = QWidget()
    line = QHBoxLayout(row)
    line.setContentsMargins(0, 0, 0, 0)
    line.setSpacing(4)
    for place, part in enumerate(parts):
        line.addWidget(part, 0 if place else 1)
    row.setFocusProxy(parts[0])
    return row


def number_in(text: str) -> float | int | str | None:
    """Return typed text as a number; None for nothing, else the text itself, which the form refuses."""
    words = text.strip()
    if not words:
        return None
    value = typed_number(words)
    return words if value is None else value
