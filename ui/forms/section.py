"""A titled part of a form that folds to one line with a summary."""

from PySide6.QtCore import QRect, QSize, Qt
from PySide6.QtGui import QFont, QFontMetrics, QKeyEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import (
    QAbstractButton,
    QSizePolicy,
    QStyle,
    QStyleOptionFocusRect,
    QVBoxLayout,
    QWidget,
)

from ui.look.icons import icon
from ui.look.theme import Theme


class Section(QWidget):
    """Header and body; the summary shows while it is folded."""

    def __init__(self, title: str, body: QWidget, theme: Theme, *, unfolded: bool = False) -> None:
        super().__init__()
        self.header = _Header(title, theme)
        self.header.setChecked(unfolded)
        self.body = body
        body.setVisible(unfolded)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(self.header)
        layout.addWidget(body)
        self.header.toggled.connect(body.setVisible)

    def set_summary(self, text: str, *, problem: bool = False) -> None:
        """Set the summary, and mark a problem inside."""
        self.header.set_summary(text, problem=problem)

    def unfold(self) -> None:
        """Open the section."""
        self.header.setChecked(True)


def shortened(text: str, width: int, metrics: QFontMetrics) -> str:
    """Return `text` fitted to `width` pixels: whole list items and the number left out, else both ends."""
    parts = text.split(", ")
    for kept in range(len(parts), 0, -1):
        left_out = len(parts) - kept
        said = ", ".join(parts[:kept]) + (f" +{left_out}" if left_out else "")
        if metrics.horizontalAdvance(said) <= width:
            return said
    return metrics.elidedText(text, Qt.TextElideMode.ElideMiddle, width)


class _Header(QAbstractButton):
    """The clickable line: arrow, title, summary."""

    def __init__(self, title: str, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._summary = ""
        self._problem = False
        self.setText(title)
        self.setCheckable(True)
        self.setAccessibleName(title)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        theme.changed.connect(self.update)
        self.toggled.connect(self.update)

    def set_summary(self, text: str, *, problem: bool) -> None:
        self._summary, self._problem = text, problem
        self.setAccessibleDescription(text)
        self.setToolTip(text)
        self.update()

    def sizeHint(self) -> QSize:
        metrics = self.fontMetrics()
        return QSize(metrics.horizontalAdvance(self.text()) + 40, metrics.height() + 12)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in {Qt.Key.Key_Return, Qt.Key.Key_Enter}:
            self.click()
        elif event.key() in {Qt.Key.Key_Left, Qt.Key.Key_Right}:
            self.setChecked(event.key() == Qt.Key.Key_Right)
        else:
            super().keyPressEvent(event)

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        palette = self.palette()
        painter.fillRect(self.rect(), palette.color(palette.ColorRole.Button))
        side = self.fontMetrics().height() - 2
        arrow = icon("down" if self.isChecked() else "right", palette.color(palette.ColorRole.ButtonText))
        arrow.paint(painter, QRect(6, (self.height() - side) // 2, side, side))
        bold = QFont(self.font())
        bold.setWeight(QFont.Weight.DemiBold)
        painter.setFont(bold)
        painter.setPen(palette.color(palette.ColorRole.ButtonText))
        left = 6 + side + 6
        painter.drawText(self.rect().adjusted(left, 0, 0, 0), Qt.AlignmentFlag.AlignVCenter, self.text())
        left += painter.fontMetrics().horizontalAdvance(self.text()) + 10
        self._paint_summary(painter, left)
        if self.hasFocus():
            self._paint_focus(painter)
        painter.end()

    def _paint_summary(self, painter: QPainter, left: int) -> None:
        if self.isChecked() and not self._problem:
            return
        painter.setFont(self.font())
        text = f"⚠ {self._summary}" if self._problem else self._summary
        painter.setPen(self._theme.ink("fail") if self._problem else self._theme.secondary)
        room = self.rect().adjusted(left, 0, -8, 0)
        elided = shortened(text, room.width(), self.fontMetrics())
        painter.drawText(room, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignRight, elided)

    def _paint_focus(self, painter: QPainter) -> None:
        option = QStyleOptionFocusRect()
        option.initFrom(self)
        option.rect = self.rect().adjusted(1, 1, -1, -1)
        self.style().drawPrimitive(QStyle.PrimitiveElement.PE_FrameFocusRect, option, painter, self)
