"""Rules about a run as a whole: forecasts, figures that can't be trusted, where first tokens lose time."""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from workbench.advice.diagnosis import bottleneck_conditions as moments
from workbench.advice.diagnosis import changes
from workbench.advice.diagnosis.bottleneck_conditions import waits
from workbench.advice.diagnosis.bottleneck_rules import Spoken
from workbench.advice.diagnosis.changes import advise
from workbench.advice.diagnosis.evidence import FULL_HOST
from workbench.advice.diagnosis.figure_text import millis, number, percent, seconds
from workbench.advice.diagnosis.findings import Finding
from workbench.advice.diagnosis.run_view import RunView
from workbench.advice.diagnosis.sample_arrays import Series
from workbench.base import message
from workbench.results import client_delay_limit_ms, stored_reasons
from workbench.telemetry import Gpu
from workbench.vllm_dialect import version_has

# Rule R20: GPU clocks held back while the run went on, by heat, by hardware or by the power limit.

_LEAST = 0.05
"""Share of the looks below which it explains nothing."""
_POWER_CAP = "power cap"
"""A busy large card reaches its power limit by design; heat and brakes are faults."""


def held_back(view: RunView, series: Series) -> Spoken | None:
    """Clocks below what was asked in at least a twentieth of the looks at the server's GPUs."""
    del series
    looks = [gpu for sample in view.machine if sample.t >= 0 for gpu in sample.gpus if gpu.memory_ours != 0]
    reasons = {reason for gpu in looks for reason in gpu.throttling}
    shares = {reason: sum(reason in gpu.throttling for gpu in looks) / len(looks) for reason in reasons}
    told = sorted((reason for reason, share in shares.items() if share >= _LEAST), key=lambda r: -shares[r])
    if not told:
        return None
    evidence = [f"{reason}: {percent(shares[reason])} of {len(looks)} looks." for reason in told]
    clocks = [gpu.sm_clock_mhz for gpu in looks if gpu.sm_clock_mhz is not None]
    if clocks:
        evidence.append(f"SM clock {min(clocks):.0f} to {max(clocks):.0f} MHz.")
    if told == [_POWER_CAP]:
        verdict = "The GPU's clocks were held back by its power limit: figures hold for this limit."
        change = changes.advise("compare at the same power limit only.", "power, SM clock")
        return Spoken(verdict, evidence, "low", change)
    verdict = "The GPU's clocks were throttled: figures hold for this cooling and this moment only."
    change = changes.advise("cool the card or free it from its neighbours, and repeat the run.", "SM clock")
    return Spoken(verdict, evidence, "high", change)


# Rule R21: answers under way pause together while one long prompt is read in steps of their own length.
#
# A second of such pauses is too short for the metrics page; the gaps of the streams show it.

_LONG_TOKENS = 2048
"""A prompt that fills most of a step's budget."""
_LEAST_MS = 100.0
"""A pause that a reader notices (the guide's ITL targets begin at some tens of milliseconds)."""
_TIMES_USUAL = 8.0
_LEAST_STREAMS = 3
"""So many streams at once aren't a preemption's doing."""


def stuttering(view: RunView, series: Series) -> Spoken | None:
    """Three streams or more paused, many times longer than usual, while the same long prompt was read."""
    pauses = _pauses(view)
    if len(pauses) < _LEAST_STREAMS or moments.starved(view, series).any():
        return None
    columns = view.requests
    long = (columns.input_tokens >= _LONG_TOKENS) & ~np.isnan(columns.first_token) & ~np.isnan(columns.sent)
    hit: dict[int, float] = {}
    for index in np.flatnonzero(long):
        begin, end = columns.sent[index], columns.first_token[index]
        during = {
            stream: gap for stream, at, gap in pauses if stream != index and begin < at and at - gap < end
        }
        if len(during) >= _LEAST_STREAMS:
            for stream, gap in during.items():
                hit[stream] = max(gap, hit.get(stream, 0.0))
    if not hit:
        return None
    worst = millis(1000 * max(hit.values()) * view.time_scale)
    verdict = f"Long prompts make answers stutter: {len(hit)} paused for up to {worst} while one was read."
    evidence = [f"Prompts of {_LONG_TOKENS:,} tokens and more: {int(np.count_nonzero(long))}."]
    return Spoken(verdict, evidence, "high", changes.spare_decodes(view))


