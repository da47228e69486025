"""The report's first page: the question, the answer, what it rests on, what would change it."""

from collections.abc import Mapping, Sequence
from typing import Any

from workbench.results.bench.entries import IMPORTED, ExperimentEntry, RunEntry
from workbench.results.exports.html_elements import bullets, element, raw
from workbench.results.statistics.choice import Candidate, Choice
from workbench.results.statistics.difference import ENOUGH_REPEATS
from workbench.results.statistics.verdict import Verdict, Word
from workbench.results.wording import short

# What a buyer asks besides the answer: on what was it measured, and what does the stated demand cost?

Cells = Mapping[str, Any]
_NAMES = {
    "ttft_p95_ms": "p95 TTFT",
    "itl_p95_ms": "p95 inter-token latency",
    "e2e_p95_ms": "p95 end to end",
    "queue_p95_ms": "p95 queue time",
    "error_rate": "error rate",
    "preemptions": "preemptions",
}


def limit_words(name: str, limit: float) -> str:
    """`p95 TTFT at most 500 ms`, `error rate at most 1 %`."""
    if name == "error_rate":
        return f"{_NAMES[name]} at most {short(100 * limit)} %"
    unit = " ms" if name.endswith("_ms") else ""
    return f"{_NAMES.get(name, name)} at most {short(limit)}{unit}"


def in_words(text: str) -> str:
    """A sentence of checks and verdicts without the names of columns: `p95 TTFT (ms) 47.7 ≤ 1,000`."""
    for name, words in _NAMES.items():
        text = text.replace(name, f"{words} (ms)" if name.endswith("_ms") else words)
    return text.replace("<=", "≤")


def measured_on(rows: Sequence[Cells], runs: Sequence[RunEntry]) -> list[str]:
    """The system, the model, the workload and the days; what isn't known is left out."""
    if not rows:
        return []
    first = rows[0]
    place = (
        f"the embedded engine, profile {first['profile']}"
        if first.get("simulated")
        else first.get("gpu_model")
    )
    program = "the scheduling of vLLM" if first.get("simulated") else "vLLM"
    version = f"{program} {first['vllm_version']}" if first.get("vllm_version") else None
    model = f"model {first['model']}" if first.get("model") else None
    told = [str(said) for said in (place, version, model) if said]
    lines = [f"Measured on {', '.join(told)}"] if told else []
    trace, digest = first.get("trace_name"), first.get("trace_sha256")
    if trace or digest:
        lines.append(f"Workload {trace or ''}, hash {str(digest)[:12]}" if digest else f"Workload {trace}")
    days = sorted(str(run.started_utc)[:10] for run in runs if run.started_utc)
    if days:
        lines.append(f"On {days[0]}" if days[0] == days[-1] else f"From {days[0]} to {days[-1]}")
    return lines


def money(row: Cells) -> list[str]:
    """The price, the fleet for the stated demand, its idle share, the cost and how far it may be off."""
    currency, cost = row.get("currency") or "", row.get("cost_per_1k_accepted")
    if cost is None:
        return []
    seen = f", {str(row['price_basis']).replace('_', ' ')}, seen {row['price_date']} ({row['price_source']})"
    by = "was due" if row.get("cost_rate_basis") == "accepted_rps_carried" else "ended"
    each = f"{short(cost)} {currency} per 1,000 accepted responses while busy"
    lines = [f"{each}{seen}, counting what {by} in the window"]
    if row.get("retries"):
        lines.append(
            f"Retries are in it: {short(row['retries'])} by {short(row['requests_retried'])} requests"
        )
    if row.get("servers_needed") is not None:
        peak, mean = short(row["demand_peak_rps"]), short(row["demand_mean_rps"])
        lines.append(
            f"The stated demand (peak {peak}, mean {mean} accepted requests a second) takes"
            f" {row['servers_needed']:g} of these systems, which stand idle"
            f" {short(100 * row['idle_cost_share'])} % of the time:"
            f" {short(row['cost_reserved_basis'])} {currency} per 1,000, idle hours paid"
        )
    low, high = row.get("sensitivity_low"), row.get("sensitivity_high")
    if low is not None and high is not None:
        varied = "price, rate and demand" if row.get("servers_needed") is not None else "price and rate"
        lines.append(f"{short(low)} to {short(high)} {currency} with {varied} a tenth better or worse")
    return lines


