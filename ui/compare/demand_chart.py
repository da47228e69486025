"""Cost and servers of each system against the demand, with bands."""

import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Protocol

from PySide6.QtCore import QCoreApplication, QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QPen, QPolygonF
from PySide6.QtWidgets import QSizePolicy, QWidget

from ui.compare.comparison import Sheet
from ui.language import number_text
from ui.look.theme import Theme

if TYPE_CHECKING:
    from workbench.advice import DemandPoint

_MARKS = ("running", "waiting", "kv", "preemption", "prefill", "under_test")
"""Colors of the systems, in the order of the table."""
_BAND = 0.18
_GAP = 10
_RIGHT = Qt.TextElideMode.ElideRight


class Inks(Protocol):
    """The colors of a chart: the theme's, or those of paper."""

    @property
    def background(self) -> QColor:
        """Color behind the curves."""

    @property
    def text(self) -> QColor:
        """Color of titles."""

    @property
    def secondary(self) -> QColor:
        """Color of the axes' texts."""

    @property
    def grid(self) -> QColor:
        """Color of grid lines."""

    def mark(self, meaning: str) -> QColor:
        """Return the color of a curve."""

    def ink(self, meaning: str) -> QColor:
        """Return the color of a text."""


Read = Callable[["DemandPoint"], "float | None"]


class DemandChart(QWidget):
    """Two plots side by side; the dotted line is the demand's peak."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._sheet: Sheet | None = None
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.setAccessibleName(self.tr("Cost and servers against the demand"))
        theme.changed.connect(self.update)

    def show_sheet(self, sheet: Sheet | None) -> None:
        """Show another comparison, or none."""
        self._sheet = sheet
        self.update()

    def sizeHint(self) -> QSize:
        """Qt: return the wanted size."""
        em = self.fontMetrics().height()
        return QSize(40 * em, 13 * em)

    def minimumSizeHint(self) -> QSize:
        """Qt: return the smallest size."""
        em = self.fontMetrics().height()
        return QSize(20 * em, 9 * em)

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Qt: paint the widget."""
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if self._sheet is not None:
            paint_charts(painter, QRectF(self.rect()), self._sheet, self._theme)
        painter.end()


def paint_charts(painter: QPainter, area: QRectF, sheet: Sheet, theme: Inks) -> None:
    """Paint cost and servers against the demand side by side; without prices the servers alone."""
    plots: list[tuple[str, tuple[Read, Read, Read]]] = [
        (
            _t("Servers"),
            (
                lambda point: point.servers,
                lambda point: point.servers_low,
                lambda point: point.servers_high,
            ),
        ),
    ]
    if sheet.currency:
        title = _t("{0} per 1,000 accepted responses").format(sheet.currency)
        reads: tuple[Read, Read, Read] = (
            lambda point: point.per_1k,
            lambda point: point.per_1k_low,
            lambda point: point.per_1k_high,
        )
        plots.insert(0, (title, reads))
    width = (area.width() - _GAP * (len(plots) - 1)) / len(plots)
    for place, (title, reads) in enumerate(plots):
        left = area.left() + place * (width + _GAP)
        _Plot(painter, QRectF(left, area.top(), width, area.height()), sheet, theme).paint(title, reads)


