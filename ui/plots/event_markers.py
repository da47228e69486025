"""Vertical lines in a plot where a limit changed or a burst began or ended."""

import itertools
from collections.abc import Sequence
from typing import NamedTuple

import pyqtgraph as pg
from PySide6.QtCore import QCoreApplication, Qt
from PySide6.QtGui import QColor, QFont

from ui.language import number_text
from ui.live import Burst, RunView

_PLACES = (0.92, 0.80, 0.68)
"""Relative heights, in turn, so that neighboring texts don't overlap."""
_BEHIND_ALPHA = 200
MOST_SHOWN = 40
"""A switchback changes a limit many times; only the newest lines are shown."""


class Moment(NamedTuple):
    """One marked event."""

    run_t: float
    """Seconds since the schedule's start."""
    said: str


def event_markers(run: RunView | None, burst: Burst | None) -> list[Moment]:
    """Return the marked events of a run, by time."""
    if run is None:
        return []
    found = [
        Moment(step.run_t, f"{number_text.plain(step.old)} → {number_text.plain(step.new)}")
        for step in run.moments
    ]
    if burst is not None:
        begins = QCoreApplication.translate("plots", "burst ×{0}").format(number_text.plain(burst.factor))
        ends = QCoreApplication.translate("plots", "burst ends")
        found += [Moment(burst.begin, begins), Moment(burst.end, ends)]
    return sorted(found)


class EventMarkers:
    """Dotted lines; with texts if `named`, which one plot of a column is."""

    def __init__(self, item: pg.PlotItem) -> None:
        self._item = item
        self.shown: list[Moment] = []
        self.lines: list[pg.InfiniteLine] = []
        self._colour = QColor()
        self._font = QFont()
        self._behind = QColor()
        self.named = False

    def show(self, moments: Sequence[Moment]) -> None:
        """Show these markers."""
        wanted = list(moments)[-MOST_SHOWN:]
        if wanted == self.shown:
            return
        self.shown = wanted
        for line in self.lines:
            self._item.removeItem(line)
        self.lines = [self._line(*pair) for pair in zip(wanted, itertools.cycle(_PLACES), strict=False)]

    def recolour(self, colour: QColor, font: QFont, background: QColor) -> None:
        """Apply the theme's colors and the font; texts have a background."""
        self._colour, self._font, self._behind = colour, font, QColor(background)
        self._behind.setAlpha(_BEHIND_ALPHA)
        shown, self.shown = self.shown, []
        self.show(shown)

    def _line(self, moment: Moment, place: float) -> pg.InfiniteLine:
        pen = pg.mkPen(self._colour, width=1, style=Qt.PenStyle.DotLine)
        line = pg.InfiniteLine(moment.run_t, angle=90, movable=False, pen=pen)
        self._item.addItem(line, ignoreBounds=True)
        if self.named:
            anchors = [(0, 0.5), (0, 0.5)]
            label = pg.InfLineLabel(line, moment.said, position=place, anchors=anchors, fill=self._behind)
            label.setFont(self._font)
            label.setColor(self._colour)
        return line
