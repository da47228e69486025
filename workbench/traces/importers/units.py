"""The unit of relative times: as a format defines it, checked against what the rate would be."""

from collections.abc import Sequence

from workbench.traces.report import ImportReport

MS_PER = {"ns": 1e-6, "us": 1e-3, "ms": 1.0, "s": 1000.0}
"""Milliseconds in one unit."""

PLAUSIBLE_RPS = (1e-3, 1e4)
"""Mean rates that a service may have; 3,000 requests over 3.5 million seconds mean that ms were read as s."""


def mean_rps(times: Sequence[float], unit: str) -> float | None:
    """The mean rate if times are in `unit`; None where they don't tell."""
    span = max(times, default=0.0) - min(times, default=0.0)
    return None if len(times) < 10 or not span > 0 else (len(times) - 1) / (span * MS_PER[unit] / 1000)


def plausible(rate: float | None) -> bool:
    """Whether a service can have this mean rate."""
    return rate is None or PLAUSIBLE_RPS[0] <= rate <= PLAUSIBLE_RPS[1]


def checked_unit(times: Sequence[float], unit: str, report: ImportReport, field: str) -> float:
    """The factor from the format's `unit` to ms; warns where the rate would be impossible."""
    rate = mean_rps(times, unit)
    report.note(f"{field} read as {unit}, as the format defines it")
    if not plausible(rate):
        others = [
            other for other in ("s", "ms", "us", "ns") if other != unit and plausible(mean_rps(times, other))
        ]
        better = f"; in {others[0]} it would be {mean_rps(times, others[0]):.3g}" if others else ""
        report.warn(f"{field} in {unit} gives a mean rate of {rate:.3g} requests/s{better}: check its unit")
    return MS_PER[unit]


def inferred_unit(times: Sequence[float], field: str) -> tuple[str, str]:
    """A unit for relative times that nobody defined, and why.

    The name's ending, else the first plausible rate.
    """
    for ending, unit in (
        ("_ns", "ns"),
        ("nano", "ns"),
        ("_us", "us"),
        ("_ms", "ms"),
        ("_s", "s"),
        ("_sec", "s"),
        ("seconds", "s"),
    ):
        if field.lower().endswith(ending):
            return unit, f"its name ends in {ending}"
    whole = all(float(time).is_integer() for time in times[:1000])
    order = (
        ("ms", "s", "us", "ns")
        if whole and max(times, default=0.0) > 10 * len(times)
        else ("s", "ms", "us", "ns")
    )
    for unit in order:
        if plausible(mean_rps(times, unit)):
            rate = mean_rps(times, unit)
            return (
                unit,
                "too few times to tell" if rate is None else f"it gives a mean rate of {rate:.3g} requests/s",
            )
    return order[0], "no unit gives a plausible rate"
