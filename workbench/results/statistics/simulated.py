"""What a simulated run can't decide: a limit within the known error of the profile behind its times."""

from collections.abc import Iterator, Sequence
from typing import Literal

from workbench.base import InputError
from workbench.profiles import load_profile
from workbench.results.statistics.checks import Check
from workbench.results.wording import short

_METRICS: dict[str, Literal["ttft", "tpot"]] = {"ttft_p95_ms": "ttft", "itl_p95_ms": "tpot"}
"""The objectives whose latency a profile's known error speaks of, and the one it has for them."""


def undecided_by_profile(profile: str | None, checks: Sequence[Check]) -> list[str]:
    """A sentence for each check whose figure lies too near its limit to tell a real server's side of it.

    Args:
        profile: of the embedded engine that served the run; None: a real server, about which nothing is said.
        checks: of the run.
    """
    if profile is None:
        return []
    try:
        error = load_profile(profile).known_error
    except InputError:
        return []  # made with a profile that is not here
    bands = {} if error is None else {name: error.band_pct(metric) for name, metric in _METRICS.items()}
    return list(_sentences(checks, bands))


def _sentences(checks: Sequence[Check], bands: dict[str, float]) -> Iterator[str]:
    for check in checks:
        band = bands.get(check.objective)
        if band is None or check.value is None or check.met is None:
            continue
        if abs(check.limit - check.value) <= check.value * band / 100:
            name = check.objective if check.cls is None else f"{check.objective} of {check.cls}"
            yield (
                f"{name} {short(check.value)} lies within the profile's known error (±{band:g} %) of its "
                f"limit {short(check.limit)}: on a real server undecided"
            )
