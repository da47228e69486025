"""Sizing: what can be said from config.json, and the clear line or the named gap where it can't."""

import json
import re
import struct
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.advice.sizing import SizingRequest, estimate, read_model, shape_of, size_model
from workbench.advice.sizing.versions import default_limits, read_version
from workbench.advice.sizing.weights import stage_layers, stage_weights
from workbench.base import InputError, message

CONFIGS: dict[str, dict[str, Any]] = json.loads(
    (Path(__file__).parents[2] / "data" / "advice" / "model_configs.json").read_text()
)
LLAMA_8B = CONFIGS["meta-llama/Llama-3.1-8B-Instruct"]
DEEPSEEK_LITE = CONFIGS["deepseek-ai/DeepSeek-V2-Lite"]
QWEN_LINEAR = CONFIGS["linear attention, 64 layers"]


def _shape(content: dict[str, Any]) -> Any:
    return shape_of(content, where="config.json")


def _size(content: dict[str, Any], **options: Any) -> Any:
    return estimate(_shape(content), SizingRequest(**options))


def _why(sized: Any, pattern: str) -> bool:
    """Whether the note on unknown KV tokens says this."""
    said = [str(note) for note in sized.notes if note.kind == "sizing.tokens_unknown"]
    return len(said) == 1 and re.search(pattern, said[0]) is not None


def test_that_grouped_query_attention_divides_kv_bytes_by_tp_until_one_head_is_left() -> None:
    per_token = [_size(LLAMA_8B, tp=tp).kv_bytes_per_token for tp in (1, 2, 4, 8, 16)]
    assert per_token == [131_072, 65_536, 32_768, 16_384, 16_384]


def test_that_latent_attention_is_not_divided_by_tp() -> None:
    assert [_size(DEEPSEEK_LITE, tp=tp).kv_bytes_per_token for tp in (1, 2)] == [31_104, 31_104]


def test_that_eight_bit_keys_and_values_double_the_tokens() -> None:
    wide, narrow = (_size(LLAMA_8B, kv_gib=10, kv_cache_dtype=kind) for kind in ("auto", "fp8"))
    assert narrow.kv_tokens == 2 * wide.kv_tokens


def test_that_pipeline_stages_share_layers_as_vllm_does() -> None:
    assert [len(stage) for stage in stage_layers(62, 4)] == [15, 16, 16, 15]
    assert [len(stage) for stage in stage_layers(32, 3)] == [11, 11, 10]


@given(layers=st.integers(1, 200), pp=st.integers(1, 16))
def test_that_each_layer_lies_in_exactly_one_stage(layers: int, pp: int) -> None:
    stages = stage_layers(layers, min(pp, layers))
    assert [layer for stage in stages for layer in stage] == list(range(layers))


def test_that_an_8b_model_has_eight_billion_weights() -> None:
    (stage,) = stage_weights(_shape(LLAMA_8B), tp=1, pp=1)
    assert stage.quantised + stage.kept == pytest.approx(8.030e9, rel=1e-3)


def test_that_newer_versions_print_the_tokens_that_whole_requests_hold() -> None:
    old, new = (
        _size(LLAMA_8B, kv_gib=10, max_model_len=1000, vllm_version=version) for version in ("0.19", "0.32")
    )
    assert old.kv_tokens == 81_920
    assert new.kv_tokens == int(5120 / 63 * 1000)


def test_that_linear_attention_pads_its_block_and_keeps_a_state_a_request() -> None:
    sized = _size(QWEN_LINEAR, tp=2, kv_cache_dtype="fp8", kv_gib=4.99, max_model_len=65_536)
    assert sized.block_size == 1568
    assert sized.kv_tokens == pytest.approx(302_921, rel=0.005)
    assert sized.band_pct >= 15
    assert any("fixed state" in str(note) for note in sized.notes)


def test_that_a_state_of_unknown_size_leaves_tokens_unknown_and_says_so() -> None:
    config = {**LLAMA_8B, "model_type": "jamba", "layers_block_type": ["mamba", "attention"] * 16}
    sized = _size(config, kv_gib=10)
    assert sized.kv_tokens is None
    assert any("can't be known" in str(note) and "state" in str(note) for note in sized.notes)


