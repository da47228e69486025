"""Reading of a model's shape from its config.json."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from workbench.advice.sizing.attention import attention, indexed, latent
from workbench.advice.sizing.checkpoint import read_quantisation
from workbench.advice.sizing.config_fields import Fields
from workbench.advice.sizing.experts import UncountableError, dense_width, dense_width_missing, experts
from workbench.advice.sizing.families import FAMILIES, IRRELEVANT, KEPT_AS_USUAL, ModelFamily
from workbench.advice.sizing.kv_scheme import KvScheme, kv_scheme
from workbench.advice.sizing.layer_kinds import ATTENTION, STATES, Layers, layer_kinds
from workbench.advice.sizing.model import Experts, LinearState, ModelShape, Vision
from workbench.advice.sizing.overhead import rotary_rows
from workbench.advice.sizing.unread_fields import named, not_understood
from workbench.base import InputError, Message, Place, Refusal, message, shown

_MOST_LAYERS = 10_000
_TWO_ATTENTIONS = frozenset({"longcat_flash"})
_TEXT_PARTS = (
    "text_config",
    "llm_config",
    "language_config",
    "thinker_config",
    "text_model_config",
    "language_model_config",
    "lm_config",
    "llm_cfg",
)
_LENGTHS = (
    "max_position_embeddings",
    "n_positions",
    "max_seq_len",
    "seq_length",
    "model_max_length",
    "max_sequence_length",
    "max_seq_length",
    "max_target_positions",
    "seq_len",
    "n_ctx",
)
_DTYPES = {
    "float32": "float32",
    "float16": "float16",
    "half": "float16",
    "bfloat16": "bfloat16",
    "float": "float32",
}


def read_model(path: Path) -> ModelShape:
    """Return the shape of the model with the config.json `path`, or the one in the folder `path`.

    Raises:
        Refusal: unreadable, not JSON, or without a field that memory depends on.
    """
    file = path / "config.json" if path.is_dir() else path
    try:
        text = file.read_bytes().decode()
    except OSError as error:
        raise Refusal("base.unreadable_file", Place(file=str(file)), cause=error.strerror) from error
    except UnicodeDecodeError as error:
        raise Refusal("sizing.config_not_utf8", Place(file=str(file))) from error
    if not text.strip():
        raise Refusal("sizing.config_empty", Place(file=str(file)))
    try:
        content = json.loads(text)
    except json.JSONDecodeError as error:
        place, cause = Place(file=str(file), line=error.lineno), error.msg.lower()
        raise Refusal("sizing.config_not_json", place, column=error.colno, cause=cause) from error
    except RecursionError as error:
        raise Refusal("sizing.config_nested", Place(file=str(file))) from error
    except ValueError as error:  # thousands of digits
        raise Refusal("sizing.config_long_number", Place(file=str(file))) from error
    if not isinstance(content, dict):
        raise Refusal("sizing.config_no_object", Place(file=str(file)))
    return shape_of(content, where=str(file))


def shape_of(content: dict[str, Any], *, where: str) -> ModelShape:
    """Return the shape of the parsed content.

    Raises:
        Refusal: as `read_model`.
    """
    whole = Fields(content, where)
    text, model_type, family = _decoder(whole)
    known = family is not None or model_type in KEPT_AS_USUAL
    count, hidden = _layer_count(text, model_type), _width(text)
    layers = layer_kinds(text, model_type, count, known=known)
    mla = latent(text, model_type)
    sizes = attention(text, model_type, hidden, layers.kinds, mla)
    feed = _feed(text, model_type, count, hidden)
    positions = text.maybe(*_LENGTHS)
    scheme = _scheme(whole, text)
    linear = _linear(text, model_type)
    window = _window(text)
    chunk = text.maybe("attention_chunk_size") if "chunked" in layers.kinds else None
    shape = ModelShape(
        where=where,
        architecture=_architecture(whole),
        model_type=model_type,
        uncounted=feed.uncounted or _uncounted(whole, text, model_type, counted=family is not None),
        layers=count,
        hidden=hidden,
        heads=sizes.heads,
        kv_heads=sizes.kv_heads,
        head_dim=sizes.head_dim,
        intermediate=feed.width,
        gated=(family or ModelFamily()).gated,
        vocabulary=text.whole("vocab_size", "padded_vocab_size", default=0),
        tied=_tied(whole, text, default=(family or ModelFamily()).tied),
        dtype=_dtype(whole, text),
        max_positions=positions,
        rope_rows=rotary_rows(text, positions),
        kinds=layers.kinds,
        window=window,
        chunk=chunk,
        gated_attention=text.switch("attn_output_gate", default=model_type == "qwen3_next"),
        mla=mla,
        experts=feed.experts,
        linear=linear,
        quantisation=read_quantisation(whole) or read_quantisation(text),
        vision=_vision(whole, hidden),
        attentions=_attentions(model_type),
        kv_heads_by_layer=sizes.kv_heads_by_layer,
        kv_stored=scheme.stored,
        kv_unread=scheme.unread,
        unplanned=sizes.uneven,
        notes=(*_notes(whole, text), *scheme.notes),
    )
    reach = {"sliding": window, "chunked": chunk}
    other = _unread(whole, text, layers, reach, known=known)
    unread = layers.unread or sizes.unread or indexed(text) or other
    return msgspec.structs.replace(shape, unread=unread, unplanned=shape.unplanned or _state(shape))


class _Feed(NamedTuple):
    """The MLPs: the part of a shape that only weights and activations depend on."""

    width: int
    experts: Experts | None
    uncounted: Message | None


def _feed(text: Fields, model_type: str, layers: int, hidden: int) -> _Feed:
    """Read the MLPs; an unknown form leaves only the weights unknown."""
    width = 4 * hidden
    try:
        width = dense_width(text, hidden)
        return _Feed(width, experts(text, model_type, layers), None)
    except UncountableError as error:
        return _Feed(width, None, error.why)
    except InputError as error:
        return _Feed(width, None, message("sizing.weights_unread", cause=str(error)))


def _unread(
    whole: Fields, text: Fields, layers: Layers, reach: Mapping[str, int | None], *, known: bool
) -> Message | None:
    """Return a note on fields that may change the KV layout in an unknown way; None: no such field.

    `reach` is the number of tokens that each kind of layer sees.
    """
    if whole.is_on("is_encoder_decoder") or text.is_on("is_encoder_decoder"):
        return message("sizing.encoder_decoder")
    if not ATTENTION & set(layers.kinds):
        return None
    if text.is_on("use_cla"):
        return message("sizing.not_understood", **named(["use_cla"]))
    if any(kind in layers.kinds and tokens is None for kind, tokens in reach.items()):
        return message("sizing.no_window")
    return not_understood(text, known=known, states_kinds=layers.stated)


def _state(shape: ModelShape) -> Message | None:
    """Return why the blocks of a model with states can't be laid out; None: they can."""
    kinds = set(shape.kinds)
    if not kinds - {"linear", "none"}:
        return message("sizing.no_attention")
    if kinds & STATES and (shape.linear is None or "both" in kinds):
        return message("sizing.unknown_state", model=shape.model_type)
    return None


