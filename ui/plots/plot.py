"""One live plot: its curves, the baseline behind, a level line, a cross-hair, names at the ends."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QEvent, QPoint, QPointF, Qt, Signal
from PySide6.QtGui import QColor, QFont, QMouseEvent, QResizeEvent
from PySide6.QtWidgets import QSizePolicy, QVBoxLayout, QWidget

from ui.language import number_text
from ui.live import Burst, Curves, RunView, decimate
from ui.look import tokens
from ui.look.theme import Theme
from ui.plots.end_labels import EndLabels
from ui.plots.event_markers import EventMarkers, event_markers
from ui.plots.fan import EngineFan
from ui.plots.header import SECONDARY_SIZE, Note, PlotHeader, ReadOut
from ui.plots.level import LevelLine
from ui.plots.reason import ReasonLabel
from ui.plots.scales import NO_BREAK, lines_apart, next_top, tick_texts, time_texts
from ui.plots.specs import PEAK, WITHOUT_REQUESTS, CurveSpec, PlotSpec, translated
from ui.plots.whole_run import basis, has_ended, whole_figures

_MARKS_AT = 0.96
"""Relative height of the marks."""
_MOST_MARKS = 100
_SMOOTH = 16.0
"""Way up and down, in heights of the curve, that is drawn with smoothing."""
_YOUNG_S = 5.0
"""Seconds in which missing data is normal."""


class LivePlot(QWidget):
    """Draws the given data when told; the grid decides when."""

    pointed = Signal(float)
    """The time under the mouse; NaN when it left."""
    zoomed = Signal(float, float)
    """The time span that the user chose."""
    follow_asked = Signal()
    menu_asked = Signal(QPoint)
    """Position on the screen."""
    enlarge_asked = Signal()
    """After a click on a small plot."""

    def __init__(self, spec: PlotSpec, theme: Theme) -> None:
        super().__init__()
        self.spec = spec
        self._theme = theme
        self.top = spec.top or spec.least_top
        self._run: RunView | None = None
        self._of_class = False
        self.labelled = self.small = False
        self._shown: Curves | None = None
        self._at = math.nan
        self.header = PlotHeader(translated(spec.title), translated(spec.unit), theme)
        self.view = pg.PlotWidget()
        self._lay_out()
        self._prepare_view()
        self.curves = [self._add_curve() for _ in spec.curves]
        self.behind_curves = {
            index: self._add_curve(behind=True) for index, curve in enumerate(spec.curves) if curve.compared
        }
        self.fan = EngineFan(self.view.getPlotItem(), spec, theme)
        self.fan_shown = True
        """True if each engine has a thin line of its own."""
        self.level = LevelLine(self.view.getPlotItem(), spec.level, theme)
        self._cross = pg.InfiniteLine(angle=90, movable=False)
        self._cross.setVisible(False)
        self.view.addItem(self._cross, ignoreBounds=True)
        self.markers = EventMarkers(self.view.getPlotItem())
        self.reason = ReasonLabel(self.view)
        self.marks = pg.ScatterPlotItem(symbol="t1", size=7, pen=None) if spec.marks else None
        if self.marks:
            self.view.addItem(self.marks, ignoreBounds=True)
        self._labels = EndLabels(self.view.getPlotItem(), [translated(curve.label) for curve in spec.curves])
        self._wire()
        theme.changed.connect(self.recolour)
        self.recolour()

    def _lay_out(self) -> None:
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(self.header)
        layout.addWidget(self.view, 1)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.setMinimumSize(120, 40)
        self.setToolTip(translated(self.spec.meaning))
        name = f"{translated(self.spec.title)}, {translated(self.spec.unit)}"
        self.setAccessibleName(name)
        self.view.setAccessibleName(name)

    def _prepare_view(self) -> None:
        item = self.view.getPlotItem()
        item.hideButtons()
        item.setMenuEnabled(False)
        item.setContentsMargins(0, 2, 6, 0)
        box = item.getViewBox()
        box.disableAutoRange()
        box.setMouseEnabled(x=True, y=False)
        box.setDefaultPadding(0)
        box.setLimits(xMin=-5)
        self.view.setFrameShape(self.view.Shape.NoFrame)
        self.view.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        for name, say in (("left", self._left_words), ("bottom", self._time_words)):
            axis = item.getAxis(name)
            axis.enableAutoSIPrefix(False)  # noqa: FBT003 - pyqtgraph's own signature
            axis.setStyle(tickLength=-3, tickTextOffset=3, maxTickLevel=0)
            axis.tickStrings = _tick_strings(say)
        item.getAxis("left").setGrid(255)
        # Below everything else: its lines would cross out the names at the curves' ends.
        item.getAxis("left").setZValue(-1000)
        self.view.setYRange(0, self.top, padding=0)

    def _left_words(self, values: list[float], spacing: float) -> list[str]:
        room = self.view.getPlotItem().getViewBox().height()
        every = lines_apart(spacing / self.top * room, self.fontMetrics().height() * SECONDARY_SIZE)
        said = tick_texts(values, spacing, self.top)
        return [
            word if not round(value / spacing) % every else ""
            for word, value in zip(said, values, strict=True)
        ]

    def _time_words(self, values: list[float], spacing: float) -> list[str]:
        box = self.view.getPlotItem().getViewBox()
        (start, end), _ = box.viewRange()
        # The axis leaves out a text that would extend beyond its end.
        word = self.fontMetrics().horizontalAdvance(f"{end:.1f}{NO_BREAK}s") * SECONDARY_SIZE
        return time_texts(values, spacing, end - word / 2 * (end - start) / max(1.0, box.width()))

    def _add_curve(self, *, behind: bool = False) -> pg.PlotCurveItem:
        curve = pg.PlotCurveItem(connect="finite", antialias=True, skipFiniteCheck=False)
        curve.setZValue(-10 if behind else 0)
        self.view.addItem(curve, ignoreBounds=True)
        return curve

    def _wire(self) -> None:
        scene = self.view.scene()
        scene.sigMouseMoved.connect(self._on_mouse)
        box = self.view.getPlotItem().getViewBox()
        box.sigRangeChangedManually.connect(self._on_zoom)
        box.sigResized.connect(self.reason.fit)
        scene.sigMouseClicked.connect(self._on_click)

    def recolour(self) -> None:
        """Apply the theme's colors and the font's present size."""
        theme, item = self._theme, self.view.getPlotItem()
        # Qt takes the width of these pens as pixels of the device.
        ratio = self.devicePixelRatioF()
        self.view.setBackground(theme.background)
        font = QFont(self.font())
        font.setPointSizeF(font.pointSizeF() * SECONDARY_SIZE)
        metrics_width = self.fontMetrics().horizontalAdvance("0000")
        for name in ("left", "bottom"):
            axis = item.getAxis(name)
            axis.setPen(pg.mkPen(theme.axis if name == "bottom" else theme.grid, width=1))
            axis.setTextPen(theme.secondary)
            axis.setTickFont(font)
        item.getAxis("left").setWidth(metrics_width + 8)
        for curve, spec in zip(self.curves, self.spec.curves, strict=True):
            curve.setPen(pg.mkPen(theme.mark(spec.meaning), width=tokens.CURVE_PX * ratio))
        for curve in self.behind_curves.values():
            curve.setPen(pg.mkPen(theme.baseline, width=tokens.BASELINE_PX * ratio))
        if self.marks:
            self.marks.setBrush(pg.mkBrush(theme.mark("preemption")))
        self.markers.recolour(theme.secondary, font, theme.background)
        self.reason.recolour(theme.secondary, font)
        self._cross.setPen(pg.mkPen(theme.secondary, width=1))
        self._labels.recolour([theme.ink(curve.meaning) for curve in self.spec.curves], font)
        self._size_time_axis()
        self.fan.recolour(ratio, font)
        self.level.recolour(ratio)
        self._show_read_outs()

    def label_markers(self, *, on: bool) -> None:
        """Show or hide the texts of event markers in this plot."""
        if on != self.markers.named:
            self.markers.named = on
            self.recolour()

    def set_small(self, *, on: bool) -> None:
        """Draw a small multiple, which a click makes the main plot."""
        self.small = on
        self.header.setCursor(Qt.CursorShape.PointingHandCursor if on else Qt.CursorShape.ArrowCursor)
        meaning = translated(self.spec.meaning)
        self.setToolTip(f"{meaning}\n{self.tr('Click to show it large.')}" if on else meaning)

    def show_time_axis(self, *, labelled: bool) -> None:
        """Show time labels only if `labelled`."""
        self.labelled = labelled
        self._size_time_axis()

    def _size_time_axis(self) -> None:
        axis = self.view.getPlotItem().getAxis("bottom")
        axis.setStyle(showValues=self.labelled)
        axis.setHeight(self.fontMetrics().height() if self.labelled else 4)

    def time_margins(self) -> tuple[float, float]:
        """Return the pixels left and right of the time axis."""
        axis = self.view.getPlotItem().getViewBox().sceneBoundingRect()
        return axis.left(), self.view.width() - axis.right()

    def item(self) -> pg.PlotItem:
        """Return the plot item, for a picture."""
        return self.view.getPlotItem()

    def background(self) -> QColor:
        """Return the background color."""
        return self._theme.background

    def set_span(self, start: float, end: float) -> None:
        """Show this time span."""
        self.view.setXRange(start, end, padding=0)

    def set_run(self, run: RunView | None, objectives: dict[str, object], burst: Burst | None = None) -> None:
        """Set the level line and the event markers of `run`."""
        self._run = run
        self.markers.show(event_markers(run, burst))
        self.top = self.spec.top or self.spec.least_top
        self.level.set_run(run, objectives)

    def draw(self, shown: Curves | None, behind: Curves | None, *, of_class: bool = False) -> None:
        """Repaint all curves from the data of two runs; `of_class` if it is one class's data."""
        self._shown, self._of_class = shown, of_class
        greatest = 0.0
        for curve, spec in zip(self.curves, self.spec.curves, strict=True):
            greatest = max(greatest, _fill(curve, spec, shown))
        for index, curve in self.behind_curves.items():
            greatest = max(greatest, _fill(curve, self.spec.curves[index], behind))
        engines = self._run.engines if self._run is not None and self.fan_shown else {}
        greatest = max(greatest, self.fan.draw(engines))
        self._show_up_to(self.level.place(greatest))
        self._place_marks(shown)
        self.view.getPlotItem().getAxis("left").setStyle(showValues=bool(shown and len(shown)))
        self._labels.place([_end(curve) for curve in self.curves])
        self.reason.show_reason(self._why_empty(shown))
        self._show_read_outs()

    def _why_empty(self, shown: Curves | None) -> str:
        """Return the text in place of curves; "" while the run is young or if there is a curve."""
        if self._run is None or shown is None or any(_end(curve) for curve in self.curves):
            return ""
        drawn = any(np.isfinite(values).any() for _, values in map(_points, self.curves))
        last = self._run.series.last_time()
        young = not has_ended(self._run) and not last > _YOUNG_S
        if drawn or young:
            return ""
        return translated(WITHOUT_REQUESTS if self._run.watched else self.spec.unknown)

    def _place_marks(self, shown: Curves | None) -> None:
        """Place a triangle at the top where the marked count rose."""
        if self.marks is None or self.spec.marks is None:
            return
        times = rises(shown, self.spec.marks) if shown else []
        self.marks.setData(times, [self.top * _MARKS_AT] * len(times))

    def _show_up_to(self, greatest: float) -> None:
        self.top = self.spec.top or max(self.spec.least_top, next_top(self.top, greatest))
        (_, (_, shown_top)) = self.view.getPlotItem().getViewBox().viewRange()
        if shown_top != self.top:
            self.view.setYRange(0, self.top, padding=0)

    @property
    def pointed_at(self) -> float:
        """The time of the cross-hair; NaN without one."""
        return self._at

    def point_at(self, run_t: float) -> None:
        """Show the cross-hair and the values at a time; NaN hides it."""
        self._at = run_t
        self._cross.setVisible(not math.isnan(run_t))
        if not math.isnan(run_t):
            self._cross.setValue(run_t)
        self._show_read_outs()

    def _show_read_outs(self) -> None:
        read_outs, note = ((), Note()) if self.reason.text() else self._read_outs()
        self.header.show_values(read_outs, note, self.level.read_out(self._at))

    def _read_outs(self) -> tuple[tuple[ReadOut, ...], Note]:
        """Return the values at the cross-hair, else the newest ones, or a finished run's own figures."""
        shown, run = self._shown, self._run
        if not shown:
            return (), Note()
        specs = self._said_specs()
        if not math.isnan(self._at):
            values = [shown.value_near(spec.column, self._at) for spec in specs]
        elif run is not None and has_ended(run):
            figures = whole_figures(self.spec, run, shown, of_class=self._of_class)
            said = [
                self._read_out(each.curve, each.value, translated(PEAK) if each.peak else "")
                for each in figures
                if each.curve in specs or each.value is not None
            ]
            return tuple(said), basis(self.spec, run, of_class=self._of_class)
        else:
            values = [_at_snapshot(shown, spec.column, run) for spec in specs]
        pairs = zip(specs, values, strict=True)
        scaled = [(spec, None if value is None else value * spec.scale) for spec, value in pairs]
        return tuple(self._read_out(spec, value) for spec, value in scaled), Note()

    def _said_specs(self) -> list[CurveSpec]:
        """Return the curves whose values are said: in a watch, those that have any."""
        if self._run is None or not self._run.watched:
            return [spec for spec in self.spec.curves if not spec.of_watch]
        drawn = [
            spec
            for curve, spec in zip(self.curves, self.spec.curves, strict=True)
            if np.isfinite(_points(curve)[1]).any()
        ]
        return drawn or list(self.spec.curves)

    def _read_out(self, spec: CurveSpec, value: float | None, label: str = "") -> ReadOut:
        text = number_text.significant(value, spec.digits) if spec.digits else self._counted(value)
        return ReadOut(label or translated(spec.label), text, self._theme.ink(spec.meaning))

    @staticmethod
    def _counted(value: float | None) -> str:
        """Return a count as text; a mean of counts is rarely whole."""
        return (
            number_text.count(value)
            if value is None or value == round(value)
            else number_text.significant(value)
        )

    def summary(self) -> str:
        """Return the read-outs as a sentence, for screen readers."""
        title = translated(self.spec.title)
        if not self._shown:
            return title
        said, note = self._read_outs()
        values = ", ".join(f"{part.label} {part.value}" for part in said)
        return f"{title}: {note.text} {values} {translated(self.spec.unit)}".replace(":  ", ": ")

    def _on_mouse(self, position: QPointF) -> None:
        box = self.view.getPlotItem().getViewBox()
        inside = box.sceneBoundingRect().contains(position)
        point = box.mapSceneToView(position) if inside else None
        self.fan.point_at(point)
        self.pointed.emit(point.x() if point is not None else math.nan)

    def changeEvent(self, event: QEvent) -> None:
        """Qt: apply the new font."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange and hasattr(self, "_labels"):
            self.recolour()

    def event(self, event: QEvent) -> bool:
        """Qt: draw with the widths of another screen."""
        if event.type() == QEvent.Type.DevicePixelRatioChange:
            self.recolour()
        return super().event(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Qt: place labels again."""
        super().resizeEvent(event)
        self.reason.fit()
        self._labels.place([_end(curve) for curve in self.curves])

    def leaveEvent(self, _event: object) -> None:
        """Qt: the mouse left the plot."""
        self.fan.point_at(None)
        self.pointed.emit(math.nan)

    def _on_click(self, event: Any) -> None:
        if event.button() == Qt.MouseButton.RightButton:
            self.menu_asked.emit(event.screenPos().toPoint())
        elif event.double():
            self.follow_asked.emit()
        elif self.small:
            self.enlarge_asked.emit()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Qt: a click on the header of a small plot."""
        if self.small and event.button() == Qt.MouseButton.LeftButton:
            self.enlarge_asked.emit()

    def _on_zoom(self, *_args: object) -> None:
        (start, end), _ = self.view.getPlotItem().getViewBox().viewRange()
        self.zoomed.emit(start, end)


def _tick_strings(say: Callable[[list[float], float], list[str]]) -> Callable[..., list[str]]:
    return lambda values, scale, spacing: say([value * scale for value in values], spacing * scale)


def rises(series: Curves, column: str) -> list[float]:
    """Return times at which a count rose, at most `_MOST_MARKS`, spread over the run."""
    counts = np.nan_to_num(series.column(column))
    times = series.times()[1:][np.diff(counts) > 0]
    step = max(1, math.ceil(len(times) / _MOST_MARKS))
    return [float(time) for time in times[::step]]


def _at_snapshot(shown: Curves, column: str, run: RunView | None) -> float | None:
    """Return a value at the moment that all panels show."""
    at = run.shown_t if run is not None and run.status == "running" else math.nan
    return shown.last(column) if math.isnan(at) else shown.value_near(column, at)


def _fill(curve: pg.PlotCurveItem, spec: CurveSpec, series: Curves | None) -> float:
    """Set the curve's points; return the maximum, 0 without any."""
    if series is None or not len(series):
        curve.setData([], [])
        return 0.0
    times, values = decimate(series.times(), series.column(spec.column) * spec.scale)
    if np.isnan(values).all():
        curve.setData([], [])
        return 0.0
    curve.opts["antialias"] = is_smooth(values)
    curve.setData(times, values)
    return float(np.nanmax(values))


def is_smooth(values: np.ndarray) -> bool:
    """Return True if a curve moves up and down so little that Qt can smooth it in time.

    Qt strokes a wide line as one outline: up to 70 ms for one that crosses itself at each point.
    """
    heights = np.abs(np.diff(values))
    span = np.nanmax(values) - np.nanmin(values)
    return bool(np.nansum(heights) <= _SMOOTH * span)


def _points(curve: pg.PlotCurveItem) -> tuple[np.ndarray, np.ndarray]:
    times, values = curve.getData()
    nothing = np.empty(0)
    return (nothing, nothing) if values is None else (times, values)


def _end(curve: pg.PlotCurveItem) -> tuple[float, float] | None:
    times, values = _points(curve)
    if not len(values) or not math.isfinite(values[-1]):
        return None
    return float(times[-1]), float(values[-1])