class _Plot:
    """One plot: axes, a curve with its band for each system, the demand's peak."""

    def __init__(self, painter: QPainter, area: QRectF, sheet: Sheet, theme: Inks) -> None:
        self._painter, self._area, self._sheet, self._theme = painter, area, sheet, theme
        metrics = painter.fontMetrics()
        self._line = metrics.height()
        self._plot = area.adjusted(
            metrics.horizontalAdvance("0,000.0") + 4, 1.4 * self._line, -4, -2.3 * self._line
        )
        self._most_x = _round_above(max((each.peak_rps for line in sheet.points for each in line), default=1))

    def paint(self, title: str, reads: tuple[Read, Read, Read]) -> None:
        """Paint it with the curve, the lower and the upper bound that `reads` give."""
        tops = [value for line in self._sheet.points for point in line if (value := reads[2](point))]
        if not tops:
            return
        # A band that grows without limit at small demands would flatten all curves.
        curves = [value for line in self._sheet.points for point in line if (value := reads[0](point))]
        most = _round_above(min(max(tops), 4 * sorted(curves)[len(curves) // 2]))
        self._paint_axes(title, most)
        self._painter.save()
        self._painter.setClipRect(self._plot)
        for place, points in enumerate(self._sheet.points):
            self._paint_system(points, reads, most, QColor(self._theme.mark(_MARKS[place % len(_MARKS)])))
        self._paint_peak()
        self._painter.restore()
        self._paint_legend()

    def _at(self, x: float, y: float, most: float) -> QPointF:
        plot = self._plot
        return QPointF(
            plot.left() + plot.width() * x / self._most_x, plot.bottom() - plot.height() * y / most
        )

    def _paint_system(
        self, points: "Sequence[DemandPoint]", reads: tuple[Read, Read, Read], most: float, colour: QColor
    ) -> None:
        curve, low, high = (
            [self._at(each.peak_rps, value, most) for each in points if (value := read(each)) is not None]
            for read in reads
        )
        band = QColor(colour)
        band.setAlphaF(_BAND)
        self._painter.setPen(QPen(QColor(0, 0, 0, 0)))
        self._painter.setBrush(band)
        self._painter.drawPolygon(QPolygonF([*low, *reversed(high)]))
        self._painter.setBrush(QColor(0, 0, 0, 0))
        self._painter.setPen(QPen(colour, 2))
        self._painter.drawPolyline(QPolygonF(curve))

    def _paint_peak(self) -> None:
        pen = QPen(self._theme.text, 1)
        pen.setDashPattern([2, 3])
        self._painter.setPen(pen)
        x = self._at(self._sheet.peak_rps, 0, 1).x()
        self._painter.drawLine(QPointF(x, self._plot.top()), QPointF(x, self._plot.bottom()))

    def _paint_axes(self, title: str, most: float) -> None:
        painter, plot, theme = self._painter, self._plot, self._theme
        painter.fillRect(plot, theme.background)
        painter.setPen(theme.text)
        painter.drawText(QPointF(plot.left(), self._area.top() + self._line), title)
        for part in range(5):
            y = plot.bottom() - plot.height() * part / 4
            painter.setPen(theme.grid)
            painter.drawLine(QPointF(plot.left(), y), QPointF(plot.right(), y))
            painter.setPen(theme.secondary)
            text = number_text.plain(round(most * part / 4, 9))
            width = painter.fontMetrics().horizontalAdvance(text)
            painter.drawText(QPointF(plot.left() - width - 4, y + self._line / 3), text)
        for part in range(1, 5):
            x = plot.left() + plot.width() * part / 4
            text = number_text.plain(round(self._most_x * part / 4, 9))
            width = painter.fontMetrics().horizontalAdvance(text)
            painter.drawText(
                QPointF(x - (width if part == 4 else width / 2), plot.bottom() + self._line), text
            )

    def _paint_legend(self) -> None:
        """Paint the unit of the axis and the systems' names below."""
        painter, x = self._painter, self._area.left() + 4
        y = self._area.bottom() - 4
        said = _t("demand's peak, req/s")
        painter.setPen(self._theme.secondary)
        painter.drawText(QPointF(x, y), said)
        x += painter.fontMetrics().horizontalAdvance(said) + 12
        for place, title in enumerate(self._sheet.short_titles):
            # What a short name leaves is free for the ones after it.
            room = (self._plot.right() - x) / (len(self._sheet.short_titles) - place)
            painter.setPen(self._theme.ink(_MARKS[place % len(_MARKS)]))
            shown = painter.fontMetrics().elidedText(f"━ {title}", _RIGHT, max(0, int(room) - 8))
            painter.drawText(QPointF(x, y), shown)
            x += painter.fontMetrics().horizontalAdvance(shown) + 8


def _round_above(value: float) -> float:
    """Return the least of 1, 2, 4, 6, 8 or 10 times 10^n at or above `value`: its quarters are short."""
    size = 10.0 ** math.floor(math.log10(value)) if value > 0 else 1.0
    return next(step * size for step in (1, 2, 4, 6, 8, 10) if step * size >= value * (1 - 1e-9))


def _t(text: str) -> str:
    """Return `text` in the user's language."""
    return QCoreApplication.translate("demand chart", text)
