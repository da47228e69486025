"""The report's first page: the question, the answer, its evidence, and what would change it."""

from collections.abc import Mapping, Sequence
from typing import Any

from workbench.base import Message, message, short_number
from workbench.results.bench.entries import IMPORTED, UNJUDGED, WATCHED, ExperimentEntry, RunEntry
from workbench.results.exports.html_elements import bullets, element, raw
from workbench.results.figure_titles import TITLES, titled
from workbench.results.statistics.difference import ENOUGH_REPEATS
from workbench.results.statistics.ranking import Candidate, Ranking
from workbench.results.statistics.verdict import Verdict, VerdictKind

Cells = Mapping[str, Any]


def objective_message(name: str, limit: float) -> Message:
    """Return `p95 TTFT at most 500 ms`, `error rate at most 1 %`."""
    title = TITLES.get(name, name)
    if name == "error_rate":
        return message("exports.at_most_percent", title=title, limit_pct=100 * limit)
    if name.endswith("_ms"):
        return message("exports.at_most_ms", title=title, limit_ms=limit)
    return message("exports.at_most", title=title, limit=limit)


def measured_on(rows: Sequence[Cells], runs: Sequence[RunEntry]) -> list[Message]:
    """Return the system, the model, the workload and the days, as far as known."""
    return [*_system(rows[0]), *_workload(rows[0]), *_days(runs)] if rows else []


def _system(row: Cells) -> list[Message]:
    known: list[Message | str] = []
    version = row.get("vllm_version")
    if row.get("simulated"):
        known.append(message("exports.embedded_engine", profile=row["profile"]))
        known += [message("exports.scheduling_of_vllm", version=version)] if version else []
    else:
        known += [str(row["gpu_model"])] if row.get("gpu_model") else []
        known += [message("exports.vllm", version=version)] if version else []
    known += [message("exports.model", model=row["model"])] if row.get("model") else []
    return [message("exports.measured_on", system=known)] if known else []


def _workload(row: Cells) -> list[Message]:
    trace, digest = row.get("trace_name"), row.get("trace_sha256")
    if digest:
        return [message("exports.workload_with_hash", trace=trace, hash=str(digest)[:12])]
    return [message("exports.workload", trace=trace)] if trace else []


def _days(runs: Sequence[RunEntry]) -> list[Message]:
    days = sorted(str(run.started_utc)[:10] for run in runs if run.started_utc)
    if not days:
        return []
    if days[0] == days[-1]:
        return [message("exports.on_day", day=days[0])]
    return [message("exports.from_day", first=days[0], last=days[-1])]


def cost_lines(row: Cells) -> list[Message]:
    """Return the cost with its range, the fleet for the stated demand, and the idle share."""
    currency, cost = row.get("currency"), row.get("cost_per_1k_accepted")
    if cost is None:
        return []
    by_due = row.get("cost_rate_basis") == "accepted_rps_carried"
    window = message("exports.due_in_window") if by_due else message("exports.ended_in_window")
    lines = [
        message(
            "exports.cost",
            cost=cost,
            currency=currency,
            basis=str(row["price_basis"]).replace("_", " "),
            date=str(row["price_date"]),
            source=row["price_source"],
            window=window,
        )
    ]
    if row.get("retries"):
        lines.append(message("exports.retries", retries=row["retries"], requests=row["requests_retried"]))
    with_demand = row.get("servers_needed") is not None
    if with_demand:
        lines.append(
            message(
                "exports.fleet",
                peak_rps=row["demand_peak_rps"],
                mean_rps=row["demand_mean_rps"],
                systems=row["servers_needed"],
                idle_pct=100 * row["idle_cost_share"],
                cost=row["cost_reserved_basis"],
                currency=currency,
            )
        )
    low, high = row.get("sensitivity_low"), row.get("sensitivity_high")
    if low is not None and high is not None:
        span = {"low": low, "high": high, "currency": currency}
        if with_demand:
            lines.append(message("exports.cost_varies_with_demand", **span))
        else:
            lines.append(message("exports.cost_varies", **span))
    return lines


_MOST_OPEN = 6


