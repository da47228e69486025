"""Bars with each bottleneck's share of the run's time."""

from PySide6.QtCore import QRect, QSize, Qt
from PySide6.QtGui import QFontMetrics, QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from ui.insights import bottleneck_names
from ui.language import number_text
from ui.look.theme import Theme

MOST_SHOWN = 4
_LEAST_SHOWN = 0.005
_NAME_SHARE = 0.58
"""Share of the width for names; the bars have the rest."""
_BAR = 4
_LINE = 1.5


class BottleneckShares(QWidget):
    """One line for each bottleneck: name, bar, percentage; the longest first."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._shares: list[tuple[str, float]] = []
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        theme.changed.connect(self.update)

    def show_shares(self, shares: dict[str, float]) -> None:
        """Show these shares, by bottleneck."""
        shown = [(name, share) for name, share in shares.items() if share >= _LEAST_SHOWN][:MOST_SHOWN]
        if shown == self._shares:
            return
        grown = len(shown) != len(self._shares)
        self._shares = shown
        self.setAccessibleName(", ".join(self.texts()))
        self.setVisible(bool(shown))
        if grown:
            self.updateGeometry()
        self.update()

    def texts(self) -> list[str]:
        """Return the lines' texts."""
        return [f"{bottleneck_names.title(name)} {_percent(share)}" for name, share in self._shares]

    def sizeHint(self) -> QSize:
        """Qt: return the wanted size."""
        line = round(self.fontMetrics().height() * _LINE)
        return QSize(self.fontMetrics().averageCharWidth() * 24, line * len(self._shares))

    def minimumSizeHint(self) -> QSize:
        """Qt: return the minimum size."""
        return QSize(80, self.sizeHint().height())

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Qt: paint the widget."""
        painter = QPainter(self)
        metrics = QFontMetrics(self.font())
        line = round(metrics.height() * _LINE)
        for number, (name, share) in enumerate(self._shares):
            self._paint_line(painter, metrics, QRect(0, number * line, self.width(), line), name, share)
        painter.end()

    def _paint_line(
        self, painter: QPainter, metrics: QFontMetrics, place: QRect, name: str, share: float
    ) -> None:
        hue = bottleneck_names.HUES.get(name)
        figure = metrics.horizontalAdvance("100 %") + 4
        names = round(place.width() * _NAME_SHARE)
        painter.setPen(self._theme.text if hue else self._theme.secondary)
        shown = metrics.elidedText(bottleneck_names.title(name), Qt.TextElideMode.ElideRight, names - 4)
        painter.drawText(place, Qt.AlignmentFlag.AlignVCenter, shown)
        painter.drawText(place, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignRight, _percent(share))
        room = place.width() - names - figure
        bar = QRect(names, place.center().y() - _BAR // 2, max(1, round(room * share)), _BAR)
        painter.fillRect(bar, self._theme.mark(hue) if hue else self._theme.axis)


def _percent(share: float) -> str:
    return f"{number_text.count(share * 100)} %"