_MOST_OPEN = 6


def decision_sheet(
    experiments: Sequence[ExperimentEntry],
    runs: Sequence[RunEntry],
    choice: Choice,
    verdicts: Sequence[Verdict],
    rows: Sequence[Cells],
    near: Sequence[str] = (),
) -> str:
    """The page as HTML. What other tools measured is no part of it.

    `rows` are the scorecard's cells, `near` the limits that the recommended row keeps by chance, maybe.
    """
    imported = sum(run.status == IMPORTED for run in runs)
    runs = [run for run in runs if run.status != IMPORTED]
    rows = [row for row in rows if row["status"] != IMPORTED]
    if imported and not runs:
        return raw("section", _only_imported(imported), "sheet")
    asked = {run.experiment_id for run in runs}
    experiments = [entry for entry in experiments if entry.id in asked] or experiments
    best = next((row for row in rows if choice.recommended and row["run"] == choice.recommended.run), None)
    parts = [
        element("h1", "Decision sheet"),
        element("h3", "Question"),
        element("p", question(experiments, runs)),
        element("h3", "Answer"),
        element("p", in_words(answer(choice, runs)), "answer"),
        *([element("h3", "What it costs"), bullets(money(best))] if best and money(best) else []),
        element("h3", "What it rests on"),
        bullets([*map(in_words, rests_on(choice, runs, verdicts)), *measured_on(rows, runs)]),
        element("h3", "What would change it"),
        bullets(map(in_words, [*near, *would_change(choice, runs, verdicts)])),
    ]
    return raw("section", "".join(parts), "sheet")


def _only_imported(count: int) -> str:
    said = f"None: the file holds only results of other tools ({count}), which are shown and not judged."
    return element("h1", "Decision sheet") + element("h3", "Answer") + element("p", said, "answer")


def question(experiments: Sequence[ExperimentEntry], runs: Sequence[RunEntry]) -> str:
    """What was asked, from what was run."""
    controls = sorted({run.control for run in runs if run.control is not None})
    rates = sorted({run.rate for run in runs if run.rate is not None})
    facts = experiments[0].facts if experiments else {}
    trace = f" for {facts['trace_name']}" if facts.get("trace_name") else ""
    pace = f" at {', '.join(map(short, rates))} requests a second" if rates else ""
    limits = sorted({text for entry in experiments for text in _limits(entry)})
    within = f", within {', '.join(limits)}" if limits else ", with no objective stated"
    which = f"which {' and which '.join(controls)}" if controls else "does this configuration serve it"
    return f"{which[:1].upper()}{which[1:]}{trace}{pace}{within}?"


def _limits(entry: ExperimentEntry) -> list[str]:
    own = [
        f"{limit_words(name, limit)} for {cls}"
        for cls, limits in entry.objectives.classes.items()
        for name, limit in limits.stated().items()
    ]
    return [limit_words(name, limit) for name, limit in entry.objectives.stated().items()] + own


def answer(choice: Choice, runs: Sequence[RunEntry]) -> str:
    """The recommendation in one or two sentences."""
    best = choice.recommended
    simulated = any(run.simulated for run in runs)
    mark = " Simulated: to be confirmed on the real GPU." if simulated else ""
    everyone = [*([best] if best else []), *choice.others]
    if any(each.accepted_rps is not None for each in everyone) and not any(each.checks for each in everyone):
        return f"No configuration is recommended: no objective is stated.{mark}"
    held = next((candidate for candidate in choice.others if candidate.undecided), None)
    if best is None and held is not None:
        return f"None is recommended: “{held.run}” {held.against[0]}.{mark}"
    done = [run.summary for run in runs if run.status == "done" and run.summary]
    if best is None and done and not any(summary["valid"] for summary in done):
        return f"Nothing follows: none of the {len(done)} runs is valid.{mark}"
    if best is None:
        return f"None of the {len(choice.others)} configurations and rates meets all objectives.{mark}"
    figure = (
        f"{short(best.accepted_rps)} accepted responses a second" if best.accepted_rps is not None else ""
    )
    cost = "" if best.cost is None else f" at {best.price()}"
    but = f"; it {best.rejects}" if best.rejects else ""
    first = f"It comes first by {choice.by}"
    if not choice.compared:
        asked = "No answer yet: it" if any(run.control is not None for run in runs) else "It"
        first = f"{asked} is the only valid configuration, so nothing was compared"
    open_ = f" It meets {best.met()}." if best.classes_open else ""
    return f"Run “{best.run}”: {figure}{cost}{but}. {first}.{open_}{mark}"


