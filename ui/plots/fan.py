"""The engines' or replicas' own curves: a thin line for each under the plot's sum or worst."""

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QPointF
from PySide6.QtGui import QColor, QFont

from ui.language import number_text
from ui.live import ENGINE_COLUMNS, RunSeries, decimate
from ui.look.theme import Theme
from ui.plots.specs import CurveSpec, PlotSpec, translated

LINE_POINTS = 150
"""Points of one engine's line; a plot holds many."""
_ALPHA = 140
_NEAR_PX = 12.0
"""Distance from the mouse within which a line is named."""
_MOST_NAMED = 3


class NamedLine(NamedTuple):
    """One engine's value under the mouse, in the plot's unit."""

    engine: str
    curve: CurveSpec
    value: float


class EngineFan:
    """The thin lines of one plot; without any for a plot whose columns engines don't have."""

    def __init__(self, item: pg.PlotItem, spec: PlotSpec, theme: Theme) -> None:
        self._box = item.getViewBox()
        self._theme = theme
        self._specs = fanned(spec)
        self.lines = [_line(item) for _ in self._specs]
        """One item for each curve; gaps separate its engines."""
        self.bold = pg.PlotCurveItem(connect="finite", antialias=True)
        self.label = pg.TextItem(anchor=(0, 1))
        for part in (self.bold, self.label):
            part.setVisible(False)
            item.addItem(part, ignoreBounds=True)
        self._engines: Mapping[str, RunSeries] = {}

    def draw(self, engines: Mapping[str, RunSeries]) -> float:
        """Draw these engines, none to hide them; return the maximum, 0 without any."""
        self._engines = engines
        greatest = 0.0
        for line, spec in zip(self.lines, self._specs, strict=True):
            times, values = _joined(list(engines.values()), spec)
            line.setData(times, values)
            if len(values) and not np.isnan(values).all():
                greatest = max(greatest, float(np.nanmax(values)))
        if not engines:
            self.point_at(None)
        return greatest

    def recolour(self, ratio: float, font: QFont) -> None:
        """Apply the theme's colors; `ratio` is that of the device's pixels."""
        for line, spec in zip(self.lines, self._specs, strict=True):
            colour = QColor(self._theme.mark(spec.meaning))
            colour.setAlpha(_ALPHA)
            line.setPen(pg.mkPen(colour, width=ratio))
        self.label.setFont(font)
        self.label.fill = pg.mkBrush(self._theme.background)

    def point_at(self, point: QPointF | None) -> None:
        """Name the line under the mouse, in the plot's coordinates; None: the mouse left."""
        found = self.nearest(point) if point is not None else []
        for part in (self.bold, self.label):
            part.setVisible(bool(found))
        if point is None or not found:
            return
        first = found[0]
        series = self._engines[first.engine]
        self.bold.setPen(pg.mkPen(self._theme.mark(first.curve.meaning), width=2))
        self.bold.setData(*_points(series, first.curve))
        self.label.setColor(self._theme.ink(first.curve.meaning))
        self.label.setText(said(found))
        (left, right), (low, high) = self._box.viewRange()
        # Inside the plot, whatever corner the mouse is in.
        self.label.setAnchor((float(point.x() > (left + right) / 2), float(point.y() < (low + high) / 2)))
        self.label.setPos(point.x(), point.y())

    def nearest(self, point: QPointF) -> list[NamedLine]:
        """Return the line nearest to a point, with those that have the same value; none if all are far."""
        (_, (low, high)), height = self._box.viewRange(), self._box.height()
        if not self._engines or height < 1 or high <= low:
            return []
        per_pixel = (high - low) / height
        lines = [
            NamedLine(engine, spec, value * spec.scale)
            for engine, series in self._engines.items()
            for spec in self._specs
            if (value := series.value_near(spec.column, point.x())) is not None
        ]
        best = min(lines, key=lambda line: abs(line.value - point.y()), default=None)
        if best is None or abs(best.value - point.y()) > _NEAR_PX * per_pixel:
            return []
        return [line for line in lines if (line.curve, line.value) == (best.curve, best.value)]


def fanned(spec: PlotSpec) -> tuple[CurveSpec, ...]:
    """Return the curves of a plot that each engine has of its own."""
    of_server = spec.source == "samples"
    return tuple(curve for curve in spec.curves if of_server and curve.column in ENGINE_COLUMNS)


def said(lines: Sequence[NamedLine]) -> str:
    """Return the engines' names with their common value."""
    names = ", ".join(line.engine for line in lines[:_MOST_NAMED])
    more = f" +{len(lines) - _MOST_NAMED}" if len(lines) > _MOST_NAMED else ""
    value = number_text.significant(lines[0].value)
    return f"{names}{more}: {translated(lines[0].curve.label)} {value}"


def _line(item: pg.PlotItem) -> pg.PlotCurveItem:
    line = pg.PlotCurveItem(connect="finite", antialias=False, skipFiniteCheck=False)
    line.setZValue(-5)
    item.addItem(line, ignoreBounds=True)
    return line


def _points(series: RunSeries, spec: CurveSpec) -> tuple[np.ndarray, np.ndarray]:
    return decimate(series.times(), series.column(spec.column) * spec.scale, LINE_POINTS)


def _joined(engines: Sequence[RunSeries], spec: CurveSpec) -> tuple[np.ndarray, np.ndarray]:
    """Return all engines' points as one curve, with an unknown value after each engine."""
    times, values = [], []
    for series in engines:
        if len(series):
            own_times, own_values = _points(series, spec)
            times += [own_times, own_times[-1:]]
            values += [own_values, np.array([math.nan])]
    if not times:
        return np.empty(0), np.empty(0)
    return np.concatenate(times), np.concatenate(values)
