"""Configurations of public models: what their KV layout depends on, as the models' own files write it."""

from typing import Any

LLAMA = {
    "architectures": ["LlamaForCausalLM"],
    "model_type": "llama",
    "hidden_size": 4096,
    "intermediate_size": 14_336,
    "max_position_embeddings": 8192,
    "num_attention_heads": 32,
    "num_hidden_layers": 32,
    "num_key_value_heads": 8,
    "torch_dtype": "bfloat16",
    "vocab_size": 128_256,
}
MOE = {"num_experts": 64, "moe_topk": 8, "vocab_size": 1000, "torch_dtype": "bfloat16"}


def of(
    model_type: str, layers: int, hidden: int, heads: int, kv_heads: int | None, **more: Any
) -> dict[str, Any]:
    return {
        "model_type": model_type,
        "hidden_size": hidden,
        "num_hidden_layers": layers,
        "num_attention_heads": heads,
        "num_key_value_heads": kv_heads,
        "max_position_embeddings": 32_768,
        "vocab_size": 1000,
        "torch_dtype": "bfloat16",
        **more,
    }


def row(heads: int, size: int, layers: int) -> int:
    """Bytes of a token's keys and values in 16-bit values."""
    return layers * 2 * heads * size * 2


DBRX = {
    "model_type": "dbrx",
    "d_model": 6144,
    "n_heads": 48,
    "n_layers": 40,
    "max_seq_len": 32_768,
    "vocab_size": 100_352,
    "torch_dtype": "bfloat16",
    "attn_config": {"kv_n_heads": 8, "clip_qkv": 8, "rope_theta": 500_000, "model_type": ""},
    "ffn_config": {"ffn_hidden_size": 10_752, "moe_num_experts": 16, "moe_top_k": 4, "moe_loss_weight": 0.05},
}
MPT = {
    "model_type": "mpt",
    "d_model": 4096,
    "n_heads": 32,
    "n_layers": 32,
    "max_seq_len": 2048,
    "vocab_size": 50_432,
    "attn_config": {"alibi": True, "attn_impl": "torch", "attn_type": "multihead_attention", "qk_ln": False},
}
GLM_FLASH = of("glm4_moe_lite", 47, 2048, 20, 20, kv_lora_rank=512, qk_rope_head_dim=64, qk_nope_head_dim=192)
LONGCAT = {
    "model_type": "longcat_flash",
    "attention_method": "MLA",
    "hidden_size": 6144,
    "num_layers": 28,
    "num_attention_heads": 64,
    "kv_lora_rank": 512,
    "q_lora_rank": 1536,
    "qk_nope_head_dim": 128,
    "qk_rope_head_dim": 64,
    "v_head_dim": 128,
    "ffn_hidden_size": 12_288,
    "expert_ffn_hidden_size": 2048,
    "n_routed_experts": 512,
    "moe_topk": 12,
    "zero_expert_num": 256,
    "vocab_size": 131_072,
}
KIMI_K2 = of(
    "kimi_k2", 61, 7168, 64, 64, kv_lora_rank=512, q_lora_rank=1536, qk_rope_head_dim=64,
    qk_nope_head_dim=128,
    v_head_dim=128, n_routed_experts=384, n_shared_experts=1, moe_intermediate_size=2048,
    first_k_dense_replace=1,
    num_experts_per_tok=8, num_nextn_predict_layers=0, topk_method="noaux_tc", n_group=1, topk_group=1,
)  # fmt: skip
STEP_3 = {
    "model_type": "step3_vl",
    "text_config": {
        "model_type": "step3_text",
        "hidden_size": 7168,
        "num_hidden_layers": 61,
        "num_attention_heads": 64,
        "num_attention_groups": 1,
        "head_dim": 256,
        "share_q_dim": 2048,
        "moe_layers_enum": "4,5,6",
        "max_seq_len": 65_536,
        "vocab_size": 128_815,
    },
}
ERNIE_VL = of(
    "ernie4_5_moe_vl", 28, 2560, 20, 4, head_dim=128, moe_num_experts=[64, 64], moe_intermediate_size=[1536,
    512],
    moe_layer_start_index=[1, 1], moe_layer_end_index=[29, 28], moe_k=6, compression_ratio=1.0,
)  # fmt: skip
HUNYUAN = of(
    "hunyuan_v1_moe", 32, 4096, 32, 8, attention_head_dim=128, use_cla=False, cla_share_factor=2,
    intermediate_size=3072, moe_intermediate_size=[3072] * 32, num_shared_expert=[1] * 32, **MOE,
)  # fmt: skip
EXAONE_4 = of("exaone4", 64, 5120, 40, 8, sliding_window=4096, sliding_window_pattern="LLLG", head_dim=128)
MINIMAX_M2 = of("minimax_m2", 62, 3072, 48, 8, head_dim=128, attn_type_list=[1] * 62, num_mtp_modules=3)
GEMMA_3N = of(
    "gemma3n_text", 35, 2048, 8, 2, head_dim=256, num_kv_shared_layers=15, sliding_window=512,
    layer_types=(["sliding_attention"] * 4 + ["full_attention"]) * 7, laurel_rank=64, altup_num_inputs=4,
    hidden_size_per_layer_input=256, activation_sparsity_pattern=[0.95] * 10 + [0.0] * 25,
)  # fmt: skip
COMMAND_R7B = of(
    "cohere2", 32, 4096, 32, 8, head_dim=128, intermediate_size=14_336, sliding_window=4096,
    layer_switch=4,
    order_of_interleaved_layers="local_attn_first", use_qk_norm=False, logit_scale=0.25,
)  # fmt: skip
LLAMA_4 = of(
    "llama4_text", 48, 5120, 40, 8, head_dim=128, intermediate_size=8192, intermediate_size_mlp=16_384,
    num_local_experts=16, num_experts_per_tok=1, interleave_moe_layer_step=1,
    attention_chunk_size=8192, no_rope_layers=[1, 1, 1, 0] * 12,
    attn_temperature_tuning=True, attn_scale=0.1, floor_scale=8192, cache_implementation="static",
)  # fmt: skip
CHATGLM = {
    "model_type": "chatglm",
    "hidden_size": 4096,
    "num_layers": 28,
    "num_attention_heads": 32,
    "kv_channels": 128,
    "multi_query_attention": True,
    "multi_query_group_num": 2,
    "ffn_hidden_size": 13_696,
    "seq_length": 8192,
    "padded_vocab_size": 65_024,
    "attention_softmax_in_fp32": True,
    "apply_query_key_layer_scaling": True,
}
FALCON = {"model_type": "falcon", "vocab_size": 65_024, "alibi": False, "parallel_attn": True}
FALCON_7B = {**FALCON, "hidden_size": 4544, "num_attention_heads": 71, "num_hidden_layers": 32}
FALCON_40B = {
    **FALCON,
    "hidden_size": 8192,
    "num_attention_heads": 128,
    "num_hidden_layers": 60,
    "num_kv_heads": 8,
    "new_decoder_architecture": True,
    "multi_query": True,
}
STARCODER = {
    "model_type": "gpt_bigcode",
    "n_embd": 6144,
    "n_head": 48,
    "n_layer": 40,
    "n_positions": 8192,
    "vocab_size": 49_152,
    "pre_allocate_kv_cache": True,
}
BLOOM = {
    "model_type": "bloom",
    "n_embed": 4096,
    "n_layer": 30,
    "num_attention_heads": 32,
    "seq_length": 2048,
    "vocab_size": 250_880,
    "offset_alibi": 100,
    "attention_softmax_in_fp32": True,
}
GRANITE_MICRO = of(
    "granitemoehybrid", 40, 2560, 40, 8, layer_types=["attention"] * 40, mamba_d_state=128, mamba_n_heads=64,
    mamba_d_conv=4, mamba_expand=2, attention_multiplier=0.015625, position_embedding_type="rope",
)  # fmt: skip
LLAVA = {
    "model_type": "llava",
    "text_config": {"model_type": "llama", "vocab_size": 32_064, "max_position_embeddings": 4096},
    "vision_config": {"depth": [2, 2, 6], "hidden_size": 1024},
}


