"""The bottleneck timeline under the plots, on their time axis."""

from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QFont, QHelpEvent, QMouseEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from ui.insights import bottleneck_names
from ui.live.bottlenecks import Stretch
from ui.look.theme import Theme, blend

_TEXT_SIZE = 0.85
_PALE = 0.30
"""Opacity of the bottleneck's color behind its name, which must stay readable."""


class BottleneckTimeline(QWidget):
    """One bar of stretches, with names in those that are wide enough."""

    chosen = Signal(float, float)
    """Begin and end of the stretch that was clicked."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._timeline: tuple[Stretch, ...] = ()
        self._span = (0.0, 1.0)
        self.margins = (0.0, 0.0)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setAccessibleName(self.tr("Bottleneck timeline"))
        theme.changed.connect(self.update)

    def show_timeline(self, timeline: tuple[Stretch, ...]) -> None:
        """Show these stretches; times in seconds since the schedule's start."""
        if timeline != self._timeline:
            self._timeline = timeline
            self.setAccessibleDescription("; ".join(_said(part) for part in timeline[:20]))
            self.update()

    def set_span(self, begin: float, end: float) -> None:
        """Show this span of time."""
        self._span = (begin, end)
        self.update()

    def set_margins(self, left: float, right: float) -> None:
        """Set the pixels left and right of the plots' time axis."""
        if (left, right) != self.margins:
            self.margins = (left, right)
            self.update()

    def sizeHint(self) -> QSize:
        """Qt: return the wanted size."""
        return QSize(100, round(self.fontMetrics().height() * 0.95))

    def part_at(self, x: float) -> Stretch | None:
        """Return the stretch at `x` of the widget."""
        left, right = self.margins
        begin, end = self._span
        room = self.width() - left - right
        if room <= 0 or not left <= x <= self.width() - right:
            return None
        t = begin + (x - left) / room * (end - begin)
        return next((part for part in self._timeline if part.begin <= t < part.end), None)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Qt: a click chooses the stretch."""
        part = self.part_at(event.position().x())
        if part is not None and event.button() == Qt.MouseButton.LeftButton:
            self.chosen.emit(part.begin, part.end)

    def event(self, event: QEvent) -> bool:
        """Qt: show the stretch under the mouse as a tooltip."""
        if event.type() == QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            part = self.part_at(QPointF(event.pos()).x())
            QToolTip.showText(event.globalPos(), _said(part) if part else self.accessibleName(), self)
            return True
        return super().event(event)

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Qt: paint the widget."""
        painter = QPainter(self)
        painter.fillRect(self.rect(), self._theme.background)
        font = QFont(self.font())
        font.setPointSizeF(font.pointSizeF() * _TEXT_SIZE)
        painter.setFont(font)
        left, right = self.margins
        room = self.width() - left - right
        begin, end = self._span
        per_second = room / (end - begin) if end > begin else 0.0
        painter.setClipRect(QRectF(left, 0, room, self.height()))
        for part in self._timeline:
            place = QRectF(
                left + (part.begin - begin) * per_second, 1, (part.end - part.begin) * per_second, 100
            )
            place.setHeight(self.height() - 2)
            if place.right() >= left and place.left() <= self.width() - right:
                self._paint_part(painter, place, part.bound)
        painter.end()

    def _paint_part(self, painter: QPainter, place: QRectF, bound: str) -> None:
        theme, hue = self._theme, bottleneck_names.HUES.get(bound)
        colour = theme.mark(hue) if hue else theme.grid
        painter.fillRect(place, _pale(colour, theme) if hue else theme.grid)
        if hue:
            painter.fillRect(QRectF(place.left(), place.bottom() - 3, place.width(), 3), colour)
        name = bottleneck_names.title(bound)
        if painter.fontMetrics().horizontalAdvance(name) + 8 <= place.width():
            painter.setPen(theme.text if hue else theme.secondary)
            painter.drawText(place.adjusted(4, -1, 0, -1), Qt.AlignmentFlag.AlignVCenter, name)


def _pale(colour: QColor, theme: Theme) -> QColor:
    return blend(colour, theme.background, _PALE)


def _said(part: Stretch) -> str:
    return f"{part.begin:.1f}–{part.end:.1f} s: {bottleneck_names.title(part.bound)}"
