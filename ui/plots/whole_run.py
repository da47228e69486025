"""What read-outs say of a run that has ended: its own figures, not the zeros of the last, drained sample."""

import math
from dataclasses import dataclass

import numpy as np
from PySide6.QtCore import QCoreApplication

from ui.live import Curves, RunView
from ui.plots.header import Note
from ui.plots.specs import MEAN, PEAK, CurveSpec, PlotSpec

ENDED = ("done", "partial", "failed", "skipped", "imported")
"""Of `RunView.status`: nothing more comes."""


_COLUMNS = {
    ("running", MEAN): "running_mean",
    ("waiting", MEAN): "waiting_mean",
    ("kv_usage", MEAN): "kv_mean",
    ("kv_usage", PEAK): "kv_peak",
    ("oldest_waiting_s", PEAK): "oldest_waiting_s",
    ("input_tok_s", MEAN): "input_tok_s",
    ("output_tok_s", MEAN): "output_tok_s",
    ("rejected_rps", MEAN): "rejected_rps",
}
"""Columns of the scorecard that hold what a curve's mean or peak is: so it is the same live and reopened."""


@dataclass(frozen=True)
class WholeFigure:
    """One figure of the run, in the plot's unit."""

    curve: CurveSpec
    value: float | None
    peak: bool = False
    """The greatest, where the others are means or percentiles."""


def has_ended(run: RunView | None) -> bool:
    """Whether the run's figures are final."""
    return run is not None and run.status in ENDED


def at_the_end(run: RunView, *, of_class: bool) -> bool:
    """Whether curves end on their last values: no row tells of one class, nor of a run that has none."""
    return of_class or not run.row


def basis(spec: PlotSpec, run: RunView, *, of_class: bool) -> Note:
    """What the figures are, in a word: the scorecard's of the run, or means of what is drawn."""
    translate = QCoreApplication.translate
    if not any(kind not in {MEAN, PEAK} for curve in spec.curves for kind in curve.whole):
        return Note(translate("plots", "mean"), translate("plots", "mean"))
    if at_the_end(run, of_class=of_class):
        return Note(translate("plots", "at the end"), translate("plots", "end"))
    repeats = run.row.get("n")
    if isinstance(repeats, int) and repeats > 1:
        # Repeats share a row of the scorecard.
        said = translate("plots", "{0} runs").format(repeats)
        return Note(said, said)
    if any("_mean_" in kind for curve in spec.curves for kind in curve.whole):
        return Note(translate("plots", "mean of the run"), translate("plots", "mean"))
    return Note(translate("plots", "whole run"), translate("plots", "run"))


def whole_figures(
    spec: PlotSpec, run: RunView, series: Curves, *, of_class: bool = False
) -> list[WholeFigure]:
    """A figure or two for each curve; `of_class` where the curves are one class's, of which no row tells."""
    upto = _under_load(series, run.duration_s)
    found = []
    for curve in spec.curves:
        for kind in curve.whole:
            stored = None if of_class else _of_row(run, _COLUMNS.get((curve.column, kind), ""))
            if stored is not None:
                value: float | None = stored
            elif kind == MEAN:
                value = _mean(series, curve.column, upto)
            elif kind == PEAK:
                value = _greatest(series, curve.column, upto)
            elif at_the_end(run, of_class=of_class):
                value = _last_known(series, curve.column, upto)
            else:
                value = _of_row(run, kind)
            scaled = None if value is None else value * curve.scale
            found.append(WholeFigure(curve, scaled, peak=kind == PEAK and len(curve.whole) > 1))
    return found


def _under_load(series: Curves, duration_s: float | None) -> int:
    """How many of the samples were taken while the schedule went on; what drains afterwards says little."""
    if not duration_s:
        return len(series)
    return int(np.searchsorted(series.times(), duration_s, side="right"))


def _mean(series: Curves, column: str, upto: int) -> float | None:
    """Over time: a sample stands for the time since the one before."""
    values, times = series.column(column)[:upto], series.times()[:upto]
    weights = np.diff(times, prepend=min(0.0, times[0]) if len(times) else 0.0)
    known = ~np.isnan(values) & (weights > 0)
    return float(np.average(values[known], weights=weights[known])) if known.any() else None


def _greatest(series: Curves, column: str, upto: int) -> float | None:
    values = series.column(column)[:upto]
    return None if np.isnan(values).all() else float(np.nanmax(values))


def _last_known(series: Curves, column: str, upto: int) -> float | None:
    values = series.column(column)[:upto]
    known = values[~np.isnan(values)]
    return float(known[-1]) if len(known) else None


def _of_row(run: RunView, name: str) -> float | None:
    value = run.row.get(name)
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not math.isfinite(value):
        return None
    return float(value)
