"""Whether a run was stable: does TTFT climb as the run goes on, and how fast?

Past capacity a percentile measures the length of the run: the slope is the finding, the percentile is not.
"""

import numpy as np

from workbench.base import Record
from workbench.results.figures.columns import RequestColumns
from workbench.results.percentiles import Floats
from workbench.results.records import Outcome

_BLOCKS = 20
_LEAST_PER_BLOCK = 3
# The first part of a run fills an empty server and always climbs; it says nothing about capacity.
_SETTLING = 0.25
# Growth that a single burst can cause is no growth.
_LEAST_GROWTH = 3.0


class Drift(Record, frozen=True, kw_only=True):
    """Slope of TTFT over due time in seconds per second, with its 95 % interval."""

    slope: float
    lo: float
    hi: float
    diverging: bool
    """The interval lies above 0 and the number of unanswered requests grows."""


def drift(columns: RequestColumns, *, scale: float, ended: float) -> Drift | None:
    """The drift of the requests in `columns`; None with too few to tell.

    Unanswered requests enter with what they had waited, so the slope is if anything too small.
    """
    answered = ~np.isnan(columns.first_token)
    open_at_end = columns.of_outcome(Outcome.UNFINISHED) & ~answered & (columns.due < ended)
    chosen = answered | open_at_end
    due = columns.due[chosen] * scale
    ttft = np.where(answered, columns.first_token - columns.due, ended - columns.due)[chosen] * scale
    order = np.argsort(due, kind="stable")
    due, ttft = due[order], ttft[order]
    settled = due >= due[0] + _SETTLING * (due[-1] - due[0]) if due.size else np.zeros(0, dtype=np.bool_)
    if np.count_nonzero(settled) < _BLOCKS * _LEAST_PER_BLOCK or due[-1] <= due[0]:
        return None
    slope, margin = _block_slope(due[settled], ttft[settled])
    waiting = _unanswered(due, ttft)
    grows, _ = _block_slope(due[settled], waiting[settled])
    growth = grows * float(due[settled][-1] - due[settled][0])
    diverging = slope - margin > 0 and growth >= _LEAST_GROWTH
    return Drift(slope=slope, lo=slope - margin, hi=slope + margin, diverging=diverging)


def _unanswered(due: Floats, ttft: Floats) -> Floats:
    """At each due time, how many earlier requests have no first token yet."""
    answered_by_then = np.searchsorted(np.sort(due + ttft), due, side="right")
    return (np.arange(due.size) - answered_by_then).astype(np.float64)


def _block_slope(x: Floats, y: Floats) -> tuple[float, float]:
    """Slope of block means by least squares, and half its 95 % interval, widened for correlated blocks."""
    from scipy import stats  # noqa: PLC0415  # takes a second to import; the window must open at once

    blocks = np.array_split(np.arange(x.size), _BLOCKS)
    bx = np.array([x[block].mean() for block in blocks])
    by = np.array([y[block].mean() for block in blocks])
    centred = bx - bx.mean()
    slope = float(centred @ by / (centred @ centred))
    residual = by - by.mean() - slope * centred
    variance = float(residual @ residual) / (_BLOCKS - 2)
    # Neighbouring blocks share a queue: with correlation r, n of them say as much as n (1 - r)/(1 + r).
    energy = float(residual @ residual)
    r = min(max(float(residual[1:] @ residual[:-1]) / energy, 0.0), 0.8) if energy > 0 else 0.0
    error = np.sqrt(variance * (1 + r) / (1 - r) / float(centred @ centred))
    return slope, float(stats.t.ppf(0.975, _BLOCKS - 2) * error)