def decision_sheet(
    experiments: Sequence[ExperimentEntry],
    runs: Sequence[RunEntry],
    choice: Ranking,
    verdicts: Sequence[Verdict],
    rows: Sequence[Cells],
    near: Sequence[Message] = (),
) -> str:
    """Return the page as HTML; results of other tools are left out.

    Args:
        experiments: of the file.
        runs: of the file.
        choice: the recommendation.
        verdicts: each variant against the baseline.
        rows: the scorecard's cells.
        near: limits that the recommended row may meet by chance alone.
    """
    imported = sum(run.status == IMPORTED for run in runs)
    watched = any(run.status == WATCHED for run in runs)
    runs = [run for run in runs if run.status not in UNJUDGED]
    rows = [row for row in rows if row["status"] not in UNJUDGED]
    if imported and not runs:
        return raw("section", _no_answer(message("exports.only_imported", count=imported)), "sheet")
    if watched and not runs:
        return raw("section", _no_answer(message("exports.only_watched")), "sheet")
    asked = {run.experiment_id for run in runs}
    experiments = [entry for entry in experiments if entry.id in asked] or experiments
    best = next((row for row in rows if choice.recommended and row["run"] == choice.recommended.run), None)
    parts = [
        element("h1", "Decision sheet"),
        element("h3", "Question"),
        element("p", str(question(experiments, runs))),
        element("h3", "Answer"),
        element("p", _line(answer(choice, runs)), "answer"),
        *([element("h3", "Cost"), _bullets(cost_lines(best))] if best and cost_lines(best) else []),
        element("h3", "Evidence"),
        _bullets([*evidence(choice, runs, verdicts), *measured_on(rows, runs)]),
        element("h3", "What would change it"),
        _bullets([*near, *would_change(choice, runs, verdicts)]),
    ]
    return raw("section", "".join(parts), "sheet")


def _line(said: Message) -> str:
    return str(titled(said))


def _bullets(said: Sequence[Message]) -> str:
    return bullets(map(_line, said))


def _no_answer(why: Message) -> str:
    return element("h1", "Decision sheet") + element("h3", "Answer") + element("p", str(why), "answer")


def question(experiments: Sequence[ExperimentEntry], runs: Sequence[RunEntry]) -> Message:
    """Return the question that the experiments ask."""
    controls = sorted({run.control for run in runs if run.control is not None})
    rates = sorted({run.rate for run in runs if run.rate is not None})
    trace = experiments[0].facts.get("trace_name") if experiments else None
    limits = sorted((each for entry in experiments for each in _limits(entry)), key=str)
    if limits:
        within = message("exports.within", limits=list(dict.fromkeys(map(str, limits))))
    else:
        within = message("exports.no_objective")
    load = {
        "trace": message("exports.for_trace", trace=trace) if trace else None,
        "pace": message("exports.at_rates", rates=list(map(short_number, rates))) if rates else None,
        "within": within,
    }
    if controls:
        return message("exports.which_values", controls=controls, **load)
    return message("exports.does_it_serve", **load)


def _limits(entry: ExperimentEntry) -> list[Message]:
    own = [
        message("exports.limit_of_class", limit=objective_message(name, limit), cls=cls)
        for cls, limits in entry.objectives.classes.items()
        for name, limit in limits.stated().items()
    ]
    return [objective_message(name, limit) for name, limit in entry.objectives.stated().items()] + own


def answer(choice: Ranking, runs: Sequence[RunEntry]) -> Message:
    """Return the recommendation, or why there is none."""
    best = choice.recommended
    found = _no_recommendation(choice, runs) if best is None or _no_objective(choice) else None
    said = found or _recommendation(choice, runs)
    return message("exports.simulated", answer=said) if any(run.simulated for run in runs) else said


def _no_objective(choice: Ranking) -> bool:
    everyone = [*_chosen(choice), *choice.others]
    measured = any(each.accepted_rps is not None for each in everyone)
    return measured and not any(each.checks for each in everyone)


def _no_recommendation(choice: Ranking, runs: Sequence[RunEntry]) -> Message:
    if _no_objective(choice):
        return message("exports.none_without_objective")
    undecided = next((candidate for candidate in choice.others if candidate.undecided), None)
    if undecided is not None:
        return message("exports.none_decided", run=undecided.run, why=undecided.against[0])
    done = [run.figures for run in runs if run.status == "done" and run.summary]
    if done and not any(figures.valid for figures in done):
        return message("exports.none_valid", count=len(done))
    return message("exports.none_meets_all", count=len(choice.others))


