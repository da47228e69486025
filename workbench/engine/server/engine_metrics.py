"""Counters, gauges and histograms of the engine: plain integers and lists, read only for `/metrics`.

Each figure changes at the same moment as in vLLM. All times are simulated seconds.
"""

from bisect import bisect_left
from collections.abc import Mapping, Sequence
from typing import Any

from workbench.vllm_dialect import METRICS, MetricKind, metrics, token_edges

FAMILIES = {
    "request_latency": (
        metrics.E2E.name,
        metrics.QUEUE_TIME.name,
        metrics.INFERENCE_TIME.name,
        metrics.PREFILL_TIME.name,
        metrics.DECODE_TIME.name,
    ),
    "time_to_first_token": (metrics.TTFT.name,),
    "inter_token_latency": (metrics.ITL.name, metrics.TPOT.name),
    "iteration_tokens": (metrics.ITERATION_TOKENS.name,),
    "request_params_n": (metrics.PARAMS_N.name,),
    "request_num_preemptions": (metrics.REQUEST_PREEMPTIONS.name,),
    "request_tokens": (
        metrics.PROMPT_TOKENS_H.name,
        metrics.GENERATION_TOKENS_H.name,
        metrics.MAX_GENERATION_TOKENS.name,
        metrics.PARAMS_MAX_TOKENS.name,
        metrics.PREFILL_COMPUTED.name,
    ),
    "kv_cache_residency": (),
}
"""Histograms whose bounds each family of `--custom-histogram-buckets` replaces."""


def histogram_edges(max_model_len: int, custom: Mapping[str, Sequence[float]]) -> dict[str, list[float]]:
    """Return the upper bounds of every histogram by name, without +Inf."""
    edges = {
        metric.name: list(metric.edges or token_edges(max_model_len))
        for metric in METRICS
        if metric.kind is MetricKind.HISTOGRAM
    }
    for family, bounds in custom.items():
        for name in FAMILIES[family]:
            edges[name] = [float(bound) for bound in bounds]
    return edges


class Bins:
    """A histogram: the count of each bucket (not cumulative; the last is +Inf) and the sum."""

    __slots__ = ("counts", "edges", "sum")

    def __init__(self, edges: list[float]) -> None:
        self.edges = edges
        self.counts = [0] * (len(edges) + 1)
        self.sum = 0.0

    def add(self, value: float, times: int = 1) -> None:
        """Count `value` in the first bucket whose bound is not below it."""
        self.counts[bisect_left(self.edges, value)] += times
        self.sum += value * times


class EngineMetrics:
    """All counters, gauges and histograms of one engine."""

    def __init__(self, edges: Mapping[str, list[float]]) -> None:
        self.bins = {name: Bins(bounds) for name, bounds in edges.items()}
        self._ttft = self.bins[metrics.TTFT.name]
        self._itl = self.bins[metrics.ITL.name]
        self._iteration = self.bins[metrics.ITERATION_TOKENS.name]
        self.running = 0
        self.waiting = 0
        self.deferred = 0
        self.kv_usage = 0.0
        self.prompt_tokens = 0
        self.cached_prompt_tokens = 0
        self.cached_at_admission = 0
        self.generation_tokens = 0
        self.preemptions = 0
        self.prefix_queries = 0
        self.prefix_hits = 0
        self.ended: dict[str, int] = dict.fromkeys(metrics.FINISHED_REASONS, 0)

    def admitted(self, tokens: int, hit: int) -> None:
        """Count a first admission with prefix caching on; admissions after a preemption don't count."""
        self.prefix_queries += tokens
        self.prefix_hits += hit
        self.cached_at_admission += hit

    def first_output(self, ttft: float, prompt_tokens: int, cached: int) -> None:
        """Count a first token: the complete prompt counts now, however many steps it took."""
        self._ttft.add(ttft)
        self.prompt_tokens += prompt_tokens
        self.cached_prompt_tokens += cached

    def later_outputs(self, gap: float, times: int) -> None:
        """Count a further token of `times` requests, `gap` seconds after their last one."""
        self._itl.add(gap, times)

    def step_done(self, outputs: int, prompt_computed: int) -> None:
        """Count a step with `outputs` tokens that ended prompts with `prompt_computed` uncached tokens."""
        if outputs:
            self.generation_tokens += outputs
            self._iteration.add(outputs + prompt_computed)

    def finished(self, reason: str, life: "RequestStats", max_tokens: int) -> None:
        """Count a request that ended by itself; client aborts don't enter the histograms."""
        self.ended[reason] += 1
        bins = self.bins
        tokens, decode = life.outputs, life.last_token - life.first_token
        bins[metrics.E2E.name].add(life.last_token - life.arrival)
        bins[metrics.QUEUE_TIME.name].add(life.scheduled - life.queued)
        bins[metrics.PREFILL_TIME.name].add(life.first_token - life.scheduled)
        bins[metrics.INFERENCE_TIME.name].add(life.last_token - life.scheduled)
        bins[metrics.DECODE_TIME.name].add(decode)
        bins[metrics.TPOT.name].add(decode / (tokens - 1) if tokens > 1 else 0.0)
        bins[metrics.PROMPT_TOKENS_H.name].add(life.prompt_tokens)
        bins[metrics.PREFILL_COMPUTED.name].add(life.prompt_tokens - life.cached)
        bins[metrics.GENERATION_TOKENS_H.name].add(tokens)
        bins[metrics.MAX_GENERATION_TOKENS.name].add(tokens)
        bins[metrics.PARAMS_N.name].add(1)
        bins[metrics.PARAMS_MAX_TOKENS.name].add(max_tokens)
        bins[metrics.REQUEST_PREEMPTIONS.name].add(life.preemptions)

    def snapshot(self) -> dict[str, Any]:
        """Return all values for the front: numbers by attribute name, histograms as [counts, sum]."""
        plain = {
            name: value
            for name, value in vars(self).items()
            if not name.startswith("_") and name not in {"bins", "ended"}
        }
        return {
            **plain,
            "ended": dict(self.ended),
            "bins": {name: [list(bins.counts), bins.sum] for name, bins in self.bins.items()},
        }


class RequestStats:
    """Stamps and counts of a request, simulated seconds and tokens."""

    __slots__ = (
        "arrival",
        "cached",
        "first_token",
        "last_token",
        "outputs",
        "preempted_at",
        "preemptions",
        "prompt_tokens",
        "queued",
        "requeue_wait",
        "scheduled",
    )

    def __init__(self, arrival: float, queued: float, prompt_tokens: int) -> None:
        self.arrival = arrival
        self.queued = queued
        """Time at which the scheduler got it, after the wait for the running step."""
        self.prompt_tokens = prompt_tokens
        self.scheduled = 0.0
        """Start of the schedule() call that first admitted it."""
        self.preempted_at: float | None = None
        """Start of the schedule() call that last preempted it."""
        self.requeue_wait = 0.0
        """Sum of the waits from each preemption to the next admission."""
        self.first_token = 0.0
        self.last_token = 0.0
        self.outputs = 0
        self.cached = 0
        self.preemptions = 0
