"""The values behind a figure of one run, by request, for comparisons."""

import numpy as np

from workbench.results.figures.latencies import gaps_of_requests
from workbench.results.figures.request_columns import Bools, RequestColumns
from workbench.results.figures.run_frame import RunFrame
from workbench.results.percentiles import Floats
from workbench.results.run_records import Outcome
from workbench.results.statistics.bootstrap import Ints, RunValues

FIGURES: dict[str, float | None] = {
    "ttft_p95_ms": 0.95,
    "itl_p95_ms": 0.95,
    "e2e_p95_ms": 0.95,
    "queue_p95_ms": 0.95,
    "error_rate": None,
}
"""Figures that can be compared, with their quantile; None: a mean over requests."""

RESTART_SHARES = {"itl_p95_ms": 0.10}
"""Assumed effects of a restart that are smaller than a queue's: ITL depends on the step, not the wait."""


def values_of_run(
    columns: RequestColumns, figure: str, frame: RunFrame, *, cls: str | None = None
) -> RunValues:
    """Return the figure's values in one run, of one class or of all.

    Unanswered requests count with the time they had waited, as in the figures.
    """
    measured = np.asarray(columns.phase == "measured", dtype=np.bool_)
    if cls is not None:
        measured &= np.asarray(columns.cls == cls, dtype=np.bool_)
    chosen = columns.select(measured)
    owner = chosen.index.astype(np.int64)
    size = int(chosen.index.max()) + 1 if len(chosen) else 0
    if figure == "itl_p95_ms":
        values, owner = _token_gaps(chosen, owner)
        return RunValues.of(values * frame.time_scale, owner, size)
    return RunValues.of(_one_each(chosen, figure, frame), owner, size)


def _one_each(columns: RequestColumns, figure: str, frame: RunFrame) -> Floats:
    if figure == "queue_p95_ms":
        return columns.queue_ms * frame.server_scale
    if figure == "error_rate":
        return _errors(columns, stopped=frame.stopped)
    end, who = (
        (columns.first_token, ~np.isnan(columns.first_token))
        if figure == "ttft_p95_ms"
        else (columns.done, columns.of_outcome(Outcome.COMPLETED))
    )
    return _since_due(columns, end, who, frame)


def _since_due(columns: RequestColumns, end: Floats, who: Bools, frame: RunFrame) -> Floats:
    """Return ms from due to `end` for `who`, to the end of watching for the unanswered, else NaN."""
    values = np.where(who, end - columns.due, np.nan)
    if frame.ended is not None:
        waiting = columns.of_outcome(Outcome.UNFINISHED) & ~who & (columns.due < frame.ended)
        values = np.where(waiting, frame.ended - columns.due, values)
    return values * frame.time_scale * 1000


def _errors(columns: RequestColumns, *, stopped: bool) -> Floats:
    """Return 1 for an error, 0 for none, NaN for requests cancelled, never sent or left open by a stop."""
    errors = np.where(columns.of_outcome(Outcome.COMPLETED), 0.0, 1.0)
    errors[columns.of_outcome(Outcome.CANCELLED) | columns.never_left] = np.nan
    if stopped:
        errors[columns.of_outcome(Outcome.UNFINISHED)] = np.nan
    return errors


def _token_gaps(columns: RequestColumns, owner: Ints) -> tuple[Floats, Ints]:
    parts = gaps_of_requests(columns)
    if not parts:
        return np.empty(0), np.empty(0, dtype=np.int64)
    return np.concatenate(parts), np.repeat(owner, [part.size for part in parts])
