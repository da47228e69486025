"""Forms of fields: what weights alone depend on hides nothing else; a checkpoint may choose the KV type."""

from typing import Any

import pytest

from tests.unit.advice.public_layouts import DBRX, HUNYUAN, LLAMA
from workbench.advice.sizing import SizingEstimate, SizingRequest, estimate, shape_of


def _size(content: dict[str, Any], **options: Any) -> SizingEstimate:
    return estimate(shape_of(content, where="config.json"), SizingRequest(**{"kv_gib": 10.0, **options}))


def _why(sized: SizingEstimate) -> str:
    (said,) = [str(note) for note in sized.notes if note.kind == "sizing.tokens_unknown"]
    return said


@pytest.mark.parametrize(
    ("content", "gib"),
    [
        ({**DBRX}, 131.6e9 * 2 / 2**30),
        ({**HUNYUAN, "vocab_size": 128_167, "tie_word_embeddings": True}, 149.8),
    ],
)
def test_nested_and_listed_experts_are_counted(content: dict[str, Any], gib: float) -> None:
    assert _size(content).weights_gib == pytest.approx(gib, rel=0.01)


@pytest.mark.parametrize(
    ("field", "said"),
    [
        ({"moe_num_experts": [64, 32]}, "moe_num_experts differs from layer to layer"),
        ({"num_experts": 8, "moe_intermediate_size": [1, 2]}, "moe_intermediate_size differs"),
        ({"num_experts": 8, "moe_intermediate_size": "wide"}, "moe_intermediate_size must be a whole number"),
        ({"intermediate_size": [1, 2]}, "intermediate_size differs from layer to layer"),
        ({"num_experts": 8, "mlp_layer_types": ["dense"]}, "1 entry for 32 layers"),
    ],
)
def test_a_form_that_only_weights_depend_on_leaves_the_weights_unknown_and_nothing_else(
    field: dict[str, Any], said: str
) -> None:
    sized = _size({**LLAMA, **field})
    assert sized.weights_gib is None
    assert sized.kv_bytes_per_token == 131_072
    assert sized.kv_tokens
    assert any(said in str(note) and "--weights-gib" in str(note) for note in sized.notes)


@pytest.mark.parametrize(
    ("quantization", "bytes_per_token"),
    [
        ({"quant_method": "compressed-tensors", "kv_cache_scheme": {"num_bits": 8, "type": "float"}}, 65_536),
        ({"quant_method": "modelopt", "quant_algo": "FP8", "kv_cache_quant_algo": "FP8"}, 65_536),
        ({"quant_method": "modelopt_fp4", "quantization": {"kv_cache_quant_algo": "NVFP4"}}, 36_864),
        ({"quant_method": "modelopt", "kv_cache_scheme": {"num_bits": 8, "type": "float"}}, 65_536),
        ({"quant_method": "compressed-tensors", "kv_cache_scheme": None}, 131_072),
        ({"quant_method": "modelopt", "kv_cache_quant_algo": None}, 131_072),
        ({"quant_method": "compressed-tensors", "kv_cache_scheme": {"num_bits": 4, "type": "int"}}, None),
        ({"quant_method": "quark", "kv_cache_group": ["*k_proj"]}, None),
        ({"quant_method": "modelopt", "kv_cache_quant_algo": "INT4"}, None),
    ],
)  # fmt: skip
def test_keys_and_values_are_stored_as_the_checkpoint_wants(
    quantization: dict[str, Any], bytes_per_token: int | None
) -> None:
    content = {**LLAMA, "quantization_config": quantization}
    sized = _size(content)
    assert sized.kv_bytes_per_token == bytes_per_token
    assert (sized.kv_tokens is None) == (bytes_per_token is None)
    if bytes_per_token not in {None, 131_072}:
        assert any(note.kind == "sizing.kv_by_checkpoint" for note in sized.notes)
    if bytes_per_token is None:
        assert "give --kv-cache-dtype" in _why(sized)
    assert _size(content, kv_cache_dtype="bfloat16").kv_bytes_per_token == 131_072


def test_keys_of_a_quantization_that_are_not_read_are_said() -> None:
    config = {"quant_method": "fp8", "activation_scheme": "dynamic", "new_trick": 3, "bnb_4bit_use": True}
    notes = [str(note) for note in _size({**LLAMA, "quantization_config": config}).notes]
    assert "keys of quantization_config that aren't read here: new_trick" in notes