KNOWN = {
    "DBRX, nested": (DBRX, row(8, 128, 40)),
    "DBRX with its class's defaults": ({**DBRX, "attn_config": {}}, row(1, 128, 40)),
    "MPT": (MPT, row(32, 128, 32)),
    "MPT, one KV head": ({**MPT, "attn_config": {"attn_type": "multiquery_attention"}}, row(1, 128, 32)),
    "GLM-4.7-Flash": (GLM_FLASH, 47 * 576 * 2),
    "Kimi-K2": (KIMI_K2, 61 * 576 * 2),
    "LongCat, two attentions a layer": (LONGCAT, 2 * 28 * 576 * 2),
    "Step-3": (STEP_3, row(1, 256, 61)),
    "ERNIE-4.5-VL": (ERNIE_VL, 57_344),
    "Hunyuan-A13B": (HUNYUAN, 131_072),
    "MiniMax-M2, all full": (MINIMAX_M2, row(8, 128, 62)),
    "ChatGLM3": (CHATGLM, row(2, 128, 28)),
    "ChatGLM without groups": ({**CHATGLM, "multi_query_attention": False}, row(32, 128, 28)),
    "Falcon-7B": (FALCON_7B, row(1, 64, 32)),
    "Falcon-40B": (FALCON_40B, row(8, 64, 60)),
    "StarCoder": (STARCODER, row(1, 128, 40)),
    "Bloom-7B": (BLOOM, row(32, 128, 30)),
    "MiniCPM3 keeps whole keys": (
        of("minicpm3", 62, 2560, 40, 40, kv_lora_rank=256, q_lora_rank=768, qk_nope_head_dim=64,
            qk_rope_head_dim=32, v_head_dim=64),
        row(40, 96, 62),
    ),
    "DeepSeek-VL2-Tiny without MLA": (
        of("deepseek_v2", 12, 1280, 10, 10, use_mla=False, v_head_dim=0, qk_nope_head_dim=0,
            kv_lora_rank=None),
        row(10, 128, 12),
    ),
    "Granite-4.0-Micro, no state": (GRANITE_MICRO, row(8, 64, 40)),
    "LLaVA by its class's defaults": (LLAVA, row(32, 128, 32)),
    "SmolLM3, rotary positions left out": (
        of("smollm3", 36, 2048, 16, 4, no_rope_layers=[1, 1, 1, 0] * 9, no_rope_layer_interval=4,
            use_sliding_window=False, sliding_window=None),
        row(4, 128, 36),
    ),
    "Qwen2.5 with a window that is off": (
        of("qwen2", 28, 3584, 28, 4, sliding_window=131_072, max_window_layers=28), row(4, 128, 28),
    ),
    "a window of 0 or -1 is none": (of("phi3", 32, 3072, 32, 32, sliding_window=-1), row(32, 96, 32)),
    "block_configs that all agree": (
        of("nemotron-nas", 4, 8192, 64, None, block_configs=[{"attention": {"n_heads_in_group": 8}}] * 4),

        row(8, 128, 4),
    ),
}  # fmt: skip