def test_that_layers_of_different_kv_sizes_leave_tokens_unknown_and_say_so() -> None:
    sized = _size({**LLAMA_8B, "num_key_value_heads": [8] * 16 + [4] * 16}, kv_gib=10)
    assert sized.kv_tokens is None
    assert any("differs from layer to layer" in str(note) for note in sized.notes)


def test_that_an_unknown_architecture_gets_kv_bytes_and_the_gap_named() -> None:
    config = {**LLAMA_8B, "model_type": "newthing", "architectures": ["NewThingForCausalLM"]}
    sized = _size(config, gpu="h100")
    assert (sized.weights_gib, sized.kv_gib, sized.kv_tokens) == (None, None, None)
    assert sized.kv_bytes_per_token == 131_072
    assert any("--weights-gib" in str(note) for note in sized.notes)
    given_weights = _size(config, gpu="h100", weights_gib=15.0)
    assert given_weights.kv_tokens > 400_000


def test_that_values_that_a_configuration_class_has_by_default_may_be_left_out() -> None:
    full = CONFIGS["google/gemma-3-4b-it"]
    kept = (
        "model_type",
        "hidden_size",
        "intermediate_size",
        "num_hidden_layers",
        "rope_scaling",
        "sliding_window",
    )
    text = {key: full["text_config"][key] for key in kept}
    sizes = [_size({**full, "text_config": part}, gpu="h100") for part in (full["text_config"], text)]
    assert sizes[0] == sizes[1]


def test_that_without_a_vocabulary_keys_and_values_are_sized_and_weights_are_not() -> None:
    sized = _size({**LLAMA_8B, "vocab_size": None}, kv_gib=10)
    assert sized.kv_tokens == 81_920
    assert sized.weights_gib is None
    assert any("vocab_size is missing" in str(note) and "--weights-gib" in str(note) for note in sized.notes)


def test_that_a_quantisation_without_sizes_leaves_weights_unknown() -> None:
    config = {**LLAMA_8B, "quantization_config": {"quant_method": "exl3"}}
    sized = _size(config, gpu="h100")
    assert sized.weights_gib is None
    assert any("exl3" in str(note) and "--weights-gib" in str(note) for note in sized.notes)


def test_that_a_multimodal_model_is_sized_by_its_text_part_and_says_what_is_not_known() -> None:
    sized = _size(CONFIGS["mistralai/Mistral-Small-3.2-24B-Instruct-2506"], gpu="h100")
    assert sized.kv_bytes_per_token == 163_840
    assert any("multimodal" in str(note) for note in sized.notes)


def test_that_a_model_too_large_says_how_much_is_missing_and_what_would_start_it() -> None:
    small = _size(LLAMA_8B, gpu_gib=20.0, gpu_memory_utilization=0.7, vllm_version="0.19")
    assert (small.kv_gib, small.kv_tokens, small.fits) == (0.0, 0, False)
    assert any("gpu_memory_utilization above" in str(note) for note in small.notes)
    hopeless = _size(LLAMA_8B, gpu_gib=8.0)
    assert any("even with all of the card" in str(note) for note in hopeless.notes)
    missing = hopeless.weights_gib + hopeless.overhead_gib - 8.0
    assert any(f"doesn't fit: {missing:.2f} GiB short" in str(note) for note in hopeless.notes)


