"""One rule a limit: what is said when it binds, on which evidence, and what to change next."""

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from workbench.advice.diagnosis import changes
from workbench.advice.diagnosis.bottleneck import Bottleneck
from workbench.advice.diagnosis.bottleneck_conditions import SEAT_LIMITS, preempting, seat_limit
from workbench.advice.diagnosis.evidence import longest_pause, looks_at, usual
from workbench.advice.diagnosis.figure_text import millis, number, percent, setting
from workbench.advice.diagnosis.findings import Change, Confidence
from workbench.advice.diagnosis.run_view import RunView
from workbench.advice.diagnosis.sample_arrays import Bools, Floats, Series

_GUIDE = "tuning guide, diagnosis"
_FLAT = 0.05
_BUSY_FRONT, _QUIET_FRONT = 0.85, 0.5
"""Of one core, on which Python runs: from where on tokenising can't keep up, and below which it can."""


@dataclass(frozen=True)
class Spoken:
    """What a rule has to say."""

    verdict: str
    evidence: list[str]
    confidence: Confidence
    change: Change | None


@dataclass(frozen=True)
class Rule:
    """A limit's rule. The condition is the mask of the same name in `moments`, in words here."""

    id: str
    bound: Bottleneck
    condition: str
    speak: Callable[[RunView, Series, Bools], Spoken]
    """Given the limits that were in force when it last bound."""
    source: str
    limits: tuple[str, ...] = ()
    """Controls whose changes during the run belong to the evidence."""


def _most(values: Floats, mask: Bools) -> float | None:
    chosen = values[mask]
    chosen = chosen[~np.isnan(chosen)]
    return float(chosen.max()) if len(chosen) else None


def _crowd(series: Series, mask: Bools) -> str:
    """Who ran, who waited, how full the pool was."""
    running, waiting, kv = (_most(values, mask) for values in (series.running, series.waiting, series.kv))
    parts = [
        None if running is None else f"up to {number(running)} ran",
        None if waiting is None else f"{number(waiting)} waited",
        None if kv is None else f"KV at most {percent(kv)}",
    ]
    said = ", ".join(part for part in parts if part is not None)
    return f"{said[:1].upper()}{said[1:]}."


def _seats(view: RunView, series: Series, mask: Bools) -> Spoken:
    cap = seat_limit(view, series)
    if cap is None:
        level = _most(series.running, mask) or 0.0
        verdict = f"Running stays at {number(level)}: a sequence limit there, by the look of it."
        return Spoken(verdict, [_crowd(series, mask)], "low", changes.more_seats(view, series, mask))
    full = _most(series.kv, mask)
    verdict = f"The sequence limit binds: {cap[0]} {setting(cap[1])} is full while others wait."
    confidence: Confidence = "medium" if full is None else "high"
    change = changes.more_seats(view, series, mask)
    held, evidence = changes.requests_held(view), [_crowd(series, mask)]
    if held is not None and change.control in SEAT_LIMITS and change.value == math.floor(held):
        evidence.append(changes.held_said(view))
    return Spoken(verdict, evidence, confidence, change)


def _kv(view: RunView, series: Series, mask: Bools) -> Spoken:
    count = float(np.nansum(series.preempted[preempting(series)]))
    full = _most(series.kv, mask)
    evidence = [_crowd(series, mask)]
    if count:
        verdict = f"The KV cache is full: {number(count)} preemptions, their work is computed again."
        pause = longest_pause(view)
        if pause is not None:
            evidence.append(f"Longest pause within an answer: {millis(pause)}.")
        if changes.seats_named(view, series) is not None:
            evidence.append(changes.held_said(view))
        return Spoken(verdict, evidence, "high", changes.fewer_seats(view, series, mask))
    if full is not None and full >= 0.9:
        verdict = "The KV cache is full: requests wait for blocks."
        return Spoken(verdict, evidence, "high", changes.more_kv(view, "requests wait for blocks"))
    verdict = "The next prompt in the queue needs more KV blocks than are free, though the pool isn't full."
    confidence: Confidence = "high" if view.step_waits else "medium"
    return Spoken(verdict, evidence, confidence, changes.more_kv(view, "long prompts wait for room"))


