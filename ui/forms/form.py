"""Rows of label and field, with room for one sentence on a problem."""

from collections.abc import Mapping

from PySide6.QtCore import QEvent, QObject, QPoint, Qt, Signal
from PySide6.QtGui import QColor, QPalette, QResizeEvent
from PySide6.QtWidgets import QGridLayout, QLabel, QStyle, QVBoxLayout, QWidget

from ui.look.theme import Theme, blend

_MARGIN = 4


def _paper(theme: Theme) -> QColor:
    """Return the background of a problem."""
    return blend(theme.mark("fail"), theme.background, 0.12)


class _Row(QObject):
    """Label, field and problem. The problem lies over what follows, so that nothing moves."""

    shown = Signal()
    offered = Signal()
    """A problem that may show if no other one does."""

    def __init__(self, form: QWidget, label: QLabel, cell: QWidget, field: QWidget, problem: QLabel) -> None:
        super().__init__(form)
        self._form = form
        self.label, self.cell, self.field, self.problem = label, cell, field, problem
        self.target = field.focusProxy() or field
        """The widget that takes the focus."""
        self._text = self._refusal = ""
        for part in (field, *field.findChildren(QWidget)):
            part.installEventFilter(self)
            refused = getattr(part, "refused", None)
            if refused is not None:
                refused.connect(self.refuse)

    def show_problem(self, text: str) -> None:
        """Show a problem of the field's value."""
        self._text = text
        self._show()

    def refuse(self, text: str) -> None:
        """Show why typed text was rejected; "" once something else is typed."""
        self._refusal = text
        self._show()
        self.lift()

    def _show(self) -> None:
        said = self._refusal or self._text
        changed = said != self.problem.text()
        self.problem.setText(said)
        self.target.setAccessibleDescription(said)
        font = self.label.font()
        if font.underline() != bool(said):
            # Not by color alone, and without another width.
            font.setUnderline(bool(said))
            self.label.setFont(font)
        if not said:
            self.hide()
        elif changed:
            self.offered.emit()

    def lift(self) -> None:
        """Show the problem under the field, over what follows; above it if there is no room."""
        if not self.problem.text():
            return
        corner = self.field.mapTo(self._form, QPoint(0, 0))
        width = max(self._form.width() - corner.x() - _MARGIN, self.field.width())
        height = max(self.problem.heightForWidth(width), self.problem.sizeHint().height())
        below = corner.y() + self.field.height() + 1
        fits = below + height <= self._form.height() or corner.y() < height
        self.problem.setGeometry(corner.x(), below if fits else corner.y() - height - 1, width, height)
        self.problem.show()
        self.problem.raise_()
        self.shown.emit()

    def hide(self) -> None:
        """Hide the problem; the underlined label stays."""
        self.problem.hide()

    def eventFilter(self, _watched: QObject, event: QEvent) -> bool:
        """Qt: show the problem of the field that gets the focus or the pointer."""
        if event.type() in {QEvent.Type.FocusIn, QEvent.Type.Enter}:
            self.shown.emit()
            self.lift()
        return False