def _recommendation(choice: Ranking, runs: Sequence[RunEntry]) -> Message:
    best = choice.recommended
    if best is None:
        raise ValueError("no run is recommended")
    if choice.compared:
        first = message("exports.first_by", by=choice.by)
    elif any(run.control is not None for run in runs):
        first = message("exports.only_one_valid_yet")
    else:
        first = message("exports.only_one_valid")
    return message(
        "exports.recommended",
        run=best.run,
        rate=_rate(best),
        cost=None if best.cost is None else message("exports.at_price", price=best.price()),
        but=None if best.rejects is None else message("exports.but_it", rejects=best.rejects),
        first=first,
        open=message("exports.it_meets", met=best.met()) if best.classes_open else None,
    )


def _rate(candidate: Candidate) -> Message | None:
    if candidate.accepted_rps is None:
        return None
    return message("exports.accepted_a_second", rate=candidate.accepted_rps)


def evidence(choice: Ranking, runs: Sequence[RunEntry], verdicts: Sequence[Verdict]) -> list[Message]:
    """Return the evidence for the answer."""
    done = [run.figures for run in runs if run.status == "done" and run.summary]
    requests = sum(figures.requests.scheduled or 0 for figures in done)
    valid = sum(bool(figures.valid) for figures in done)
    said = [message("exports.runs_done", runs=len(done), valid=valid, requests=requests)]
    best = choice.recommended
    if best is None:
        return said
    said += [check.sentence() for check in best.checks]
    accepts = best.accepts()
    if accepts is not None:
        # A p95 within its limit leaves every twentieth request beyond it.
        said.append(message("exports.accepted_each", accepts=accepts))
    said += best.not_judged
    said += [
        message("exports.against_baseline", verdict=verdict.sentence())
        for verdict in verdicts
        if verdict.word != VerdictKind.CANT_TELL and verdict.variant == best.run
    ]
    return said


def would_change(choice: Ranking, runs: Sequence[RunEntry], verdicts: Sequence[Verdict]) -> list[Message]:
    """Return the open questions, and why the others were not chosen."""
    said = [
        message("exports.higher_rate", rate=candidate.capacity_open_at, run=candidate.run)
        for candidate in _chosen(choice)
        if candidate.capacity_open_at
    ]
    said += [_why_not(candidate) for candidate in choice.others]
    repeats = max((run.repeat for run in runs), default=ENOUGH_REPEATS)
    if repeats < ENOUGH_REPEATS:
        said.append(message("exports.few_repeats", repeats=repeats, enough=ENOUGH_REPEATS))
    unsure = [verdict for verdict in verdicts if verdict.word == VerdictKind.CANT_TELL]
    unsure.sort(key=lambda verdict: verdict.cls is not None)
    open_: list[Message] = []
    for verdict in unsure:
        line = message("exports.open_verdict", run=verdict.variant, verdict=verdict.sentence())
        if line not in open_:
            open_.append(line)
    said += open_[:_MOST_OPEN]
    if len(open_) > _MOST_OPEN:
        said.append(message("exports.more_open", count=len(open_) - _MOST_OPEN))
    if any(candidate.cost is None for candidate in [*choice.others, *_chosen(choice)]):
        said.append(message("exports.no_cost"))
    return said


def _chosen(choice: Ranking) -> list[Candidate]:
    return [choice.recommended] if choice.recommended else []


def _why_not(candidate: Candidate) -> Message:
    if candidate.against:
        return message("exports.not_chosen", run=candidate.run, why=candidate.against)
    rate = candidate.accepted_rps
    figures: list[Message] = [
        *([] if rate is None else [message("exports.accepted_short", rate=rate)]),
        *([] if (price := candidate.price()) is None else [price]),
        *([] if candidate.rejects is None else [message("exports.but", rejects=candidate.rejects)]),
    ]
    met, open_ = candidate.met(), candidate.not_judged
    if open_:
        return message("exports.meets_too_open", run=candidate.run, met=met, figures=figures, open=open_)
    return message("exports.meets_too", run=candidate.run, met=met, figures=figures)
