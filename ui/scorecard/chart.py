"""Any two columns of the scorecard against each other: goodput over offered rate, TTFT over value, cost."""

from dataclasses import dataclass

import pyqtgraph as pg
from PySide6.QtWidgets import QHBoxLayout, QLabel, QVBoxLayout, QWidget

from ui.forms import Choice
from ui.live import LiveState, RunView
from ui.scorecard.columns import BASELINE, COLUMNS, Column, translated
from ui.scorecard.model import one_a_configuration
from ui.theme import Theme
from ui.words import plain

VALUE = "value"
"""The control's own value as an axis."""

_SIZE = 9
_SYMBOLS = ("o", "t1", "s", "d", "p", "h", "star", "x")
"""Variants differ by symbol too, not only by colour."""


@dataclass(frozen=True)
class Line:
    """The points of one configuration over the loads, or of one control over its values."""

    name: str
    baseline: bool
    points: tuple[tuple[float, float], ...]


def lines_of(state: LiveState, across: Column | None, up: Column) -> list[Line]:
    """What to draw; `across` None takes the control's value, the baseline at its own.

    Runs without both figures, and diverging ones where `up` depends on the run's length, are left out.
    """
    groups: dict[str, list[tuple[float, float]]] = {}
    baselines: set[str] = set()
    for run in one_a_configuration(state.runs.values()):
        point = _point(run, across, up)
        if point is None:
            continue
        name = _group(run, by_value=across is None)
        groups.setdefault(name, []).append(point)
        if run.is_baseline:
            baselines.add(name)
    return [Line(name, name in baselines, tuple(sorted(points))) for name, points in groups.items()]


def _point(run: RunView, across: Column | None, up: Column) -> tuple[float, float] | None:
    if not run.row or (up.depends_on_length and run.row.get("diverging") is True):
        return None
    y = up.value(run.row)
    if across is not None:
        x = across.value(run.row)
    else:
        value = run.value if run.control else None
        x = float(value) if isinstance(value, (int, float)) and not isinstance(value, bool) else None
    return None if x is None or y is None else (x, y)


def _group(run: RunView, *, by_value: bool) -> str:
    if run.control is None:
        return translated(BASELINE)
    if by_value:
        return run.control
    return f"{run.control} = {plain(run.value)}"


FIGURES = tuple(column for column in COLUMNS if column.kind != "text")


class ComparisonChart(QWidget):
    """Two choices and a plot."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._state = LiveState()
        options = [(column.key, column.header()) for column in FIGURES]
        self._up = Choice(options)
        self._across = Choice([*options, (VALUE, self.tr("Value of the control"))])
        self._view = pg.PlotWidget()
        self._lay_out()
        self._up.show_value("accepted_rps")
        self._across.show_value("offered_rps")
        for choice in (self._up, self._across):
            choice.chosen.connect(lambda _value: self.draw())
        theme.changed.connect(self.draw)

    def _lay_out(self) -> None:
        row = QHBoxLayout()
        row.setContentsMargins(8, 2, 8, 0)
        self._up.setAccessibleName(self.tr("Upwards"))
        self._across.setAccessibleName(self.tr("Across"))
        row.addWidget(self._up, 1)
        row.addWidget(QLabel(self.tr("over")))
        row.addWidget(self._across, 1)
        item = self._view.getPlotItem()
        item.hideButtons()
        item.setMenuEnabled(False)
        item.getViewBox().setMouseEnabled(x=False, y=False)
        for axis in ("left", "bottom"):
            item.getAxis(axis).enableAutoSIPrefix(False)  # noqa: FBT003 - pyqtgraph's own signature
        self._view.setFrameShape(self._view.Shape.NoFrame)
        self._view.setAccessibleName(self.tr("Comparison of runs"))
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addLayout(row)
        layout.addWidget(self._view, 1)

    def show_state(self, state: LiveState) -> None:
        """Draw the runs of this plan."""
        self._state = state
        self.draw()

    def draw(self) -> None:
        """Draw everything anew: a scorecard has few points and changes seldom."""
        if not self.isVisibleTo(self.parentWidget() or self):
            return
        by_key = {column.key: column for column in FIGURES}
        up, across = by_key[self._up.currentData()], by_key.get(self._across.currentData())
        item, theme = self._view.getPlotItem(), self._theme
        item.clear()
        self._view.setBackground(theme.background)
        for axis in ("left", "bottom"):
            item.getAxis(axis).setPen(pg.mkPen(theme.axis, width=1))
            item.getAxis(axis).setTextPen(theme.secondary)
        for number, line in enumerate(lines_of(self._state, across, up)):
            self._add(line, number)
        item.getViewBox().autoRange(padding=0.1)
        (left, right), _ = item.getViewBox().viewRange()
        # Room for the names at the ends.
        item.getViewBox().setXRange(left, right + (right - left) * 0.25, padding=0)

    def _add(self, line: Line, number: int) -> None:
        theme = self._theme
        colour = theme.baseline if line.baseline else theme.mark("under_test")
        xs, ys = zip(*line.points, strict=True)
        self._view.plot(
            xs,
            ys,
            pen=pg.mkPen(colour, width=1),
            symbol=_SYMBOLS[number % len(_SYMBOLS)],
            symbolSize=_SIZE,
            symbolPen=pg.mkPen(colour, width=1),
            symbolBrush=pg.mkBrush(theme.background if line.baseline else colour),
        )
        name = pg.TextItem(
            f" {line.name}", color=theme.secondary if line.baseline else theme.ink("under_test")
        )
        name.setAnchor((0, 0.5))
        name.setPos(xs[-1], ys[-1])
        name.setFont(self.font())
        self._view.addItem(name, ignoreBounds=True)
