"""The demand over a day: 24 bars drawn by dragging, or changed by keys."""

from collections.abc import Sequence
from itertools import groupby

from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent, QMouseEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from ui.language import number_text
from ui.look.theme import Theme

HOURS = 24
_FIRST_TOP = 10.0
_STEPS = 100
"""Steps of a bar's height, so that drawn rates are round numbers."""
_TICKS = (0, 6, 12, 18, 24)

Curve = tuple[tuple[float, float], ...]


class DemandEditor(QWidget):
    """Accepted requests a second for each hour of a day; `edited` once a drag or a key has changed it."""

    edited = Signal()

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._rates = [0.0] * HOURS
        self._top = _FIRST_TOP
        self._hour = 0
        self._dragging = False
        self._stated = False
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAccessibleName(self.tr("Demand over the day"))
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setToolTip(
            self.tr(
                "Drag to draw the accepted requests a second for each hour."
                " Left and right choose an hour, up and down change it, Delete clears all."
            )
        )
        theme.changed.connect(self.update)

    @property
    def stated(self) -> bool:
        """True if the user drew a demand."""
        return self._stated and max(self._rates) > 0

    def curve(self) -> Curve:
        """Return the stretches of equal rate as (hours, requests a second); empty without a demand."""
        if not self.stated:
            return ()
        return tuple((float(len(list(hours))), rate) for rate, hours in groupby(self._rates))

    @property
    def top(self) -> float:
        """The rate at the top of the grid."""
        return self._top

    def set_top(self, rate: float) -> None:
        """Set the rate at the top of the grid; bars above it are lowered."""
        self._top = max(rate, 0.1)
        self._rates = [min(each, self._top) for each in self._rates]
        self.update()

    def show_curve(self, curve: Sequence[tuple[float, float]], *, stated: bool = True) -> None:
        """Show a demand; one longer than a day is shown by its first 24 hours."""
        rates: list[float] = []
        for hours, rate in curve:
            rates += [rate] * max(1, round(hours))
        self._rates = (rates + [rates[-1] if rates else 0.0] * HOURS)[:HOURS]
        self._stated = stated and bool(rates)
        self._top = max(self._top, *self._rates)
        self.update()

    def summary(self) -> str:
        """Return the peak and the mean as text."""
        if not self.stated:
            return self.tr("not drawn yet")
        peak, mean = max(self._rates), sum(self._rates) / HOURS
        said = self.tr("peak {0}, mean {1} accepted requests a second")
        return said.format(number_text.significant(peak), number_text.significant(mean))

    def sizeHint(self) -> QSize:
        """Qt: return the wanted size."""
        em = self.fontMetrics().height()
        return QSize(16 * em, 8 * em)

    def _plot(self) -> QRectF:
        metrics = self.fontMetrics()
        left = metrics.horizontalAdvance(number_text.significant(self._top)) + 6
        return QRectF(self.rect()).adjusted(left, metrics.height() / 2, -2, -metrics.height() - 2)

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Qt: paint the widget."""
        painter = QPainter(self)
        plot, theme = self._plot(), self._theme
        painter.fillRect(plot, theme.background)
        painter.setPen(theme.grid)
        for part in range(5):
            y = plot.bottom() - plot.height() * part / 4
            painter.drawLine(int(plot.left()), round(y), int(plot.right()), round(y))
        width = plot.width() / HOURS
        colour = theme.mark("running") if self._stated else theme.baseline
        for hour, rate in enumerate(self._rates):
            height = plot.height() * min(1.0, rate / self._top)
            bar = QRectF(plot.left() + hour * width, plot.bottom() - height, max(1.0, width - 1), height)
            painter.fillRect(bar, colour)
            if self.hasFocus() and hour == self._hour:
                painter.setPen(theme.text)
                painter.drawRect(QRectF(bar.left(), plot.top(), bar.width(), plot.height()))
        self._paint_axes(painter, plot)
        painter.end()

    def _paint_axes(self, painter: QPainter, plot: QRectF) -> None:
        painter.setPen(self._theme.secondary)
        metrics = self.fontMetrics()
        for part in (0, 2, 4):
            text = number_text.plain(self._top * part / 4)
            y = plot.bottom() - plot.height() * part / 4
            painter.drawText(round(plot.left()) - 4 - metrics.horizontalAdvance(text), round(y) + 4, text)
        for hour in _TICKS:
            text = f"{hour}"
            x = plot.left() + plot.width() * hour / HOURS
            place = min(round(x), self.width() - metrics.horizontalAdvance(text))
            painter.drawText(place, self.height() - 2, text)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Qt: begin to draw."""
        self._dragging = event.button() == Qt.MouseButton.LeftButton
        self._draw(event)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Qt: draw."""
        self._draw(event)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Qt: end drawing."""
        if self._dragging:
            self._draw(event)
            self._dragging = False
            self.edited.emit()

    def _draw(self, event: QMouseEvent) -> None:
        if not self._dragging:
            return
        plot, at = self._plot(), event.position()
        hour = int((at.x() - plot.left()) / plot.width() * HOURS)
        share = (plot.bottom() - at.y()) / plot.height()
        before, self._hour = self._hour, min(HOURS - 1, max(0, hour))
        rate = self._top * round(min(1.0, max(0.0, share)) * _STEPS) / _STEPS
        # A fast drag skips hours; they get the same rate.
        between = range(min(before, self._hour), max(before, self._hour) + 1)
        moved = event.type() == QMouseEvent.Type.MouseMove
        self._set_rates(between if moved else (self._hour,), rate)

    def _set_rates(self, hours: Sequence[int], rate: float) -> None:
        for hour in hours:
            self._rates[hour] = rate
        self._stated = True
        self.update()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Qt: choose an hour, or change its rate."""
        step = self._top / 20
        match event.key():
            case Qt.Key.Key_Left | Qt.Key.Key_Right:
                way = 1 if event.key() == Qt.Key.Key_Right else -1
                self._hour = (self._hour + way) % HOURS
                self.update()
            case Qt.Key.Key_Up | Qt.Key.Key_Down:
                change = step if event.key() == Qt.Key.Key_Up else -step
                rate = min(self._top, max(0.0, self._rates[self._hour] + change))
                self._set_rates((self._hour,), rate)
                self.edited.emit()
            case Qt.Key.Key_Delete:
                self._rates, self._stated = [0.0] * HOURS, False
                self.update()
                self.edited.emit()
            case _:
                super().keyPressEvent(event)
