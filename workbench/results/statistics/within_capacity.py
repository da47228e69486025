"""Decide whether a row's load was within capacity: past it, percentiles measure the length of the run.

- TTFT that drifts upwards is a sign of overload.
- Many unanswered requests are one too; then there are too few answers for a drift.
- With few requests the drift is unknown, and such a row is not recommended.
"""

from collections.abc import Mapping
from typing import Any

from workbench.base import Message, message

UNANSWERED = 0.05
"""Share of requests unanswered after the drain beyond which it is overload."""
DRIFT_NEEDS = 80
"""The approximate number of measured requests that TTFT's drift needs (`figures.drift`)."""


def past_capacity(cells: Mapping[str, Any]) -> Message | None:
    """Return the sign that the load of a scorecard row exceeded its server's capacity; None: no sign."""
    if cells.get("diverging"):
        slope = cells.get("ttft_drift_s_per_s")
        if slope is None:
            return message("results.diverging")
        return message("results.diverging_by", slope=slope)
    unfinished, scheduled = cells.get("unfinished") or 0.0, cells.get("requests") or 0.0
    if unfinished > UNANSWERED * scheduled:
        return message("results.unanswered_after_drain", unfinished=unfinished, scheduled=scheduled)
    return None


def capacity_unknown(cells: Mapping[str, Any]) -> Message | None:
    """Return why it is unknown whether the load exceeded the capacity; None: known, or a closed loop."""
    if cells.get("concurrency") is not None or cells.get("diverging") is not None:
        return None
    requests = cells.get("requests") or 0
    if requests < DRIFT_NEEDS:
        why = message("results.few_for_drift", requests=requests, needed=DRIFT_NEEDS)
    else:
        why = message("results.drift_unknown")
    return message("results.capacity_unknown", why=why)
