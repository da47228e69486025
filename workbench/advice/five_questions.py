"""The guide's five questions, answered from the runs there are: yes, no, or not measured yet."""

import math
from collections.abc import Mapping, Sequence
from typing import Any, Literal

from workbench.base import Record
from workbench.base.number_text import millis, share_percent, short_number

Verdict = Literal["yes", "no", "not measured yet"]
Row = Mapping[str, Any]
"""A row of the scorecard, by its column names."""
_TARGETS = (("ttft_p95_ms", "slo_ttft_ms", "TTFT"), ("e2e_p95_ms", "slo_e2e_ms", "end to end"))
_SOAK_S = 600.0
_REPEATS = 3
_SPREAD = 0.1
_SIMULATED = "Simulated: to be confirmed on the real GPU."
_BURSTY = 3.0
# Dispersion of arrivals a second; 1 is Poisson, callers who chat come to 2.


class ChecklistAnswer(Record, frozen=True, kw_only=True):
    """One question with its answer and the runs that give it."""

    question: str
    verdict: Verdict
    why: str
    runs: list[str]
    missing: dict[str, dict[str, Any]]
    """The experiment that would answer it: tables of the experiment file to change. Empty: answered."""


def checklist(
    rows: Sequence[Row], *, expected_rps: float | None = None, chosen: str | None = None
) -> list[ChecklistAnswer]:
    """ChecklistAnswer from scorecard rows; invalid runs count for nothing.

    Args:
        rows: by column names (`offered_rps`, `ttft_p95_ms`, `slo_ttft_ms`, …), and `grows`: what grew over a
            long run, in words.
        expected_rps: the normal rate; None: the highest at which a run was valid and didn't diverge.
        chosen: run of the configuration that is to go live: what another one did under a burst or for long
            says nothing of it. None: any will do.
    """
    valid = [row for row in rows if row.get("valid") is not False]
    normal = expected_rps or normal_rate(rows)
    live = _like(valid, chosen)
    return [
        _targets(live, normal),
        _burst(live, normal),
        _soak(live, normal),
        _reproduced(valid),
        _cost(valid, chosen),
    ]


def _like(rows: Sequence[Row], chosen: str | None) -> list[Row]:
    """Rows of the same configuration as the run `chosen`."""
    told = next(((row.get("control"), row.get("value")) for row in rows if _name(row) == chosen), None)
    if told is None:
        return list(rows)
    return [row for row in rows if (row.get("control"), row.get("value")) == told]


def normal_rate(rows: Sequence[Row]) -> float | None:
    """The highest rate at which a run was valid and didn't diverge; None: there is none."""
    known = [
        offered
        for row in rows
        if row.get("valid") is not False
        and not row.get("diverging")
        and (offered := _without_burst(row)) is not None
    ]
    return max(known, default=None)


def _without_burst(row: Row) -> float | None:
    """The rate that was offered; of a burst experiment the one that its burst went beyond."""
    asked = row.get("rate") if row.get("experiment_kind") == "burst" else None
    offered = row.get("offered_rps") if asked is None else asked
    return None if offered is None else float(offered)


def _name(row: Row) -> str:
    return str(row.get("run", "?"))


def _at(rows: Sequence[Row], normal: float | None) -> list[Row]:
    """Runs at the normal rate or above, the nearest first."""
    if normal is None:
        return []
    above = [row for row in rows if (row.get("offered_rps") or 0.0) >= 0.98 * normal]
    return sorted(above, key=lambda row: float(row["offered_rps"]))


def _answer(
    question: str, verdict: Verdict, why: str, runs: Sequence[Row], missing: Any = None
) -> ChecklistAnswer:
    names = list(dict.fromkeys(_name(row) for row in runs))
    simulated = verdict != "not measured yet" and any(row.get("simulated") for row in runs)
    told = " ".join([why, *([_SIMULATED] if simulated else [])])
    return ChecklistAnswer(question=question, verdict=verdict, why=told, runs=names, missing=missing or {})