def _pauses(view: RunView) -> list[tuple[int, float, float]]:
    """Pauses far above the usual gap: request, wall second of their end, wall seconds they took."""
    gaps = [np.frombuffer(raw, dtype="<f4") for raw in view.requests.gaps_ms]
    every = np.concatenate(gaps) if gaps else np.empty(0)
    if not every.size:
        return []
    least = max(_LEAST_MS / view.time_scale, _TIMES_USUAL * float(np.median(every)))
    found = []
    for index, own in enumerate(gaps):
        if own.size and own.max() > least:
            ends = view.requests.first_token[index] + np.cumsum(own, dtype=np.float64) / 1000
            found += [(index, float(ends[i]), float(own[i]) / 1000) for i in np.flatnonzero(own > least)]
    return found


_FORECAST_S = 300.0
_FORECAST_SAMPLES = 5


@dataclass(frozen=True)
class RunRule:
    """A rule over the whole run."""

    id: str
    condition: str
    judge: Callable[[RunView, Series], Spoken | None]
    """None: the condition doesn't hold, or can't be seen."""
    source: str


def _restarted(view: RunView, series: Series) -> Spoken | None:
    del view
    if not series.restarted:
        return None
    verdict = "A counter of the server shrank: it was restarted during the run; the run is not valid."
    return Spoken(verdict, [], "high", changes.advise("repeat the run."))


def _late_client(view: RunView, series: Series) -> Spoken | None:
    """By validity's bound and, as there, in wall time: the load generator's clock is not simulated."""
    del series
    delay, ttft = view.figure("client_delay_ms", "p99"), view.figure("ttft_ms", "p95")
    # Few requests have no p99 to show; validity judges them all the same, and says what it found.
    reasons = (why for why in stored_reasons(view.figures) if why.kind == "results.client_bound")
    found = next((str(why.values["found"]) for why in reasons), None)
    if delay is not None:
        delay, bound = delay / view.time_scale, client_delay_limit_ms((ttft or 0.0) / view.time_scale)
        late = f"client delay p99 {millis(delay)} > {millis(bound)}"
        found = late if delay > bound else found
    if found is None:
        return None
    verdict = f"Client-bound: {found}; the run is not valid."
    change = changes.advise(_for_a_late_client(view), "client delay")
    return Spoken(verdict, [], "high", change)


def _for_a_late_client(view: RunView) -> str:
    """More workers help only where there are cores for them, and where the clock isn't what asks too much."""
    if view.time_scale > 1:
        return "time scale 1, or a quieter machine."
    looks = [sample.host_cpu for sample in view.machine if sample.host_cpu is not None]
    if looks and float(np.median(looks)) >= FULL_HOST:
        busy = percent(float(np.median(looks)))
        return f"a quieter machine, or the load from another one: this one's cores are {busy} busy."
    return "more load workers, or a quieter machine for them."


