"""KV layouts of public models: the right bytes, or no figure with the reason; never a narrow band by chance.

The configurations hold what the layout depends on, as the models' own files write it. Right values are what
vLLM's model classes keep for a token in 16-bit values.
"""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.unit.advice.public_layouts import (
    COMMAND_R7B,
    EXAONE_4,
    KNOWN,
    LLAMA,
    LLAMA_4,
    MIXED,
    STATES,
    UNEVEN,
    UNKNOWN,
)
from workbench.advice.sizing import SizingEstimate, SizingRequest, estimate, shape_of


def _size(content: dict[str, Any], **options: Any) -> SizingEstimate:
    return estimate(shape_of(content, where="config.json"), SizingRequest(**{"kv_gib": 10.0, **options}))


def _why(sized: SizingEstimate) -> str:
    (said,) = [str(note) for note in sized.notes if note.kind == "sizing.tokens_unknown"]
    return said


@pytest.mark.parametrize(("content", "right"), KNOWN.values(), ids=KNOWN.keys())
def test_a_layout_that_is_told_in_a_known_form_is_counted(content: dict[str, Any], right: int) -> None:
    sized = _size(content, max_model_len=1024, vllm_version="0.19")
    assert sized.kv_bytes_per_token == right
    assert sized.kv_tokens == pytest.approx(10 * 2**30 / right, rel=0.01)


@pytest.mark.parametrize(("content", "right", "full"), MIXED.values(), ids=MIXED.keys())
def test_layers_with_windows_are_told_from_those_without(
    content: dict[str, Any], right: int, full: int
) -> None:
    sized = _size(content)
    assert sized.kv_bytes_per_token == right
    assert shape_of(content, where="c").kinds.count("full") == full
    assert sized.kv_tokens is not None
    assert sized.kv_tokens_low is not None
    assert sized.kv_tokens_high is not None
    assert sized.kv_tokens_low <= sized.kv_tokens <= sized.kv_tokens_high


@pytest.mark.parametrize(("content", "right"), STATES.values(), ids=STATES.keys())
def test_layers_that_keep_a_state_leave_the_tokens_unknown_and_only_attention_counts(
    content: dict[str, Any], right: int
) -> None:
    sized = _size(content)
    assert sized.kv_bytes_per_token == right
    assert (sized.kv_tokens, sized.kv_tokens_low, sized.max_concurrency) == (None, None, None)
    assert "keeps a state for each request" in _why(sized)


@pytest.mark.parametrize(
    "content",
    [
        {"model_type": "mamba", "hidden_size": 2560, "num_hidden_layers": 64, "state_size": 16,
         "conv_kernel": 4, "expand": 2, "intermediate_size": 5120, "vocab_size": 50_280},
        {"model_type": "mamba2", "hidden_size": 2560, "num_hidden_layers": 64, "state_size": 128,
         "num_heads": 80, "head_dim": 64, "vocab_size": 50_288, "expand": 2},
        {"model_type": "rwkv6", "hidden_size": 2048, "num_hidden_layers": 24, "head_size": 64,
         "attention_hidden_size": 2048, "vocab_size": 65_536},
    ],
    ids=["Mamba", "Mamba2", "RWKV"],
)  # fmt: skip
def test_a_model_without_attention_keeps_nothing_for_a_token(content: dict[str, Any]) -> None:
    sized = _size(content)
    assert (sized.kv_bytes_per_token, sized.kv_tokens) == (0, None)
    assert "no layer keeps keys and values" in _why(sized)


@pytest.mark.parametrize(("content", "right"), UNEVEN.values(), ids=UNEVEN.keys())
def test_layers_of_different_sizes_are_summed_and_leave_the_tokens_unknown(
    content: dict[str, Any], right: int
) -> None:
    sized = _size(content)
    assert (sized.kv_bytes_per_token, sized.kv_tokens) == (right, None)
    assert "differs from layer to layer" in _why(sized)