def _targets(rows: Sequence[Row], normal: float | None) -> ChecklistAnswer:
    question = "Does the highest traffic meet the targets for first token and end to end?"
    # What a burst makes of latency is the next question's.
    runs = [row for row in _at(rows, normal) if row.get("experiment_kind") != "burst"]
    plan: dict[str, dict[str, Any]] = {"load": {"rates": [normal or 1.0]}}
    if not runs:
        return _answer(question, "not measured yet", "No valid run at the expected rate.", [], plan)
    run = runs[0]
    stated = [(words, run.get(figure), float(run[slo])) for figure, slo, words in _TARGETS if run.get(slo)]
    if not stated:
        why = "No targets are set: give [objectives] ttft_p95_ms and e2e_p95_ms."
        return _answer(question, "not measured yet", why, [run], {"objectives": {"ttft_p95_ms": 500}})
    known = [(words, float(value), slo) for words, value, slo in stated if value is not None]
    if len(known) < len(stated):
        unknown = [words for words, value, _ in stated if value is None]
        why = f"Too few requests for a p95 of {' and '.join(unknown)}."
        return _answer(question, "not measured yet", why, [run], {"load": {**plan["load"], "requests": 400}})
    said = "; ".join(
        f"{words} p95 {millis(value)} of the allowed {millis(slo)}" for words, value, slo in known
    )
    good = all(value <= slo for _, value, slo in known)
    unset = [words for figure, slo, words in _TARGETS if not run.get(slo)]
    but = f" No target is set for {' and '.join(unset)}." if unset else ""
    return _answer(
        question,
        "yes" if good else "no",
        f"At {short_number(float(run['offered_rps']))} requests/s: {said}.{but}",
        [run],
    )


def _burst(rows: Sequence[Row], normal: float | None) -> ChecklistAnswer:
    question = "Does a burst above the normal rate meet a bounded queue?"
    bursts = [
        row
        for row in rows
        if (_bursty(row) and _met_a_queue(row))
        or (normal is not None and (row.get("offered_rps") or 0.0) > 1.2 * normal)
    ]
    if not bursts:
        rate = 1.5 * normal if normal else 2.0
        plan = {"load": {"rates": [round(rate, 3)], "arrivals": "gamma", "burstiness": 0.3}}
        return _answer(
            question, "not measured yet", "No run with bursts or beyond the normal rate.", [], plan
        )
    worst = max(bursts, key=lambda row: float(row.get("waiting_max") or 0.0))
    rejected, waiting = float(worst.get("rejected_rate") or 0.0), worst.get("waiting_max")
    queued = "" if waiting is None else f", up to {short_number(float(waiting))} waited"
    queued += _latency_of(worst, _at(rows, normal))
    if rejected > 0:
        return _answer(question, "yes", f"{share_percent(rejected)} were rejected{queued}.", bursts)
    if worst.get("diverging"):
        return _answer(
            question, "no", f"Nothing was rejected and the queue grew without end{queued}.", bursts
        )
    # Who waits too long in a queue that nothing bounds has met none that is.
    late = (worst.get("ttft_p95_ms") or 0.0) > float(worst.get("slo_ttft_ms") or math.inf)
    return _answer(
        question, "no" if late else "yes", f"The queue settled without rejections{queued}.", bursts
    )


def _latency_of(burst: Row, normal: Sequence[Row]) -> str:
    """What the burst made of first tokens, beside the normal rate's; empty where the queue never settled."""
    value = burst.get("ttft_p95_ms")
    if value is None or burst.get("diverging"):
        return ""
    said = f", TTFT p95 {millis(float(value))}"
    calm = next((row for row in normal if row is not burst and not _bursty(row)), None)
    usual = None if calm is None else calm.get("ttft_p95_ms")
    if usual is not None:
        said += f" ({millis(float(usual))} at the normal rate)"
    limit = burst.get("slo_ttft_ms")
    if limit is not None:
        said += f", which {'misses' if float(value) > float(limit) else 'meets'} {millis(float(limit))}"
    return said


def _bursty(row: Row) -> bool:
    """Whether it was a burst experiment, or arrived as unevenly as one; a mix's own unevenness is normal."""
    return row.get("experiment_kind") == "burst" or _figure(row, "burst_factor") > _BURSTY


def _met_a_queue(row: Row) -> bool:
    """Uneven arrivals that nobody waited for met none."""
    return _figure(row, "waiting_max") > 0 or _figure(row, "rejected_rate") > 0


def _figure(row: Row, name: str) -> float:
    """0 where it isn't known, or isn't the same of all of the row's runs, which is told in words."""
    value = row.get(name)
    return float(value) if isinstance(value, int | float) else 0.0


