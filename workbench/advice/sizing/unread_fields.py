"""Fields of config.json that may change the KV layout but aren't read here.

The name of an unread field shows its subject: normalization, biases, dropout, experts and the like don't
change keys and values. Attention, caches, windows, states or the pattern of layers may change them; then the
KV tokens stay unknown. In an unknown architecture any further figure, list or object may.
"""

import re

from workbench.advice.sizing.config_fields import Fields
from workbench.base import Message, Value, message, shown

_MOST_NAMED = 3
_ABOUT_CACHE = frozenset({
    "attn", "attention", "kv", "cache", "swa", "window", "windows", "sliding", "mamba", "ssm", "state",
    "states", "index", "indexer", "compress", "compression", "compressor", "cla", "yoco", "lru", "rwkv",
    "recurrent", "recurrence", "conv", "convolution", "retention", "hyena", "latent",
})  # fmt: skip
"""Words in names of fields about the cache of each token."""
_ATTENTION = frozenset({"attn", "attention", "kv", "cache", "sliding", "window"})
"""Words that mean the same in names about experts and MLPs."""
_ABOUT_LAYOUT = frozenset({
    "layer", "layers", "head", "heads", "block", "blocks", "pattern", "sparse", "chunk", "chunked", "local",
    "global", "shared", "sharing", "share", "linear", "group", "groups", "cross", "encoder", "decoder",
    "memory", "loop", "loops", "cycle", "cycles", "repeat", "depth", "period", "interval", "offset",
    "every", "expand", "reuse", "skip", "stride", "segment", "hybrid", "delta", "rates", "meta", "lora",
    "ut", "steps", "interleaved",
})  # fmt: skip
"""Words that mean the same unless the name is about experts, MLPs or embeddings."""
_ABOUT_WEIGHTS = frozenset({
    "expert", "experts", "moe", "mm", "img", "vit", "visual", "projector", "perceiver", "resampler",
    "patch", "patches", "crop", "pixel", "anyres", "tile", "tiles", "speech", "ocr", "router", "routed",
    "route", "mlp", "ffn", "ff", "vocab", "vocabulary", "embedding", "embeddings", "embed", "embd",
    "emb", "altup", "laurel", "mtp", "nextn", "lm", "vision", "audio", "image", "video", "intermediate",
    "swiglu", "dense",
})  # fmt: skip
_HARMLESS = frozenset({
    "norm", "layernorm", "rmsnorm", "prenorm", "ln", "rms", "eps", "epsilon", "bias", "dropout", "pdrop",
    "init", "initializer", "initialization", "token", "tokens", "multiplier", "multipliers", "softcap",
    "softcapping", "rope", "rotary", "theta", "nope", "ntk", "yarn", "logn", "act", "activation", "fp32",
    "clip", "clipping", "jitter", "temperature", "scale", "loss", "sink", "sinks", "impl", "implementation",
    "autoset", "kernels", "penalty", "beam", "beams", "beta", "gamma", "alpha", "mup", "dtype", "alibi",
    "logits", "soft", "cap", "flash", "sdpa", "recompute", "fused", "fuse",
})  # fmt: skip
"""Words in names of harmless fields: norms, biases, dropout, positions, generation."""
_NAMES = frozenset({
    "_name_or_path", "architectures", "auto_map", "auto_mapping", "id2label", "label2id", "model_type",
    "torch_dtype", "transformers_version", "task_specific_params", "use_cache", "output_attentions",
    "output_hidden_states", "output_router_logits", "is_decoder", "chunk_size_feed_forward", "return_dict",
    "cross_attention_hidden_size", "problem_type", "finetuning_task", "prefix", "pretraining_tp",
    "hidden_act", "num_key_value_groups", "num_nextn_predict_layers", "hidden_size_per_layer_input",
    "query_pre_attn_scalar", "attention_multiplier", "attention_in_multiplier", "attention_out_multiplier",
    "parallel_attn", "num_attention_heads_per_layer", "attn_pdrop", "attn_uses_sequence_id",
    "attn_config.attn_uses_sequence_id", "attn_config.attn_pdrop", "attn_config.attn_impl",
    "attn_config.alibi", "attn_config.alibi_bias_max", "attn_config.clip_qkv", "attn_config.qk_ln",
    "attn_config.qk_gn", "attn_config.softmax_scale", "attn_config.model_type", "attn_config.prefix_lm",
    "attn_config.attn_bias", "ffn_config.ffn_type", "scale_attn_weights", "scale_attn_by_inverse_layer_idx",
    "reorder_and_upcast_attn", "reorder_attn", "upcast_attn", "attention_softmax_in_fp32",
    "scale_attention_softmax_in_fp32", "qk_head_dim", "rotary_emb_base", "rotary_pct", "rope_head_dim",
    "partial_rotary_factor", "attention_function_name", "use_parallel_residual", "parallel_residual",
    "apply_query_key_layer_scaling", "cla_share_factor", "fim_config", "num_logits_to_keep",
    "use_bidirectional_attention", "n_group", "topk_group", "num_expert_group", "quantization_config",
    "compression_config", "vision_config", "audio_config", "generation_config", "init_config", "embd_layer",
    "use_double_wide_mlp", "expansion_ratio", "validate_only_heads", "kv_cache_dtype",
    "num_hidden_layers_with_mtp", "max_batch_size", "rms_norm_type", "block_dim", "block_multiple_of",
    "pre_allocate_kv_cache", "compression_ratio", "logits_scaling", "residual_multiplier",
    "routed_scaling_factor", "layer_scale", "unk_token_id", "use_return_dict", "seed",
})  # fmt: skip
"""Harmless names that contain a suspicious word, or aren't figures of the layout."""
_STATE = re.compile(
    r"(^|_)(mamba|ssm|conv|conv1d|time_step|linear|kda|lru|rwkv|state|dt|chunk_size|d_inner|a_init|a_log)(_|\.|$)"
    r"|^linear_attn_config\."
)
_STATE_NAMES = frozenset(
    {"expand", "n_groups", "num_heads", "mamba_num_heads", "head_dim", "use_mamba_kernels", "block_size"}
)


