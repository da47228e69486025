"""A list of values as chips: Enter adds the typed value, a click or Backspace removes one."""

from collections.abc import Callable, Sequence

from PySide6.QtCore import QEvent, QObject, QPoint, QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import (
    QAbstractButton,
    QLayout,
    QLayoutItem,
    QLineEdit,
    QSizePolicy,
    QToolButton,
    QWidget,
)

from ui.forms.typed import may_be_grouped, typed_number
from ui.language.number_text import plain
from ui.look.theme import Theme, blend

_SPACING = 4


class ChipsEditor(QWidget):
    """Values in order; `edited` gives the new tuple, with invalid text as typed."""

    edited = Signal(tuple)

    def __init__(self, theme: Theme, name: str, *, under_test: bool = False) -> None:
        super().__init__()
        self._theme = theme
        self._under_test = under_test
        self._values: tuple[object, ...] = ()
        self._parse: Callable[[str], object] = str
        self._entry = QLineEdit()
        self._entry.setPlaceholderText(self.tr("add"))
        self._entry.setAccessibleName(name)
        self._entry.setFixedWidth(self.fontMetrics().horizontalAdvance("0000000000"))
        self._entry.installEventFilter(self)
        self._entry.returnPressed.connect(self._add_typed)
        self._entry.editingFinished.connect(self._add_typed)
        self.suggest = QToolButton()
        """Proposes better values; hidden until a form shows it."""
        self.suggest.setText(self.tr("suggest"))
        self.suggest.setToolTip(self.tr("Values to try first"))
        self.suggest.setVisible(False)
        self._flow = FlowLayout(self)
        self._flow.addWidget(self._entry)
        self._flow.addWidget(self.suggest)
        self.setFocusProxy(self._entry)
        # The height depends on the width, so the height at the narrowest width is no minimum.
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)

    def set_parser(self, parse: Callable[[str], object]) -> None:
        """Set the function that turns one typed word into a value, or returns the word itself."""
        self._parse = parse

    def show_values(self, values: Sequence[object]) -> None:
        """Show these values as chips."""
        if tuple(values) == self._values and self.chips():
            return
        self._values = tuple(values)
        for chip in self.chips():
            self._flow.removeWidget(chip)
            chip.hide()
            chip.deleteLater()
        for last in (self._entry, self.suggest):
            self._flow.removeWidget(last)
        for place, value in enumerate(self._values):
            chip = Chip(plain(value), self._theme, under_test=self._under_test)
            chip.clicked.connect(lambda _checked=False, at=place: self._remove(at))
            self._flow.addWidget(chip)
            chip.show()
        self._flow.addWidget(self._entry)
        self._flow.addWidget(self.suggest)
        self.updateGeometry()

    def chips(self) -> list["Chip"]:
        """Return the chips in order."""
        items = [self._flow.itemAt(at) for at in range(self._flow.count())]
        widgets = [item.widget() for item in items if item is not None]
        return [widget for widget in widgets if isinstance(widget, Chip)]

    @property
    def entry(self) -> QLineEdit:
        """The field for new values."""
        return self._entry

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Remove the last chip on Backspace in the empty field."""
        if (
            watched is self._entry
            and isinstance(event, QKeyEvent)
            and event.type() == QEvent.Type.KeyPress
            and event.key() == Qt.Key.Key_Backspace
            and not self._entry.text()
            and self._values
        ):
            self._remove(len(self._values) - 1)
            return True
        return super().eventFilter(watched, event)

    def _add_typed(self) -> None:
        words = self._entry.text().replace(", ", " ").replace(";", " ").split()
        if not words:
            return
        self._entry.clear()
        new = [value for word in words for value in self._values_of(word) if value not in self._values]
        if new:
            self.edited.emit((*self._values, *dict.fromkeys(new)))

    def _values_of(self, word: str) -> list[object]:
        """Return the values of one word; commas separate them unless the word may be one number.

        With a decimal comma, `1,5` is a number. `64,128` may be one or two numbers: it stays text, which the
        form refuses.
        """
        if "," not in word or typed_number(word) is not None or may_be_grouped(word):
            return [self._parse(word)]
        return [self._parse(part) for part in word.split(",") if part]

    def _remove(self, place: int) -> None:
        self.edited.emit(self._values[:place] + self._values[place + 1 :])
        self._entry.setFocus()


class Chip(QAbstractButton):
    """One value with a cross; clicking removes it."""

    def __init__(self, text: str, theme: Theme, *, under_test: bool) -> None:
        super().__init__()
        self._theme = theme
        self._under_test = under_test
        self.setText(text)
        self.setAccessibleName(self.tr("Remove {0}").format(text))
        self.setToolTip(self.tr("Remove {0}").format(text))
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        theme.changed.connect(self.update)

    def sizeHint(self) -> QSize:
        """Qt: return the wanted size."""
        metrics = self.fontMetrics()
        return QSize(metrics.horizontalAdvance(f"{self.text()}  ×") + 14, metrics.height() + 6)

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Qt: paint the widget."""
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        theme = self._theme
        edge = theme.mark("under_test") if self._under_test else theme.baseline
        fill = blend(edge, theme.background, 0.25 if self.underMouse() else 0.14)
        box = QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5)
        painter.setPen(QPen(theme.text if self.hasFocus() else edge, 2 if self.hasFocus() else 1))
        painter.setBrush(fill)
        painter.drawRoundedRect(box, 4, 4)
        inner = self.rect().adjusted(7, 0, -6, 0)
        painter.setPen(theme.text)
        painter.drawText(inner, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, self.text())
        painter.setPen(theme.secondary)
        painter.drawText(inner, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignRight, "×")
        painter.end()


