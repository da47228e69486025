"""Whether a row's load was within capacity: past it, percentiles measure the length of the run.

TTFT's drift says so where requests were answered. Where most were not there is no drift, and that is the
plainer sign; where there were too few requests, nobody knows, and what nobody knows is not recommended.
"""

from collections.abc import Mapping
from typing import Any

UNANSWERED = 0.05
"""Share open at the end, after a drain as long as the schedule, beyond which it is overload."""
DRIFT_NEEDS = 80
"""Measured requests, about, from which TTFT's drift can be told (`figures.drift`)."""


def past_capacity(cells: Mapping[str, Any]) -> str | None:
    """Why the load of a scorecard row was more than its server bears; None: nothing says so."""
    if cells.get("diverging"):
        slope = cells.get("ttft_drift_s_per_s")
        return "diverging" if slope is None else f"diverging, TTFT +{slope:.2g} s per s"
    unfinished, scheduled = cells.get("unfinished") or 0.0, cells.get("requests") or 0.0
    if unfinished > UNANSWERED * scheduled:
        return f"{unfinished:g} of {scheduled:g} requests unanswered after the drain"
    return None


def capacity_unknown(cells: Mapping[str, Any]) -> str | None:
    """That nobody can say whether the load was past capacity, with the reason; a closed loop never is."""
    if cells.get("concurrency") is not None or cells.get("diverging") is not None:
        return None
    requests = cells.get("requests") or 0
    why = (
        f"{requests:g} requests, about {DRIFT_NEEDS} tell"
        if requests < DRIFT_NEEDS
        else "TTFT's drift wasn't told"
    )
    return f"not known whether the load is past capacity: {why}"
