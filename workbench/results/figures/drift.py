"""The drift of TTFT over a run: its slope shows whether the run was stable.

Past capacity a percentile only measures the length of the run; then the slope is the finding.
"""

import numpy as np

from workbench.base import Record
from workbench.results.figures.request_columns import Bools, RequestColumns
from workbench.results.percentiles import Floats
from workbench.results.run_records import Outcome

_BLOCKS = 20
_LEAST_PER_BLOCK = 3
# The first part of a run fills an empty server and always climbs, at any load.
_SETTLING = 0.25
# A single burst can cause this growth of the number of unanswered requests.
_LEAST_GROWTH = 3.0
_OPEN_SHARE = 0.5


class Drift(Record, frozen=True, kw_only=True):
    """Slope of TTFT over due time in seconds per second, with its 95 % interval."""

    slope: float
    lo: float
    hi: float
    diverging: bool
    """The interval lies above 0 and the number of unanswered requests grows."""


def drift(columns: RequestColumns, *, scale: float, ended: float) -> Drift | None:
    """Compute the drift of the requests in `columns`; None: too few requests.

    A few unanswered requests count with the time they had waited, so the slope is rather too small. The last
    part of a run without a drain, in which most are unanswered, is left out.
    """
    due, ttft, answered = _ttft_by_due(columns, scale, ended)
    waiting = _unanswered(due, ttft)
    settled_count = _count_before_open_end(answered)
    due, ttft, waiting = due[:settled_count], ttft[:settled_count], waiting[:settled_count]
    if due.size == 0 or due[-1] <= due[0]:
        return None
    settled = due >= due[0] + _SETTLING * (due[-1] - due[0])
    if np.count_nonzero(settled) < _BLOCKS * _LEAST_PER_BLOCK:
        return None
    slope, margin = _block_slope(due[settled], ttft[settled])
    grows, _ = _block_slope(due[settled], waiting[settled])
    growth = grows * float(due[settled][-1] - due[settled][0])
    diverging = slope - margin > 0 and growth >= _LEAST_GROWTH
    return Drift(slope=slope, lo=slope - margin, hi=slope + margin, diverging=diverging)


def _ttft_by_due(columns: RequestColumns, scale: float, ended: float) -> tuple[Floats, Floats, Bools]:
    """Return due times ascending, the TTFT of each (seconds of the load), and whether it is known."""
    answered = ~np.isnan(columns.first_token)
    open_at_end = columns.of_outcome(Outcome.UNFINISHED) & ~answered & (columns.due < ended)
    chosen = answered | open_at_end
    due = columns.due[chosen] * scale
    ttft = np.where(answered, columns.first_token - columns.due, ended - columns.due)[chosen] * scale
    order = np.argsort(due, kind="stable")
    return due[order], ttft[order], answered[chosen][order]


def _count_before_open_end(answered: Bools) -> int:
    """Return how many requests, in the order of due, precede the part in which most are unanswered."""
    if not answered.size:
        return 0
    left = np.arange(answered.size, 0, -1)
    open_share = np.cumsum(~answered[::-1])[::-1] / left
    mostly_open = np.flatnonzero(open_share > _OPEN_SHARE)
    return int(mostly_open[0]) if mostly_open.size else answered.size


def _unanswered(due: Floats, ttft: Floats) -> Floats:
    """Return at each due time how many earlier requests have no first token yet."""
    answered_by_then = np.searchsorted(np.sort(due + ttft), due, side="right")
    return (np.arange(due.size) - answered_by_then).astype(np.float64)


def _block_slope(x: Floats, y: Floats) -> tuple[float, float]:
    """Return the slope of block means by least squares, and half its 95 % interval.

    Near capacity a queue is a random walk, which climbs for a while by chance; the interval is at least as
    wide as that of the mean step from block to block.
    """
    from scipy import stats  # noqa: PLC0415  # takes a second to import; the window must open at once

    blocks = np.array_split(np.arange(x.size), _BLOCKS)
    bx = np.array([x[block].mean() for block in blocks])
    by = np.array([y[block].mean() for block in blocks])
    centred = bx - bx.mean()
    spread = float(centred @ centred)
    slope = float(centred @ by) / spread
    residual = by - by.mean() - slope * centred
    scattered = np.sqrt(float(residual @ residual) / (_BLOCKS - 2) / spread)
    steps = np.diff(by) - slope * np.diff(bx)
    walked = np.sqrt(float(steps @ steps) / (_BLOCKS - 2) * (_BLOCKS - 1)) / float(bx[-1] - bx[0])
    return slope, float(stats.t.ppf(0.975, _BLOCKS - 2) * max(scattered, walked))
