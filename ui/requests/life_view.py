"""The chosen requests as bars on one time axis: waiting, prefill, decode."""

import math
from collections.abc import Sequence

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QBrush, QColor, QFont, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QWidget

from ui.language import number_text
from ui.look.theme import Theme, blend
from ui.requests.columns import outcome_text
from ui.requests.life import Life, Part

MOST = 200
"""Lives drawn at most; more would be thinner than a pixel."""
_GAP = 8
_STEPS = (1, 2, 5)


class LifeView(QWidget):
    """Paints the lives of `show_lives`."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._lives: tuple[Life, ...] = ()
        self._parts: tuple[tuple[Part, str], ...] = (
            ("client", self.tr("client")),
            ("queue", self.tr("queue")),
            ("prefill", self.tr("prefill")),
            ("outside", self.tr("outside")),
            ("awaiting", self.tr("waiting for the first token")),
            ("decode", self.tr("decode")),
            ("again", self.tr("waiting again")),
            ("open", self.tr("still open")),
        )
        self.setAccessibleName(self.tr("Timeline of the chosen requests"))
        theme.changed.connect(self.update)

    def show_lives(self, lives: Sequence[Life]) -> None:
        """Draw these lives, the first on top."""
        self._lives = tuple(lives[:MOST])
        said = "; ".join(self.sentence(life) for life in self._lives[:3])
        self.setAccessibleDescription(said)
        self.setToolTip(said if len(self._lives) == 1 else "")
        self.update()

    def sentence(self, life: Life) -> str:
        """Return the content of a bar as a sentence."""
        named = dict(self._parts)
        parts = [f"{named[span.part]} {number_text.significant(span.length)} s" for span in life.spans]
        due = self.tr("No. {0}, due at {1} s").format(life.number, number_text.significant(life.due))
        return f"{due}: {', '.join(parts)}; {outcome_text(life.outcome)}"

    def sizeHint(self) -> QSize:
        """Qt: return the wanted size."""
        em = self.fontMetrics().height()
        return QSize(22 * em, 8 * em)

    def minimumSizeHint(self) -> QSize:
        """Qt: return the minimum size."""
        em = self.fontMetrics().height()
        return QSize(12 * em, 4 * em)

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Qt: paint the widget."""
        painter = QPainter(self)
        painter.fillRect(self.rect(), self._theme.background)
        painter.setFont(self._small_font())
        if not self._lives:
            painter.setPen(self._theme.secondary)
            painter.drawText(
                self.rect().adjusted(_GAP, 0, -_GAP, 0),
                Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextWordWrap,
                self.tr("Choose requests in the table to see how they spent their time."),
            )
        else:
            self._paint_lives(painter)
        painter.end()

    def _small_font(self) -> QFont:
        font = QFont(self.font())
        font.setPointSizeF(font.pointSizeF() * 0.9)
        font.setFeature(QFont.Tag("tnum"), 1)
        return font

    def _paint_lives(self, painter: QPainter) -> None:
        line = painter.fontMetrics().height()
        top = self._paint_legend(painter, line)
        numbers = max(painter.fontMetrics().horizontalAdvance(str(life.number)) for life in self._lives)
        area = QRectF(self.rect()).adjusted(_GAP + numbers + 6, top, -_GAP, -(line + 6))
        if area.height() < 4 or area.width() < 20:
            return
        start = min(life.due for life in self._lives)
        end = max(*(life.end for life in self._lives), start + 1e-6)
        self._paint_axis(painter, area, start, end)
        height = min(area.height() / len(self._lives), line * 1.3)
        for row, life in enumerate(self._lives):
            bar = QRectF(area.left(), area.top() + row * height, area.width(), height)
            self._paint_life(painter, life, bar, (start, end))
            if height >= line * 0.9:
                painter.setPen(self._theme.secondary)
                painter.drawText(
                    QRectF(_GAP, bar.top(), numbers, height), Qt.AlignmentFlag.AlignVCenter, str(life.number)
                )

    def _paint_legend(self, painter: QPainter, line: int) -> float:
        """Paint swatches of the present parts; return where the bars begin."""
        occurring = {span.part for life in self._lives for span in life.spans if span.length > 0}
        left, top = float(_GAP), 3.0
        metrics = painter.fontMetrics()
        for part, name in self._parts:
            if part not in occurring:
                continue
            width = line * 0.8 + 4 + metrics.horizontalAdvance(name) + 2 * _GAP
            if left > _GAP and left + width > self.width():
                left, top = float(_GAP), top + line
            swatch = QRectF(left, top + line * 0.2, line * 0.7, line * 0.6)
            painter.fillRect(swatch, self._brush(part))
            painter.setPen(self._theme.secondary)
            painter.drawText(
                QRectF(left + line * 0.8 + 4, top, width, line), Qt.AlignmentFlag.AlignVCenter, name
            )
            left += width
        return top + line + 4

    def _paint_axis(self, painter: QPainter, area: QRectF, start: float, end: float) -> None:
        metrics = painter.fontMetrics()
        widest = metrics.horizontalAdvance("0,000.00 s")
        step = nice_step((end - start) / max(1, area.width() / (widest * 1.4)))
        tick = math.ceil(start / step) * step
        while tick <= end:
            x = area.left() + (tick - start) / (end - start) * area.width()
            painter.setPen(QPen(self._theme.grid, 1))
            painter.drawLine(round(x), round(area.top()), round(x), round(area.bottom()))
            painter.setPen(self._theme.secondary)
            decimals = max(0, -math.floor(math.log10(step)))
            text = f"{self.locale().toString(tick, 'f', decimals)} s"
            place = min(max(x - widest / 2, 0.0), self.width() - widest)
            painter.drawText(
                QRectF(place, area.bottom() + 3, widest, metrics.height()),
                Qt.AlignmentFlag.AlignHCenter,
                text,
            )
            tick += step

    def _paint_life(self, painter: QPainter, life: Life, bar: QRectF, window: tuple[float, float]) -> None:
        start, end = window
        scale = bar.width() / (end - start)
        inset = min(2.0, bar.height() * 0.15)
        for span in life.spans:
            left = bar.left() + (span.start - start) * scale
            width = max(span.length * scale, 1.0)
            painter.fillRect(
                QRectF(left, bar.top() + inset, width, max(1.0, bar.height() - 2 * inset)),
                self._brush(span.part),
            )
        first = life.first_token()
        if first is not None:
            painter.setPen(QPen(self._theme.text, 1))
            x = round(bar.left() + (first - start) * scale)
            painter.drawLine(x, round(bar.top()), x, round(bar.bottom()))

    def _brush(self, part: Part) -> QBrush:
        theme = self._theme
        colours: dict[Part, QColor] = {
            "client": theme.baseline,
            "queue": theme.mark("waiting"),
            "prefill": theme.mark("prefill"),
            "outside": blend(theme.text, theme.background, 0.25),
            "awaiting": theme.mark("waiting"),
            "again": theme.mark("waiting"),
            "decode": theme.mark("decode"),
            "open": theme.mark("fail"),
        }
        patterned = {
            "client": Qt.BrushStyle.FDiagPattern,
            "awaiting": Qt.BrushStyle.BDiagPattern,
            "open": Qt.BrushStyle.Dense5Pattern,
        }
        return QBrush(colours[part], patterned.get(part, Qt.BrushStyle.SolidPattern))


def nice_step(least: float) -> float:
    """Return the smallest of 1, 2, 5 times a power of ten that is at least `least`."""
    power = 10.0 ** math.floor(math.log10(max(least, 1e-9)))
    return next((step * power for step in _STEPS if step * power >= least * (1 - 1e-9)), 10 * power)
