"""Kinds of layers: keys and values of all tokens, a window or a chunk, a state, both, or nothing.

The rules are those of the model definitions in vLLM and in Hugging Face's configuration classes.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple

from workbench.advice.sizing.config_fields import Fields
from workbench.base import Message, Place, Refusal, message, shown

STATES = frozenset({"linear", "both"})
"""Kinds that keep a state of fixed size for each request."""
ATTENTION = frozenset({"full", "sliding", "chunked", "both"})
"""Kinds that keep keys and values."""
_BY_NAME = {
    "full_attention": "full",
    "full": "full",
    "attention": "full",
    "global_attention": "full",
    "global": "full",
    "sliding_attention": "sliding",
    "sliding_window": "sliding",
    "sliding_window_attention": "sliding",
    "local_attention": "sliding",
    "local": "sliding",
    "chunked_attention": "chunked",
    "linear_attention": "linear",
    "mamba": "linear",
    "mamba1": "linear",
    "mamba2": "linear",
    "m": "linear",
    "recurrent": "linear",
    "conv": "linear",
    "hybrid": "both",
    "mlp": "none",
    "moe": "none",
}
_LISTS = ("layer_types", "layers_block_type", "block_types", "_block_types")
_NUMBERED = {
    "attn_type_list": {"0": "linear", "1": "full"},
    "hybrid_layer_pattern": {"0": "full", "1": "sliding"},
}
_INDEXED = (
    ("attn_layer_indices", "full", 0),
    ("attn_layer_idx", "full", 0),
    ("full_attn_idxs", "full", 0),
    ("hybrid_layer_ids", "both", 0),
    ("linear_attn_config.full_attn_layers", "full", 1),
)
"""Fields that name the layers with attention, what those keep, and the number of the first layer."""
_INTERVALS = {
    "full_attention_interval": "linear",
    "layer_group_size": "linear",
    "global_attn_every_n_layers": "sliding",
}
"""Fields by which each n-th layer sees all tokens, and what the others keep."""
_MARKS = {"*": "full", "M": "linear", "-": "none", "E": "none"}
"""Nemotron-H: Mamba, attention, an MLP alone, experts alone."""
_PATTERN = {
    "gemma3": 6,
    "gemma3_text": 6,
    "cohere2": 4,
    "gemma2": 2,
    "gpt_oss": 2,
    "olmo3": 4,
    "plamo3": 8,
    "exaone4": 4,
}
# Every n-th layer sees all tokens, where the configuration doesn't list the layers.
_STEPS = ("sliding_window_pattern", "_sliding_window_pattern", "layer_switch")
STATE_ONLY = frozenset({"mamba", "mamba2", "falcon_mamba", "rwkv", "rwkv5", "rwkv6", "rwkv7", "xlstm"})
"""Architectures without any attention."""
_ALL_BOTH = frozenset({"falcon_h1"})
_SHARING = frozenset({"gemma3n_text", "gemma3n", "gemma4_text", "gemma4"})
"""Their last layers use the keys and values of earlier ones, and vLLM keeps none for them."""


class Layers(NamedTuple):
    """The kind of each layer, and why it isn't known where it isn't."""

    kinds: tuple[str, ...]
    stated: bool
    """The configuration states each layer's kind, so fields of a kind that no layer has don't matter."""
    unread: Message | None = None


class _Decoder(NamedTuple):
    """Input of each reader of a pattern."""

    fields: Fields
    model_type: str
    layers: int

    def known(self, kinds: Iterable[str]) -> Layers:
        return Layers(tuple(kinds), stated=True)

    def unread(self, why: Message) -> Layers:
        return Layers(("full",) * self.layers, stated=False, unread=why)


def layer_kinds(fields: Fields, model_type: str, layers: int, *, known: bool) -> Layers:
    """Return one kind a layer.

    Args:
        fields: of the decoder.
        model_type: of the decoder.
        layers: how many there are.
        known: whether the architecture is known.

    Raises:
        Refusal: a pattern of another number of layers.
    """
    decoder = _Decoder(fields, model_type, layers)
    # All are asked, so that a second field that says the same is understood too.
    found = [read for reader in _READERS if (read := reader(decoder)) is not None]
    windowed = _windowed(decoder, known=known)
    if model_type in STATE_ONLY:
        return decoder.known(["linear"] * layers)
    if model_type in _ALL_BOTH:
        return decoder.known(["both"] * layers)
    if len({read.kinds for read in found}) > 1:
        return decoder.unread(message("sizing.patterns_disagree"))
    usual = _usual(decoder) or Layers(("full",) * layers, stated=False)
    chosen = found[0] if found else windowed or usual
    return _without_shared(decoder, chosen)


def _listed(decoder: _Decoder) -> Layers | None:
    """Read `layer_types` and its other names; a shorter cycle repeats in `block_types` alone."""
    lists = [(name, listed) for name in _LISTS if (listed := decoder.fields.numbers(name))]
    if not lists:
        return None
    field, listed = lists[0]
    if field.endswith("block_types"):
        listed = [listed[index % len(listed)] for index in range(decoder.layers)]
    return _translated(decoder, field, [str(name).lower() for name in listed], _BY_NAME)


def _numbered(decoder: _Decoder) -> Layers | None:
    for field, kinds in _NUMBERED.items():
        if listed := decoder.fields.numbers(field):
            return _translated(decoder, field, [str(mark) for mark in listed], kinds)
    return None


def _marked(decoder: _Decoder) -> Layers | None:
    field = "hybrid_override_pattern"
    if not decoder.fields.has(field):
        return None
    pattern = decoder.fields.text(field)
    if len(pattern) != decoder.layers:
        place = Place(file=decoder.fields.where)
        raise Refusal(
            "sizing.other_layer_count", place, field=field, count=len(pattern), layers=decoder.layers
        )
    return _translated(decoder, field, list(pattern), _MARKS)


def _translated(decoder: _Decoder, field: str, names: list[str], kinds: Mapping[str, str]) -> Layers:
    """Return the kinds by their names; a list may go on after the last layer, as vLLM doesn't look there."""
    layers = decoder.layers
    if len(names) < layers:
        said = message("sizing.too_few_kinds", field=field, count=len(names), layers=layers)
        return decoder.unread(said)
    unknown = sorted(set(names[:layers]) - kinds.keys())
    if unknown:
        said = message("sizing.unknown_kinds", field=field, kinds=[shown(name) for name in unknown[:3]])
        return decoder.unread(said)
    return decoder.known(kinds[name] for name in names[:layers])


