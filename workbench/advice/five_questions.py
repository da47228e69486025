"""The guide's five questions, answered from measured runs: yes, no, or not measured yet."""

import math
from collections.abc import Mapping, Sequence
from typing import Any, Literal

from workbench.base import Message, Record, message

Verdict = Literal["yes", "no", "not measured yet"]
Row = Mapping[str, Any]
"""A row of the scorecard, by its column names."""
_TARGETS = (
    ("ttft_p95_ms", "slo_ttft_ms", message("advice.ttft")),
    ("e2e_p95_ms", "slo_e2e_ms", message("advice.end_to_end")),
)
_SOAK_S = 600.0
_REPEATS = 3
_SPREAD = 0.1
_BURSTY = 3.0
"""Dispersion of arrivals a second; 1 is Poisson, chat callers reach 2."""


class ChecklistAnswer(Record, frozen=True, kw_only=True):
    """One question with its answer and the runs that give it."""

    question: Message
    verdict: Verdict
    why: Message
    runs: list[str]
    missing: dict[str, dict[str, Any]]
    """Tables of an experiment that would answer it. Empty: it is answered."""


def checklist(
    rows: Sequence[Row], *, expected_rps: float | None = None, chosen: str | None = None
) -> list[ChecklistAnswer]:
    """ChecklistAnswer from scorecard rows; invalid runs count for nothing.

    Args:
        rows: by column names (`offered_rps`, `ttft_p95_ms`, `slo_ttft_ms`, …), and `grows`: the figures that
            grew over a long run, in words.
        expected_rps: the normal rate; None: the highest at which a run was valid and didn't diverge.
        chosen: run of the configuration that goes live; bursts and long runs of others don't count. None: all
            configurations count.
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
    """Return the rows of the same configuration as the run `chosen`."""
    told = next(((row.get("control"), row.get("value")) for row in rows if _name(row) == chosen), None)
    if told is None:
        return list(rows)
    return [row for row in rows if (row.get("control"), row.get("value")) == told]


def normal_rate(rows: Sequence[Row]) -> float | None:
    """Return the highest rate at which a run was valid and didn't diverge; None: there is none."""
    known = [
        offered
        for row in rows
        if row.get("valid") is not False
        and not row.get("diverging")
        and (offered := _without_burst(row)) is not None
    ]
    return max(known, default=None)


def _without_burst(row: Row) -> float | None:
    """Return the offered rate; for a burst experiment its rate outside the burst."""
    asked = row.get("rate") if row.get("experiment_kind") == "burst" else None
    offered = row.get("offered_rps") if asked is None else asked
    return None if offered is None else float(offered)


def _name(row: Row) -> str:
    return str(row.get("run", "?"))


def _at(rows: Sequence[Row], normal: float | None) -> list[Row]:
    """Return the runs at the normal rate or above, the nearest first."""
    if normal is None:
        return []
    above = [row for row in rows if (row.get("offered_rps") or 0.0) >= 0.98 * normal]
    return sorted(above, key=lambda row: float(row["offered_rps"]))


def _answer(
    question: Message, verdict: Verdict, why: Message, runs: Sequence[Row], missing: Any = None
) -> ChecklistAnswer:
    names = list(dict.fromkeys(_name(row) for row in runs))
    if verdict != "not measured yet" and any(row.get("simulated") for row in runs):
        why = message("advice.simulated_answer", why=why)
    return ChecklistAnswer(question=question, verdict=verdict, why=why, runs=names, missing=missing or {})


