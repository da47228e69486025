"""A chart of any two scorecard columns: goodput over offered rate, TTFT over value, cost."""

from collections.abc import Sequence

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QFontMetricsF
from PySide6.QtWidgets import QHBoxLayout, QLabel, QVBoxLayout, QWidget

from ui.forms import Choice
from ui.language.number_text import significant
from ui.live import LiveState
from ui.look.theme import Theme
from ui.plots.scales import nice_ceiling
from ui.scorecard.chart_lines import Line, lines_of
from ui.scorecard.columns import COLUMNS
from ui.scorecard.label_places import LabelPosition, places
from ui.scorecard.predicted import PREDICTED, predicted_lines

VALUE = "value"
"""The control's value as an axis."""

_SIZE = 9
_LARGEST_NAMES = 0.4
"""Largest share of the chart's width for names right of the points."""
_SYMBOLS = ("o", "t1", "s", "d", "p", "h", "star", "x")
"""Symbols, so that variants differ by more than color."""


FIGURES = tuple(column for column in COLUMNS if column.kind != "text")


class ComparisonChart(QWidget):
    """Two choices and a plot."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._state = LiveState()
        options = [(column.key, column.header()) for column in FIGURES]
        self._up = Choice(options)
        self._up.setObjectName("up")
        self._across = Choice(
            [
                *options,
                (VALUE, self.tr("Value of the control")),
                (PREDICTED, self.tr("As predicted before the run")),
            ]
        )
        self._across.setObjectName("across")
        self.view = pg.PlotWidget()
        self._lay_out()
        self.lines: list[Line] = []
        self.names: list[pg.GraphicsObject] = []
        self._said = QLabel(self.view)
        self._said.setObjectName("empty")
        self._prepare_said()
        self.view.getPlotItem().getViewBox().sigResized.connect(self._fit)
        self._up.show_value("accepted_rps")
        self._across.show_value("offered_rps")
        for choice in (self._up, self._across):
            choice.chosen.connect(lambda _value: self.draw())
        theme.changed.connect(self.draw)

    def _lay_out(self) -> None:
        row = QHBoxLayout()
        row.setContentsMargins(8, 2, 8, 2)
        row.setSpacing(8)
        self._up.setAccessibleName(self.tr("Vertical axis"))
        self._across.setAccessibleName(self.tr("Horizontal axis"))
        row.addWidget(self._up, 1)
        row.addWidget(QLabel(self.tr("over")))
        row.addWidget(self._across, 1)
        item = self.view.getPlotItem()
        item.hideButtons()
        item.setMenuEnabled(False)
        item.getViewBox().setMouseEnabled(x=False, y=False)
        item.setContentsMargins(0, 8, 8, 2)
        item.getViewBox().disableAutoRange()
        item.getViewBox().setDefaultPadding(0)
        for name in ("left", "bottom"):
            axis = item.getAxis(name)
            axis.enableAutoSIPrefix(False)  # noqa: FBT003 - pyqtgraph's own signature
            axis.setStyle(tickLength=-3, tickTextOffset=3, maxTickLevel=0)
        item.getAxis("left").setGrid(255)
        # Below everything else: its lines would cross out the names.
        item.getAxis("left").setZValue(-1000)
        self.view.setFrameShape(self.view.Shape.NoFrame)
        self.view.setAccessibleName(self.tr("Comparison of runs"))
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addLayout(row)
        layout.addWidget(self.view, 1)

    def _prepare_said(self) -> None:
        """Prepare the text in place of points."""
        self._said.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._said.setWordWrap(True)
        self._said.setVisible(False)

    def show_state(self, state: LiveState) -> None:
        """Draw the runs of this plan."""
        self._state = state
        self.draw()

    def draw(self) -> None:
        """Draw everything: a scorecard has few points and changes seldom."""
        if not self.isVisibleTo(self.parentWidget() or self):
            return
        by_key = {column.key: column for column in FIGURES}
        up, across = by_key[self._up.currentData()], by_key.get(self._across.currentData())
        item, theme = self.view.getPlotItem(), self._theme
        item.clear()
        self.view.setBackground(theme.background)
        for name in ("left", "bottom"):
            axis = item.getAxis(name)
            axis.setPen(pg.mkPen(theme.axis if name == "bottom" else theme.grid, width=1))
            axis.setTextPen(theme.secondary)
        self.names = []
        predicted = self._across.currentData() == PREDICTED
        self.lines = predicted_lines(self._state, up) if predicted else lines_of(self._state, across, up)
        self._said.setText(
            self.tr("No run has a prediction of this figure")
            if predicted
            else self.tr("No run has both figures yet")
        )
        if predicted and self.lines:
            self._add_equality()
        for number, line in enumerate(self.lines):
            self._add(line, number)
        self._said.setVisible(not self.lines)
        for name in ("left", "bottom"):
            item.getAxis(name).setStyle(showValues=bool(self.lines))
        self._fit()

    def _fit(self, *_args: object) -> None:
        """Set ranges with room for the names, and place the names."""
        box = self.view.getPlotItem().getViewBox()
        for item in self.names:
            self.view.removeItem(item)
        self.names = []
        self._said.setGeometry(self.view.rect())
        if not self.lines or box.width() < 1 or box.height() < 1:
            return
        left, right, top = _ranges(self.lines)
        box.setYRange(0.0, top, padding=0)
        metrics = QFontMetricsF(self.font())
        widest = max(metrics.horizontalAdvance(line.name) for line in self.lines) + 2 * _SIZE
        share = min(widest / box.width(), _LARGEST_NAMES)
        box.setXRange(left, left + (right - left) / (1 - share), padding=0)
        self._name_lines(metrics)

    def _name_lines(self, metrics: QFontMetricsF) -> None:
        box = self.view.getPlotItem().getViewBox()
        # The view updates its transform only when painted.
        box.updateMatrix()
        pixels = [[box.mapFromView(QPointF(*point)) for point in line.outline] for line in self.lines]
        named = [
            (ends[-1].x(), ends[-1].y(), metrics.horizontalAdvance(line.name))
            for line, ends in zip(self.lines, pixels, strict=True)
        ]
        curves = [[(point.x(), point.y()) for point in ends] for ends in pixels]
        found = places(named, curves, (box.width(), box.height()), metrics.height())
        for line, place, (x, y, _) in zip(self.lines, found, named, strict=True):
            if place is not None:
                self._put_name(line, place, x, y)

    def _put_name(self, line: Line, place: LabelPosition, x: float, y: float) -> None:
        theme, box = self._theme, self.view.getPlotItem().getViewBox()
        colour = theme.ink("under_test") if line.meaning == "under_test" else theme.secondary
        if place.led:
            ends = [box.mapToView(QPointF(*end)) for end in ((x, y), place.nearest(x, y))]
            leader = pg.PlotCurveItem(
                np.array([end.x() for end in ends]),
                np.array([end.y() for end in ends]),
                pen=pg.mkPen(theme.axis, width=1),
                antialias=True,
            )
            leader.setZValue(-1)
            self.names.append(leader)
        name = pg.TextItem(line.name, color=colour, anchor=(0, 0.5))
        name.setFont(self.font())
        # Qt's text has a margin of four pixels.
        name.setPos(box.mapToView(QPointF(place.box.left - 4, place.box.top + place.box.height / 2)))
        self.names.append(name)
        for item in self.names[-2 if place.led else -1 :]:
            self.view.addItem(item, ignoreBounds=True)

    def _add_equality(self) -> None:
        """Draw the line on which a prediction is right, within the view."""
        left, right, top = _ranges(self.lines)
        ends = np.array([max(0.0, left), min(right, top)])
        dashes = pg.mkPen(self._theme.axis, width=1, style=Qt.PenStyle.DashLine)
        if ends[0] < ends[1]:
            self.view.addItem(pg.PlotCurveItem(ends, ends, pen=dashes, antialias=True))

    def _add(self, line: Line, number: int) -> None:
        theme = self._theme
        colour = {
            "baseline": theme.baseline,
            "under_test": theme.mark("under_test"),
        }.get(line.meaning, theme.secondary)
        filled = line.meaning == "under_test"
        xs, ys = (np.array(values) for values in zip(*line.points, strict=True))
        pen = pg.mkPen(colour, width=1)
        if line.bands:
            lows, highs = (np.array(values) for values in zip(*line.bands, strict=True))
            band = pg.ErrorBarItem(x=xs, y=ys, left=xs - lows, right=highs - xs, beam=0, pen=pen)
            self.view.addItem(band)
        else:
            self.view.addItem(pg.PlotCurveItem(xs, ys, pen=pen, antialias=True))
        points = pg.ScatterPlotItem(
            xs,
            ys,
            symbol=_SYMBOLS[number % len(_SYMBOLS)],
            size=_SIZE,
            pen=pen,
            brush=pg.mkBrush(colour if filled else theme.background),
            data=[line.name] * len(xs),
            hoverable=True,
            tip=_tip,
        )
        self.view.addItem(points)


def _ranges(lines: Sequence[Line]) -> tuple[float, float, float]:
    """Return left, right and top of the chart with its bands.

    It begins at 0, so that a small difference looks small.
    """
    xs = [x for line in lines for x, _ in (*line.points, *((x, 0) for band in line.bands for x in band))]
    least, most = min(xs), max(xs)
    aside = 0.08 * (most - least) or 0.1 * abs(most) or 1.0
    return least - aside, most + aside, nice_ceiling(1.05 * max(y for line in lines for _, y in line.points))


def _tip(x: float, y: float, data: object) -> str:
    """Return a point's tooltip."""
    return f"{data}\n{significant(y)} / {significant(x)}"
