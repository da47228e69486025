"""config.json of public models, cut down to what memory depends on; values as their publishers give them."""

from typing import Any


def _llama(hidden: int, layers: int, heads: int, kv_heads: int, inner: int, vocabulary: int, positions: int,
           **more: Any) -> dict[str, Any]:
    return {
        "architectures": ["LlamaForCausalLM"], "model_type": "llama", "hidden_size": hidden,
        "num_hidden_layers": layers, "num_attention_heads": heads, "num_key_value_heads": kv_heads,
        "intermediate_size": inner, "vocab_size": vocabulary, "max_position_embeddings": positions,
        "tie_word_embeddings": False, "torch_dtype": "bfloat16", **more,
    }  # fmt: skip


_LLAMA3_ROPE = {"rope_scaling": {"rope_type": "llama3", "factor": 8.0}}
LLAMA_8B = _llama(4096, 32, 32, 8, 14336, 128256, 131072, **_LLAMA3_ROPE)
_LLAMA_70B = _llama(8192, 80, 64, 8, 28672, 128256, 131072, **_LLAMA3_ROPE)


def _qwen2(hidden: int, layers: int, heads: int, kv_heads: int, inner: int, **more: Any) -> dict[str, Any]:
    base = _llama(hidden, layers, heads, kv_heads, inner, 152064, 32768, **more)
    return {**base, "architectures": ["Qwen2ForCausalLM"], "model_type": "qwen2",
            "sliding_window": 131072, "use_sliding_window": False}  # fmt: skip


QWEN_7B = _qwen2(3584, 28, 28, 4, 18944)
_QWEN_72B = _qwen2(8192, 80, 64, 8, 29568)


def _qwen3(hidden: int, layers: int, heads: int, kv_heads: int, inner: int, **more: Any) -> dict[str, Any]:
    base = _llama(hidden, layers, heads, kv_heads, inner, 151936, 40960, head_dim=128, **more)
    return {**base, "architectures": ["Qwen3ForCausalLM"], "model_type": more.get("model_type", "qwen3")}


def _compressed(bits: int, group: int | None = None) -> dict[str, Any]:
    weights = {"num_bits": bits, "type": "int", "strategy": "group" if group else "channel", "group_size": group}
    return {"quantization_config": {"quant_method": "compressed-tensors", "ignore": ["lm_head"],
                                    "config_groups": {"group_0": {"weights": weights}}}}  # fmt: skip


def _granite(hidden: int, heads: int, inner: int, vocabulary: int) -> dict[str, Any]:
    base = _llama(hidden, 40, heads, 8, inner, vocabulary, 131072)
    return {**base, "model_type": "granite", "tie_word_embeddings": True}


def _gemma3(hidden: int, layers: int, heads: int, kv_heads: int, inner: int, head_dim: int) -> dict[str, Any]:
    return {
        "architectures": ["Gemma3ForConditionalGeneration"], "model_type": "gemma3", "torch_dtype": "bfloat16",
        "text_config": {
            "model_type": "gemma3_text", "hidden_size": hidden, "num_hidden_layers": layers,
            "num_attention_heads": heads, "num_key_value_heads": kv_heads, "intermediate_size": inner,
            "head_dim": head_dim, "vocab_size": 262208, "max_position_embeddings": 131072,
            "sliding_window": 1024, "rope_local_base_freq": 10000,
            "rope_scaling": {"rope_type": "linear", "factor": 8.0},
        },
        "vision_config": {"hidden_size": 1152, "intermediate_size": 4304, "num_hidden_layers": 27},
    }  # fmt: skip


def _mistral_small(**more: Any) -> dict[str, Any]:
    text = _llama(5120, 40, 32, 8, 32768, 131072, 131072, head_dim=128)
    return {
        "architectures": ["Mistral3ForConditionalGeneration"], "model_type": "mistral3",
        "torch_dtype": "bfloat16", "text_config": {**text, "model_type": "mistral"},
        "vision_config": {"hidden_size": 1024, "intermediate_size": 4096, "num_hidden_layers": 24}, **more,
    }  # fmt: skip


