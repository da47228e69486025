"""vLLM's Prometheus series: names and their former names, kinds, labels, help texts and bucket edges.

Taken from the pages of 0.32.0; former names from the changes that renamed them. `find_metric` understands
the names of any version from 0.8 on.
"""

from enum import StrEnum

import msgspec

PREFIX = "vllm:"
MODEL_LABEL = "model_name"
ENGINE_LABEL = "engine"
"""The data-parallel rank as a string, "0" for one engine. V1 only; older pages lack the label."""


class MetricKind(StrEnum):
    """The Prometheus type of a series."""

    GAUGE = "gauge"
    COUNTER = "counter"
    HISTOGRAM = "histogram"


_FAST = (0.001, 0.005, 0.01, 0.02, 0.04, 0.06, 0.08, 0.1, 0.25, 0.5, 0.75)
TTFT_EDGES = (*_FAST, 1.0, 2.5, 5.0, 7.5, 10.0, 20.0, 40.0, 80.0, 160.0, 640.0, 2560.0)
"""Upper bounds in seconds of `time_to_first_token_seconds`."""
_TENTHS = (0.01, 0.025, 0.05, 0.075, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.75)
ITL_EDGES = (*_TENTHS, 1.0, 2.5, 5.0, 7.5, 10.0, 20.0, 40.0, 80.0)
"""Upper bounds in seconds of inter-token latency and of the per-request time per output token."""
_REQUEST = (0.3, 0.5, 0.8, 1.0, 1.5, 2.0, 2.5, 5.0, 10.0, 15.0, 20.0, 30.0, 40.0, 50.0, 60.0)
REQUEST_EDGES = (*_REQUEST, 120.0, 240.0, 480.0, 960.0, 1920.0, 7680.0)
"""Upper bounds in seconds of e2e, queue, prefill, decode and inference time."""
ITERATION_EDGES = (1.0, *(float(2**power) for power in range(3, 15)))
"""Upper bounds in tokens of `iteration_tokens_total`: 1, 8, 16 … 16384."""
PREEMPTION_EDGES = (1.0, 2.0, 3.0, 4.0, 5.0, 10.0, 20.0)
PARAMS_N_EDGES = (1.0, 2.0, 5.0, 10.0, 20.0)


def token_edges(max_model_len: int) -> tuple[float, ...]:
    """Return the upper bounds of token histograms: 1, 2, 5 times powers of ten, up to `max_model_len`."""
    edges: list[float] = []
    decade = 1
    while decade <= max_model_len:
        edges += [float(step * decade) for step in (1, 2, 5) if step * decade <= max_model_len]
        decade *= 10
    return tuple(edges)


class Metric(msgspec.Struct, frozen=True, kw_only=True):
    """One metric family."""

    name: str
    """With the `vllm:` prefix, without `_total`, `_bucket` and the like."""
    kind: MetricKind
    help: str
    labels: tuple[str, ...] = ()
    """Labels besides `model_name` and `engine`."""
    per_engine: bool = True
    """False: the family has no `engine` label."""
    edges: tuple[float, ...] | None = None
    """A histogram's upper bounds without +Inf; None if they depend on max_model_len (`token_edges`)."""
    former: tuple[str, ...] = ()
    """Names, in the same form, under which older versions published the same thing."""

    @property
    def exposed(self) -> str:
        """The name on the page; a histogram's samples add `_bucket`, `_sum`, `_count`."""
        return f"{self.name}_total" if self.kind is MetricKind.COUNTER else self.name


def _gauge(name: str, text: str, *labels: str, former: tuple[str, ...] = ()) -> Metric:
    return Metric(
        name=PREFIX + name,
        kind=MetricKind.GAUGE,
        help=text,
        labels=labels,
        former=tuple(PREFIX + old for old in former),
    )


def _counter(
    name: str, text: str, *labels: str, former: tuple[str, ...] = (), per_engine: bool = True
) -> Metric:
    return Metric(
        name=PREFIX + name,
        kind=MetricKind.COUNTER,
        help=text,
        labels=labels,
        per_engine=per_engine,
        former=tuple(PREFIX + old for old in former),
    )


def _histogram(
    name: str, text: str, edges: tuple[float, ...] | None, *, former: tuple[str, ...] = ()
) -> Metric:
    return Metric(
        name=PREFIX + name,
        kind=MetricKind.HISTOGRAM,
        help=text,
        edges=edges,
        former=tuple(PREFIX + old for old in former),
    )