@pytest.mark.parametrize(("content", "said"), UNKNOWN.values(), ids=UNKNOWN.keys())
def test_a_field_that_changes_the_layout_and_is_not_understood_leaves_the_cache_unknown(
    content: dict[str, Any], said: str
) -> None:
    sized = _size(content)
    assert (sized.kv_bytes_per_token, sized.kv_tokens, sized.kv_tokens_low) == (None, None, None)
    assert said in _why(sized)


@pytest.mark.parametrize(
    "field",
    [
        {"rope_theta": 500_000.0, "rope_scaling": {"rope_type": "llama3", "factor": 8.0}},
        {"attention_bias": False, "attention_dropout": 0.1, "mlp_bias": True, "rms_norm_eps": 1e-5},
        {"attn_logit_softcapping": 50.0, "final_logit_softcapping": 30.0, "query_pre_attn_scalar": 256},
        {"initializer_range": 0.02, "hidden_act": "silu", "use_cache": True, "pretraining_tp": 1},
        {"bos_token_id": 1, "eos_token_id": [2, 3], "use_qk_norm": True, "residual_multiplier": 0.22},
        {"auto_map": {"AutoConfig": "x.Y"}, "id2label": {"0": "a"}, "use_flash_attn": True},
        {"layer_norm_eps": 1e-5, "qk_layernorm": True, "num_nextn_predict_layers": 1, "logits_scaling": 8},
    ],
)
@pytest.mark.parametrize("model_type", ["llama", "brand_new"])
def test_fields_that_do_not_concern_the_cache_do_not_hide_it(field: dict[str, Any], model_type: str) -> None:
    sized = _size({**LLAMA, "model_type": model_type, **field})
    assert sized.kv_bytes_per_token == 131_072
    assert sized.kv_tokens


@given(
    name=st.sampled_from(
        ["attn_pattern", "kv_reuse_group", "ssm_cfg", "window_layers", "local_blocks", "shared_kv_heads",
         "sparse_attention_config", "conv_state_size", "recurrent_layers", "index_share_every"]
    ),
    value=st.one_of(st.integers(1, 9), st.just([1, 2]), st.just({"a": 1}), st.just("some")),
    known=st.booleans(),
)  # fmt: skip
def test_no_field_about_the_layout_is_passed_over(name: str, value: object, *, known: bool) -> None:
    sized = _size({**LLAMA, "model_type": "llama" if known else "brand_new", name: value})
    assert sized.kv_tokens is None
    assert name in _why(sized)


@pytest.mark.parametrize("version", ["0.19", "0.32"])
@pytest.mark.parametrize("length", [1024, 4096, 32_768])
def test_a_value_lies_within_its_own_band(version: str, length: int) -> None:
    mistral = {**LLAMA, "model_type": "mistral", "sliding_window": 4096, "max_position_embeddings": 32_768}
    for content in (mistral, LLAMA, EXAONE_4, LLAMA_4, COMMAND_R7B):
        for gpu in ({"gpu": "h100", "weights_gib": 20, "kv_gib": None}, {"kv_gib": 10.0}):
            sized = _size(content, vllm_version=version, max_model_len=length, **gpu)
            assert sized.kv_tokens_low is not None
            assert sized.kv_tokens is not None
            assert sized.kv_tokens_high is not None
            assert sized.kv_tokens_low <= sized.kv_tokens <= sized.kv_tokens_high


def test_windows_alone_are_counted_both_ways() -> None:
    mistral = {**LLAMA, "model_type": "mistral", "sliding_window": 4096, "max_position_embeddings": 32_768}
    sized = _size(mistral)
    plain = 10 * 2**30 // 131_072
    assert sized.kv_tokens_low is not None
    assert sized.kv_tokens_high is not None
    assert sized.kv_tokens_low == pytest.approx(plain, rel=0.01)
    assert sized.kv_tokens_high == pytest.approx(sized.kv_tokens, rel=0.01)
    assert sized.kv_tokens_high > 1.5 * plain