def _targets(rows: Sequence[Row], normal: float | None) -> ChecklistAnswer:
    question = message("advice.ask_targets")
    # Latency under a burst belongs to the next question.
    runs = [row for row in _at(rows, normal) if row.get("experiment_kind") != "burst"]
    plan: dict[str, dict[str, Any]] = {"load": {"rates": [normal or 1.0]}}
    if not runs:
        return _answer(question, "not measured yet", message("advice.no_run_at_rate"), [], plan)
    run = runs[0]
    stated = [(name, run.get(figure), float(run[slo])) for figure, slo, name in _TARGETS if run.get(slo)]
    if not stated:
        missing = {"objectives": {"ttft_p95_ms": 500}}
        return _answer(question, "not measured yet", message("advice.no_targets"), [run], missing)
    known = [(name, float(value), slo) for name, value, slo in stated if value is not None]
    if len(known) < len(stated):
        unknown = [name for name, value, _ in stated if value is None]
        why = message("advice.too_few_for_p95", figures=unknown)
        return _answer(question, "not measured yet", why, [run], {"load": {**plan["load"], "requests": 400}})
    figures = [
        message("advice.of_allowed", figure=name, value=value, limit=slo) for name, value, slo in known
    ]
    unset = [name for figure, slo, name in _TARGETS if not run.get(slo)]
    rate = float(run["offered_rps"])
    why = message("advice.at_rate", rate=rate, figures=figures)
    if unset:
        why = message("advice.at_rate_without_target", rate=rate, figures=figures, unset=unset)
    good = all(value <= slo for _, value, slo in known)
    return _answer(question, "yes" if good else "no", why, [run])


def _burst(rows: Sequence[Row], normal: float | None) -> ChecklistAnswer:
    question = message("advice.ask_burst")
    bursts = [
        row
        for row in rows
        if (_bursty(row) and _met_a_queue(row))
        or (normal is not None and (row.get("offered_rps") or 0.0) > 1.2 * normal)
    ]
    if not bursts:
        rate = 1.5 * normal if normal else 2.0
        plan = {"load": {"rates": [round(rate, 3)], "arrivals": "gamma", "burstiness": 0.3}}
        return _answer(question, "not measured yet", message("advice.no_burst_run"), [], plan)
    worst = max(bursts, key=lambda row: float(row.get("waiting_max") or 0.0))
    rejected, waiting = float(worst.get("rejected_rate") or 0.0), worst.get("waiting_max")
    details = [
        *([] if waiting is None else [message("advice.up_to_waited", count=float(waiting))]),
        *_burst_latency(worst, _at(rows, normal)),
    ]
    if rejected > 0:
        why = message("advice.parts", parts=[message("advice.were_rejected", share=rejected), *details])
        return _answer(question, "yes", why, bursts)
    if worst.get("diverging"):
        why = message("advice.parts", parts=[message("advice.queue_without_end"), *details])
        return _answer(question, "no", why, bursts)
    # Callers that wait too long in an unbounded queue met no bounded one.
    late = (worst.get("ttft_p95_ms") or 0.0) > float(worst.get("slo_ttft_ms") or math.inf)
    why = message("advice.parts", parts=[message("advice.queue_settled"), *details])
    return _answer(question, "no" if late else "yes", why, bursts)


def _burst_latency(burst: Row, normal: Sequence[Row]) -> list[Message]:
    """Return TTFT under the burst, beside the normal rate's; empty if the queue never settled."""
    value = burst.get("ttft_p95_ms")
    if value is None or burst.get("diverging"):
        return []
    calm = next((row for row in normal if row is not burst and not _bursty(row)), None)
    usual = None if calm is None else calm.get("ttft_p95_ms")
    ttft = float(value)
    latency = message("advice.burst_ttft", ttft=ttft)
    if usual is not None:
        latency = message("advice.burst_ttft_beside", ttft=ttft, usual=float(usual))
    limit = burst.get("slo_ttft_ms")
    if limit is None:
        return [latency]
    target = float(limit)
    missed = message("advice.which_misses", target=target)
    return [latency, missed if ttft > target else message("advice.which_meets", target=target)]


def _bursty(row: Row) -> bool:
    """Return True for a burst experiment or arrivals as uneven as one's."""
    return row.get("experiment_kind") == "burst" or _figure(row, "burst_factor") > _BURSTY


def _met_a_queue(row: Row) -> bool:
    """Return True if a request waited or was rejected."""
    return _figure(row, "waiting_max") > 0 or _figure(row, "rejected_rate") > 0


def _figure(row: Row, name: str) -> float:
    """Return a figure; 0 if it is unknown or differs between the row's runs (then it is a text)."""
    value = row.get(name)
    return float(value) if isinstance(value, int | float) else 0.0