class FlowLayout(QLayout):
    """Items in a row that wraps."""

    def __init__(self, parent: QWidget, *, centered: bool = False) -> None:
        super().__init__(parent)
        self._centered = centered
        self._items: list[QLayoutItem] = []
        self.setContentsMargins(0, 0, 0, 0)

    def addItem(self, item: QLayoutItem) -> None:
        """Qt: append an item."""
        self._items.append(item)
        # Showing an earlier item may have started a layout without this item.
        self.invalidate()

    def count(self) -> int:
        """Qt: return the number of items."""
        return len(self._items)

    def itemAt(self, index: int) -> QLayoutItem | None:
        """Qt: return the item at an index, if any."""
        return self._items[index] if 0 <= index < len(self._items) else None

    def takeAt(self, index: int) -> QLayoutItem | None:
        """Qt: remove and return the item at an index."""
        return self._items.pop(index) if 0 <= index < len(self._items) else None

    def expandingDirections(self) -> Qt.Orientation:
        """Qt: return no direction."""
        return Qt.Orientation(0)

    def hasHeightForWidth(self) -> bool:
        """Qt: return True, since it wraps."""
        return True

    def heightForWidth(self, width: int) -> int:
        """Qt: return the height of the wrapped rows."""
        return self._arrange(QRect(0, 0, width, 0), place=False)

    def setGeometry(self, rect: QRect) -> None:
        """Qt: place the items."""
        super().setGeometry(rect)
        self._arrange(rect, place=True)

    def sizeHint(self) -> QSize:
        """Qt: return the wanted size."""
        return self.minimumSize()

    def minimumSize(self) -> QSize:
        """Qt: return the size of the largest item."""
        size = QSize()
        for item in self._items:
            size = size.expandedTo(item.minimumSize())
        return size

    def _arrange(self, rect: QRect, *, place: bool) -> int:
        top = rect.top()
        for row in self._rows(rect.width()):
            hints = [item.sizeHint() for item in row]
            spare = rect.width() - sum(hint.width() + _SPACING for hint in hints) + _SPACING
            left = rect.left() + (max(0, spare) // 2 if self._centered else 0)
            for item, hint in zip(row, hints, strict=True):
                if place:
                    item.setGeometry(QRect(QPoint(left, top), hint))
                left += hint.width() + _SPACING
            top += max(hint.height() for hint in hints) + _SPACING
        return max(0, top - _SPACING - rect.top())

    def _rows(self, width: int) -> list[list[QLayoutItem]]:
        """Return the items row by row; each row has at least one."""
        rows: list[list[QLayoutItem]] = []
        left = 0
        for item in self._items:
            if item.isEmpty():
                continue
            wanted = item.sizeHint().width()
            if not rows or left + wanted > width:
                rows.append([])
                left = 0
            rows[-1].append(item)
            left += wanted + _SPACING
        return rows
