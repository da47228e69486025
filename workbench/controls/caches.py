"""Controls of the caches beside plain attention: state-space layers, sliding windows, prefixes, host memory.

What each limits is read from vLLM 0.32's `CacheConfig`. They can be stated among a target's own words too.
"""

from workbench.controls.control import Control

_MATCH_UNIT = Control(
    name="prefix_match_unit",
    kind="integer",
    flag="--prefix-match-unit",
    title="Prefix match unit",
    limits="where a prefix hit can end: every so many tokens, which are part of a block of each cache",
    watch="prefix hits, host CPU",
    minimum=1,
    unit="tokens",
    default="the greatest that divides all caches' blocks",
    in_words=True,
)
_RETENTION = Control(
    name="prefix_cache_retention_interval",
    kind="integer",
    flag="--prefix-cache-retention-interval",
    title="Kept checkpoints",
    limits="how densely states of sliding windows and state-space layers are kept for later prefixes",
    watch="prefix hits, KV usage",
    minimum=0,
    unit="tokens",
    default="0: only where prefixes were seen to branch or end",
    in_words=True,
)
_BOUNDED_REPLAY = Control(
    name="swa_bounded_replay",
    kind="switch",
    flag="--swa-bounded-replay",
    title="Windows recomputed",
    limits="KV cache that prefixes keep: sliding windows are computed again after a hit instead",
    watch="KV usage, TTFT after prefix hits",
    default="on, for models that support it",
    in_words=True,
)
_SSM_TYPE = Control(
    name="mamba_ssm_cache_dtype",
    kind="choice",
    flag="--mamba-ssm-cache-dtype",
    title="Recurrent state type",
    limits="bytes of a state-space model's recurrent state alone; it can change answers",
    watch="KV blocks, answer quality",
    choices=("auto", "bfloat16", "float16", "float32"),
    default="auto: as the state type",
    alters_answers=True,
    in_words=True,
)
_STATE_BLOCK = Control(
    name="mamba_block_size",
    kind="integer",
    flag="--mamba-block-size",
    title="State block size",
    limits="tokens between two states of a state-space model that a prefix can be continued from",
    watch="prefix hits, KV usage",
    minimum=8,
    unit="tokens",
    default="the block size",
    in_words=True,
)
_STATE_MODE = Control(
    name="mamba_cache_mode",
    kind="choice",
    flag="--mamba-cache-mode",
    title="State caching",
    limits="which states of a state-space model are kept for later prefixes",
    watch="prefix hits, KV usage",
    choices=("align", "none"),
    default="align with prefix caching, none without",
    in_words=True,
)
_STATE_JUNCTION = Control(
    name="enable_mamba_shared_prefix_checkpoint",
    kind="switch",
    flag="--enable-mamba-shared-prefix-checkpoint",
    title="State at a shared prefix",
    limits="whether a state is kept where prompts were seen to part, beside the prompt's end",
    watch="prefix hits, KV usage",
    default="off",
    in_words=True,
)
_REPLAY = Control(
    name="use_replayssm",
    kind="switch",
    flag="--use-replayssm",
    title="States written seldom",
    limits="how often a state-space model's state is written: recent inputs are kept instead, by another"
    " kernel; it can change answers",
    watch="inter-token latency, KV blocks, answer quality",
    default="off",
    alters_answers=True,
    in_words=True,
)
_REPLAY_LENGTH = Control(
    name="replayssm_buffer_len",
    kind="integer",
    flag="--replayssm-buffer-len",
    title="Inputs kept",
    limits="tokens whose inputs are kept between two states written, where states are written seldom",
    watch="inter-token latency, KV blocks",
    minimum=1,
    unit="tokens",
    default="16",
    in_words=True,
)
_OFFLOAD_BY = Control(
    name="kv_offloading_backend",
    kind="choice",
    flag="--kv-offloading-backend",
    title="Host memory by",
    limits="who moves finished prefixes to host memory, where some is given for them",
    watch="prefix hits, TTFT",
    choices=("native", "lmcache"),
    default="native",
    in_words=True,
)

CACHES = (
    *(_MATCH_UNIT, _RETENTION, _BOUNDED_REPLAY, _OFFLOAD_BY),
    *(_SSM_TYPE, _STATE_BLOCK, _STATE_MODE, _STATE_JUNCTION, _REPLAY, _REPLAY_LENGTH),
)
"""As an editor shows them."""

NOT_CONTROLS = {
    "--scheduler-cls": "a program, not a value: ours is put there to record steps and change limits",
    "--kv-cache-dtype-skip-layers": "a list of layers and not a value: state it in [target] args",
}
"""Flags of vLLM's scheduler and cache that are no controls, with the reason."""
