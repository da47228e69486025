"""The `vllm:` families of `/metrics`, from the counts of engine and front."""

from collections.abc import Iterator, Mapping
from typing import Any

from workbench.engine.server.exposition import MetricFamily, number, sample
from workbench.engine.server.settings import Settings
from workbench.vllm_dialect import METRICS, PREFIX, Metric, MetricKind, metrics

# All families of a 0.32 page in its order: those of `vllm_dialect`, and the rest of the page.


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

_Rows = list[tuple[Mapping[str, str], float]]


class EnginePage:
    """Renders the `vllm:` families from the counts of engine and front.

    Args:
        settings: of the server.
        created: start of the counters, seconds since the epoch.
    """

    def __init__(self, settings: Settings, created: float) -> None:
        self._settings = settings
        self._created = created
        self._model = {"model_name": settings.served_names[0]}

    def families(self, snapshot: Mapping[str, Any], rejections: Mapping[str, int]) -> Iterator[MetricFamily]:
        """Yield all families in vLLM's order."""
        values = _values(snapshot, rejections)
        for metric in PAGE_ORDER:
            if metric.kind is MetricKind.HISTOGRAM:
                yield self._histogram(metric, *snapshot["bins"][metric.name])
            elif metric is metrics.CACHE_CONFIG:
                yield self._plain(metric, [(cache_labels(self._settings), 1.0)])
            else:
                yield self._plain(metric, values[metric.name])

    def _labels(self, metric: Metric) -> dict[str, str]:
        return {**self._model, "engine": "0"} if metric.per_engine else dict(self._model)

    def _plain(self, metric: Metric, rows: _Rows) -> MetricFamily:
        base = {"engine": "0"} if metric is metrics.CACHE_CONFIG else self._labels(metric)
        lines = [sample(metric.exposed, {**base, **labels}, value) for labels, value in rows]
        created = None
        if metric.kind is MetricKind.COUNTER:
            created = [
                sample(f"{metric.name}_created", {**base, **labels}, self._created) for labels, _ in rows
            ]
        return MetricFamily(metric.exposed, metric.kind.value, metric.help, lines, created)

    def _histogram(self, metric: Metric, counts: list[int], total: float) -> MetricFamily:
        labels = self._labels(metric)
        edges = [number(edge) for edge in self._settings.edges[metric.name]]
        lines: list[str] = []
        seen = 0
        for edge, count in zip([*edges, "+Inf"], counts, strict=True):
            seen += count
            lines.append(sample(f"{metric.name}_bucket", {**labels, "le": edge}, seen))
        lines.append(sample(f"{metric.name}_count", labels, seen))
        lines.append(sample(f"{metric.name}_sum", labels, total))
        created = [sample(f"{metric.name}_created", labels, self._created)]
        return MetricFamily(metric.name, "histogram", metric.help, lines, created)


def _values(snapshot: Mapping[str, Any], rejections: Mapping[str, int]) -> dict[str, _Rows]:
    """Return the rows of every gauge and counter by family."""
    waiting, deferred = snapshot["waiting"], snapshot["deferred"]
    prompt, cached = snapshot["prompt_tokens"], snapshot["cached_prompt_tokens"]
    rows: dict[str, _Rows] = {metric.name: [({}, 0.0)] for metric in ALWAYS_ZERO}
    for metric, value in (
        (metrics.RUNNING, snapshot["running"]),
        (metrics.WAITING, waiting),
        (metrics.KV_USAGE, snapshot["kv_usage"]),
        (metrics.PREFIX_QUERIES, snapshot["prefix_queries"]),
        (metrics.PREFIX_HITS, snapshot["prefix_hits"]),
        (metrics.PREEMPTIONS, snapshot["preemptions"]),
        (metrics.PROMPT_TOKENS, prompt),
        (PROMPT_CACHED, cached),
        (metrics.GENERATION_TOKENS, snapshot["generation_tokens"]),
    ):
        rows[metric.name] = [({}, value)]
    at_admission = {"device": snapshot["cached_at_admission"]}
    for metric, label, parts in (
        (metrics.WAITING_BY_REASON, "reason", {"capacity": waiting - deferred, "deferred": deferred}),
        (SLEEP_STATE, "sleep_state", {"awake": 1, "weights_offloaded": 0, "discard_all": 0}),
        (
            PROMPT_BY_SOURCE,
            "source",
            {"local_compute": prompt - cached, "local_cache_hit": cached, "external_kv_transfer": 0},
        ),
        (CACHED_BY_SOURCE, "source", {**at_admission, **dict.fromkeys(_OTHER_TIERS, 0)}),
        (metrics.REQUEST_SUCCESS, "finished_reason", snapshot["ended"]),
        (metrics.REJECTIONS, "reason", rejections),
    ):
        rows[metric.name] = [({label: part}, value) for part, value in parts.items()]
    return rows


_OTHER_TIERS = ("host", "p2p", "disk", "external_unspecified")
_CACHE_DEFAULTS = {
    "_block_size_resolved": "True",
    "cache_dtype": "auto",
    "cache_hit_alignment_tokens": "None",
    "enable_mamba_shared_prefix_checkpoint": "False",
    "gpu_memory_utilization": "0.92",
    "hash_block_size": "None",
    "is_attention_free": "False",
    "kv_cache_dtype_skip_layers": "[]",
    "kv_cache_layout": "None",
    "kv_cache_memory_bytes": "None",
    "kv_offloading_backend": "native",
    "kv_offloading_size": "None",
    "kv_sharing_fast_prefill": "False",
    "mamba_block_size": "None",
    "mamba_cache_dtype": "auto",
    "mamba_cache_mode": "none",
    "mamba_page_size_padded": "None",
    "mamba_ssm_cache_dtype": "auto",
    "num_cpu_blocks": "None",
    "prefix_cache_retention_interval": "0",
    "prefix_caching_hash_algo": "sha256",
    "prefix_match_unit": "None",
    "replayssm_buffer_len": "16",
    "skip_page_size_padded": "None",
    "sliding_window": "None",
    "swa_bounded_replay": "True",
    "use_kda_recoverssm": "False",
    "use_replayssm": "False",
}


def cache_labels(settings: Settings) -> dict[str, str]:
    """Return every field of vLLM's CacheConfig as text; fields that are not modelled have their default."""
    scheduler = settings.scheduler
    tokens = scheduler.num_gpu_blocks * scheduler.block_size
    return {
        **_CACHE_DEFAULTS,
        "block_size": str(scheduler.block_size),
        "effective_attention_block_size": str(scheduler.block_size),
        "enable_prefix_caching": str(scheduler.enable_prefix_caching),
        "kv_cache_max_concurrency": str(tokens / scheduler.max_model_len),
        "kv_cache_size_tokens": str(tokens),
        "num_gpu_blocks": str(scheduler.num_gpu_blocks),
        "num_gpu_blocks_override": str(settings.num_gpu_blocks_override),
        "user_specified_block_size": str(settings.user_block_size),
    }
