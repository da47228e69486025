"""What config.json doesn't say: how the decoders of known model families are built.

Only what moves memory: gated or plain MLP, tied embeddings, and the values that a configuration leaves out
because its class has them. `model_type`s and defaults are those of Hugging Face's configuration classes.
"""

from typing import Any

import msgspec

from workbench.base import Record


class Family(Record, frozen=True, kw_only=True):
    """A family of decoders whose weights can be counted from its configuration."""

    gated: bool = True
    """The MLP has three matrices (gate, up, down) instead of two."""
    tied: bool = False
    """Input and output embeddings are one matrix where the configuration doesn't say."""
    defaults: dict[str, Any] = msgspec.field(default_factory=dict)
    """Of fields that a configuration may leave out."""


_GATED = Family()
_TIED = Family(tied=True)
_PLAIN = Family(gated=False)
_PLAIN_TIED = Family(gated=False, tied=True)
_GEMMA3 = Family(
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

FAMILIES: dict[str, Family] = {
    **dict.fromkeys(
        (
            "llama", "mistral", "ministral", "mistral3", "pixtral", "mixtral", "qwen2", "qwen3", "qwen2_moe",
            "qwen3_moe", "qwen3_next", "qwen3_5_text", "qwen3_5_moe_text", "qwen2_vl", "qwen2_5_vl",
            "qwen2_5_vl_text", "qwen3_vl_text", "phi3", "granite", "granitemoe", "internlm2", "internlm3",
            "yi", "baichuan", "aquila", "olmo", "olmo2", "olmo3", "olmoe", "exaone", "exaone4", "glm", "glm4",
            "glm4_moe", "chatglm", "stablelm", "deepseek", "deepseek_v2", "deepseek_v3", "deepseek_v32",
            "kimi_k2", "gpt_oss", "llama4_text", "mllama_text_model", "smollm3", "seed_oss", "ernie4_5",
            "ernie4_5_moe", "minicpm", "solar", "apertus", "dbrx", "arcee", "hunyuan_v1_dense",
        ),
        _GATED,
    ),
    **dict.fromkeys(
        ("cohere", "cohere2"), _TIED
    ),
    **dict.fromkeys(("gemma", "gemma2"), Family(tied=True, defaults={"head_dim": 256})),
    **dict.fromkeys(("gemma3_text", "gemma3"), _GEMMA3),
    **dict.fromkeys(("phi", "falcon", "gptj", "gpt_neox", "mpt", "nemotron", "persimmon"), _PLAIN),
    **dict.fromkeys(("gpt2", "opt", "gpt_bigcode", "starcoder2", "bloom"), _PLAIN_TIED),
}  # fmt: skip