def _decoder(whole: Fields) -> tuple[Fields, str, ModelFamily | None]:
    """Return the decoder's fields with its family's defaults, its type, and the family."""
    text = _text_part(whole)
    model_type = text.text("model_type", default=whole.text("model_type", default="unknown"))
    if model_type not in FAMILIES and model_type not in KEPT_AS_USUAL:
        model_type = model_type.lower()
    family = FAMILIES.get(model_type)
    defaults = family.defaults if family is not None else KEPT_AS_USUAL.get(model_type, {})
    if family is not None and text is not whole:
        defaults = {**family.nested, **defaults}
    if defaults:
        text = Fields({**defaults, **text.content}, whole.where)
    text.understood("model_type", *IRRELEVANT.get(model_type, ()))
    return text, model_type, family


def _layer_count(text: Fields, model_type: str) -> int:
    names = [
        "num_hidden_layers",
        "n_layer",
        "num_layers",
        "n_layers",
        "num_transformer_layers",
        "decoder_layers",
    ]
    if model_type in _TWO_ATTENTIONS:
        # Its num_hidden_layers counts attention sublayers.
        names.insert(0, "num_layers")
    listed = text.numbers("layers_block_type") or text.text("hybrid_override_pattern")
    return text.whole(*names, default=len(listed) or None, maximum=_MOST_LAYERS)