def _indexed(decoder: _Decoder) -> Layers | None:
    """Read lists of the layers that have attention; the others keep a state."""
    layers = decoder.layers
    for field, kind, first in _INDEXED:
        listed = decoder.fields.numbers(field)
        if not listed:
            continue
        if any(not isinstance(index, int) or not 0 <= index - first < layers for index in listed):
            return decoder.unread(message("sizing.no_such_layer", field=field, layers=layers))
        chosen = {index - first for index in listed}
        return decoder.known(kind if index in chosen else "linear" for index in range(layers))
    return None


def _periodic(decoder: _Decoder) -> Layers | None:
    fields, layers = decoder.fields, decoder.layers
    offset = fields.whole("attn_layer_offset", default=0, minimum=0)
    if fields.has("attn_layer_period"):
        period = fields.whole("attn_layer_period")
        return decoder.known("full" if index % period == offset else "linear" for index in range(layers))
    given = [(field, others) for field, others in _INTERVALS.items() if fields.is_on(field)]
    if not given:
        return None
    field, others = given[0]
    return decoder.known(_every(fields.whole(field), layers, others))


def _usual(decoder: _Decoder) -> Layers | None:
    """Return the pattern of a configuration class whose files may leave it out."""
    if decoder.model_type != "jamba":
        return None
    return decoder.known("full" if index % 8 == 4 else "linear" for index in range(decoder.layers))


def _chunked(decoder: _Decoder) -> Layers | None:
    """Read Llama 4: layers without rotary positions see all tokens, the others a chunk."""
    fields, layers = decoder.fields, decoder.layers
    rotary = fields.numbers("no_rope_layers")
    fields.understood("nope_layer_interval", "no_rope_layer_interval")
    if decoder.model_type.startswith("mimo_v2"):
        fields.understood("attention_chunk_size")
        return None
    if not decoder.model_type.startswith("llama4") or not fields.is_on("attention_chunk_size"):
        return None
    if rotary and len(rotary) == layers:
        return decoder.known("chunked" if mark else "full" for mark in rotary)
    step = fields.whole("nope_layer_interval", "no_rope_layer_interval", default=4)
    return decoder.known(_every(step, layers, "chunked"))


_READERS: Sequence[Callable[[_Decoder], Layers | None]] = (
    _listed,
    _numbered,
    _marked,
    _indexed,
    _periodic,
    _chunked,
)


def _windowed(decoder: _Decoder, *, known: bool) -> Layers | None:
    """Read a window of all layers, of all but each n-th, or of those of `LLLG` and `max_window_layers`."""
    fields, layers = decoder.fields, decoder.layers
    step = next((given for name in _STEPS if (given := fields.value(name))), None)
    first = fields.value("max_window_layers")
    used = fields.switch("use_sliding_window", default=True)
    if not fields.is_on("sliding_window") or not used:
        return None
    if not isinstance(fields.value("sliding_window"), int):
        return decoder.unread(message("sizing.odd_window"))
    if isinstance(step, str):
        marks = step.upper() * layers
        return _translated(decoder, "sliding_window_pattern", list(marks), {"L": "sliding", "G": "full"})
    step = step or _PATTERN.get(decoder.model_type)
    if step is not None:
        count = fields.whole(*_STEPS, default=step)
        return decoder.known(_every(count, layers, "sliding"))
    if decoder.model_type.startswith("qwen") and isinstance(first, int) and not isinstance(first, bool):
        return decoder.known("full" if index < first else "sliding" for index in range(layers))
    if not known:
        return decoder.unread(message("sizing.window_of_unknown"))
    return decoder.known(["sliding"] * layers)


def _without_shared(decoder: _Decoder, found: Layers) -> Layers:
    """Take out the layers that use the keys and values of others."""
    count = decoder.fields.whole("num_kv_shared_layers", default=0, minimum=0)
    if not count or found.unread is not None:
        return found
    if decoder.model_type not in _SHARING or count >= decoder.layers:
        return decoder.unread(message("sizing.shared_layers", count=count))
    return found._replace(kinds=(*found.kinds[: decoder.layers - count], *("none",) * count))


def _every(step: int, layers: int, others: str) -> tuple[str, ...]:
    return tuple("full" if (index + 1) % step == 0 else others for index in range(layers))