def not_understood(fields: Fields, *, known: bool, states_kinds: bool) -> Message | None:
    """Return the fields that may change the KV layout in an unknown way; None: no such field.

    Args:
        fields: the decoder's fields, after all known ones were read.
        known: True if the architecture is known, so that only names about the layout count.
        states_kinds: True if the layers with a state are known; then fields of that state don't matter.
    """
    names = [name for name, value in fields.given().items() if _accused(name, value, known=known)]
    if states_kinds:
        names = [name for name in names if not _STATE.search(name) and name not in _STATE_NAMES]
    if not names:
        return None
    return message("sizing.not_understood", **named(names))


def named(names: list[str]) -> dict[str, Value]:
    """Return the first of these names, and the number of the others, as a template takes them."""
    said: list[str | Message] = [shown(name) for name in names[:_MOST_NAMED]]
    left = len(names) - len(said)
    return {"names": said, "others": message("sizing.and_more", count=left) if left else ""}


def _accused(name: str, value: object, *, known: bool) -> bool:
    own = name.rpartition(".")[2]
    words = set(re.findall(r"[a-z]+\d*|\d+", re.sub(r"([a-z])([A-Z])", r"\1_\2", name).lower()))
    if {name, own} & _NAMES or own.startswith(("_", "mm_")) or words & _HARMLESS:
        return False
    if words & _ABOUT_WEIGHTS:
        return bool(words & _ATTENTION)
    if words & _ABOUT_CACHE:
        return True
    if words & _ABOUT_LAYOUT:
        return True
    return not known and not isinstance(value, (bool, str))
