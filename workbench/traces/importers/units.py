"""The unit of relative times: as a format defines it, checked against what the rate would be."""

import numpy as np

from workbench.traces.arrays import Floats
from workbench.traces.report import ImportReport

MS_PER = {"ns": 1e-6, "us": 1e-3, "ms": 1.0, "s": 1000.0}
"""Milliseconds in one unit."""

_ENDINGS = {"_ns": "ns", "nano": "ns", "_us": "us", "_ms": "ms", "_s": "s", "_sec": "s", "seconds": "s"}

_FEWEST_TIMES = 10

PLAUSIBLE_RPS = (1e-3, 1e4)
"""Mean rates that a service may have; 3,000 requests over 3.5 million seconds mean that ms were read as s."""


_AT_ONCE_RPS = 1e3
"""A mean rate that is doubted where the whole trace lasts less than a second."""


def mean_rps(times: Floats, unit: str) -> float | None:
    """The mean rate if times are in `unit`; None where they don't tell."""
    span = float(np.ptp(times)) if len(times) >= _FEWEST_TIMES else 0.0
    return (len(times) - 1) / (span * MS_PER[unit] / 1000) if span > 0 else None


def plausible(rate: float | None) -> bool:
    """Whether a service can have this mean rate."""
    return rate is None or PLAUSIBLE_RPS[0] <= rate <= PLAUSIBLE_RPS[1]


def check_unit(times: Floats, unit: str, report: ImportReport, field: str) -> None:
    """Note the format's unit, and warn where it makes the rate impossible."""
    rate = mean_rps(times, unit)
    report.note(f"{field} read as {unit}, as the format defines it")
    if rate is not None and (not plausible(rate) or _all_at_once(times, rate)):
        others = [
            other for other in ("s", "ms", "us", "ns") if other != unit and plausible(mean_rps(times, other))
        ]
        better = f"; in {others[0]} it would be {mean_rps(times, others[0]):.3g}" if others else ""
        report.warn(f"{field} in {unit} gives a mean rate of {rate:.3g} requests/s{better}: check its unit")


def _all_at_once(times: Floats, rate: float) -> bool:
    """Whether a trace of many fractions of its unit is over within a second: seconds that were read as ms."""
    return rate > _AT_ONCE_RPS and len(times) < rate and bool(np.any(times != np.floor(times)))


def inferred_unit(times: Floats, field: str) -> tuple[str, str]:
    """A unit for relative times that nobody defined, and why: the name's ending, else a plausible rate."""
    for ending, unit in _ENDINGS.items():
        if field.lower().endswith(ending):
            return unit, f"its name ends in {ending}"
    # Whole numbers far larger than their count are rarely seconds: ten requests a second would be 0.1 apart.
    head = times[:1000]
    in_ms = bool(np.all(head == np.floor(head))) and float(times.max(initial=0.0)) > 10 * len(times)
    for unit in ("ms", "s", "us", "ns") if in_ms else ("s", "ms", "us", "ns"):
        rate = mean_rps(times, unit)
        if plausible(rate):
            why = (
                "too few times to tell" if rate is None else f"it gives a mean rate of {rate:.3g} requests/s"
            )
            return unit, why
    return "s", "no unit gives a plausible rate"