def _gpt_oss(layers: int, experts: int) -> dict[str, Any]:
    return {
        "architectures": ["GptOssForCausalLM"], "model_type": "gpt_oss", "hidden_size": 2880,
        "num_hidden_layers": layers, "num_attention_heads": 64, "num_key_value_heads": 8, "head_dim": 64,
        "intermediate_size": 2880, "vocab_size": 201088, "num_local_experts": experts,
        "num_experts_per_tok": 4, "sliding_window": 128, "max_position_embeddings": 131072,
        "rope_scaling": {"rope_type": "yarn", "factor": 32.0}, "tie_word_embeddings": False,
        "torch_dtype": "bfloat16", "quantization_config": {"quant_method": "mxfp4"},
    }  # fmt: skip


_KIMI_VL_TEXT = {
    "model_type": "deepseek_v3", "hidden_size": 2048, "num_hidden_layers": 27, "num_attention_heads": 16,
    "num_key_value_heads": 16, "intermediate_size": 11264, "moe_intermediate_size": 1408,
    "n_routed_experts": 64, "num_experts_per_tok": 6, "n_shared_experts": 2, "first_k_dense_replace": 1,
    "kv_lora_rank": 512, "qk_rope_head_dim": 64, "qk_nope_head_dim": 128, "v_head_dim": 128,
    "q_lora_rank": None, "vocab_size": 163840, "max_position_embeddings": 131072,
    "tie_word_embeddings": False,
}  # fmt: skip
DEEPSEEK_LITE = {
    **_KIMI_VL_TEXT, "architectures": ["DeepseekV2ForCausalLM"], "model_type": "deepseek_v2",
    "intermediate_size": 10944, "vocab_size": 102400, "max_position_embeddings": 163840,
    "torch_dtype": "bfloat16",
}  # fmt: skip
QWEN_LINEAR = {
    "architectures": ["Qwen3_5ForConditionalGeneration"], "model_type": "qwen3_5", "torch_dtype": "bfloat16",
    "text_config": {
        "model_type": "qwen3_5_text", "hidden_size": 5120, "num_hidden_layers": 64, "num_attention_heads": 24,
        "num_key_value_heads": 4, "head_dim": 256, "intermediate_size": 17408, "vocab_size": 248320,
        "full_attention_interval": 4, "linear_num_key_heads": 16, "linear_num_value_heads": 48,
        "linear_key_head_dim": 128, "linear_value_head_dim": 128, "linear_conv_kernel_dim": 4,
        "mamba_ssm_dtype": "float32", "attn_output_gate": True, "max_position_embeddings": 262144,
    },
}  # fmt: skip