def _soak(rows: Sequence[Row], normal: float | None) -> ChecklistAnswer:
    question = message("advice.ask_soak")
    long_ones = [row for row in _at(rows, normal) if (row.get("duration_s") or 0.0) >= _SOAK_S]
    if not long_ones:
        plan = {"load": {"rates": [normal or 1.0], "duration_s": int(_SOAK_S)}}
        why = message("advice.no_long_run", minutes=_SOAK_S / 60)
        return _answer(question, "not measured yet", why, [], plan)
    run = long_ones[0]
    count, peak = run.get("preemptions"), run.get("kv_peak")
    if count is None or peak is None:
        return _answer(question, "not measured yet", message("advice.soak_unseen"), [run])
    pace = float(count) / (float(run["duration_s"]) / 60)
    grows = run.get("grows") or []
    figures = message("advice.soak_figures", count=float(count), pace=pace, share=float(peak))
    why = message("advice.soak", figures=figures)
    if grows:
        why = message("advice.soak_grows", figures=figures, grows=grows)
    good = not run.get("diverging") and not grows
    good = good and float(count) <= float(run.get("slo_preemptions") or 0.0)
    return _answer(question, "yes" if good else "no", why, [run])


def _reproduced(rows: Sequence[Row]) -> ChecklistAnswer:
    question = message("advice.ask_reproduced")
    plan = {"repeat": {"n": _REPEATS}}
    real = [row for row in rows if not row.get("simulated")]
    if not real:
        missing = {**plan, "target": {"kind": "local"}}
        return _answer(question, "not measured yet", message("advice.only_simulated"), rows[:1], missing)
    repeated = [row for row in real if int(row.get("n") or row.get("repeats") or 1) >= _REPEATS]
    if not repeated:
        why = message("advice.not_repeated", count=_REPEATS)
        return _answer(question, "not measured yet", why, [], plan)
    unnamed = [row for row in repeated if not row.get("model_revision") or not row.get("gpu_model")]
    if unnamed:
        return _answer(question, "not measured yet", message("advice.not_recorded"), unnamed, plan)
    spreads = [float(row["cv_over_repeats"]) for row in repeated if row.get("cv_over_repeats") is not None]
    if not spreads:
        return _answer(question, "not measured yet", message("advice.spread_unknown"), repeated, plan)
    why = message("advice.spread", share=max(spreads))
    return _answer(question, "yes" if max(spreads) <= _SPREAD else "no", why, repeated)


def _cost(rows: Sequence[Row], chosen: str | None) -> ChecklistAnswer:
    """Compare each system's cheapest row within capacity and targets."""
    question = message("advice.ask_cost")
    priced = [row for row in rows if row.get("cost_per_1k_accepted") is not None and _holds(row)]
    plan = {"cost": {"per_hour": None}}
    if not priced:
        return _answer(question, "not measured yet", message("advice.nothing_priced"), [], plan)
    if len({row.get("currency") for row in priced}) > 1:
        return _answer(question, "not measured yet", message("advice.several_currencies"), priced)
    if len({_system(row) for row in priced}) < 2:
        return _answer(question, "not measured yet", message("advice.one_system_priced"), priced, plan)
    idle = all(row.get("cost_reserved_basis") is not None for row in priced)
    basis = "cost_reserved_basis" if idle else "cost_per_1k_accepted"
    ordered = sorted(priced, key=lambda row: float(row[basis]))
    live = next((row for row in ordered if _name(row) == chosen), ordered[0])
    own = next(row for row in ordered if _system(row) == _system(live))
    other = next(row for row in ordered if _system(row) != _system(live))
    beside = message(
        "advice.cost_beside",
        own=_system(own),
        cost=float(own[basis]),
        currency=own.get("currency"),
        other=_system(other),
        other_cost=float(other[basis]),
    )
    if not idle:
        why = message("advice.cost_while_busy", costs=beside)
        return _answer(question, "not measured yet", why, [own, other], {"demand": {"curve": None}})
    below = float(own[basis]) < float(other[basis])
    return _answer(question, "yes" if below else "no", message("advice.parts", parts=[beside]), [own, other])


def _holds(row: Row) -> bool:
    """Return True if a row is within capacity and its known targets."""
    limits = [(row.get(figure), row.get(slo)) for figure, slo, _ in _TARGETS]
    return not row.get("diverging") and all(
        value is None or slo is None or float(value) <= float(slo) for value, slo in limits
    )


def _system(row: Row) -> str:
    return str(row.get("system_name") or row.get("gpu_model") or row.get("profile"))