def _soak(rows: Sequence[Row], normal: float | None) -> ChecklistAnswer:
    question = "Are preemptions and KV use stable at the expected context length?"
    long_ones = [row for row in _at(rows, normal) if (row.get("duration_s") or 0.0) >= _SOAK_S]
    if not long_ones:
        plan = {"load": {"rates": [normal or 1.0], "duration_s": int(_SOAK_S)}}
        why = f"No valid run of {_SOAK_S / 60:.0f} minutes or more at the expected rate."
        return _answer(question, "not measured yet", why, [], plan)
    run = long_ones[0]
    count, peak = run.get("preemptions"), run.get("kv_peak")
    if count is None or peak is None:
        return _answer(question, "not measured yet", "The server doesn't tell preemptions or KV use.", [run])
    pace = float(count) / (float(run["duration_s"]) / 60)
    grows = run.get("grows") or []
    preemptions = f"{short_number(float(count))} preemptions ({short_number(pace)} a minute)"
    said = f"{preemptions}, KV peak {share_percent(float(peak))}"
    why = f"{said}: {', '.join(grows)}." if grows else f"{said}."
    good = not run.get("diverging") and not grows
    good = good and float(count) <= float(run.get("slo_preemptions") or 0.0)
    return _answer(question, "yes" if good else "no", why, [run])


def _reproduced(rows: Sequence[Row]) -> ChecklistAnswer:
    question = "Can the result be reproduced on the exact model revision and GPU?"
    plan = {"repeat": {"n": _REPEATS}}
    real = [row for row in rows if not row.get("simulated")]
    if not real:
        why = "Only simulated runs: the embedded engine is no evidence for a GPU."
        return _answer(question, "not measured yet", why, rows[:1], {**plan, "target": {"kind": "local"}})
    repeated = [row for row in real if int(row.get("n") or row.get("repeats") or 1) >= _REPEATS]
    if not repeated:
        return _answer(question, "not measured yet", f"No configuration was run {_REPEATS} times.", [], plan)
    unnamed = [row for row in repeated if not row.get("model_revision") or not row.get("gpu_model")]
    if unnamed:
        why = "Model revision or GPU isn't recorded with the repeated runs."
        return _answer(question, "not measured yet", why, unnamed, plan)
    spreads = [float(row["cv_over_repeats"]) for row in repeated if row.get("cv_over_repeats") is not None]
    if not spreads:
        return _answer(question, "not measured yet", "The spread over repeats isn't known.", repeated, plan)
    why = f"Spread over repeats: {share_percent(max(spreads))}."
    return _answer(question, "yes" if max(spreads) <= _SPREAD else "no", why, repeated)


def _cost(rows: Sequence[Row], chosen: str | None) -> ChecklistAnswer:
    """Of each system its cheapest row that is within capacity and its targets."""
    question = "Is the cost of an accepted response, retries and idle time included, below the alternative's?"
    priced = [row for row in rows if row.get("cost_per_1k_accepted") is not None and _holds(row)]
    plan = {"cost": {"per_hour": None}}
    if not priced:
        why = (
            "No run that holds has a price: give [cost] in the experiment, or compare systems by your offers."
        )
        return _answer(question, "not measured yet", why, [], plan)
    if len({row.get("currency") for row in priced}) > 1:
        return _answer(question, "not measured yet", "Prices are in different currencies.", priced)
    if len({_system(row) for row in priced}) < 2:
        why = "Only one system has a price: measure the alternative with the same trace."
        return _answer(question, "not measured yet", why, priced, plan)
    idle = all(row.get("cost_reserved_basis") is not None for row in priced)
    basis = "cost_reserved_basis" if idle else "cost_per_1k_accepted"
    ordered = sorted(priced, key=lambda row: float(row[basis]))
    live = next((row for row in ordered if _name(row) == chosen), ordered[0])
    own = next(row for row in ordered if _system(row) == _system(live))
    other = next(row for row in ordered if _system(row) != _system(live))
    beside = (
        f"{_system(own)} {short_number(float(own[basis]))} {own.get('currency')} per 1,000,"
        f" {_system(other)} {short_number(float(other[basis]))}"
    )
    if not idle:
        why = f"No demand is stated, so idle time isn't counted; while busy: {beside}."
        return _answer(question, "not measured yet", why, [own, other], {"demand": {"curve": None}})
    below = float(own[basis]) < float(other[basis])
    return _answer(question, "yes" if below else "no", f"{beside}.", [own, other])


def _holds(row: Row) -> bool:
    """Within capacity and within the targets that are known of it."""
    limits = [(row.get(figure), row.get(slo)) for figure, slo, _ in _TARGETS]
    return not row.get("diverging") and all(
        value is None or slo is None or float(value) <= float(slo) for value, slo in limits
    )


def _system(row: Row) -> str:
    return str(row.get("system_name") or row.get("gpu_model") or row.get("profile"))
