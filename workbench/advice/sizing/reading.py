"""From config.json to the shape of a model."""

import json
from pathlib import Path
from typing import Any

from workbench.advice.sizing.families import FAMILIES, Family
from workbench.advice.sizing.fields import Fields
from workbench.advice.sizing.layer_kinds import kinds_notes, layer_kinds
from workbench.advice.sizing.model import Experts, LinearState, Mla, ModelShape, Vision
from workbench.advice.sizing.quantisation import read_quantisation
from workbench.advice.sizing.rotary import rotary_rows
from workbench.base import InputError, shown

_MOST_LAYERS = 10_000
_TEXT_PARTS = ("text_config", "llm_config", "language_config", "thinker_config")
_DTYPES = {
    "float32": "float32",
    "float16": "float16",
    "half": "float16",
    "bfloat16": "bfloat16",
    "float": "float32",
}


def read_model(path: Path) -> ModelShape:
    """The shape of the model whose config.json is `path`, or lies in the folder `path`.

    Raises:
        InputError: unreadable, not JSON, or without what memory depends on; names the field.
    """
    file = path / "config.json" if path.is_dir() else path
    try:
        text = file.read_bytes().decode()
    except OSError as error:
        raise InputError(f"{file}: can't be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise InputError(
            f"{file}: not JSON: it is not UTF-8 text; a model's config.json is wanted"
        ) from error
    if not text.strip():
        raise InputError(f"{file}: is empty; a model's config.json is wanted")
    try:
        content = json.loads(text)
    except json.JSONDecodeError as error:
        place = f"line {error.lineno}, column {error.colno}"
        raise InputError(f"{file}: not JSON at {place}: {error.msg.lower()}") from error
    except RecursionError as error:
        raise InputError(f"{file}: not a model's config.json: nested too deep") from error
    except ValueError as error:  # thousands of digits
        raise InputError(f"{file}: not a model's config.json: a number in it is too long") from error
    if not isinstance(content, dict):
        raise InputError(f"{file}: holds no JSON object; a model's config.json is one")
    return shape_of(content, where=str(file))


def shape_of(content: dict[str, Any], *, where: str) -> ModelShape:
    """As `read_model`, from the parsed content.

    Raises:
        InputError: as `read_model`.
    """
    whole = Fields(content, where)
    text, model_type, family = _decoder(whole)
    layers, heads, hidden = _sizes(text)
    positions = text.maybe("max_position_embeddings", "n_positions", "max_seq_len", "seq_length")
    return ModelShape(
        where=where,
        architecture=_architecture(whole),
        model_type=model_type,
        uncounted=_uncounted(whole, text, model_type, known=family is not None),
        layers=layers,
        hidden=hidden,
        heads=heads,
        kv_heads=_kv_heads(text, heads),
        head_dim=_head_dim(text, hidden, heads),
        intermediate=_intermediate(text, hidden),
        gated=(family or Family()).gated,
        vocabulary=text.whole("vocab_size", "padded_vocab_size", default=0),
        tied=_tied(whole, text, default=(family or Family()).tied),
        dtype=_dtype(whole, text),
        max_positions=positions,
        rope_rows=rotary_rows(text, positions),
        kinds=layer_kinds(text, model_type, layers),
        window=text.maybe("sliding_window"),
        chunk=text.maybe("attention_chunk_size"),
        gated_attention=text.switch("attn_output_gate", default=model_type == "qwen3_next"),
        mla=_mla(text),
        experts=_experts(text, model_type, layers),
        linear=_linear(text),
        quantisation=read_quantisation(whole) or read_quantisation(text),
        vision=_vision(whole, hidden),
        uneven=_uneven(text),
        notes=(*kinds_notes(text, layers), *_notes(whole, text)),
    )


