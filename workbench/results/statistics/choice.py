"""Which configuration to run: the cheapest that meets all objectives in every class; why not the others."""

from collections.abc import Mapping, Sequence

import msgspec

from workbench.base import Record
from workbench.results.bench.entries import IMPORTED, RunEntry
from workbench.results.bench.queries import BenchQueries
from workbench.results.objectives import Objectives
from workbench.results.scorecard.rows import ScorecardRow, scorecard_rows
from workbench.results.statistics.capacity import capacity_unknown, past_capacity
from workbench.results.statistics.checks import Check, checks_of
from workbench.results.statistics.simulated import undecided_by_profile

_REASONS_SHOWN = 3
_REJECTS = 0.01
"""Above this share a recommendation says that requests are rejected."""
_REJECTS_MANY = 0.05
"""Above this one only a stated error rate lets it be recommended: rejecting makes the rest faster."""


class Candidate(Record, frozen=True, kw_only=True):
    """One row of the scorecard as a choice."""

    run: str
    accepted_rps: float | None
    cost: float | None
    """Per 1,000 accepted responses, in the file's currency."""
    checks: list[Check]
    against: list[str]
    """Why it can't be recommended, the gravest first, cut to what a sentence holds; empty: it can."""
    not_judged: list[str] = msgspec.field(default_factory=list)
    """What is open and doesn't speak against it: objectives of classes with too few requests, and why;
    answers that can be others than the baseline's and were not compared."""
    rejects: str | None = None
    """`rejects 3.4 %` where that is to be said of it."""
    undecided: bool = False
    """It meets the latency objectives but rejects many requests, and no objective says how many it may."""


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
    ours = [row for row in scorecard_rows(bench) if row.cells["status"] != IMPORTED]
    found = [_candidate(row, runs, objectives) for row in ours]
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
    stated = objectives[counted[0].experiment_id] if counted else Objectives()
    checks, not_judged = checks_of(counted, stated) if counted else ([], [])
    profile = counted[0].profile if counted and counted[0].simulated else None
    against = _against(row, checks) if counted else [f"no run ended as planned ({row.cells['status']})"]
    rate = row.cells["rejected_rate"] or 0.0
    rejects = f"rejects {_percent(rate)}" if rate > _REJECTS else None
    unbounded = rate > _REJECTS_MANY and not _bounds_errors(stated)
    undecided = unbounded and not against
    if unbounded:
        met = "meets the latency objectives, but " if undecided and checks else ""
        against.append(f"{met}{rejects}: state an error_rate objective to decide")
    return Candidate(
        run=str(row.cells["run"]),
        accepted_rps=row.cells["accepted_rps"],
        cost=row.cells["cost_per_1k_accepted"],
        checks=checks,
        against=_cut(against),
        not_judged=[*not_judged, *_quality(row), *undecided_by_profile(profile, checks)],
        rejects=rejects,
        undecided=undecided,
    )


def _against(row: ScorecardRow, checks: Sequence[Check]) -> list[str]:
    """The gravest first: what makes figures mean nothing, then what is missed by most, then the unknown."""
    overload, unsure = past_capacity(row.cells), capacity_unknown(row.cells)
    found = [] if overload is None else [f"{overload}: the load is past its capacity"]
    if row.cells["valid"] is False:
        found.append(f"invalid: {row.cells['reasons']}")
    missed = sorted((check for check in checks if check.met is False), key=Check.excess, reverse=True)
    unknown = [check for check in checks if check.met is None]
    found += [check.sentence() for check in (*missed, *unknown)]
    return found if unsure is None or overload is not None else [*found, unsure]


def _quality(row: ScorecardRow) -> list[str]:
    """That its answers may be others than the baseline's, where nobody compared them."""
    told = row.cells["quality_check"]
    return [f"quality {told}"] if told and str(told).startswith("not checked") else []


def _cut(reasons: Sequence[str]) -> list[str]:
    more = len(reasons) - _REASONS_SHOWN
    return [*reasons[:_REASONS_SHOWN], *([f"and {more} more"] if more > 0 else [])]


def _bounds_errors(objectives: Objectives) -> bool:
    """Whether rejections, which are errors, have a limit: overall or in every class that has limits."""
    own = list(objectives.classes.values())
    by_class = bool(own) and all(limits.error_rate is not None for limits in own)
    return objectives.error_rate is not None or by_class


def _percent(share: float) -> str:
    return f"{100 * share:.0f} %" if share >= 0.1 else f"{100 * share:.1f} %"