MIXED = {
    "EXAONE-4, LLLG": (EXAONE_4, row(8, 128, 64), 16),
    "Command R7B, layer_switch": (COMMAND_R7B, row(8, 128, 32), 8),
    "Gemma-3n, shared layers keep none": (GEMMA_3N, row(2, 256, 20), 4),
    "Llama-4, chunks": (LLAMA_4, row(8, 128, 48), 12),
}


NEMOTRON_H = of(
    "nemotron_h", 52, 4096, 32, 8, head_dim=128, ssm_state_size=128, mamba_num_heads=128, mamba_head_dim=64,
    n_groups=8, conv_kernel=4, expand=2, chunk_size=128,
    hybrid_override_pattern="M-M-M-M*-M-M-M-M-M*-M-M-M-M-M*-M-M-M-M-M*-M-M-M-M-M-",
)  # fmt: skip
JAMBA = of(
    "jamba", 32, 4096, 32, 8, attn_layer_period=8, attn_layer_offset=4, expert_layer_period=2,
    expert_layer_offset=1, mamba_d_state=16, mamba_d_conv=4, mamba_expand=2, mamba_dt_rank=256,
    num_experts=16,
)  # fmt: skip
KIMI_LINEAR = of(
    "kimi_linear", 27, 2304, 32, 32, kv_lora_rank=512, qk_rope_head_dim=64, qk_nope_head_dim=128,
    v_head_dim=128,
    head_dim=72, linear_attn_config={
        "full_attn_layers": [4, 8, 12, 16, 20, 24, 27], "kda_layers": [1, 2, 3, 5], "head_dim": 128,
        "num_heads": 32, "short_conv_kernel_size": 4,
    },
)  # fmt: skip
ZAMBA_2 = of(
    "zamba2", 54, 2560, 32, 32, hybrid_layer_ids=[6, 12, 18, 24, 30, 36, 42, 47, 51], attention_head_dim=160,
    kv_channels=80, num_mem_blocks=2, mamba_d_state=64, mamba_ngroups=1, n_mamba_heads=80,
)  # fmt: skip
RECURRENT_GEMMA = of(
    "recurrent_gemma", 26, 2560, 10, 1, head_dim=256, lru_width=2560, attention_window_size=2048,
    conv1d_width=4,
    block_types=["recurrent", "recurrent", "attention"], logits_soft_cap=30.0,
)  # fmt: skip
LFM_2 = of(
    "lfm2", 16, 2048, 32, 8, full_attn_idxs=[2, 5, 8, 10, 12, 14], conv_L_cache=3, conv_dim=2048,
    block_dim=2048,
    block_multiple_of=256, conv_bias=False,
)  # fmt: skip
STATES = {
    "Bamba": (
        of("bamba", 32, 4096, 32, 8, attn_layer_indices=[9, 18, 27], mamba_d_state=128, mamba_n_heads=128),
        row(8, 128, 3),
    ),
    "Jamba": (JAMBA, row(8, 128, 4)),
    "Nemotron-H": (NEMOTRON_H, row(8, 128, 4)),
    "MiniMax-Text-01": (
        of("minimax_text_01", 80, 6144, 64, 8, head_dim=128, attn_type_list=([0] * 7 + [1]) * 10),
        row(8, 128, 10),
    ),
    "MiniMax in its library's form": (
        of("minimax", 8, 6144, 64, 8, head_dim=128, block_size=256,
            layer_types=(["linear_attention"] * 3 + ["full_attention"]) * 2),
        row(8, 128, 2),
    ),
    "Kimi-Linear": (KIMI_LINEAR, 7 * 576 * 2),
    "Falcon-H1, both in each layer": (
        of("falcon_h1", 44, 3072, 12, 2, head_dim=128, attn_layer_indices=None, mamba_d_ssm=3072,
            mamba_n_heads=24),
        row(2, 128, 44),
    ),
    "Zamba2, both in some": (ZAMBA_2, row(32, 160, 9)),
    "RecurrentGemma": (RECURRENT_GEMMA, row(1, 256, 8)),
    "LFM2": (LFM_2, row(8, 64, 6)),
    "Granite-4.0-H": (
        of("granitemoehybrid", 40, 4096, 32, 8, layer_types=(["mamba"] * 9 + ["attention"]) * 4,
            mamba_d_state=128),
        row(8, 128, 4),
    ),
    "OLMo hybrid": (
        of("olmo_hybrid", 32, 4096, 32, 8, layer_types=(["linear_attention"] * 3 + ["full_attention"]) * 8,
            linear_num_value_heads=32, linear_key_head_dim=128, linear_conv_kernel_dim=4),
        row(8, 128, 8),
    ),
    "Ring-linear": (
        of("bailing_moe_linear", 32, 2048, 16, 4, head_dim=128, layer_group_size=8, group_norm_size=4),
        row(4, 128, 4),
    ),
}  # fmt: skip