def _decoder(whole: Fields) -> tuple[Fields, str, Family | None]:
    """The decoder's own fields, with what its family leaves out of its files; its type, and the family."""
    text = _text_part(whole)
    model_type = text.text("model_type", default=whole.text("model_type", default="unknown"))
    family = FAMILIES.get(model_type)
    if family is not None:
        text = Fields({**family.defaults, **text.content}, whole.where)
    return text, model_type, family


def _sizes(text: Fields) -> tuple[int, int, int]:
    """Layers, heads and width, which every decoder has."""
    return (
        text.whole("num_hidden_layers", "n_layer", "num_layers", "n_layers", maximum=_MOST_LAYERS),
        text.whole("num_attention_heads", "n_head", "n_heads", "num_heads"),
        text.whole("hidden_size", "n_embd", "d_model"),
    )


def _text_part(whole: Fields) -> Fields:
    """The decoder's own part of a multimodal configuration; it takes shared fields from the whole."""
    part = whole.mapping(*_TEXT_PARTS)
    if part is None:
        return whole
    shared = {key: value for key, value in whole.content.items() if key in _SHARED}
    return _text_part(Fields({**shared, **part}, whole.where))


_SHARED = ("torch_dtype", "dtype", "vocab_size", "tie_word_embeddings")


def _architecture(whole: Fields) -> str:
    names = whole.numbers("architectures")
    return str(names[0]) if names else "unknown"


def _uncounted(whole: Fields, text: Fields, model_type: str, *, known: bool) -> str | None:
    if not known:
        return f"{_architecture(whole)} ({model_type}) isn't a known architecture"
    if not text.has("vocab_size", "padded_vocab_size"):
        return "vocab_size is missing"
    return None


def _kv_heads(text: Fields, heads: int) -> int:
    if text.switch("multi_query", default=False) and not text.switch(
        "new_decoder_architecture", default=False
    ):
        return 1
    listed = text.largest("num_key_value_heads")
    if listed is not None:
        return listed
    return text.whole("num_key_value_heads", "num_kv_heads", "multi_query_group_num", default=heads)


def _head_dim(text: Fields, hidden: int, heads: int) -> int:
    given = text.maybe("head_dim", "kv_channels", "attention_head_dim")
    if given is not None:
        return given
    if hidden % heads:
        raise InputError(
            f"{text.where}: hidden_size {hidden} is no multiple of num_attention_heads {heads}"
            " and head_dim isn't given"
        )
    return hidden // heads


def _intermediate(text: Fields, hidden: int) -> int:
    listed = text.largest("intermediate_size")
    if listed is not None:
        return listed
    names = ("intermediate_size_mlp", "intermediate_size", "ffn_hidden_size", "n_inner", "ffn_dim")
    return text.whole(*names, default=4 * hidden)


def _tied(whole: Fields, text: Fields, *, default: bool) -> bool:
    for fields in (text, whole):
        if fields.has("tie_word_embeddings"):
            return fields.switch("tie_word_embeddings", default=default)
    return default


def _dtype(whole: Fields, text: Fields) -> str:
    return _DTYPES.get(_dtype_name(whole, text), "bfloat16")


def _dtype_name(whole: Fields, text: Fields) -> str:
    name = text.text("torch_dtype", "dtype", default=whole.text("torch_dtype", "dtype", default="bfloat16"))
    return name.removeprefix("torch.")


def _mla(text: Fields) -> Mla | None:
    if not text.has("kv_lora_rank"):
        return None
    return Mla(
        kv_rank=text.whole("kv_lora_rank"),
        rope_dim=text.whole("qk_rope_head_dim"),
        nope_dim=text.whole("qk_nope_head_dim"),
        value_dim=text.whole("v_head_dim"),
        query_rank=text.maybe("q_lora_rank"),
    )