RUNNING = _gauge("num_requests_running", "Number of requests in model execution batches.")
WAITING = _gauge("num_requests_waiting", "Number of requests waiting to be processed.")
WAITING_BY_REASON = _gauge(
    "num_requests_waiting_by_reason",
    "Number of waiting requests by reason. Reason labels: 'capacity' = waiting for scheduling capacity; "
    "'deferred' = deferred by transient constraints (LoRA budget, KV transfer, blocked status). "
    "Sum of all reasons equals vllm:num_requests_waiting.",
    "reason",
)
# gpu_cache_usage_perc: both names in 0.10, the old one gone in 0.12 (vLLM's changes 18354 and 29330).
KV_USAGE = _gauge(
    "kv_cache_usage_perc",
    "KV-cache usage. 1 means 100 percent usage.",
    former=("gpu_cache_usage_perc",),
)
CACHE_CONFIG = _gauge("cache_config_info", "Information of the LLMEngine CacheConfig")
"""Value 1; every field of the cache's configuration is a label, as a string. Labels differ by version."""
PREFIX_QUERIES = _counter(
    "prefix_cache_queries",
    "Prefix cache queries, in terms of number of queried tokens.",
    former=("gpu_prefix_cache_queries",),
)
PREFIX_HITS = _counter(
    "prefix_cache_hits",
    "Prefix cache hits, in terms of number of cached tokens.",
    former=("gpu_prefix_cache_hits",),
)
PREEMPTIONS = _counter("num_preemptions", "Cumulative number of preemption from the engine.")
PROMPT_TOKENS = _counter("prompt_tokens", "Number of prefill tokens processed.")
GENERATION_TOKENS = _counter("generation_tokens", "Number of generation tokens processed.")
REQUEST_SUCCESS = _counter("request_success", "Count of successfully processed requests.", "finished_reason")
"""Despite its name every finished request, `abort` and `error` too; but not what a client aborts."""
FINISHED_REASONS = ("stop", "length", "abort", "error", "repetition")
REJECTIONS = _counter(
    "admission_rejections",
    "Number of admission attempts rejected by a queue limit, by reason.",
    "reason",
    per_engine=False,
)
REJECTION_REASONS = ("max_num_queued_reqs", "max_num_queued_tokens")

PROMPT_TOKENS_H = _histogram("request_prompt_tokens", "Number of prefill tokens processed.", None)
GENERATION_TOKENS_H = _histogram("request_generation_tokens", "Number of generation tokens processed.", None)
ITERATION_TOKENS = _histogram(
    "iteration_tokens_total", "Histogram of number of tokens per engine_step.", ITERATION_EDGES
)
"""A histogram despite its name, and not the batch: a prompt counts in the step that ends its prefill."""
MAX_GENERATION_TOKENS = _histogram(
    "request_max_num_generation_tokens", "Histogram of maximum number of requested generation tokens.", None
)
PARAMS_N = _histogram("request_params_n", "Histogram of the n request parameter.", PARAMS_N_EDGES)
PARAMS_MAX_TOKENS = _histogram(
    "request_params_max_tokens", "Histogram of the max_tokens request parameter.", None
)
TTFT = _histogram("time_to_first_token_seconds", "Histogram of time to first token in seconds.", TTFT_EDGES)
# time_per_output_token_seconds was the same data: deprecated in 0.11, removed by vLLM's change 32661.
ITL = _histogram(
    "inter_token_latency_seconds",
    "Histogram of inter-token latency in seconds.",
    ITL_EDGES,
    former=("time_per_output_token_seconds",),
)
TPOT = _histogram(
    "request_time_per_output_token_seconds",
    "Histogram of time_per_output_token_seconds per request.",
    ITL_EDGES,
)
"""A per-request mean; not the renamed `time_per_output_token_seconds`."""
E2E = _histogram("e2e_request_latency_seconds", "Histogram of e2e request latency in seconds.", REQUEST_EDGES)
QUEUE_TIME = _histogram(
    "request_queue_time_seconds", "Histogram of time spent in WAITING phase for request.", REQUEST_EDGES
)
INFERENCE_TIME = _histogram(
    "request_inference_time_seconds", "Histogram of time spent in RUNNING phase for request.", REQUEST_EDGES
)
PREFILL_TIME = _histogram(
    "request_prefill_time_seconds", "Histogram of time spent in PREFILL phase for request.", REQUEST_EDGES
)
DECODE_TIME = _histogram(
    "request_decode_time_seconds", "Histogram of time spent in DECODE phase for request.", REQUEST_EDGES
)
REQUEST_PREEMPTIONS = _histogram(
    "request_num_preemptions",
    "Histogram of the number of times a request was preempted.",
    PREEMPTION_EDGES,
)
"""0 and 1 share a bucket: use its sum."""
PREFILL_COMPUTED = _histogram(
    "request_prefill_kv_computed_tokens",
    "Histogram of new KV tokens computed during prefill (excluding cached tokens).",
    None,
)

METRICS: tuple[Metric, ...] = (
    RUNNING, WAITING, WAITING_BY_REASON, KV_USAGE, PREFIX_QUERIES, PREFIX_HITS, PREEMPTIONS,
    PROMPT_TOKENS, GENERATION_TOKENS, REQUEST_SUCCESS, REJECTIONS, PROMPT_TOKENS_H, GENERATION_TOKENS_H,
    ITERATION_TOKENS, MAX_GENERATION_TOKENS, PARAMS_N, PARAMS_MAX_TOKENS, TTFT, ITL, TPOT, E2E,
    QUEUE_TIME, INFERENCE_TIME, PREFILL_TIME, DECODE_TIME, REQUEST_PREEMPTIONS, PREFILL_COMPUTED,
    CACHE_CONFIG,
)  # fmt: skip
"""The families that this program publishes or reads, in the order of vLLM's page."""

_BY_NAME: dict[str, Metric] = {
    spelling: metric for metric in METRICS for spelling in (metric.name, *metric.former)
}


def find_metric(name: str) -> Metric | None:
    """Return the family of any version's name (prefixed, without suffixes); None if it isn't in `METRICS`."""
    return _BY_NAME.get(name)
