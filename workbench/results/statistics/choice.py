"""Which configuration to run: the cheapest that meets all objectives in every class; why not the others."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from workbench.base import Record
from workbench.results.bench.entries import RunEntry
from workbench.results.bench.queries import BenchQueries
from workbench.results.objectives import Limits, Objectives
from workbench.results.scorecard.rows import ScorecardRow, scorecard_rows
from workbench.results.wording import short

_LATENCIES = ("ttft_p95_ms", "itl_p95_ms", "e2e_p95_ms")


class Check(Record, frozen=True, kw_only=True):
    """One objective against one figure."""

    objective: str
    cls: str | None
    """None: all requests."""
    limit: float
    value: float | None
    """What was measured; a lower or upper bound decides too where it can."""
    met: bool | None
    """None: can't be said."""

    def sentence(self) -> str:
        """The check in words."""
        name = self.objective if self.cls is None else f"{self.objective} of {self.cls}"
        if self.met is None:
            return f"{name} not known (limit {short(self.limit)})"
        shown = "" if self.value is None else f" {short(self.value)}"
        return f"{name}{shown} {'<=' if self.met else '>'} {short(self.limit)}"


class Candidate(Record, frozen=True, kw_only=True):
    """One row of the scorecard as a choice."""

    run: str
    accepted_rps: float | None
    cost: float | None
    """Per 1,000 accepted responses, in the file's currency."""
    checks: list[Check]
    against: list[str]
    """Why it can't be recommended; empty: it can."""


class Choice(Record, frozen=True, kw_only=True):
    """The recommendation of a scorecard."""

    recommended: Candidate | None
    """None: no configuration meets all objectives."""
    others: list[Candidate]
    """Runners-up first, by the same order, then those that can't be recommended."""
    by: str
    """What the order is by, in words."""


def choose(bench: BenchQueries) -> Choice:
    """Order the configurations of a bench file; reads summaries only."""
    runs = {run.id: run for run in bench.runs()}
    objectives = {entry.id: entry.objectives for entry in bench.experiments()}
    found = [_candidate(row, runs, objectives) for row in scorecard_rows(bench)]
    priced = bool(found) and all(each.cost is not None for each in found if not each.against)
    ranked = sorted(found, key=lambda each: (bool(each.against), *_rank(each, priced=priced)))
    by = "cost per 1,000 accepted responses" if priced else "accepted responses a second (no price is stated)"
    best = ranked[0] if ranked and not ranked[0].against else None
    return Choice(recommended=best, others=ranked[1:] if best else ranked, by=by)


def _rank(candidate: Candidate, *, priced: bool) -> tuple[float, float]:
    cost = candidate.cost if priced and candidate.cost is not None else 0.0
    return cost, -(candidate.accepted_rps or 0.0)


def _candidate(
    row: ScorecardRow, runs: Mapping[int, RunEntry], objectives: Mapping[int, Objectives]
) -> Candidate:
    counted = [runs[key] for key in row.run_ids if runs[key].status == "done" and runs[key].summary]
    checks = _checks(counted, objectives[counted[0].experiment_id]) if counted else []
    against = [check.sentence() for check in checks if check.met is not True]
    if not counted:
        against = [f"no run ended as planned ({row.cells['status']})"]
    if row.cells["valid"] is False:
        against.insert(0, f"invalid: {row.cells['reasons']}")
    if row.cells["diverging"]:
        against.insert(0, "diverging: the load is past its capacity")
    return Candidate(
        run=str(row.cells["run"]),
        accepted_rps=row.cells["accepted_rps"],
        cost=row.cells["cost_per_1k_accepted"],
        checks=checks,
        against=against,
    )


def _checks(runs: Sequence[RunEntry], objectives: Objectives) -> list[Check]:
    """Overall and per class; an objective is met where every repeat meets it."""
    summaries = [run.summary or {} for run in runs]
    found = list(_of_limits(summaries, objectives, None))
    names = sorted(set.intersection(*(set(summary.get("classes", {})) for summary in summaries)))
    # A single class is the whole, unless it has limits of its own.
    for name in names if len(names) > 1 else objectives.classes.keys() & set(names):
        figures = [summary["classes"][name] for summary in summaries]
        found += _of_limits(figures, _class_limits(objectives, name), name)
    return found


def _class_limits(objectives: Objectives, name: str) -> Limits:
    """A class's own limits; the overall latency limits bind each class too, run-level ones don't."""
    own = objectives.classes.get(name, Limits()).stated()
    shared = {key: value for key, value in objectives.stated().items() if key in _LATENCIES}
    return Limits(**{**shared, **own})


def _of_limits(summaries: Sequence[Mapping[str, Any]], limits: Limits, cls: str | None) -> Iterator[Check]:
    for objective, limit in limits.stated().items():
        results = [_one(summary, objective, limit) for summary in summaries]
        values = [value for value, _ in results if value is not None]
        verdicts = [met for _, met in results]
        met = False if False in verdicts else None if None in verdicts else True
        value = max(values) if values else None
        yield Check(objective=objective, cls=cls, limit=limit, value=value, met=met)


def _one(summary: Mapping[str, Any], objective: str, limit: float) -> tuple[float | None, bool | None]:
    """A figure and whether it is within the limit; a lower bound can only break it."""
    if not objective.endswith("_p95_ms"):
        value = summary.get(objective)
        return value, None if value is None else value <= limit
    figures = summary[objective.replace("_p95", "")]
    value = figures["p95"]
    if value is None:
        return _from_bucket(figures, limit) if objective == "queue_p95_ms" else (None, None)
    if value > limit:
        return value, False
    return value, None if "p95" in figures["at_least"] else True


def _from_bucket(figures: Mapping[str, Any], limit: float) -> tuple[float | None, bool | None]:
    lo, hi = figures["lo"], figures["hi"]
    if hi is not None and hi <= limit:
        return hi, True
    return (lo, False) if lo is not None and lo >= limit else (None, None)