def _experts(text: Fields, model_type: str, layers: int) -> Experts | None:
    count = text.maybe("num_experts", "num_local_experts", "n_routed_experts", "moe_num_experts", minimum=0)
    if not count or count == 1:
        return None
    size = text.whole("moe_intermediate_size", "intermediate_size", "ffn_hidden_size")
    shared = text.maybe("shared_expert_intermediate_size", "shared_intermediate_size", minimum=0)
    if shared is None:
        shared = size * text.whole("n_shared_experts", "num_shared_experts", default=0, minimum=0)
    if model_type == "llama4_text":
        shared = size
    names = ("num_experts_per_tok", "num_experts_per_token", "moe_top_k", "moe_k")
    return Experts(
        count=count,
        per_token=text.whole(*names, default=1),
        intermediate=size,
        shared_intermediate=shared,
        layers=_expert_layers(text, layers),
    )


def _expert_layers(text: Fields, layers: int) -> tuple[bool, ...]:
    listed = text.numbers("moe_layers")
    if listed:
        return tuple(index in listed for index in range(layers))
    first = text.whole("first_k_dense_replace", default=0, minimum=0)
    step = text.whole(
        "decoder_sparse_step", "moe_layer_freq", "interleave_moe_layer_step", default=1, minimum=1
    )
    dense = set(text.numbers("mlp_only_layers") or ())
    return tuple(index >= first and index not in dense and (index + 1) % step == 0 for index in range(layers))


def _linear(text: Fields) -> LinearState | None:
    if not text.has("linear_num_value_heads"):
        return None
    return LinearState(
        key_heads=text.whole("linear_num_key_heads"),
        value_heads=text.whole("linear_num_value_heads"),
        key_dim=text.whole("linear_key_head_dim"),
        value_dim=text.whole("linear_value_head_dim"),
        convolution=text.whole("linear_conv_kernel_dim"),
        state_dtype=_DTYPES.get(text.text("mamba_ssm_dtype").removeprefix("torch.")),
    )


def _vision(whole: Fields, hidden: int) -> Vision | None:
    config = whole.mapping("vision_config")
    if config is None:
        return None
    tower = Fields(config, f"{whole.where}: vision_config")
    width = tower.maybe("hidden_size", "embed_dim", "width")
    depth = tower.maybe("num_hidden_layers", "depth", "layers")
    if width is None or depth is None:
        return Vision(hidden=0, intermediate=0, layers=0, gated=False, projector_weights=0)
    out = tower.whole("vision_output_dim", "out_hidden_size", default=width)
    return Vision(
        hidden=width,
        intermediate=tower.whole("intermediate_size", default=4 * width),
        layers=depth + tower.whole("num_global_layers", default=0, minimum=0),
        gated=tower.text("model_type") in {"pixtral", "qwen2_5_vl"},
        projector_weights=out * hidden,
    )


def _uneven(text: Fields) -> str | None:
    for name in ("num_key_value_heads", "num_kv_heads", "block_configs"):
        if isinstance(text.content.get(name), list):
            return f"{name} differs from layer to layer"
    for name in ("global_head_dim", "num_global_key_value_heads", "swa_num_key_value_heads", "swa_head_dim"):
        if text.has(name):
            return f"{name}: layers of different kinds store different sizes"
    return None


def _notes(whole: Fields, text: Fields) -> list[str]:
    notes = []
    if (name := _dtype_name(whole, text)) not in {*_DTYPES, "auto"}:
        notes.append(f"torch_dtype {shown(name)!r} isn't known: bfloat16 is assumed")
    if text.has("index_head_dim") and text.has("kv_lora_rank"):
        notes.append("sparse attention keeps an index beside the latent rows, which is not counted")
    shared = text.whole("num_kv_shared_layers", default=0, minimum=0)
    if shared:
        notes.append(f"{shared} layers use the keys and values of others; they are counted as if they didn't")
    if not text.has("intermediate_size", "ffn_hidden_size", "n_inner", "ffn_dim", "moe_intermediate_size"):
        notes.append("intermediate_size is missing: four times hidden_size is assumed")
    if whole.mapping("vision_config", "audio_config"):
        notes.append("multimodal: the encoder's peak at start-up depends on the limits per prompt")
    return notes
