"""All `vllm:` families of a 0.32 page in its order: those of `vllm_dialect`, and the rest of the page."""

from workbench.vllm_dialect import METRICS, PREFIX, Metric, MetricKind, metrics


def _counter(name: str, text: str, *labels: str) -> Metric:
    return Metric(name=PREFIX + name, kind=MetricKind.COUNTER, help=text, labels=labels)


_MFU = "(for Model Flops Utilization calculations)."
FLOPS = _counter("estimated_flops_per_gpu", f"Estimated number of floating point operations per GPU {_MFU}")
READ_BYTES = _counter(
    "estimated_read_bytes_per_gpu", f"Estimated number of bytes read from memory per GPU {_MFU}"
)
WRITE_BYTES = _counter(
    "estimated_write_bytes_per_gpu", f"Estimated number of bytes written to memory per GPU {_MFU}"
)
SLEEP_STATE = Metric(
    name=f"{PREFIX}engine_sleep_state",
    kind=MetricKind.GAUGE,
    help="Engine sleep state; awake = 0 means engine is sleeping; awake = 1 means engine is awake; "
    "weights_offloaded = 1 means sleep level 1; discard_all = 1 means sleep level 2.",
    labels=("sleep_state",),
)
_EXTERNAL = "from KV connector cross-instance cache sharing, in terms of number of"
EXTERNAL_QUERIES = _counter(
    "external_prefix_cache_queries", f"External prefix cache queries {_EXTERNAL} queried tokens."
)
EXTERNAL_HITS = _counter(
    "external_prefix_cache_hits", f"External prefix cache hits {_EXTERNAL} cached tokens."
)
MM_QUERIES = _counter("mm_cache_queries", "Multi-modal cache queries, in terms of number of queried items.")
MM_HITS = _counter("mm_cache_hits", "Multi-modal cache hits, in terms of number of cached items.")
PROMPT_BY_SOURCE = _counter("prompt_tokens_by_source", "Number of prompt tokens by source.", "source")
PROMPT_CACHED = _counter("prompt_tokens_cached", "Number of cached prompt tokens (local + external).")
CACHED_BY_SOURCE = _counter(
    "prompt_tokens_cached_by_source",
    "Prefix-cache hit tokens by the cache tier that supplied them: device (local HBM), host (offloaded "
    "to DRAM), disk, p2p (transferred from another vLLM instance) or external_unspecified. Counted at "
    "admission; sums to vllm:prefix_cache_hits + vllm:external_prefix_cache_hits.",
    "source",
)

ALWAYS_ZERO = (FLOPS, READ_BYTES, WRITE_BYTES, EXTERNAL_QUERIES, EXTERNAL_HITS, MM_QUERIES, MM_HITS)
"""Families of features that are not modelled: 0, as in a vLLM that doesn't use them."""

_HEAD: tuple[Metric, ...] = (
    FLOPS, READ_BYTES, WRITE_BYTES, metrics.RUNNING, metrics.WAITING, metrics.WAITING_BY_REASON, SLEEP_STATE,
    metrics.KV_USAGE, metrics.PREFIX_QUERIES, metrics.PREFIX_HITS, EXTERNAL_QUERIES, EXTERNAL_HITS,
    MM_QUERIES, MM_HITS, metrics.PREEMPTIONS, metrics.PROMPT_TOKENS, PROMPT_BY_SOURCE, PROMPT_CACHED,
    CACHED_BY_SOURCE,
)  # fmt: skip
PAGE_ORDER: tuple[Metric, ...] = (*_HEAD, *(metric for metric in METRICS if metric not in _HEAD))
