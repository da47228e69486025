"""What config.json doesn't say: how the decoders of known model families are built.

Only what moves the count of weights: gated or plain MLP, tied embeddings by default. The `model_type`s are
those of Hugging Face's configurations.
"""

from workbench.base import Record


class Family(Record, frozen=True, kw_only=True):
    """A family of decoders whose weights can be counted from its configuration."""

    gated: bool = True
    """The MLP has three matrices (gate, up, down) instead of two."""
    tied: bool = False
    """Input and output embeddings are one matrix where the configuration doesn't say."""


_GATED = Family()
_TIED = Family(tied=True)
_PLAIN = Family(gated=False)
_PLAIN_TIED = Family(gated=False, tied=True)

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
        ("gemma", "gemma2", "gemma3_text", "gemma3", "cohere", "cohere2", "granite_small"), _TIED
    ),
    **dict.fromkeys(("phi", "falcon", "gptj", "gpt_neox", "mpt", "nemotron", "persimmon"), _PLAIN),
    **dict.fromkeys(("gpt2", "opt", "gpt_bigcode", "starcoder2", "bloom"), _PLAIN_TIED),
}  # fmt: skip
