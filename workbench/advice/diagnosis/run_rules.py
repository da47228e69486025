"""Rules about a run as a whole: forecasts, figures that can't be trusted, where first tokens lose time."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from workbench.advice.diagnosis import changes
from workbench.advice.diagnosis.bound_rules import Spoken
from workbench.advice.diagnosis.clocks import held_back
from workbench.advice.diagnosis.meanwhile import FULL_HOST
from workbench.advice.diagnosis.moments import waits
from workbench.advice.diagnosis.series import Series
from workbench.advice.diagnosis.stutter import stuttering
from workbench.advice.diagnosis.view import RunView
from workbench.advice.diagnosis.words import millis, number, percent, seconds
from workbench.base import message
from workbench.dialect import holds
from workbench.results import client_delay_limit_ms, stored_reasons

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
    if holds("flag", "--enable-per-request-metrics", view.vllm_version) is False:
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
