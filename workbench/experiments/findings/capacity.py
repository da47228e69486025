"""Findings of a ladder: the sustainable rate as an interval, and runs too short to decide it."""

import math
from collections.abc import Sequence

from workbench.base import Message, Record, message
from workbench.experiments.plan.estimate import MOST_SCV, NEAR, RELAXATIONS, minutes, relaxation_s
from workbench.experiments.plan.run_queue import Rung, rungs
from workbench.results import BenchFile


class Sustained(Record, frozen=True, kw_only=True):
    """Bounds of the rate that one configuration sustains."""

    label: str
    low: float | None
    """The highest sustained rate below `high`; None if there is none."""
    high: float | None
    """The lowest rate that was not sustained; None if there is none."""
    why: Message | str
    """The reason at `high`."""
    again: list[float]
    """Rates above `high` that were sustained all the same: near the limit a single run depends on chance."""
    unknown: list[float]
    """Rates below `high` that no valid run decides."""

    def finding(self) -> Message:
        """Return the interval, with the rates that contradict it or are unknown."""
        parts = [self._interval()]
        if self.again:
            parts.append(message("experiments.sustained_again", rates=_listed(self.again)))
        if self.unknown and self.low is None:
            parts.append(message("experiments.sustained_unknown", rates=_listed(self.unknown)))
        return message("experiments.sustained", parts=parts)

    def _interval(self) -> Message:
        open_ = [rate for rate in self.unknown if self.low is None or rate > self.low]
        if self.high is None and open_:
            return message(
                "experiments.sustains_undecided", label=self.label, low=self.low, rates=_listed(open_)
            )
        if self.high is None:
            return message("experiments.sustains_highest", label=self.label, low=self.low)
        if self.low is None:
            return message("experiments.sustains_less", label=self.label, high=self.high, why=self.why)
        return message(
            "experiments.sustains_between", label=self.label, low=self.low, high=self.high, why=self.why
        )


def _listed(rates: Sequence[float]) -> list[str]:
    return [f"{rate:g}" for rate in rates]


def capacity_findings(bench: BenchFile) -> list[Message]:
    """Return findings for each configuration that was offered several rates."""
    found = []
    for label, own in by_configuration(rungs(bench)).items():
        interval = sustained(label, own)
        if interval is not None:
            found.append(interval.finding())
        advice = length_advice(own)
        if advice is not None:
            found.append(advice)
    return found


def by_configuration(judged: Sequence[Rung]) -> dict[str, list[Rung]]:
    """Group the rungs that have a rate by configuration, lowest rate first."""
    groups: dict[str, list[Rung]] = {}
    for rung in sorted((each for each in judged if each.rate is not None), key=lambda each: each.rate or 0.0):
        groups.setdefault(rung.run.partition(" @ ")[0], []).append(rung)
    return groups


def sustained(label: str, own: Sequence[Rung]) -> Sustained | None:
    """Return the interval; None with fewer than two rates, or if no run decides any."""
    decided = [(rung.rate, rung) for rung in own if rung.bears is not None and rung.rate is not None]
    if len(own) < 2 or not decided:
        return None
    high = min((rate for rate, rung in decided if not rung.bears), default=None)
    borne = [rate for rate, rung in decided if rung.bears]
    below = [rate for rate in borne if high is None or rate < high]
    why = next((rung.why for rate, rung in decided if rate == high), "")
    again = [rate for rate in borne if high is not None and rate > high]
    unknown = [rung.rate for rung in own if rung.bears is None and rung.rate is not None]
    return Sustained(
        label=label,
        low=max(below, default=None),
        high=high,
        why=why,
        again=again,
        unknown=[rate for rate in unknown if high is None or rate < high],
    )


def length_advice(own: Sequence[Rung]) -> Message | None:
    """Return a finding if the run at the highest stable rate near capacity was too short; else None."""
    capacity = max((rung.cells["completed_rps"] for rung in own if rung.cells.get("diverging")), default=None)
    stable = [rung for rung in own if rung.cells.get("diverging") is False and rung.rate is not None]
    if capacity is None or not stable:
        return None
    rung = stable[-1]
    rate, length = rung.rate or 0.0, rung.cells.get("duration_s") or 0.0
    if not NEAR * capacity <= rate < capacity:
        return None
    arrivals = rung.cells.get("burst_factor")
    # The cell is a text if the runs of the row have several values.
    forgets = relaxation_s(
        rate,
        capacity,
        float(arrivals) if isinstance(arrivals, int | float) else 1.0,
        _services_scv(rung),
    )
    if length >= RELAXATIONS * forgets:
        return None
    return message(
        "experiments.run_too_short",
        run=rung.run,
        percent=100 * rate / capacity,
        capacity=capacity,
        relaxation=minutes(forgets / 60),
        length=minutes(length / 60),
        enough=minutes(RELAXATIONS * forgets / 60),
    )


def _services_scv(rung: Rung) -> float:
    """Return the squared coefficient of variation of the output lengths, taken as log-normal."""
    middle, high = rung.cells.get("osl_p50"), rung.cells.get("osl_p95")
    if not middle or not high or high <= middle:
        return 0.0
    sigma = math.log(high / middle) / 1.645
    return min(math.expm1(sigma * sigma), MOST_SCV)