def _budget(view: RunView, series: Series, mask: Bools) -> Spoken:
    rates = series.prompt_rate[mask & (series.prompt_rate > 0)]
    flat = len(rates) >= 3 and float(rates.std() / rates.mean()) < _FLAT
    evidence = [_crowd(series, mask)]
    if len(rates):
        level = number(float(rates.mean()))
        evidence.append(f"Prompt tokens/s {'flat at' if flat else 'around'} {level}; seats and KV had room.")
    verdict = "Prefill binds: the token budget of each step is spent while seats and KV are free."
    known = seat_limit(view, series) is not None and not np.isnan(series.kv).all()
    confidence: Confidence = "high" if flat or view.step_waits else "medium" if known else "low"
    return Spoken(verdict, evidence, confidence, changes.larger_budget(view))


def _blocked(view: RunView, series: Series, mask: Bools) -> Spoken:
    if view.limits.get("static_batching") is True:
        verdict = "The batch is closed: under static batching nobody joins before its last member has ended."
        change = changes.continuous()
        return Spoken(verdict, [_crowd(series, mask)], "high", change)
    held = _most(series.deferred, mask)
    if held:
        verdict = "Requests are deferred: not for want of seats, tokens or memory, as the server says itself."
        evidence = [
            f"Up to {number(held)} deferred of {number(_most(series.waiting, mask) or held)} waiting."
        ]
        text = "look at the budget of LoRA adapters, KV transfer and structured output, which defer requests."
        change = changes.advise(text, "waiting by reason")
        return Spoken(verdict, [*evidence, _crowd(series, mask)], "high", change)
    verdict = "Requests wait, yet seats and KV are free and no prompt gets through: memory isn't the limit."
    text = (
        "look for what holds the head back: structured output, LoRA slots, KV transfer, or a paused engine."
    )
    return Spoken(verdict, [_crowd(series, mask)], "medium", changes.advise(text, "waiting by reason"))


def _admission(view: RunView, series: Series, mask: Bools) -> Spoken:
    refused = float(np.nansum(series.rejected))
    limits = [
        f"{name} {setting(value)}"
        for name in ("max_num_queued_reqs", "max_num_queued_tokens")
        if (value := view.limit(name)) is not None
    ]
    which = " and ".join(limits) or "an admission limit"
    verdict = f"The admission limit refuses requests, as intended: {number(refused)} rejected by {which}."
    return Spoken(verdict, [_crowd(series, mask)], "high", changes.admit_more(view))


def _owner(view: RunView, series: Series, mask: Bools) -> Spoken:
    del view
    held = _most(series.kv, mask) or 0.0
    verdict = f"One request holds {percent(held)} of the KV cache and the others wait behind it."
    text = "abort it, or lower max_model_len so that no single request can hold the pool."
    return Spoken(verdict, [_crowd(series, mask)], "medium", changes.advise(text, "running, KV use"))


def _starved(view: RunView, series: Series, mask: Bools) -> Spoken:
    usual = series.output_rate[series.output_rate > 0]
    typical = float(np.median(usual)) if len(usual) else 0.0
    slow = float(np.nanmedian(series.output_rate[mask]))
    verdict = "Prefill starves decoding: answers under way stand still while long prompts are read."
    evidence = [f"Around {number(slow)} tokens/s then, {number(typical)} usually."]
    confidence: Confidence = "high" if len(view.requests) else "medium"
    return Spoken(verdict, evidence, confidence, changes.spare_decodes(view))


def _client(view: RunView, series: Series, mask: Bools) -> Spoken:
    cap = view.limit("max_in_flight")
    held = _most(series.held, mask)
    if cap is not None:
        verdict = f"The client holds back: max_in_flight {setting(cap)} is full and the server has room."
        evidence = [f"Up to {number(held or 0)} requests waited at the client; none in the server."]
    elif view.concurrency is not None:
        verdict = (
            f"The load is closed: {number(view.concurrency)} requests are open at most; none waits inside."
        )
        evidence = [_crowd(series, mask)]
    else:
        verdict = "The client sends late, and the server has room."
        evidence = [f"Up to {number(held or 0)} requests were due and not sent."]
    return Spoken(verdict, evidence, "high", changes.open_client(view))