def _label(text: str, field: QWidget) -> QLabel:
    """Return a label as high as the field's first line."""
    label = QLabel(text)
    own = label.sizeHint().height()
    label.setMinimumHeight(min(max(own, field.sizeHint().height()), own * 7 // 4))
    return label


def _side(field: QWidget) -> Qt.AlignmentFlag:
    """Return the alignment: a field as wide as its content stays so above a long sentence."""
    grows = bool(field.sizePolicy().expandingDirections() & Qt.Orientation.Horizontal)
    wide = grows or field.layout() is not None or isinstance(field, QLabel)
    return Qt.AlignmentFlag(0) if wide else Qt.AlignmentFlag.AlignLeft


class Form(QWidget):
    """A form of rows with ids; `show_problems` shows sentences under the fields."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._rows: dict[str, _Row] = {}
        # QFormLayout gives wrapping labels the height of another width.
        self._grid = QGridLayout()
        self._grid.setHorizontalSpacing(8)
        self._grid.setVerticalSpacing(4)
        self._grid.setColumnStretch(1, 1)
        self._outer = QVBoxLayout(self)
        self._outer.setContentsMargins(8, 6, 8, 8)
        self._outer.setSpacing(0)
        self._outer.addLayout(self._grid)
        self._outer.addStretch(1)
        theme.changed.connect(self._tint)

    def set_close(self) -> None:
        """Reduce the row spacing, for a low panel."""
        self._grid.setVerticalSpacing(2)
        margins = self._outer.contentsMargins()
        self._outer.setContentsMargins(margins.left(), 2, margins.right(), 2)

    def add(self, id_: str, label: str, field: QWidget, tip: str = "") -> None:
        """Add a row; the widget that takes the focus gets the row's id as its object name."""
        problem = QLabel(self)
        problem.setWordWrap(True)
        problem.setVisible(False)
        problem.setAutoFillBackground(True)
        problem.setMargin(3)
        problem.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        cell = QWidget()
        column = QVBoxLayout(cell)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(1)
        column.addWidget(field, 0, _side(field))
        words = _label(label, field)
        row = _Row(self, words, cell, field, problem)
        words.setBuddy(row.target)
        if tip:
            for part in (words, field):
                part.setToolTip(tip)
        if not row.target.accessibleName():
            row.target.setAccessibleName(label.replace("&", ""))
        at = self._grid.rowCount()
        self._grid.addWidget(words, at, 0, self._label_side() | Qt.AlignmentFlag.AlignTop)
        self._grid.addWidget(cell, at, 1)
        row.shown.connect(lambda: self._show_only(row))
        row.offered.connect(lambda: self._offer_problem(row))
        self._rows[id_] = row
        row.target.setObjectName(row.target.objectName() or id_)
        problem.setObjectName(f"{id_} problem")
        self._tint()

    def _offer_problem(self, offered: _Row) -> None:
        """Show the problem unless another one is being read."""
        if not any(row.problem.isVisible() for row in self._rows.values() if row is not offered):
            offered.lift()

    def _show_only(self, shown: _Row) -> None:
        """Hide the other rows' problems: one lies over the fields at a time."""
        for row in self._rows.values():
            if row is not shown:
                row.hide()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Qt: place the problem again."""
        super().resizeEvent(event)
        for row in self._rows.values():
            if row.problem.isVisible():
                row.lift()

    def add_wide(self, widget: QWidget) -> None:
        """Add a widget of the whole width."""
        self._grid.addWidget(widget, self._grid.rowCount(), 0, 1, 2)

    def _label_side(self) -> Qt.AlignmentFlag:
        """Return the platform's side for labels: right on macOS, left elsewhere."""
        asked = self.style().styleHint(QStyle.StyleHint.SH_FormLayoutLabelAlignment)
        right = asked & int(Qt.AlignmentFlag.AlignRight.value)
        return Qt.AlignmentFlag.AlignRight if right else Qt.AlignmentFlag.AlignLeft

    def field(self, id_: str) -> QWidget:
        """Return the field of a row."""
        return self._rows[id_].field

    def problem(self, id_: str) -> str:
        """Return the sentence beside a field; "" without a problem."""
        return self._rows[id_].problem.text()

    def ids(self) -> list[str]:
        """Return the rows' ids from top to bottom."""
        return list(self._rows)

    def set_row_visible(self, id_: str, *, on: bool) -> None:
        """Show or hide a row with its label."""
        row = self._rows[id_]
        row.label.setVisible(on)
        row.cell.setVisible(on)

    def show_problems(self, problems: Mapping[str, str]) -> bool:
        """Show each sentence under its field; return True if one belongs to this form."""
        found = False
        for id_, row in self._rows.items():
            text = problems.get(id_, "")
            row.show_problem(text)
            found = found or bool(text)
        return found

    def focus(self, id_: str) -> bool:
        """Focus the field of this row; return False if there is no such row."""
        if id_ not in self._rows:
            return False
        self._rows[id_].target.setFocus()
        return True

    def _tint(self) -> None:
        for row in self._rows.values():
            palette = QPalette()
            palette.setColor(QPalette.ColorRole.WindowText, self._theme.ink("fail"))
            palette.setColor(QPalette.ColorRole.Window, _paper(self._theme))
            row.problem.setPalette(palette)