CONFIGS: dict[str, dict[str, Any]] = {
    "codellama/CodeLlama-7b-hf": _llama(4096, 32, 32, 32, 11008, 32016, 16384),
    "RedHatAI/Llama-3.3-70B-Instruct-fp8-dynamic": {**_LLAMA_70B, **_compressed(8)},
    "RedHatAI/Qwen2.5-7B-Instruct-fp8-dynamic": {**QWEN_7B, **_compressed(8)},
    "RedHatAI/Qwen2.5-7B-Instruct-quantized.w8a8": {**QWEN_7B, **_compressed(8)},
    "google/gemma-2-2b-it": {
        "architectures": ["Gemma2ForCausalLM"], "model_type": "gemma2", "hidden_size": 2304,
        "num_hidden_layers": 26, "num_attention_heads": 8, "num_key_value_heads": 4, "head_dim": 256,
        "intermediate_size": 9216, "vocab_size": 256000, "sliding_window": 4096,
        "max_position_embeddings": 8192, "torch_dtype": "bfloat16",
    },
    "google/gemma-3-12b-it": _gemma3(3840, 48, 16, 8, 15360, 256),
    "google/gemma-3-4b-it": _gemma3(2560, 34, 8, 4, 10240, 256),
    "google/gemma-3-27b-it": _gemma3(5376, 62, 32, 16, 21504, 128),
    "ibm-granite/granite-3.1-2b-instruct": _granite(2048, 32, 8192, 49155),
    "ibm-granite/granite-3.3-8b-instruct": _granite(4096, 32, 12800, 49159),
    "meta-llama/Llama-3.1-8B-Instruct": LLAMA_8B,
    "Llama-3.1-8B-Instruct": LLAMA_8B,
    "Meta-Llama-3-8B-Instruct": {**LLAMA_8B, "max_position_embeddings": 8192, "rope_scaling": None},
    "RedHatAI/Meta-Llama-3.1-8B-Instruct-quantized.w4a16": {
        **LLAMA_8B, "torch_dtype": "float16", "quantization_config":
        {"quant_method": "gptq", "bits": 4, "group_size": 128},
    },
    "meta-llama/Llama-4-Scout-17B-16E-Instruct": {
        "architectures": ["Llama4ForConditionalGeneration"], "model_type": "llama4", "torch_dtype": "bfloat16",
        "text_config": {
            "model_type": "llama4_text", "hidden_size": 5120, "num_hidden_layers": 48,
            "num_attention_heads": 40, "num_key_value_heads": 8, "head_dim": 128, "intermediate_size": 8192,
            "intermediate_size_mlp": 16384, "num_local_experts": 16, "num_experts_per_tok": 1,
            "interleave_moe_layer_step": 1, "attention_chunk_size": 8192, "vocab_size": 202048,
            "max_position_embeddings": 10485760, "tie_word_embeddings": False,
            "rope_scaling": {"rope_type": "llama3", "factor": 16.0},
        },
        "vision_config": {"hidden_size": 1408, "intermediate_size": 5632, "num_hidden_layers": 34,
                          "vision_output_dim": 4096},
    },
    "microsoft/phi-4": {
        **_llama(5120, 40, 40, 10, 17920, 100352, 16384), "architectures": ["Phi3ForCausalLM"],
        "model_type": "phi3", "sliding_window": None,
    },
    "mistralai/Mixtral-8x7B-Instruct-v0.1": {
        **_llama(4096, 32, 32, 8, 14336, 32000, 32768), "architectures": ["MixtralForCausalLM"],
        "model_type": "mixtral", "num_local_experts": 8, "num_experts_per_tok": 2, "sliding_window": None,
    },
    "moonshotai/Kimi-Dev-72B": _QWEN_72B,
    "moonshotai/Kimi-VL-A3B-Instruct": {
        "architectures": ["KimiVLForConditionalGeneration"], "model_type": "kimi_vl",
        "torch_dtype": "bfloat16", "text_config": _KIMI_VL_TEXT,
        "vision_config": {"hidden_size": 1152, "intermediate_size": 4304, "num_hidden_layers": 27},
    },
    "Qwen/Qwen1.5-MoE-A2.7B": {
        **_llama(2048, 24, 16, 16, 5632, 151936, 8192), "architectures": ["Qwen2MoeForCausalLM"],
        "model_type": "qwen2_moe", "num_experts": 60, "num_experts_per_tok": 4, "moe_intermediate_size": 1408,
        "shared_expert_intermediate_size": 5632,
    },
    "Qwen/Qwen2.5-72B-Instruct": _QWEN_72B,
    "Qwen/Qwen2.5-7B-Instruct": QWEN_7B,
    "Qwen/Qwen3-8B": _qwen3(4096, 36, 32, 8, 12288),
    "Qwen/Qwen3-32B": _qwen3(5120, 64, 64, 8, 25600),
    "Qwen3-235B-A22B-FP8": _qwen3(
        4096, 94, 64, 4, 12288, model_type="qwen3_moe", num_experts=128, num_experts_per_tok=8,
        moe_intermediate_size=1536, quantization_config={"quant_method": "fp8"},
    ),
    "Qwen3-Coder-480B-A35B-FP8": {**_qwen3(
        6144, 62, 96, 8, 8192, model_type="qwen3_moe", num_experts=160, num_experts_per_tok=8,
        moe_intermediate_size=2560, quantization_config={"quant_method": "fp8"},
    ), "max_position_embeddings": 262144},
    "RedHatAI/Mistral-Small-3.1-24B-Instruct-2503-quantized.w8a8": _mistral_small(**_compressed(8)),
    "mistralai/Mistral-Small-3.2-24B-Instruct-2506": _mistral_small(),
    "openai/gpt-oss-20b": _gpt_oss(24, 32),
    "openai/gpt-oss-120b": _gpt_oss(36, 128),
    "Llama-3.2-11B-Vision-Instruct": {
        "architectures": ["MllamaForConditionalGeneration"], "model_type": "mllama", "torch_dtype": "bfloat16",
        "text_config": {**_llama(4096, 40, 32, 8, 14336, 128256, 131072, **_LLAMA3_ROPE),
                        "model_type": "mllama_text_model"},
        "vision_config": {"hidden_size": 1280, "intermediate_size": 5120, "num_hidden_layers": 32,
                          "num_global_layers": 8, "vision_output_dim": 7680},
    },
    "Qwen3.8-27B-FP8": {**QWEN_LINEAR, "quantization_config": {"quant_method": "fp8"}},
}  # fmt: skip
"""By the names that `../shared/data/sizing/kvpoints.csv` uses."""
