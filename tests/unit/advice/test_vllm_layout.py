"""A KV layout that an installed vLLM layout takes the place of the count, and says so."""

from typing import Any

import msgspec
import pytest

from tests.unit.advice.public_layouts import JAMBA, LLAMA
from workbench.advice.sizing import SizingEstimate, SizingRequest, VllmLayout, estimate, shape_of

TOLD = VllmLayout(
    version="0.32.0",
    platform="cuda",
    architecture="LlamaForCausalLM",
    kinds=("FullAttentionSpec",),
    block_size=16,
    bytes_per_block=16 * 131_072,
    blocks=tuple((length, length / 16) for length in range(512, 8193, 512)),
    bytes_per_token=131_072,
    kv_cache_dtype="auto",
    weights_bytes=16 * 2**30,
)
STATES = msgspec.structs.replace(
    TOLD,
    architecture="JambaForCausalLM",
    kinds=("FullAttentionSpec", *["MambaSpec"] * 7),
    block_size=256,
    bytes_per_block=4 * 2**20,
    blocks=tuple((length, length / 256 + 14) for length in range(4096, 262_145, 4096)),
    bytes_per_token=16_384,
)


def _size(content: dict[str, Any], layout: VllmLayout | None, **options: Any) -> SizingEstimate:
    request = SizingRequest(**{"kv_gib": 10.0, "vllm_version": "0.32", **options})
    return estimate(shape_of(content, where="config.json"), request, by_vllm=layout)


def test_the_pool_is_divided_as_vllm_divides_it_and_says_whose_layout_it_is() -> None:
    sized = _size(LLAMA, TOLD)
    assert (sized.kv_blocks, sized.block_size) == (5120, 16)
    assert sized.max_concurrency == 10.0
    assert sized.kv_tokens == 81_920
    assert sized.max_model_len_fits == 8192
    (said,) = [str(note) for note in sized.notes if note.kind == "sizing.layout_by_vllm"]
    assert "vLLM 0.32.0's own" in said
    assert "LlamaForCausalLM" in said


def test_where_the_own_count_differs_vllms_is_used_and_both_are_said() -> None:
    assert not [note for note in _size(LLAMA, TOLD).notes if note.kind == "sizing.layout_differs"]
    sized = _size({**LLAMA, "num_key_value_heads": 16}, TOLD)
    assert sized.kv_bytes_per_token == 131_072
    assert any("262,144 bytes; vLLM keeps 131,072" in str(note) for note in sized.notes)


def test_tokens_of_a_model_with_states_are_known_by_vllm_alone() -> None:
    counted, layout = _size(JAMBA, None), _size(JAMBA, STATES)
    assert counted.kv_tokens is None
    assert counted.kv_bytes_per_token == layout.kv_bytes_per_token == 16_384
    blocks = 10 * 2**30 // (4 * 2**20)
    assert layout.kv_blocks == blocks
    assert layout.max_concurrency == pytest.approx(blocks / (262_144 / 256 + 14), abs=0.01)
    assert layout.kv_tokens == pytest.approx(layout.max_concurrency * 262_144, rel=0.01)
    assert not [note for note in layout.notes if note.kind == "sizing.tokens_unknown"]
    assert layout.kv_tokens_low is not None
    assert layout.kv_tokens_high is not None
    assert layout.kv_tokens_low <= layout.kv_tokens <= layout.kv_tokens_high


def test_the_longest_request_that_fits_is_found_between_the_lengths_that_were_told() -> None:
    sized = _size(LLAMA, TOLD, kv_gib=0.5)
    assert sized.kv_blocks == 256
    assert sized.max_model_len_fits == 256 * 16
    assert sized.fits is False


def test_weights_are_vllms_where_no_checkpoint_lies_there_and_none_are_given() -> None:
    assert _size(LLAMA, TOLD).weights_gib == 16.0
    assert _size(LLAMA, TOLD, weights_gib=15.0).weights_gib == 15.0
    unknown = _size({**LLAMA, "model_type": "new"}, TOLD, kv_gib=None, gpu="h100")
    assert unknown.weights_gib == 16.0
    assert unknown.kv_tokens


def test_a_model_that_keeps_nothing_has_no_tokens() -> None:
    none = msgspec.structs.replace(
        TOLD, kinds=(), bytes_per_block=0, block_size=0, blocks=(), bytes_per_token=0
    )
    sized = _size(LLAMA, none)
    assert (sized.kv_bytes_per_token, sized.kv_tokens, sized.block_size) == (0, None, None)
    assert any("no layer keeps keys and values" in str(note) for note in sized.notes)


@pytest.mark.parametrize(("version", "tokens"), [("0.32", 81_920), ("0.19", 81_920)])
def test_tokens_are_those_that_the_version_prints(version: str, tokens: int) -> None:
    assert _size(LLAMA, TOLD, vllm_version=version).kv_tokens == tokens
    states = _size(JAMBA, STATES, vllm_version=version)
    printed = 2560 // 8 * 256 if version == "0.19" else int(2560 / 1038 * 262_144)
    assert states.kv_tokens == printed