def rests_on(choice: Choice, runs: Sequence[RunEntry], verdicts: Sequence[Verdict]) -> list[str]:
    """The evidence behind the answer."""
    done = [run for run in runs if run.status == "done" and run.summary]
    requests = sum(int((run.summary or {})["requests"]["scheduled"]) for run in done)
    valid = sum(bool((run.summary or {})["valid"]) for run in done)
    texts = [f"{len(done)} runs as planned, {valid} of them valid, {requests:,} requests"]
    if choice.recommended is not None:
        texts += [check.sentence() for check in choice.recommended.checks]
        texts += _accepted(choice.recommended)
        texts += choice.recommended.not_judged
        # What can't be told yet is no evidence: it stands below, once.
        told = [verdict for verdict in verdicts if verdict.word != Word.CANT_TELL]
        mine = [verdict for verdict in told if verdict.variant == choice.recommended.run]
        texts += [f"against the baseline, {verdict.sentence()}" for verdict in mine]
    return texts


def _accepted(best: Candidate) -> list[str]:
    """A p95 within its limit leaves every twentieth request beyond it, and more by their own token times."""
    said = best.accepts()
    return [f"{said}: completed, and each within every latency limit by itself"] if said else []


def would_change(choice: Choice, runs: Sequence[RunEntry], verdicts: Sequence[Verdict]) -> list[str]:
    """What is open, and why the others were not chosen."""
    texts = [_higher_rate(candidate) for candidate in _chosen(choice) if candidate.capacity_open_at]
    texts += [_why_not(candidate) for candidate in choice.others]
    repeats = {run.repeat for run in runs}
    if runs and max(repeats) < ENOUGH_REPEATS:
        texts.append(
            f"Each configuration ran {_times(max(repeats))}; what a restart changes shows from "
            f"{ENOUGH_REPEATS} repeats on"
        )
    unsure = [verdict for verdict in verdicts if verdict.word == Word.CANT_TELL]
    unsure.sort(key=lambda verdict: verdict.cls is not None)
    said = list(dict.fromkeys(f"{verdict.variant}, {verdict.sentence()}" for verdict in unsure))
    texts += said[:_MOST_OPEN]
    if len(said) > _MOST_OPEN:
        texts.append(f"{len(said) - _MOST_OPEN} more comparisons are open; see the verdicts below")
    if any(candidate.cost is None for candidate in [*choice.others, *_chosen(choice)]):
        texts.append("No cost is known for some configurations: state [cost] to choose by money")
    return texts


def _higher_rate(candidate: Candidate) -> str:
    rate = candidate.capacity_open_at or 0.0
    return (
        f"A higher rate than {short(rate)} requests a second: none was tested with the configuration of"
        f" “{candidate.run}”, so its capacity is not found; servers and costs are upper bounds, and the order"
        " can change"
    )


def _times(count: int) -> str:
    return "once" if count == 1 else f"{count} times"


def _chosen(choice: Choice) -> list[Candidate]:
    return [choice.recommended] if choice.recommended else []


def _why_not(candidate: Candidate) -> str:
    if candidate.against:
        return f"“{candidate.run}” was not chosen: {'; '.join(candidate.against)}"
    figure = "" if candidate.accepted_rps is None else f", {short(candidate.accepted_rps)} accepted a second"
    cost = "" if candidate.cost is None else f", {candidate.price()}"
    but = f", but {candidate.rejects}" if candidate.rejects else ""
    open_ = f" ({'; '.join(candidate.not_judged)})" if candidate.not_judged else ""
    return f"“{candidate.run}” meets {candidate.met()} too{figure}{cost}{but}{open_}"