def _forecast(view: RunView, series: Series) -> Spoken | None:
    """The KV cache fills with nobody waiting: preemption lies ahead."""
    last = slice(max(0, len(series) - max(_FORECAST_SAMPLES, len(series) // 3)), len(series))
    t, kv = series.t[last], series.kv[last]
    if len(t) < _FORECAST_SAMPLES or np.isnan(kv).any() or kv[-1] < 0.7 or series.running[-1:] == 0:
        return None
    if waits(series)[last].any() or np.nansum(series.preempted[last]) > 0:
        return None
    slope, start = np.polyfit(t - t[-1], kv, 1)
    spread = float(np.sqrt(np.mean((kv - (start + slope * (t - t[-1]))) ** 2)))
    grown = float(slope * (t[-1] - t[0]))
    if slope <= 0 or grown < 3 * spread:
        return None
    left = float((1 - kv[-1]) / slope)
    if left > _FORECAST_S:
        return None
    verdict = f"Preemptions lie ahead: the KV cache is full in about {seconds(left)} at this pace."
    span = seconds(float(t[-1] - t[0]))
    evidence = [f"KV {percent(float(kv[0]))} → {percent(float(kv[-1]))} in {span}, none waits."]
    if changes.seats_named(view, series) is not None:
        evidence.append(changes.held_said(view))
    mask = np.zeros(len(series), dtype=np.bool_)
    mask[last] = True
    return Spoken(verdict, evidence, "medium", changes.fewer_seats(view, series, mask))


def _no_figure(view: RunView, series: Series) -> Spoken | None:
    """A server's TTFT below a millisecond was never measured, and nothing is known beyond a last bucket."""
    mean = series.server_ttft_s
    if mean is not None and mean < 0.001:
        verdict = (
            f"The server's own TTFT can't be right: {mean * 1e6:.0f} µs on average; the client's is used."
        )
        return Spoken(verdict, [], "high", None)
    lo, hi = view.figure("queue_ms", "lo"), view.figure("queue_ms", "hi")
    if lo is None or hi is not None:
        return None
    verdict = f"Queue time's p95 is {millis(lo)} or more: the server's histogram doesn't tell beyond."
    text = "start the server with --enable-per-request-metrics: each answer then tells its own queue time."
    if version_has("flag", "--enable-per-request-metrics", view.vllm_version) is False:
        text = str(message("advice.no_request_metrics", version=view.vllm_version))
    return Spoken(verdict, [], "high", changes.advise(text, "queue time"))


def _where_ttft_goes(view: RunView, series: Series) -> Spoken | None:
    """TTFT is long though hardly anybody queued."""
    del series
    ttft = view.figure("ttft_ms", "p95")
    queue = view.figure("queue_ms", "p95")
    if queue is None:
        queue = view.figure("queue_ms", "hi")
    admission = view.figure("admission_wait_ms", "p95") or 0.0
    if ttft is None or queue is None or ttft < 500 or queue + admission > 0.2 * ttft:
        return None
    verdict = f"First tokens take {millis(ttft)} (p95), but only {millis(queue)} of it in the queue."
    change = changes.advise("compare TTFT of short and long prompts.", "TTFT by class")
    return Spoken(verdict, ["What is left: prefill, the front end, the network."], "medium", change)


def _diverging(view: RunView, series: Series) -> Spoken | None:
    del series
    if view.figures.get("diverging") is not True:
        return None
    offered, done = view.figure("offered_rps"), view.figure("completed_rps")
    evidence = []
    if offered is not None and done is not None:
        evidence.append(f"Offered {number(offered)} requests/s, completed {number(done)}.")
    verdict = "The queue never settles: TTFT grows as long as the run lasts, so its percentiles depend on it."
    return Spoken(verdict, evidence, "high", changes.advise("measure at a lower rate too.", "TTFT over time"))


RUN_RULES: tuple[RunRule, ...] = (
    RunRule("R18", "a counter shrank", _restarted, "definitions, validity"),
    RunRule(
        "R8", "client delay p99 above its bound", _late_client, "definitions, validity; vLLM issue 39963"
    ),
    RunRule("R20", "clocks held back in a twentieth of the looks", held_back, "NVML, clocks-event reasons"),
    RunRule("R19", "TTFT drifts up and waiting grows", _diverging, "definitions, divergence"),
    RunRule("R21", "three streams pause while one long prompt is read", stuttering, "vLLM issues 4252, 8086"),
    RunRule("R4", "the KV cache fills within 300 s, none waits", _forecast, "vLLM issue 18115"),
    RunRule(
        "R10",
        "the server's mean TTFT is below 1 ms, or queue time's p95 in the last bucket",
        _no_figure,
        "vLLM issues 8115, 6337, 15167",
    ),
    RunRule("R12", "TTFT p95 large, queue time below a fifth of it", _where_ttft_goes, "vLLM issue 48803"),
)


# Rule R13: another process holds the memory that a server is about to ask for, so that it can't start.

_GIB = 2**30
_LEAST_SHARE = 0.05
"""Of the card; with less no model is served."""


def memory_held(gpu: Gpu, share: float, names: Mapping[int, str]) -> Finding | None:
    """Said before a start, where less is free than `gpu_memory_utilization` asks for; None: it is enough.

    vLLM compares the same two figures when it starts, and gives up.

    Args:
        gpu: as its driver tells it now.
        share: what the server will ask for of the whole card.
        names: of the processes on it, by pid, as far as they are known.
    """
    if gpu.memory_total is None or gpu.memory_used is None:
        return None
    total, free = gpu.memory_total / _GIB, (gpu.memory_total - gpu.memory_used) / _GIB
    if free >= share * total:
        return None
    holders = ", ".join(
        f"{names.get(one.pid, 'a process of somebody else')} ({one.pid})"
        + ("" if one.memory is None else f" {one.memory / _GIB:.1f} GiB")
        for one in gpu.processes
    )
    least = math.floor(100 * free / total) / 100
    lower = f", or set gpu_memory_utilization to {least:g} at most" if least >= _LEAST_SHARE else ""
    return Finding(
        rule="R13",
        bound=None,
        verdict=(
            f"GPU {gpu.index} ({gpu.name}) has {free:.1f} of {total:.1f} GiB free, and gpu_memory_utilization"
            f" {number(share)} wants {share * total:.1f}: vLLM won't start there."
        ),
        evidence=[
            f"Held by {holders}." if holders else "Its driver doesn't tell from here who holds the rest."
        ],
        moments=[],
        share=None,
        confidence="high",
        change=advise(f"end what isn't needed there{lower}.", "free memory before the start"),
        source="vLLM issues 10439, 34643; model-serving-minefield issue 53",
    )
