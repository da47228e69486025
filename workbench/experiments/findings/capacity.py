"""Findings of a ladder: the sustainable rate as an interval, and runs too short to decide it."""

import math
from collections.abc import Sequence

from workbench.base import Message, Record, message
from workbench.experiments.plan.estimate import MOST_SCV, NEAR, RELAXATIONS, minutes_text, relaxation_s
from workbench.experiments.plan.judged_steps import JudgedStep, judge_steps
from workbench.results import BenchFile


class SustainedRate(Record, frozen=True, kw_only=True):
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
    for label, own in by_configuration(judge_steps(bench)).items():
        interval = sustained_rate(label, own)
        if interval is not None:
            found.append(interval.finding())
        advice = length_advice(own)
        if advice is not None:
            found.append(advice)
    return found


def by_configuration(judged: Sequence[JudgedStep]) -> dict[str, list[JudgedStep]]:
    """Group the steps that have a rate by configuration, lowest rate first."""
    groups: dict[str, list[JudgedStep]] = {}
    for step in sorted((each for each in judged if each.rate is not None), key=lambda each: each.rate or 0.0):
        groups.setdefault(step.run.partition(" @ ")[0], []).append(step)
    return groups


def sustained_rate(label: str, own: Sequence[JudgedStep]) -> SustainedRate | None:
    """Return the interval; None with fewer than two rates, or if no run decides any."""
    decided = [(step.rate, step) for step in own if step.sustained is not None and step.rate is not None]
    if len(own) < 2 or not decided:
        return None
    high = min((rate for rate, step in decided if not step.sustained), default=None)
    borne = [rate for rate, step in decided if step.sustained]
    below = [rate for rate in borne if high is None or rate < high]
    why = next((step.why for rate, step in decided if rate == high), "")
    again = [rate for rate in borne if high is not None and rate > high]
    unknown = [step.rate for step in own if step.sustained is None and step.rate is not None]
    return SustainedRate(
        label=label,
        low=max(below, default=None),
        high=high,
        why=why,
        again=again,
        unknown=[rate for rate in unknown if high is None or rate < high],
    )


def length_advice(own: Sequence[JudgedStep]) -> Message | None:
    """Return a finding if the run at the highest stable rate near capacity was too short; else None."""
    capacity = max((step.cells["completed_rps"] for step in own if step.cells.get("diverging")), default=None)
    stable = [step for step in own if step.cells.get("diverging") is False and step.rate is not None]
    if capacity is None or not stable:
        return None
    step = stable[-1]
    rate, length = step.rate or 0.0, step.cells.get("duration_s") or 0.0
    if not NEAR * capacity <= rate < capacity:
        return None
    arrivals = step.cells.get("burst_factor")
    # The cell is a text if the runs of the row have several values.
    forgets = relaxation_s(
        rate,
        capacity,
        float(arrivals) if isinstance(arrivals, int | float) else 1.0,
        _services_scv(step),
    )
    if length >= RELAXATIONS * forgets:
        return None
    return message(
        "experiments.run_too_short",
        run=step.run,
        percent=100 * rate / capacity,
        capacity=capacity,
        relaxation=minutes_text(forgets / 60),
        length=minutes_text(length / 60),
        enough=minutes_text(RELAXATIONS * forgets / 60),
    )


def _services_scv(step: JudgedStep) -> float:
    """Return the squared coefficient of variation of the output lengths, taken as log-normal."""
    middle, high = step.cells.get("osl_p50"), step.cells.get("osl_p95")
    if not middle or not high or high <= middle:
        return 0.0
    sigma = math.log(high / middle) / 1.645
    return min(math.expm1(sigma * sigma), MOST_SCV)
