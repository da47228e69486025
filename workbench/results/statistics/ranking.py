"""Rank configurations: the cheapest that meets all objectives in every class, and why not the others."""

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from workbench.base import Message, Record, message
from workbench.results.bench.entries import UNJUDGED, RunEntry
from workbench.results.bench.queries import BenchQueries
from workbench.results.objectives import Objectives
from workbench.results.scorecard.scorecard_rows import ScorecardRow, scorecard_rows
from workbench.results.statistics.objective_checks import Check, checks_of, undecided_by_profile
from workbench.results.statistics.within_capacity import capacity_unknown, past_capacity

_REASONS_SHOWN = 3
_REJECTS = 0.01
"""Share from which a recommendation mentions rejected requests."""
_REJECTS_MANY = 0.05
"""Share from which only an error-rate objective allows a recommendation: rejecting makes the rest faster."""
_EQUAL = 0.01
"""Costs or rates this near to the best are a tie: another minute of the same load changes them as much."""


class Candidate(Record, frozen=True, kw_only=True):
    """One row of the scorecard as a candidate."""

    run: str
    accepted_rps: float | None
    """Accepted requests a second, of those due in the window if within capacity, else ended in it."""
    ended_rps: float | None = None
    """Accepted requests a second of those that ended in the window."""
    due_rps: float | None = None
    """Accepted requests a second of those due in the window; None: unknown (`accepted_rps_carried`)."""
    accepted_share: float | None = None
    """Share of requests that were not cancelled; it can be well below 1 with all objectives met."""
    cost: float | None
    """Per 1,000 accepted responses, in the file's currency."""
    checks: list[Check]
    against: list[Message]
    """Why it can't be recommended, the gravest first, the rest counted; empty: it can."""
    not_judged: list[Message] = msgspec.field(default_factory=list)
    """Open questions that don't speak against it:

    - objectives of classes with too few requests, and why,
    - shares that so few requests leave possible beyond their limit,
    - answers that may differ from the baseline's and were not compared.
    """
    rejects: Message | None = None
    """The share of requests that it rejects, where it is more than 1 %."""
    undecided: bool = False
    """It meets the latency objectives but rejects many requests, and no objective says how many it may."""
    currency: str | None = None
    classes_open: bool = False
    """Objectives of a class, or of several, can't be judged."""
    capacity_open_at: float | None = None
    """Its rate, if it can be recommended and no valid run of its configuration had a higher one, so that its
    capacity is unknown. None: the capacity is known, or it had no rate."""

    def price(self) -> Message | None:
        """Return `0.07 EUR per 1,000 accepted responses`; None: no cost is known."""
        if self.cost is None:
            return None
        if self.currency is None:
            return message("results.price_without_currency", cost=self.cost)
        return message("results.price", cost=self.cost, currency=self.currency)

    def accepts(self) -> Message | None:
        """Return the share of requests accepted; None: unknown."""
        if self.accepted_share is None:
            return None
        return message("results.accepts", share=self.accepted_share)

    def met(self) -> Message:
        """Return which objectives a row that can be recommended meets; of classes only those judged."""
        if not self.classes_open:
            return message("results.meets_all")
        if any(check.cls is not None for check in self.checks):
            return message("results.meets_all_judged")
        return message("results.meets_overall")

    def to_json(self) -> dict[str, Any]:
        """Return the fields with English texts; the messages stand beside them as `…_messages`."""
        fields: dict[str, Any] = msgspec.to_builtins(self)
        for name in ("against", "not_judged"):
            fields[f"{name}_messages"] = fields[name]
            fields[name] = [str(each) for each in getattr(self, name)]
        fields["rejects_message"] = fields["rejects"]
        fields["rejects"] = None if self.rejects is None else str(self.rejects)
        return fields


class Ranking(Record, frozen=True, kw_only=True):
    """The recommendation of a scorecard."""

    recommended: Candidate | None
    """The recommendation; None if no configuration meets all objectives."""
    others: list[Candidate]
    """Runners-up first, by the same order, then those that can't be recommended."""
    by: Message
    """Figure that orders the rows; for a tie of the first, also the figure that broke it."""
    compared: bool = True
    """Several configurations had a valid run; with one there is no best."""

    def to_json(self) -> dict[str, Any]:
        """Return the choice for events and exports: texts, with the messages beside them."""
        return {
            "recommended": None if self.recommended is None else self.recommended.to_json(),
            "others": [each.to_json() for each in self.others],
            "by": str(self.by),
            "by_message": msgspec.to_builtins(self.by),
            "compared": self.compared,
        }


def choose(bench: BenchQueries) -> Ranking:
    """Order the configurations of a bench file; reads summaries only."""
    runs = {run.id: run for run in bench.runs()}
    objectives = {entry.id: entry.objectives for entry in bench.experiments()}
    ours = [row for row in scorecard_rows(bench) if row.cells["status"] not in UNJUDGED]
    found = [_candidate(row, runs, objectives) for row in ours]
    found = [_with_open_capacity(each, row, ours) for each, row in zip(found, ours, strict=True)]
    priced = bool(found) and all(each.cost is not None for each in found if not each.against)
    ranked = sorted(found, key=lambda each: (bool(each.against), *_rank(each, priced=priced)))
    by = message("results.by_cost") if priced else message("results.by_rate")
    level = _level(ranked, priced=priced)
    if len(level) > 1:
        waits = {str(row.cells["run"]): row.cells["ttft_p95_ms"] for row in ours}
        level, breaker = _broken(level, waits)
        ranked[: len(level)] = level
        if priced:
            by = message("results.costs_tie", breaker=breaker)
        else:
            by = message("results.rates_tie", breaker=breaker)
    best = ranked[0] if ranked and not ranked[0].against else None
    valid = {(row.cells["control"], row.cells["value"]) for row in ours if row.cells["valid"]}
    return Ranking(recommended=best, others=ranked[1:] if best else ranked, by=by, compared=len(valid) > 1)


