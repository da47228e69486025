"""Every scheduler and KV-cache control of vLLM that a user can set, and the load's own admission.

Names and kinds are those of the flag list that vLLM 0.32.0 itself prints; what each limits is read from its
scheduler. What differs by version, `workbench.vllm_dialect.version_facts` knows.
"""

from workbench.controls.control import Control
from workbench.controls.numerics import NUMERICS
from workbench.vllm_dialect import defaults_of


def _default(name: str) -> str:
    """The default in words: `0.92 (0.9 before 0.20)`."""
    *earlier, (since, newest) = defaults_of(name)
    before = "".join(f" ({_said(value)} before {since})" for _, value in earlier)
    return f"{_said(newest)}{before}"


def _said(value: object) -> str:
    return {True: "on", False: "off"}[value] if isinstance(value, bool) else str(value)


_BUDGET = Control(
    name="max_num_batched_tokens",
    kind="integer",
    flag="--max-num-batched-tokens",
    title="Token budget",
    limits="tokens processed in one step, prefill and decode together",
    watch="throughput, TTFT, inter-token latency, progress of long prompts",
    minimum=1,
    unit="tokens",
    default=(
        "8192 on H100/H200-class cards, 2048 on smaller ones, "
        f"from 160 GiB on {_default('max_num_batched_tokens_160_gib')}, for a server"
    ),
    live=True,
    ladder=(512, 2048, 8192, 16384),
)
_SEATS = Control(
    name="max_num_seqs",
    kind="integer",
    flag="--max-num-seqs",
    title="Sequence limit",
    limits="sequences processed in one step",
    watch="running requests, memory headroom, tail latency",
    minimum=1,
    unit="sequences",
    default="1024 on cards with 70 GiB or more (A100: 256), 256 on others",
    ladder=(16, 32, 64, 128),
)
_ACTIVE = Control(
    name="max_num_active_seqs",
    kind="integer",
    flag="--max-num-active-seqs",
    title="Active sequences",
    limits="running requests, below the sequence limit; nobody is rejected or preempted by it",
    watch="running, waiting, queue time",
    minimum=1,
    unit="sequences",
    default="none: the sequence limit holds",
    live=True,
    ladder=(8, 16, 32, 64),
)
_CHUNKED = Control(
    name="enable_chunked_prefill",
    kind="switch",
    flag="--enable-chunked-prefill",
    title="Chunked prefill",
    limits="splits a long prefill over several steps",
    watch="long-prompt latency, disturbance of decoding requests",
    default="on for generative models",
    ladder=(True, False),
)
_LONG_PREFILL = Control(
    name="long_prefill_token_threshold",
    kind="integer",
    flag="--long-prefill-token-threshold",
    title="Long-prefill threshold",
    limits="prompt tokens that one request may take of a step; since 0.31 only while others are there",
    watch="TTFT of long prompts, gaps of decoding requests",
    minimum=0,
    unit="tokens",
    default="0: off",
    live=True,
    ladder=(256, 512, 1024, 2048),
)
_LONG_PREFILL_ADAPTIVE = Control(
    name="long_prefill_token_threshold_adaptive",
    kind="switch",
    flag="--long-prefill-token-threshold-adaptive",
    title="Adaptive long-prefill threshold",
    limits="raises the threshold to an equal share of the token budget when few requests are there",
    watch="TTFT of long prompts, gaps of decoding requests",
    default="off",
)
_SCHEDULED = Control(
    name="max_num_scheduled_tokens",
    kind="integer",
    flag="--max-num-scheduled-tokens",
    title="Scheduled tokens",
    limits="tokens scheduled in one step where that is to be below the token budget",
    watch="throughput, TTFT, inter-token latency",
    minimum=1,
    unit="tokens",
    default="the token budget",
)
_QUEUED_REQUESTS = Control(
    name="max_num_queued_reqs",
    kind="integer",
    flag="--max-num-queued-reqs",
    title="Requests admitted",
    limits="requests in the server, waiting and running; one more is rejected with 503",
    watch="rejection rate, queue time, whether overload is passed on to callers",
    minimum=1,
    unit="requests",
    default="none: the queue is unbounded",
    ladder=(32, 48, 96),
)
_QUEUED_TOKENS = Control(
    name="max_num_queued_tokens",
    kind="integer",
    flag="--max-num-queued-tokens",
    title="Prompt tokens admitted",
    limits="prompt tokens of requests without output yet; at this backlog the next one is rejected with 503",
    watch="rejection rate, queue time, whether overload is passed on to callers",
    minimum=1,
    unit="tokens",
    default="none: the queue is unbounded",
)
_POLICY = Control(
    name="scheduling_policy",
    kind="choice",
    flag="--scheduling-policy",
    title="Scheduling policy",
    limits="who is next of the waiting, and who is preempted",
    watch="queue time per class, preemptions per class",
    choices=("fcfs", "priority"),
    default="fcfs",
)
_ASYNC = Control(
    name="async_scheduling",
    kind="switch",
    flag="--async-scheduling",
    title="Asynchronous scheduling",
    limits="schedules a step while the one before still runs",
    watch="output tokens/s, inter-token latency",
    default=f"{_default('async_scheduling')}, off on CPUs",
)
_RESERVE = Control(
    name="scheduler_reserve_full_isl",
    kind="switch",
    flag="--scheduler-reserve-full-isl",
    title="Full-prompt gate",
    limits="admits a request only when its whole prompt fits the free KV blocks at that moment",
    watch="preemptions, queue time of long prompts",
    default=_default("scheduler_reserve_full_isl"),
)
_WATERMARK = Control(
    name="watermark",
    kind="number",
    flag="--watermark",
    title="KV watermark",
    limits="share of the KV blocks that admission leaves free while others run",
    watch="preemptions, running requests",
    minimum=0.0,
    maximum=1.0,
    default="0",
)
_GPU_BLOCKS = Control(
    name="num_gpu_blocks_override",
    kind="integer",
    flag="--num-gpu-blocks-override",
    title="KV blocks",
    limits="active context: the number of KV-cache blocks, one of them unusable",
    watch="preemptions, recomputation, KV usage",
    minimum=2,
    unit="blocks",
    default="what fits the memory",
    live=True,
)
_BLOCK_SIZE = Control(
    name="block_size",
    kind="integer",
    flag="--block-size",
    title="Block size",
    limits="tokens that share one KV-cache block",
    watch="KV usage, prefix-cache hits",
    minimum=1,
    unit="tokens",
    default="16, or what the attention backend prefers",
)
_MEMORY = Control(
    name="gpu_memory_utilization",
    kind="number",
    flag="--gpu-memory-utilization",
    title="GPU memory share",
    limits="share of the GPU's memory that this server plans with",
    watch="KV blocks, preemptions, out-of-memory failures",
    minimum=0.01,
    maximum=1.0,
    default=_default("gpu_memory_utilization"),
    ladder=(0.85, 0.9, 0.92, 0.95),
)
_KV_DTYPE = Control(
    name="kv_cache_dtype",
    kind="choice",
    flag="--kv-cache-dtype",
    title="KV-cache type",
    limits="bytes that a token's context takes; it can change answers",
    watch="KV blocks, preemptions, answer quality",
    choices=(
        *("auto", "bfloat16", "float16", "fp8", "fp8_e4m3", "fp8_e5m2", "fp8_inc", "fp8_ds_mla"),
        *("fp8_per_token_head", "int8_per_token_head", "int4_per_token_head"),
        *("nvfp4", "nvfp4_4over6", "nvfp4_ds_mla", "ultraquant_4bit"),
        *("turboquant_3bit_nc", "turboquant_4bit_nc", "turboquant_k3v4_nc", "turboquant_k8v4"),
    ),
    default="auto: the model's",
    alters_answers=True,
)
_MODEL_LENGTH = Control(
    name="max_model_len",
    kind="integer",
    flag="--max-model-len",
    title="Longest context",
    limits="prompt and output of one request together",
    watch="refused requests, maximum concurrency",
    minimum=1,
    unit="tokens",
    default="the model's",
)
_PREFIX = Control(
    name="enable_prefix_caching",
    kind="switch",
    flag="--enable-prefix-caching",
    title="Prefix caching",
    limits="keeps the KV blocks of finished prompts for requests that begin alike",
    watch="TTFT, prefix hits, KV usage",
    default="on for generative models",
    ladder=(True, False),
)
_STREAM = Control(
    name="stream_interval",
    kind="integer",
    flag="--stream-interval",
    title="Stream interval",
    limits="tokens that are sent to the client together",
    watch="gaps between events, host CPU",
    minimum=1,
    unit="tokens",
    default="1",
)
_STATIC = Control(
    name="static_batching",
    kind="switch",
    flag="--static-batching",
    title="Static batching (to teach)",
    limits="nobody joins a batch until its last member has ended; not vLLM's: the embedded engine's alone",
    watch="queue time, running requests, output tokens/s",
    default="off: vLLM batches continuously",
)
_EXECUTABLE = Control(
    name="executable",
    kind="text",
    flag=None,
    of_target=True,
    title="vLLM itself",
    limits="which vLLM serves: another version's environment, or another image of a container",
    watch="throughput, latencies, and what else moved with the version",
    unit="environment or image",
    default="the target's own",
)
_CLIENT_CAP = Control(
    name="max_in_flight",
    kind="integer",
    flag=None,
    title="Client-side admission",
    limits="requests that the caller has open at once; the others wait at the caller",
    watch="admission wait (part of TTFT), queue time",
    minimum=1,
    unit="requests",
    default="none",
    live=True,
)
_CLIENT_TIMEOUT = Control(
    name="queue_timeout_s",
    kind="number",
    flag=None,
    title="Queue timeout",
    limits="how long a caller waits for the first token before it gives up",
    watch="timed-out requests, queue time",
    minimum=0.001,
    unit="s",
    default="none",
    live=True,
)

