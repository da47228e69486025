"""What a ladder finds: the sustainable rate as an interval, and whether runs were long enough to say so."""

import math
from collections.abc import Sequence

from workbench.base import Record
from workbench.experiments.plan.estimate import MOST_SCV, NEAR, RELAXATIONS, minutes, relaxation_s
from workbench.experiments.plan.run_queue import Rung, rungs
from workbench.results import BenchFile


class Sustained(Record, frozen=True, kw_only=True):
    """The rate that one configuration bears lies between `low` and `high`."""

    label: str
    low: float | None
    """The highest rate below `high` that it bore; None: none."""
    high: float | None
    """The lowest rate that was too much; None: none was."""
    why: str
    """What was too much at `high`."""
    again: list[float]
    """Rates above `high` that it bore all the same: near the limit one run is a lottery."""
    unknown: list[float]
    """Rates below `high` of which no valid run says enough."""

    def sentence(self) -> str:
        """The interval in words."""
        open_ = [rate for rate in self.unknown if self.low is None or rate > self.low]
        if self.high is None and open_:
            text = (
                f"{self.label} bears at least {self.low:g} req/s;"
                f" at {_listed(open_)} no valid run says enough"
            )
        elif self.high is None:
            text = f"{self.label} bears at least {self.low:g} req/s, the highest rate offered"
        elif self.low is None:
            text = f"{self.label} bears less than {self.high:g} req/s ({self.why})"
        else:
            text = f"{self.label} bears {self.low:g} to {self.high:g} req/s (at {self.high:g}: {self.why})"
        if self.again:
            text += f"; yet it bore {_listed(self.again)}: more repeats would tell"
        if self.unknown and self.low is None:
            text += f"; of {_listed(self.unknown)} nothing is known: more requests would tell"
        return f"{text}."


def _listed(rates: Sequence[float]) -> str:
    return ", ".join(f"{rate:g}" for rate in rates)


def capacity_findings(bench: BenchFile) -> list[str]:
    """For each configuration that was offered several rates."""
    found = []
    for label, own in by_configuration(rungs(bench)).items():
        interval = sustained(label, own)
        if interval is not None:
            found.append(interval.sentence())
        advice = length_advice(own)
        if advice is not None:
            found.append(advice)
    return found


def by_configuration(judged: Sequence[Rung]) -> dict[str, list[Rung]]:
    """Rungs with a rate, lowest first, by the name of the configuration."""
    groups: dict[str, list[Rung]] = {}
    for rung in sorted((each for each in judged if each.rate is not None), key=lambda each: each.rate or 0.0):
        groups.setdefault(rung.run.partition(" @ ")[0], []).append(rung)
    return groups


def sustained(label: str, own: Sequence[Rung]) -> Sustained | None:
    """None with fewer than two rates, or where none says anything."""
    told = [(rung.rate, rung) for rung in own if rung.bears is not None and rung.rate is not None]
    if len(own) < 2 or not told:
        return None
    high = min((rate for rate, rung in told if not rung.bears), default=None)
    borne = [rate for rate, rung in told if rung.bears]
    below = [rate for rate in borne if high is None or rate < high]
    why = next((rung.why for rate, rung in told if rate == high), "")
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


def length_advice(own: Sequence[Rung]) -> str | None:
    """Of the highest stable rate near capacity, where its run was too short to say much; else None."""
    capacity = max((rung.cells["completed_rps"] for rung in own if rung.cells.get("diverging")), default=None)
    stable = [rung for rung in own if rung.cells.get("diverging") is False and rung.rate is not None]
    if capacity is None or not stable:
        return None
    rung = stable[-1]
    rate, length = rung.rate or 0.0, rung.cells.get("duration_s") or 0.0
    if not NEAR * capacity <= rate < capacity:
        return None
    arrivals = rung.cells.get("burst_factor")
    forgets = relaxation_s(
        # Where runs of one row arrived unlike, a text says so.
        rate,
        capacity,
        float(arrivals) if isinstance(arrivals, int | float) else 1.0,
        _services_scv(rung),
    )
    if length >= RELAXATIONS * forgets:
        return None
    full, known, seen, enough = (
        f"{100 * rate / capacity:.0f} %",
        minutes(forgets / 60),
        minutes(length / 60),
        minutes(RELAXATIONS * forgets / 60),
    )
    return (
        f"{rung.run} is at {full} of its capacity ({capacity:.3g} req/s), where a queue forgets in about"
        f" {known}: a run of {seen} shows its luck; {enough}, in one run or in repeats, would show more."
    )


def _services_scv(rung: Rung) -> float:
    """Squared coefficient of variation of the output lengths, as if they were log-normal."""
    middle, high = rung.cells.get("osl_p50"), rung.cells.get("osl_p95")
    if not middle or not high or high <= middle:
        return 0.0
    sigma = math.log(high / middle) / 1.645
    return min(math.expm1(sigma * sigma), MOST_SCV)