def _width(text: Fields) -> int:
    return text.whole("hidden_size", "n_embd", "n_embed", "d_model", "model_dim", "dim")


def _attentions(model_type: str) -> int:
    return 2 if model_type in _TWO_ATTENTIONS else 1


def _window(text: Fields) -> int | None:
    names = ("sliding_window", "sliding_window_size", "attention_window_size", "local_attention_window")
    given = [name for name in names if text.is_on(name) and isinstance(text.value(name), int)]
    return text.whole(given[0]) if given else None


def _scheme(whole: Fields, text: Fields) -> KvScheme:
    outer = kv_scheme(whole)
    return outer if whole is text or outer != KvScheme() else kv_scheme(text)


def _text_part(whole: Fields) -> Fields:
    """Return the decoder's part of a multimodal configuration, with shared fields from the whole."""
    part = whole.mapping(*_TEXT_PARTS)
    if part is None:
        return whole
    shared = {key: value for key, value in whole.content.items() if key in _SHARED}
    return _text_part(Fields({**shared, **part}, whole.where))


_SHARED = ("torch_dtype", "dtype", "vocab_size", "tie_word_embeddings")


def _architecture(whole: Fields) -> str:
    names = whole.numbers("architectures")
    return str(names[0]) if names else "unknown"


def _uncounted(whole: Fields, text: Fields, model_type: str, *, counted: bool) -> Message | None:
    if not counted:
        name = shown(_architecture(whole))
        if model_type in KEPT_AS_USUAL:
            return message("sizing.uncounted_architecture", architecture=name, type=shown(model_type))
        return message("sizing.unknown_architecture", architecture=name, type=shown(model_type))
    if not text.has("vocab_size", "padded_vocab_size"):
        return message("sizing.no_vocabulary")
    return None


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


def _linear(text: Fields, model_type: str) -> LinearState | None:
    """Return the state of Qwen's gated delta rule, counted by vLLM's layout."""
    if not model_type.startswith("qwen3") or not text.has("linear_num_value_heads"):
        return None
    return LinearState(
        key_heads=text.whole("linear_num_key_heads"),
        value_heads=text.whole("linear_num_value_heads"),
        key_dim=text.whole("linear_key_head_dim"),
        value_dim=text.whole("linear_value_head_dim"),
        convolution=text.whole("linear_conv_kernel_dim"),
        state_dtype=_DTYPES.get(text.text("mamba_ssm_dtype", default="float32").removeprefix("torch.")),
    )


def _vision(whole: Fields, hidden: int) -> Vision | None:
    config = whole.mapping("vision_config")
    if config is None:
        return None
    tower = Fields(config, f"{whole.where}: vision_config")
    try:
        return _tower(tower, hidden)
    except InputError:
        # A form that isn't known leaves the tower's size unknown, and nothing else.
        return _UNKNOWN_TOWER


_UNKNOWN_TOWER = Vision(hidden=0, intermediate=0, layers=0, gated=False, projector_weights=0)


def _tower(tower: Fields, hidden: int) -> Vision:
    width = tower.maybe("hidden_size", "embed_dim", "width")
    depth = tower.maybe("num_hidden_layers", "depth", "layers")
    if width is None or depth is None:
        return _UNKNOWN_TOWER
    out = tower.whole("vision_output_dim", "out_hidden_size", default=width)
    return Vision(
        hidden=width,
        intermediate=tower.whole("intermediate_size", default=4 * width),
        layers=depth + tower.whole("num_global_layers", default=0, minimum=0),
        gated=tower.text("model_type") in {"pixtral", "qwen2_5_vl"},
        projector_weights=out * hidden,
    )


def _notes(whole: Fields, text: Fields) -> list[Message]:
    notes = []
    if (name := _dtype_name(whole, text)) not in {*_DTYPES, "auto"}:
        notes.append(message("sizing.unknown_type", type=shown(name)))
    if dense_width_missing(text):
        notes.append(message("sizing.width_assumed"))
    if whole.mapping("vision_config", "audio_config"):
        notes.append(message("sizing.multimodal"))
    return notes
