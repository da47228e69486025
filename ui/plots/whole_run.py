"""The read-outs of a finished run: the run's own figures, not the zeros of the drained last sample."""

import math
from dataclasses import dataclass

import numpy as np
from PySide6.QtCore import QCoreApplication

from ui.live import Curves, RunView
from ui.plots.header import Note
from ui.plots.specs import MEAN, PEAK, CurveSpec, PlotSpec

ENDED = ("done", "partial", "failed", "skipped", "imported", "watched")
"""Values of `RunView.status` without further data."""


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
"""Scorecard columns with a curve's mean or peak, so that live and reopened runs agree."""


@dataclass(frozen=True)
class WholeFigure:
    """One figure of the run, in the plot's unit."""

    curve: CurveSpec
    value: float | None
    peak: bool = False
    """True for the maximum beside a mean or percentile."""


def has_ended(run: RunView | None) -> bool:
    """Return True if the run's figures are final."""
    return run is not None and run.status in ENDED


def at_the_end(run: RunView, *, of_class: bool) -> bool:
    """Return True if curves end on their last values: a class has no row, nor have some runs."""
    return of_class or not run.row


def basis(spec: PlotSpec, run: RunView, *, of_class: bool) -> Note:
    """Return what the figures are: the scorecard's, or means of the curves."""
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
    """Return one or two figures for each curve; `of_class` if the curves are one class's."""
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
    """Return the number of samples during the schedule, without the drain."""
    if not duration_s:
        return len(series)
    return int(np.searchsorted(series.times(), duration_s, side="right"))


def _mean(series: Curves, column: str, upto: int) -> float | None:
    """Return the mean over time: a sample covers the time since the one before."""
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