UNEVEN = {
    "a list of KV heads": (
        {**LLAMA, "num_key_value_heads": [8] * 16 + [4] * 16},
        row(8, 128, 16) + row(4, 128, 16),
    ),
    "DeciLM's blocks": (
        of("nemotron-nas", 3, 8192, 64, None, block_configs=[
            {"attention": {"n_heads_in_group": 8}}, {"attention": {"n_heads_in_group": 16}},
            {"attention": {"no_op": True}},
        ]),
        row(8, 128, 1) + row(4, 128, 1),
    ),
    "OpenELM": (
        {"model_type": "openelm", "model_dim": 1280, "num_transformer_layers": 3, "head_dim": 64,
         "num_query_heads": [12, 16, 20], "num_kv_heads": [3, 4, 5], "ffn_multipliers": [0.5, 2.0, 4.0],
         "num_gqa_groups": 4, "max_context_length": 2048, "vocab_size": 32_000},
        row(12, 64, 1),
    ),
}  # fmt: skip


DEEPSEEK_32 = {
    **KIMI_K2,
    "model_type": "deepseek_v32",
    "index_topk": 2048,
    "index_head_dim": 128,
    "index_n_heads": 64,
}
UNKNOWN = {
    "sparse attention with an index": (DEEPSEEK_32, "keeps an index"),
    "MiMo-V2, two sizes": (
        of("mimo_v2_flash", 48, 4096, 64, 4, head_dim=192, v_head_dim=128, swa_num_key_value_heads=8,
            sliding_window=128, hybrid_layer_pattern=[0, 1, 1, 1] * 12),
        "different sizes",
    ),
    "Phi-3-small": (
        of("phi3small", 32, 4096, 32, 8, blocksparse_block_size=64, dense_attention_every_n_layers=2),
        "blocksparse_block_size, dense_attention_every_n_layers",
    ),
    "Phi-4-flash": (of("phi4flash", 32, 2560, 40, 20, mb_per_layer=2, sliding_window=[None, 512] * 16),
        "sliding"),
    "YOCO by a name": ({**LLAMA, "model_type": "new", "use_yoco": True}, "use_yoco"),
    "cross-layer sharing": ({**HUNYUAN, "use_cla": True}, "use_cla"),
    "shared layers elsewhere": ({**LLAMA, "num_kv_shared_layers": 4}, "4 layers use the keys and values"),
    "cross-attention layers": ({**LLAMA, "cross_attention_layers": [3, 8]}, "cross_attention_layers"),
    "a window for some layers": ({**LLAMA, "interleaved_sliding_window": [None, 4096]},
        "interleaved_sliding"),
    "a window in an unknown architecture": (
        {**LLAMA, "model_type": "new", "sliding_window": 4096},
        "which layers use sliding_window",
    ),
    "chunks in another architecture": ({**LLAMA, "attention_chunk_size": 8192}, "attention_chunk_size"),
    "dual chunks": ({**LLAMA, "dual_chunk_attention_config": {"chunk_size": 262_144}},
        "dual_chunk_attention"),
    "cycles of an unknown architecture": ({**LLAMA, "model_type": "new", "total_ut_steps": 4},
        "total_ut_steps"),
    "a latent rank elsewhere": ({**LLAMA, "model_type": "new", "kv_lora_rank": 512}, "kv_lora_rank"),
    "patterns that disagree": (
        {**LLAMA, "layer_types": ["full_attention"] * 32, "full_attention_interval": 4},
        "disagree",
    ),
    "layers that don't exist": ({**LLAMA, "attn_layer_indices": [3, 99]}, "don't exist"),
    "a compressed cache": (of("new", 43, 4096, 64, 1, head_dim=512, compress_ratios=[0, 4, 128]),
        "compress_ratios"),
    "Whisper": (
        {"model_type": "whisper", "is_encoder_decoder": True, "d_model": 1280, "encoder_layers": 32,
         "decoder_layers": 32, "decoder_attention_heads": 20, "encoder_attention_heads": 20,
         "max_target_positions": 448, "vocab_size": 51_866},
        "encoder-decoder",
    ),
    "T5": (
        {"model_type": "t5", "is_encoder_decoder": True, "d_model": 1024, "d_kv": 64, "num_layers": 24,
         "num_heads": 16, "vocab_size": 32_128},
        "encoder-decoder",
    ),
}  # fmt: skip
