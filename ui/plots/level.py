"""A plot's level line: an objective, or a limit of the run with its changes as steps."""

import math

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import Qt
from PySide6.QtGui import QColor

from ui.language import number_text
from ui.live import RunView
from ui.live.bottlenecks import sequence_limit_over_time
from ui.look import tokens
from ui.look.theme import Theme
from ui.plots.header import ReadOut
from ui.plots.specs import LevelSpec, translated

_IN_VIEW = 3.0
"""A level above this many times the data's maximum is not shown."""
_SEATS = "max_num_seqs"


class LevelLine:
    """One dashed line over the whole plot, with steps where the limit changed."""

    def __init__(self, item: pg.PlotItem, spec: LevelSpec | None, theme: Theme) -> None:
        self._spec, self._theme = spec, theme
        self._times, self._values = np.zeros(1), np.full(1, math.nan)
        self.tested = False
        """True if the run tests this limit."""
        self._run: RunView | None = None
        self._engines = 1
        """Engines or replicas whose common limit is drawn."""
        self._box = item.getViewBox()
        self._ratio = 1.0
        self.line = pg.PlotCurveItem(connect="all")
        self.line.setVisible(False)
        item.addItem(self.line, ignoreBounds=True)
        self._box.sigXRangeChanged.connect(self._draw)

    def set_run(self, run: RunView | None, objectives: dict[str, object]) -> None:
        """Set the level of `run`."""
        self._times, self._values, self.tested = np.zeros(1), np.full(1, math.nan), False
        spec = self._spec
        self._run, self._engines = run, 1
        if run is not None and spec is not None:
            of_limit = spec.source == "limits"
            value = (run.limits if of_limit else objectives).get(spec.key)
            if of_limit and spec.key == _SEATS:
                # The lower of two limits applies.
                self._times = np.unique([0.0, *(step.run_t for step in run.moments)])
                seats = sequence_limit_over_time(self._times, run.limits, run.moments)
                self._values = np.where(np.isfinite(seats), seats, np.nan)
            elif isinstance(value, (int, float)) and not isinstance(value, bool):
                self._values = np.full(1, float(value))
            self._values = self._values * spec.scale
            self.tested = of_limit and run.control == spec.key
        self.recolour()

    def recolour(self, ratio: float | None = None) -> None:
        """Apply the theme's colors, and the device's pixels per pixel if given."""
        self._ratio = ratio or self._ratio
        pen = pg.mkPen(
            self._colour(ink=False), width=tokens.LEVEL_PX * self._ratio, style=Qt.PenStyle.DashLine
        )
        self.line.setPen(pen)

    def _colour(self, *, ink: bool) -> QColor:
        """Return the accent for a limit under test, the text color for an objective, else a quiet one."""
        theme = self._theme
        if self.tested:
            return theme.ink("under_test") if ink else theme.mark("under_test")
        of_limit = self._spec is not None and self._spec.source == "limits"
        return theme.secondary if of_limit else theme.text

    def place(self, greatest: float) -> float:
        """Draw the level if it is near data up to `greatest`; return the maximum that must be visible."""
        self._follow_engines()
        known = self._values[~np.isnan(self._values)]
        least = float(known.min()) if len(known) else math.inf
        in_view = least <= max(greatest, 1e-9) * _IN_VIEW
        self.line.setVisible(in_view)
        if not in_view:
            return greatest
        self._draw()
        near = known[known <= max(greatest, least) * _IN_VIEW]
        return max(greatest, float(near.max()))

    def _follow_engines(self) -> None:
        """Multiply a sequence limit by the number of engines, known from a run's first sample."""
        if self._run is None or self._spec is None or self._spec.key != _SEATS:
            return
        engines = self._run.engine_count
        self._values = self._values * (engines / self._engines)
        self._engines = engines

    def _draw(self, *_range: object) -> None:
        """Draw the level inside the view only: Qt drops a dashed line that reaches far beyond it."""
        if not self.line.isVisible():
            return
        (left, right), _ = self._box.viewRange()
        ends = np.append(self._times[1:], max(right, self._times[-1]))
        begins = np.minimum(self._times, ends)
        spans = np.column_stack((begins, ends)).clip(left, right)
        self.line.setData(spans.ravel(), np.repeat(self._values, 2))

    def read_out(self, run_t: float) -> ReadOut | None:
        """Return the level at a time (NaN for the newest); None if unknown."""
        after = len(self._times) if math.isnan(run_t) else np.searchsorted(self._times, run_t, side="right")
        value = float(self._values[max(int(after) - 1, 0)])
        if self._spec is None or math.isnan(value):
            return None
        colour = self._colour(ink=True)
        return ReadOut(translated(self._spec.label), number_text.plain(value), colour)