def _with_open_capacity(candidate: Candidate, row: ScorecardRow, rows: Sequence[ScorecardRow]) -> Candidate:
    """Return the candidate, with `capacity_open_at` set if no higher rate was tested."""
    rate = row.cells["rate"]
    if candidate.against or rate is None:
        return candidate
    own = (row.cells["control"], row.cells["value"])
    higher = any(
        other.cells["valid"] and (other.cells["rate"] or 0.0) > rate
        for other in rows
        if (other.cells["control"], other.cells["value"]) == own
    )
    return candidate if higher else msgspec.structs.replace(candidate, capacity_open_at=rate)


def _level(ranked: Sequence[Candidate], *, priced: bool) -> list[Candidate]:
    """Return those that can be recommended and are as good as the first."""
    able = [(_figure(each, priced=priced), each) for each in ranked if not each.against]
    return [each for figure, each in able if abs(figure - able[0][0]) <= _EQUAL * able[0][0]]


def _figure(candidate: Candidate, *, priced: bool) -> float:
    return (candidate.cost if priced else candidate.accepted_rps) or 0.0


def _broken(level: Sequence[Candidate], waits: Mapping[str, float | None]) -> tuple[list[Candidate], Message]:
    """Order a tie, and return what broke it."""
    keys = {each.run: (_nearest(each), _or_last(waits[each.run])) for each in level}
    ordered = sorted(level, key=lambda each: keys[each.run])
    first, second = (keys[each.run] for each in ordered[:2])
    if first[0] != second[0]:
        return ordered, message("results.by_margin")
    if first[1] != second[1]:
        return ordered, message("results.title_ttft_p95")
    return ordered, message("results.by_order")


def _nearest(candidate: Candidate) -> float:
    """Return the largest figure as a share of its limit; 0 without any."""
    return max((check.excess() for check in candidate.checks if check.value), default=0.0)


def _or_last(value: float | None) -> float:
    return float("inf") if value is None else value


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
    unplanned = message("results.none_as_planned", status=row.cells["status"])
    against = _against(row, checks) if counted else [unplanned]
    rate = row.cells["rejected_rate"] or 0.0
    rejects = message("results.rejects", share=rate) if rate > _REJECTS else None
    unbounded = rate > _REJECTS_MANY and not _bounds_errors(stated)
    undecided = unbounded and not against
    if unbounded and undecided and checks:
        against.append(message("results.meets_but_rejects", rejects=rejects))
    elif unbounded:
        against.append(message("results.rejects_many", rejects=rejects))
    return Candidate(
        run=str(row.cells["run"]),
        accepted_rps=_accepted(row),
        ended_rps=row.cells["accepted_rps"],
        due_rps=row.cells["accepted_rps_carried"],
        accepted_share=row.cells["accepted_share"],
        cost=row.cells["cost_per_1k_accepted"],
        currency=row.cells["currency"],
        checks=checks,
        against=_cut(against),
        not_judged=[*not_judged, *_doubts(checks), *_quality(row), *undecided_by_profile(profile, checks)],
        rejects=rejects,
        undecided=undecided,
        classes_open=bool(not_judged),
    )


def _accepted(row: ScorecardRow) -> float | None:
    """Return the rate that its costs use: of requests due in the window, else of those ended in it."""
    found: float | None = row.cells.get(row.cells["cost_rate_basis"] or "accepted_rps")
    return row.cells["accepted_rps"] if found is None else found


def _against(row: ScorecardRow, checks: Sequence[Check]) -> list[Message]:
    """Return overload and invalidity first, then missed objectives by how far, then unknown ones."""
    overload, unsure = past_capacity(row.cells), capacity_unknown(row.cells)
    found = [] if overload is None else [message("results.past_capacity", sign=overload)]
    if row.cells["valid"] is False:
        found.append(message("results.invalid", reasons=row.cells["reasons"]))
    missed = sorted((check for check in checks if check.met is False), key=Check.excess, reverse=True)
    unknown = [check for check in checks if check.met is None]
    found += [check.sentence() for check in (*missed, *unknown)]
    return found if unsure is None or overload is not None else [*found, unsure]


def _doubts(checks: Sequence[Check]) -> list[Message]:
    return [doubt for check in checks if (doubt := check.doubt()) is not None]


def _quality(row: ScorecardRow) -> list[Message]:
    """Return what the comparison of its answers with the baseline's found, or that there was none."""
    found = row.cells["quality_check"]
    return [message("results.quality", found=found)] if found else []


def _cut(reasons: Sequence[Message]) -> list[Message]:
    more = len(reasons) - _REASONS_SHOWN
    rest = [message("results.and_more", count=more)] if more > 0 else []
    return [*reasons[:_REASONS_SHOWN], *rest]


def _bounds_errors(objectives: Objectives) -> bool:
    """Return whether rejections, which are errors, have a limit: overall or in every class with limits."""
    own = list(objectives.classes.values())
    by_class = bool(own) and all(limits.error_rate is not None for limits in own)
    return objectives.error_rate is not None or by_class