def test_that_a_length_above_the_models_own_is_named() -> None:
    sized = _size({**LLAMA_8B, "max_position_embeddings": 2048}, gpu="h100", max_model_len=8192)
    assert any("above the model's 2048" in str(note) for note in sized.notes)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"num_attention_heads": 0}, "num_attention_heads must be a whole number of at least 1, not 0"),
        ({"num_hidden_layers": None}, "num_hidden_layers is missing"),
        ({"hidden_size": "4096"}, "hidden_size must be a whole number"),
        ({"num_hidden_layers": 10**400}, "num_hidden_layers must be at most 10,000"),
        ({"vocab_size": 10**400}, "vocab_size must be at most"),
        ({"hidden_size": 4097}, "no multiple of num_attention_heads"),
    ],
)
def test_that_a_config_that_cannot_be_gets_one_line(change: dict[str, Any], said: str) -> None:
    with pytest.raises(InputError, match=said) as caught:
        _shape({**LLAMA_8B, **change})
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"gpu": "h1000"}, "no GPU called 'h1000'.*nearest: h100_sxm, h200_sxm; or"),
        ({"gpu": "abacus"}, "no GPU called 'abacus' in the catalogue, which has h100_sxm, .*; or give"),
        ({"tp": 3}, "tp: 3 doesn't divide the model's 32 attention heads; possible are 1, 2, 4"),
        ({"tp": 0}, "tp: 0 is too small: must be at least 1"),
        ({"max_num_seqs": 10**400}, "max_num_seqs: must be at most"),
        ({"pp": 64}, "more than the model's 32 layers"),
        ({"tp": 4, "count": 2}, "needs 4 GPUs, more than the 2 given"),
        ({"gpu_memory_utilization": 1.2}, "at most 1"),
        ({"kv_cache_dtype": "int3"}, "kv_cache_dtype: .* must be one of"),
        ({"dtype": "int8"}, "dtype: .* must be one of"),
        ({"vllm_version": "new"}, "vllm_version: 'new' is not a vLLM version"),
        ({"gpu_gib": float("nan")}, "gpu_gib: must be a size"),
    ],
)
def test_that_what_cannot_be_asked_gets_one_line(options: dict[str, Any], said: str) -> None:
    with pytest.raises(InputError, match=said):
        _size(LLAMA_8B, **options)


def test_that_tp_must_divide_kv_heads_too() -> None:
    with pytest.raises(InputError, match="10 KV heads; possible are 1, 2, 5, 10, 20, 40"):
        _size(CONFIGS["microsoft/phi-4"], tp=4)


def _safetensors(path: Path, tensors: dict[str, tuple[str, int]]) -> None:
    header, offset = {}, 0
    for name, (dtype, size) in tensors.items():
        header[name] = {"dtype": dtype, "shape": [size], "data_offsets": [offset, offset + size]}
        offset += size
    text = json.dumps(header).encode()
    path.write_bytes(struct.pack("<Q", len(text)) + text)