CONTROLS: dict[str, Control] = {
    control.name: control
    for control in (
        _BUDGET,
        _SEATS,
        _ACTIVE,
        _CHUNKED,
        _LONG_PREFILL,
        _LONG_PREFILL_ADAPTIVE,
        _SCHEDULED,
        _QUEUED_REQUESTS,
        _QUEUED_TOKENS,
        _POLICY,
        _ASYNC,
        _RESERVE,
        _WATERMARK,
        _GPU_BLOCKS,
        _BLOCK_SIZE,
        _MEMORY,
        _KV_DTYPE,
        _MODEL_LENGTH,
        _PREFIX,
        _STREAM,
        *NUMERICS,
        _STATIC,
        _EXECUTABLE,
        _CLIENT_CAP,
        _CLIENT_TIMEOUT,
    )
}
"""By name, in the order in which an editor shows them."""

ECHOES = {"max_num_scheduled_tokens": "max_num_batched_tokens"}
"""By vLLM's default the one has the other's value (`SchedulerConfig`): one thing moved, not two."""
FOLLOWS = {
    "mamba_block_size": ("block_size", "enable_prefix_caching", "max_model_len"),
    "mamba_cache_mode": ("enable_prefix_caching",),
    "version": ("executable",),
}
"""Of state-space models the one follows by vLLM's default from the others, without having their value."""

ADMISSION = frozenset({_QUEUED_REQUESTS.name, _QUEUED_TOKENS.name})
"""Limits at which a server rejects a request: with one of them a rejection is what was asked for."""
