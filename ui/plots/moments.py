"""Lines across a plot at the moments at which a limit was changed."""

from collections.abc import Sequence

import pyqtgraph as pg
from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QFont

MOST_SHOWN = 40
"""A switchback changes a limit many times; more lines would hide the curves: the newest are shown."""


class MomentLines:
    """Dotted lines; their words only where `named`, for one plot of a column is enough."""

    def __init__(self, item: pg.PlotItem) -> None:
        self._item = item
        self._shown: list[tuple[float, str]] = []
        self._lines: list[pg.InfiniteLine] = []
        self._colour = QColor()
        self._font = QFont()
        self.named = False

    def show(self, moments: Sequence[tuple[float, str]]) -> None:
        """Show these, (seconds since the schedule's start, words)."""
        wanted = list(moments)[-MOST_SHOWN:]
        if wanted == self._shown:
            return
        self._shown = wanted
        for line in self._lines:
            self._item.removeItem(line)
        self._lines = [self._line(*moment) for moment in wanted]

    def recolour(self, colour: QColor, font: QFont) -> None:
        """Take the theme's colour and the font."""
        self._colour, self._font = colour, font
        shown, self._shown = self._shown, []
        self.show(shown)

    def _line(self, t: float, words: str) -> pg.InfiniteLine:
        pen = pg.mkPen(self._colour, width=1, style=Qt.PenStyle.DotLine)
        options = {"position": 0.9, "color": self._colour, "movable": False}
        label = words if self.named else None
        line = pg.InfiniteLine(t, angle=90, movable=False, pen=pen, label=label, labelOpts=options)
        if label:
            line.label.setFont(self._font)
        self._item.addItem(line, ignoreBounds=True)
        return line