def _front_end(view: RunView, series: Series, mask: Bools) -> Spoken:
    outside = _most(series.in_flight - series.running - series.waiting, mask) or 0.0
    evidence = [f"Up to {number(outside)} were sent that it didn't know of; it had room."]
    cores = usual(looks_at(view, series, mask), lambda look: look.api_cpu)
    more = "give the front end more CPU: --api-server-count 2, or shorter prompts a request."
    watch = "host CPU, TTFT against queue time"
    if cores is None:
        verdict = "Requests hang before the scheduler: tokenising, the HTTP server, or the network."
        return Spoken(verdict, evidence, "medium", changes.advise(more, watch))
    evidence.append(f"Its HTTP process used {number(cores)} of a core meanwhile.")
    if cores >= _BUSY_FRONT:
        verdict = "The front end's processor binds: tokenising and HTTP take all that one process can."
        return Spoken(verdict, evidence, "high", changes.advise(more, watch))
    if cores < _QUIET_FRONT:
        verdict = (
            "Requests hang before the scheduler, and not for want of CPU: network, or a proxy before it."
        )
        text = "measure from the server's own machine, without what stands between."
        return Spoken(verdict, evidence, "medium", changes.advise(text, "TTFT against queue time"))
    verdict = "Requests hang before the scheduler: tokenising, the HTTP server, or the network."
    return Spoken(verdict, evidence, "medium", changes.advise(more, watch))


def _stuck(view: RunView, series: Series, mask: Bools) -> Spoken:
    del view
    verdict = "Stuck: requests are there, but for a minute no token came and none finished."
    text = "keep its log and metrics, restart the server, report it."
    return Spoken(verdict, [_crowd(series, mask)], "high", changes.advise(text))


def _livelock(view: RunView, series: Series, mask: Bools) -> Spoken:
    del view
    verdict = "Livelock: requests wait, nothing runs and the KV cache is empty."
    text = "restart the server and report it; a request may be larger than the whole pool."
    return Spoken(verdict, [_crowd(series, mask)], "high", changes.advise(text))


RULES: dict[Bottleneck, Rule] = {
    rule.bound: rule
    for rule in (
        Rule(
            "R6",
            Bottleneck.LIVELOCK,
            "running 0, KV 0, waiting > 0 for 5 s",
            _livelock,
            "vllm-metal issue 479",
        ),
        Rule(
            "R5",
            Bottleneck.STUCK,
            "no token and no end of a request for 60 s while some are there",
            _stuck,
            "vLLM issues 2731, 17972, 53130",
        ),
        Rule(
            "R11",
            Bottleneck.ADMISSION,
            "the rejection counter rises",
            _admission,
            "vLLM pull requests 49445, 55812",
            ("max_num_queued_reqs", "max_num_queued_tokens"),
        ),
        Rule(
            "R14",
            Bottleneck.ONE_REQUEST,
            "one runs with half of the pool or more, others wait",
            _owner,
            "llm-scaler issue 391",
        ),
        Rule(
            "R1",
            Bottleneck.SEQUENCES,
            "waiting > 0 and running at the sequence limit",
            _seats,
            f"{_GUIDE} 1; vLLM issue 13508",
            SEAT_LIMITS,
        ),
        Rule(
            "R3",
            Bottleneck.KV_CACHE,
            "KV >= 90 % and waiting or preempting; or the next prompt is larger than what is free",
            _kv,
            f"{_GUIDE} 4; vLLM issues 18115, 43295",
            SEAT_LIMITS,
        ),
        Rule(
            "R7",
            Bottleneck.DECODE_STARVED,
            "generated tokens/s below 10 % of their median while prompts are read",
            _starved,
            "vLLM issues 4252, 8086; qwen3.8-Flash-DGX issue 9",
            ("long_prefill_token_threshold", "max_num_batched_tokens"),
        ),
        Rule(
            "R2",
            Bottleneck.BUDGET,
            "waiting > 0 with seats and KV free, and prompts come through",
            _budget,
            f"{_GUIDE} 2; vLLM pull request 37307",
            ("max_num_batched_tokens",),
        ),
        Rule(
            "R15",
            Bottleneck.BLOCKED_HEAD,
            "waiting > 0 with seats and KV free, and no prompt comes through; or the server says deferred",
            _blocked,
            "vLLM issues 11517, 13508",
        ),
        Rule(
            "R16",
            Bottleneck.CLIENT,
            "nothing waits in the server while the client holds requests back",
            _client,
            f"{_GUIDE} 5; vLLM issue 13412",
        ),
        Rule(
            "R17",
            Bottleneck.FRONT_END,
            "a third of the open requests are unknown to the scheduler, which has room",
            _front_end,
            f"{_GUIDE} 1 and 5; vLLM issue 4806",
        ),
    )
}
"""By the bound they explain, in the order in which they take precedence."""
