"""The accepted rate of a load within capacity, also when the window is short against a response.

Rates count requests that ended in the window. A window that begins with an idle server misses those of about
its last response time, so a short run looks slower, and more expensive, than it is. In an open loop within
capacity, the requests due in the window over its length are the rate without this error.
"""

from workbench.base import Message, message
from workbench.results.scorecard.column import RunFacts
from workbench.results.statistics.within_capacity import UNANSWERED

_NO_DRIFT = 0.1
"""The largest drift of TTFT, seconds a second; a load a tenth above capacity drifts so."""
_SAME = 0.02
"""Rates that differ by a smaller share are equal."""
_TELLS = 0.10
"""Share of the window that a response may take without a note."""


def due_accepted_rps(run: RunFacts) -> float | None:
    """Return accepted requests of those due in the window, over its length; None: not meaningful.

    Past capacity some of them were answered only because the load had ended; in a closed loop, due times
    follow from ends.
    """
    if not _within_capacity(run):
        return None
    return _of_scheduled(run, run.figures.accepted)


def forces_ended_basis(run: RunFacts) -> bool:
    """Return whether this run forces the file's costs to use requests that ended in the window.

    It is compared (an open loop, valid, not known to be past capacity) and its rate of due requests
    is unknown; compared rows need one basis.
    """
    scheduled, open_ones = run.figures.requests.scheduled, run.figures.requests.unfinished
    compared = (
        run.figures.valid
        and scheduled
        and run.run.concurrency is None
        and not run.figures.diverging
        and not run.figures.partial
        and (open_ones or 0) <= UNANSWERED * scheduled
    )
    return bool(compared) and due_accepted_rps(run) is None


def cost_rate_basis(run: RunFacts) -> str | None:
    """Return the column whose rate the cost columns use."""
    if run.figures.accepted_rps is None:
        return None
    return "accepted_rps_carried" if run.by_due and due_accepted_rps(run) is not None else "accepted_rps"


def cost_rps(run: RunFacts) -> float | None:
    """Return the accepted rate that costs and fleets use."""
    carried = due_accepted_rps(run) if run.by_due else None
    rate = run.figures.accepted_rps if carried is None else carried
    return None if rate is None else float(rate)


def cost_accepted_tok_s(run: RunFacts) -> float | None:
    """Return the rate of accepted output tokens that costs use, of the same requests as `cost_rps`."""
    tokens = run.figures.accepted_output_tokens
    if tokens is not None and run.by_due and _within_capacity(run):
        return _of_scheduled(run, tokens)
    rate = run.figures.accepted_output_tok_s
    return None if rate is None else float(rate)


def cost_tok_s(run: RunFacts) -> float | None:
    """Return the rate of output tokens of completed requests, accepted or not."""
    mean, completed = run.figures.output_tokens.mean, run.figures.requests.completed
    if mean is None or completed is None or not run.by_due or not _within_capacity(run):
        rate = run.figures.output_tok_s
        return None if rate is None else float(rate)
    return _of_scheduled(run, mean * completed)


def short_window(run: RunFacts) -> Message | None:
    """Return how a window that is short against a response changes the rates; None: it is long enough."""
    window, response = run.figures.duration_s, run.figures.e2e_ms.p50
    if not window or response is None or run.run.concurrency is not None or run.figures.diverging:
        return None
    # Answers to requests of the warm-up end in the window and compensate for those that end after it.
    missing = min(1.0, max(0.0, response / 1000 - float(run.fact("warmup_s") or 0.0)) / window)
    late = _ended_late(run)
    if max(missing, late) <= _TELLS:
        return None
    times = {"response_s": response / 1000, "window_s": window}
    carried, counted = due_accepted_rps(run), run.figures.accepted_rps
    same = carried and counted is not None and abs(counted - carried) <= _SAME * carried
    if late > _TELLS and (same or (missing <= _TELLS and carried is None)):
        return message("results.ended_after_window", late=late, **times)
    if same:
        return None
    if carried is None or counted is None:
        return message("results.missing_from_rates", missing=missing, **times)
    if run.by_due:
        return message("results.costs_by_due", ended_rps=counted, due_rps=carried, **times)
    return message("results.costs_by_ended", ended_rps=counted, due_rps=carried, **times)


def _ended_late(run: RunFacts) -> float:
    """Return the share of completed requests that ended after the window, less those from the warm-up."""
    completed, inside = run.figures.requests.completed, run.figures.completed_rps
    whole = _of_scheduled(run, completed) if run.figures.requests.scheduled else None
    return max(0.0, 1 - float(inside) / whole) if whole and inside is not None else 0.0


def _within_capacity(run: RunFacts) -> bool:
    scheduled, open_ones = run.figures.requests.scheduled, run.figures.requests.unfinished
    drift = run.figures.drift.hi if run.figures.drift else None
    return bool(
        scheduled
        and run.run.concurrency is None
        and run.figures.diverging is False
        and drift is not None
        and drift <= _NO_DRIFT
        and not run.figures.partial
        and (open_ones or 0) <= UNANSWERED * scheduled
    )


def _of_scheduled(run: RunFacts, amount: float | None) -> float | None:
    scheduled, offered = run.figures.requests.scheduled, run.figures.offered_rps
    if amount is None or offered is None or not scheduled:
        return None
    return float(amount) / scheduled * offered