def test_that_sizes_of_a_checkpoint_beside_the_config_win(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text(
        json.dumps({**LLAMA_8B, "rope_scaling": None, "max_position_embeddings": 1})
    )
    _safetensors(tmp_path / "model-1.safetensors", {"a": ("F32", 8 * 2**30), "b": ("BF16", 2**30)})
    sized = size_model(SizingRequest(config=tmp_path, gpu="h100"))
    assert sized.weights_gib == pytest.approx(5.0, abs=0.001)
    assert any("1 safetensors file" in str(note) for note in sized.notes)


def test_that_an_index_alone_gives_the_size(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text(json.dumps({**LLAMA_8B, "model_type": "newthing"}))
    index = {"metadata": {"total_size": 16 * 2**30}, "weight_map": {"a": "model-1.safetensors"}}
    (tmp_path / "model.safetensors.index.json").write_text(json.dumps(index))
    sized = size_model(SizingRequest(config=tmp_path / "config.json", gpu="h100", tp=2))
    assert sized.weights_gib == pytest.approx(8.03, abs=0.01)


@given(data=st.binary(max_size=200))
def test_that_any_bytes_as_config_give_an_answer_or_one_line(
    data: bytes, tmp_path_factory: pytest.TempPathFactory
) -> None:
    file = tmp_path_factory.mktemp("model") / "config.json"
    file.write_bytes(data)
    with pytest.raises(InputError):
        read_model(file)


@given(
    changes=st.dictionaries(
        st.sampled_from([*sorted(LLAMA_8B), "num_experts", "kv_lora_rank", "sliding_window", "layer_types"]),
        st.one_of(st.none(), st.integers(-3, 300), st.text(max_size=3), st.lists(st.integers(), max_size=3)),
        max_size=4,
    )
)
def test_that_odd_fields_give_an_answer_or_one_line(changes: dict[str, Any]) -> None:
    try:
        sized = _size({**LLAMA_8B, **changes}, gpu="h100")
    except InputError:
        return
    assert sized.kv_tokens is None or sized.kv_tokens >= 0


@pytest.mark.parametrize(
    ("kinds", "bytes_per_token", "said"),
    [
        (["full_attention"] * 32, 131_072, None),
        (["full_attention"] * 40, 131_072, None),
        (["full_attention"] * 30 + ["mlp"] * 2, 122_880, None),
        (["full_attention"] * 2, None, "layer_types lists 2 kinds for 32 layers"),
        (["full_attention"] * 30 + ["new_one"] * 2, None, "layer_types has kinds of layers .* new_one"),
    ],
)
def test_that_kinds_of_layers_which_are_not_known_leave_the_cache_unknown(
    kinds: list[str], bytes_per_token: int | None, said: str | None
) -> None:
    sized = _size({**LLAMA_8B, "layer_types": kinds}, kv_gib=10)
    assert sized.kv_bytes_per_token == bytes_per_token
    assert (sized.kv_tokens is None) == (said is not None)
    assert said is None or _why(sized, said)


@pytest.mark.parametrize(
    ("field", "value", "said"),
    [
        (
            "hybrid_override_pattern",
            "M*",
            "hybrid_override_pattern describes 2 layers, num_hidden_layers is 32",
        ),
        ("rope_scaling", {"rope_type": "linear", "factor": 1e300}, "factor must be above 0 and at most"),
        ("rope_scaling", {"rope_type": "dynamic", "factor": -2}, "factor must be above 0 .* not -2"),
        ("rope_scaling", {"rope_type": "linear", "factor": "abc"}, "not 'abc'"),
    ],
)
def test_that_what_cannot_be_of_the_layers_or_their_rotary_tables_is_refused(
    field: str, value: object, said: str
) -> None:
    with pytest.raises(InputError, match=said):
        _shape({**LLAMA_8B, field: value})


def test_that_a_type_of_weights_which_is_not_known_is_said_beside_what_is_assumed() -> None:
    shape = _shape({**LLAMA_8B, "torch_dtype": "int5"})
    assert shape.dtype == "bfloat16"
    assert message("sizing.unknown_type", type="int5") in shape.notes
    assert not [note for note in _shape(LLAMA_8B).notes if note.kind == "sizing.unknown_type"]


def test_that_a_number_of_thousands_of_digits_is_refused_by_the_files_name(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text('{"hidden_size": ' + "9" * 5000 + "}")
    with pytest.raises(InputError, match=r"config.json: not a model's config.json: a number in it is too"):
        read_model(tmp_path)


@pytest.mark.parametrize(
    ("version", "share", "planned"), [("0.19.1", 0.9, False), ("0.20.2", 0.92, True), ("0.33.0", 0.92, True)]
)
def test_the_memory_share_and_planned_graphs_begin_with_0_20(version: str, share: float, planned: bool):
    known = read_version(version)
    assert (known.memory_share, known.plans_graphs) == (share, planned)


@pytest.mark.parametrize(
    ("version", "usable_gib", "limits"),
    [
        ("0.27.1", 180.0, (8192, 1024)),
        ("0.28.0", 180.0, (16384, 1024)),
        ("0.28.0", 159.0, (8192, 1024)),
        ("0.28.0", 24.0, (2048, 256)),
    ],
)
def test_the_larger_budget_from_160_gib_on_begins_with_0_28(
    version: str, usable_gib: float, limits: tuple[int, int]
):
    assert default_limits(usable_gib, a100=False, version=read_version(version)) == limits


def test_what_the_log_prints_and_what_is_reserved_begin_with_their_versions():
    assert [read_version(version).group_padding for version in ("0.17", "0.18")] == [1.25, 1.5]
    assert [read_version(version).prints_by_concurrency for version in ("0.19", "0.20")] == [False, True]
    assert [read_version(version).tokens_in_flight(100, 2) for version in ("0.25", "0.26")] == [100, 300]
