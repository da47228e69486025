"""Structure of the decoders of known model families, as far as config.json leaves it out.

Only facts that affect memory: gated or plain MLP, tied embeddings, and defaults of missing fields.
`model_type`s and defaults are those of Hugging Face's configuration classes; the KV cache of each was read
from vLLM 0.32's model classes.
"""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

import msgspec

from workbench.base import Record


class ModelFamily(Record, frozen=True, kw_only=True):
    """A family of decoders whose weights can be counted from its configuration."""

    gated: bool = True
    """The MLP has three matrices (gate, up, down) instead of two."""
    tied: bool = False
    """Input and output embeddings are one matrix by default."""
    defaults: dict[str, Any] = msgspec.field(default_factory=dict)
    """Values of fields that a configuration may leave out."""
    nested: dict[str, Any] = msgspec.field(default_factory=dict)
    """Values of fields that the decoder's part of a multimodal configuration may leave out."""


_GATED = ModelFamily()
_TIED = ModelFamily(tied=True)
_PLAIN = ModelFamily(gated=False)
_PLAIN_TIED = ModelFamily(gated=False, tied=True)
_QWEN_DEFAULTS = {"use_sliding_window": False}
_QWEN = ModelFamily(defaults=_QWEN_DEFAULTS)


def _sizes(
    hidden: int, width: int, layers: int, heads: int, kv_heads: int | None, **more: int
) -> dict[str, Any]:
    """Return the sizes of a configuration class; a part of a multimodal file leaves out what is the same."""
    return {
        "hidden_size": hidden,
        "intermediate_size": width,
        "num_hidden_layers": layers,
        "num_attention_heads": heads,
        "num_key_value_heads": kv_heads,
        **more,
    }


_GEMMA3 = ModelFamily(
    tied=True,
    defaults={
        "vocab_size": 262_208,
        "num_attention_heads": 8,
        "num_key_value_heads": 4,
        "head_dim": 256,
        "max_position_embeddings": 131_072,
        "sliding_window": 4096,
        "rope_local_base_freq": 10_000,
    },
)
_DBRX = ModelFamily(
    defaults={
        "attn_config.kv_n_heads": 1,
        "ffn_config.ffn_hidden_size": 3584,
        "ffn_config.moe_num_experts": 4,
        "ffn_config.moe_top_k": 1,
    }
)

FAMILIES: dict[str, ModelFamily] = {
    **dict.fromkeys(
        (
            "ministral", "mistral3", "pixtral", "mixtral", "qwen2_vl", "qwen2_5_vl", "phi3", "granite",
            "granitemoe", "internlm2", "internlm3", "yi", "baichuan", "aquila", "olmo", "olmo2",
            "olmo3", "olmoe", "exaone", "exaone4", "glm", "glm4", "glm4_moe", "chatglm", "stablelm",
            "deepseek", "deepseek_v2", "deepseek_v3", "deepseek_v32", "kimi_k2", "gpt_oss",
            "llama4_text", "mllama_text_model", "seed_oss", "solar", "hunyuan_v1_dense",
            "hunyuan_v1_moe", "glm4_moe_lite",
        ),
        _GATED,
    ),
    **dict.fromkeys(
        (
            "qwen3", "qwen2_moe", "qwen3_moe", "qwen3_next", "qwen3_5_text", "qwen3_5_moe_text",
            "qwen2_5_vl_text", "qwen2_vl_text", "qwen3_vl_text",
        ),
        _QWEN,
    ),
    "llama": ModelFamily(
        nested=_sizes(4096, 11_008, 32, 32, None, vocab_size=32_000, max_position_embeddings=2048)
    ),
    "mistral": ModelFamily(
        nested=_sizes(4096, 14_336, 32, 32, 8, vocab_size=32_000, max_position_embeddings=131_072)
    ),
    "qwen2": ModelFamily(
        defaults=_QWEN_DEFAULTS,
        nested=_sizes(4096, 22_016, 32, 32, 32, vocab_size=151_936, max_position_embeddings=32_768),
    ),
    "dbrx": _DBRX,
    "gemma": ModelFamily(
        tied=True,
        defaults={"head_dim": 256},
        nested=_sizes(3072, 24_576, 28, 16, 16, vocab_size=256_000, max_position_embeddings=8192),
    ),
    "gemma2": ModelFamily(
        tied=True,
        defaults={"head_dim": 256},
        nested=_sizes(2304, 9216, 26, 8, 4, vocab_size=256_000, max_position_embeddings=8192),
    ),
    "falcon": ModelFamily(gated=False, tied=True),
    **dict.fromkeys(("cohere", "cohere2", "minicpm", "smollm3", "ernie4_5", "ernie4_5_moe"), _TIED),
    **dict.fromkeys(("gemma3_text", "gemma3"), _GEMMA3),
    **dict.fromkeys(
        ("phi", "gptj", "gpt_neox", "nemotron", "persimmon", "apertus", "arcee"), _PLAIN
    ),
    **dict.fromkeys(("gpt2", "opt", "gpt_bigcode", "starcoder2", "bloom", "mpt"), _PLAIN_TIED),
}  # fmt: skip
"""Families whose weights are counted too."""

KEPT_AS_USUAL: dict[str, Mapping[str, Any]] = {
    **dict.fromkeys(
        (
            "afmoe", "arctic", "axk1", "bailing_moe", "bailing_moe_v2", "bamba", "cohere2_moe", "dots1",
            "jamba", "ernie4_5_moe_vl", "ernie4_5_vl_moe", "ernie4_5_vl_moe_text", "exaone_moe",
            "falcon_h1", "falcon_mamba", "deci", "openelm", "phi3_v", "gemma3n_text", "gemma3n",
            "gemma4_text", "grok-1", "granite_swa", "granitemoe_swa", "granitemoehybrid",
            "granitemoeshared", "hyperclovax", "hy_v3", "internlm", "kimi_linear", "laguna", "lfm2",
            "lfm2_moe", "longcat_flash", "mamba", "mamba2", "mimo", "mimo_v2_flash", "minicpm3",
            "minimax", "minimax_m1", "minimax_m2", "minimax_text_01", "nemotron-nas", "nemotron_h",
            "olmo_hybrid", "orion", "pangu_ultra_moe", "phimoe", "plamo3", "qwen", "step1",
            "step3_text", "xverse", "zamba2", "glm_moe_dsa", "bailing_hybrid", "sarvam_moe", "telechat",
            "telechat2", "telechat3",
        ),
        MappingProxyType({}),
    ),
    **dict.fromkeys(("qwen3_omni_moe_text", "qwen3_vl_moe_text", "qwen2_5_omni_text"), _QWEN_DEFAULTS),
}  # fmt: skip
"""Architectures with known keys and values but uncounted weights, with their defaults."""

IRRELEVANT: dict[str, tuple[str, ...]] = {
    "mllama_text_model": ("cross_attention_layers",),
    "longcat_flash": ("attention_method",),
    "step3_text": ("share_q_dim",),
    "phimoe": ("lm_head_bias",),
    "grok-1": ("max_attn_value",),
    "cohere2": ("order_of_interleaved_layers",),
    "openelm": ("num_gqa_groups", "share_input_output_layers", "ffn_with_glu"),
    "zamba2": (
        "n_mamba_heads",
        "num_mem_blocks",
        "attention_hidden_size",
        "num_query_groups",
        "use_shared_attention_adapter",
    ),
}
"""Fields whose effect is known for an architecture: they don't change what a token keeps."""
