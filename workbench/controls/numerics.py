"""Controls beside the scheduler: what the model is computed with, and where its weights and context lie.

They can be stated among a target's own words too, for a model often can't be served without one of them.
"""

from workbench.controls.caches import CACHES
from workbench.controls.control import Control

_DTYPE = Control(
    name="dtype",
    kind="choice",
    flag="--dtype",
    title="Number type",
    limits="precision, and with it memory and time of a step; it can change answers",
    watch="output tokens/s, KV blocks, answer quality",
    choices=("auto", "bfloat16", "float16", "half", "float32", "float"),
    default="auto: the model's",
    alters_answers=True,
    in_words=True,
)
_QUANTIZATION = Control(
    name="quantization",
    kind="choice",
    flag="--quantization",
    title="Quantisation",
    limits="bytes of the weights, and with them what is left for context; it can change answers",
    watch="KV blocks, inter-token latency, answer quality",
    # Of vLLM's methods those that a server user names; most are told by the checkpoint itself.
    choices=(
        *("fp8", "bitsandbytes", "awq", "awq_marlin", "gptq", "gptq_marlin", "compressed-tensors"),
        *("modelopt", "modelopt_fp4", "mxfp4", "experts_int8", "torchao", "gguf", "quark"),
    ),
    default="none, or what the checkpoint says",
    alters_answers=True,
    in_words=True,
)
_EAGER = Control(
    name="enforce_eager",
    kind="switch",
    flag="--enforce-eager",
    title="No CUDA graphs",
    limits="captured graphs: without them a step's launch costs more and some memory is free",
    watch="inter-token latency at few requests, KV blocks",
    default="off",
    in_words=True,
)
_MAMBA_TYPE = Control(
    name="mamba_cache_dtype",
    kind="choice",
    flag="--mamba-cache-dtype",
    title="State type",
    limits="bytes of a state-space model's state; it can change answers",
    watch="KV blocks, answer quality",
    choices=("auto", "bfloat16", "float16", "float32"),
    default="auto: the model's",
    alters_answers=True,
    in_words=True,
)
_FAST_PREFILL = Control(
    name="kv_sharing_fast_prefill",
    kind="switch",
    flag="--kv-sharing-fast-prefill",
    title="Fast prefill of shared layers",
    limits="prefill of models whose layers share their KV cache; it can change answers",
    watch="TTFT, answer quality",
    default="off",
    alters_answers=True,
    in_words=True,
)
_CPU_OFFLOAD = Control(
    name="cpu_offload_gb",
    kind="number",
    flag="--cpu-offload-gb",
    title="Weights in host memory",
    limits="GPU memory that weights take: so much of them lies in host memory and crosses the bus each step",
    watch="KV blocks, inter-token latency",
    minimum=0,
    unit="GiB",
    default="0",
    in_words=True,
)
_KV_OFFLOAD = Control(
    name="kv_offloading_size",
    kind="number",
    flag="--kv-offloading-size",
    title="KV cache in host memory",
    limits="finished prefixes that are kept in host memory beyond the GPU's KV cache",
    watch="prefix hits, TTFT",
    minimum=0,
    unit="GiB",
    default="none",
    in_words=True,
)
_KV_BYTES = Control(
    name="kv_cache_memory_bytes",
    kind="integer",
    flag="--kv-cache-memory-bytes",
    title="KV-cache memory",
    limits="active context: bytes of the KV cache on each GPU, in place of a share of its memory",
    watch="KV blocks, preemptions",
    minimum=1,
    unit="bytes",
    default="what gpu_memory_utilization leaves",
    in_words=True,
)
_PREFIX_HASH = Control(
    name="prefix_caching_hash_algo",
    kind="choice",
    flag="--prefix-caching-hash-algo",
    title="Prefix hash",
    limits="host time to recognise a prefix",
    watch="host CPU, TTFT of long prompts",
    choices=("sha256", "sha256_cbor", "xxhash", "xxhash_cbor"),
    default="sha256",
    in_words=True,
)
_PREFILL_INTERVAL = Control(
    name="prefill_schedule_interval",
    kind="integer",
    flag="--prefill-schedule-interval",
    title="Prefill interval",
    limits="how often new prompts join: every so many steps",
    watch="inter-token latency, TTFT",
    minimum=1,
    unit="steps",
    default="1",
    in_words=True,
)
_HYBRID = Control(
    name="disable_hybrid_kv_cache_manager",
    kind="switch",
    flag="--disable-hybrid-kv-cache-manager",
    title="One KV cache for all layers",
    limits="saving of blocks where layers see a window only: with it every layer keeps the whole context",
    watch="KV blocks, preemptions",
    default="vLLM's own, by model",
    in_words=True,
)
_MULTIMODAL = Control(
    name="disable_chunked_mm_input",
    kind="switch",
    flag="--disable-chunked-mm-input",
    title="Images in one step",
    limits="whether an image's tokens may be spread over steps",
    watch="TTFT and inter-token latency of multimodal requests",
    default="off",
    in_words=True,
)

NUMERICS = (
    *(_DTYPE, _QUANTIZATION, _EAGER, _MAMBA_TYPE, _FAST_PREFILL),
    *(_CPU_OFFLOAD, _KV_OFFLOAD, _KV_BYTES, _PREFIX_HASH, _PREFILL_INTERVAL, _HYBRID, _MULTIMODAL),
    *CACHES,
)
"""As an editor shows them."""
