"""Queue time up to the first scheduling, from the server's best source."""

from typing import Literal

import numpy as np

from workbench.results.figures.request_columns import RequestColumns
from workbench.results.histogram import Histogram
from workbench.results.percentiles import QUANTILES, Distribution, distribution
from workbench.results.run_records import Outcome

QueueSource = Literal["per_request", "recorder", "stat_logger"]
"""The source of single requests' queue times: the server in each answer, or its record of steps."""
# A few completed requests may lack the figure (n > 1); a smaller share is not representative.
_REPORTING = 0.9


class QueueFigures(Distribution, frozen=True, kw_only=True):
    """Queue time in milliseconds; from a histogram the percentiles are empty and `lo`, `hi` bound the p95."""

    lo: float | None = None
    hi: float | None = None
    """None with `lo` set: beyond the last bucket."""
    source: str | None = None
    """`per_request`, `recorder`, `stat_logger` or `histogram`; None: unknown."""


def enough_queue_times(reporting: int, completed: int) -> bool:
    """Return whether so many requests with a queue time represent all completed ones."""
    return reporting >= _REPORTING * completed


def queue_figures(
    columns: RequestColumns,
    histogram: Histogram | None = None,
    *,
    scale: float,
    source: QueueSource = "per_request",
) -> QueueFigures:
    """Return the queue time of these requests from `source`, else from `histogram` (seconds).

    `scale` is the factor for the server's own times; a histogram covers all requests, never a part.
    """
    completed = columns.of_outcome(Outcome.COMPLETED)
    known = columns.queue_ms[~np.isnan(columns.queue_ms)]
    reporting = np.count_nonzero(completed & ~np.isnan(columns.queue_ms))
    if known.size and enough_queue_times(int(reporting), int(np.count_nonzero(completed))):
        return _from_requests(columns, known * scale, source)
    return histogram_queue_figures(histogram, scale)


def histogram_queue_figures(histogram: Histogram | None, scale: float = 1.0) -> QueueFigures:
    """Return the queue time by the server's histogram (seconds, times `scale`); empty without one."""
    if histogram is not None and histogram.count > 0:
        return _from_histogram(histogram.scaled(scale * 1000))
    return QueueFigures()


def _from_requests(
    columns: RequestColumns, known: np.ndarray[tuple[int], np.dtype[np.float64]], source: QueueSource
) -> QueueFigures:
    figures = distribution(known)
    # Requests without a first token at the end may still be queued and would lengthen every figure.
    waiting = columns.of_outcome(Outcome.UNFINISHED) & np.isnan(columns.first_token) & ~np.isnan(columns.sent)
    censored = int(np.count_nonzero(waiting))
    stated = [name for name in ("mean", *QUANTILES, "max") if getattr(figures, name) is not None]
    fields = figures.to_json() | {"censored": censored, "at_least": stated if censored else []}
    return QueueFigures(**fields, source=source)  # type: ignore[arg-type]  # fields of the base record


def _from_histogram(histogram: Histogram) -> QueueFigures:
    lo, hi = histogram.quantile_bounds(0.95) or (None, None)
    return QueueFigures(n=round(histogram.count), mean=histogram.mean(), lo=lo, hi=hi, source="histogram")
