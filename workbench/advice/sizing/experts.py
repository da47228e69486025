"""MLPs and experts, which only the weights depend on. An unknown form leaves the weights unknown."""

from typing import Any

from workbench.advice.sizing.config_fields import Fields
from workbench.advice.sizing.model import Experts
from workbench.base import Message, message

_COUNTS = (
    "num_experts",
    "num_local_experts",
    "n_routed_experts",
    "moe_num_experts",
    "ffn_config.moe_num_experts",
)
_WIDTHS = (
    "moe_intermediate_size",
    "expert_ffn_hidden_size",
    "intermediate_size",
    "ffn_hidden_size",
    "ffn_config.ffn_hidden_size",
)
_PER_TOKEN = (
    "num_experts_per_tok",
    "num_experts_per_token",
    "moe_top_k",
    "moe_k",
    "moe_topk",
    "ffn_config.moe_top_k",
)
_SHARED = ("n_shared_experts", "num_shared_experts", "num_shared_expert", "moe_num_shared_experts")
_SHARED_WIDTHS = (
    "shared_expert_intermediate_size",
    "moe_shared_expert_intermediate_size",
    "shared_intermediate_size",
    "share_expert_dim",
)
_DENSE = (
    "intermediate_size_mlp",
    "intermediate_size",
    "ffn_hidden_size",
    "ffn_config.ffn_hidden_size",
    "n_inner",
    "ffn_dim",
)


class UncountableError(Exception):
    """A field that only the weights depend on has an unknown form."""

    def __init__(self, why: Message) -> None:
        super().__init__(str(why))
        self.why = why


def dense_width(fields: Fields, hidden: int) -> int:
    """Return the width of a dense MLP; four times the hidden size if the configuration leaves it out.

    Raises:
        UncountableError: layers of several widths.
        Refusal: an impossible width.
    """
    for name in _DENSE:
        if fields.has(name):
            return _one(fields, name)
    return fields.whole("expansion_ratio", default=4) * hidden


def dense_width_missing(fields: Fields) -> bool:
    """Return True if no form of the MLP's width is given."""
    return not fields.has(*_DENSE, *_WIDTHS, "expansion_ratio")


def experts(fields: Fields, model_type: str, layers: int) -> Experts | None:
    """Return the mixture of experts; None: there is none.

    Raises:
        UncountableError: the sizes differ between layers or kinds, or have a form that isn't known.
        Refusal: an impossible size.
    """
    named = next((name for name in _COUNTS if fields.has(name)), None)
    count = 0 if named is None else _one(fields, named, minimum=0)
    if count < 2:
        return None
    width = _first(fields, _WIDTHS)
    if width is None:
        raise UncountableError(message("sizing.no_expert_width"))
    shared = _first(fields, _SHARED_WIDTHS, minimum=0)
    if shared is None:
        shared = width * (_first(fields, _SHARED, minimum=0) or 0)
    if model_type == "llama4_text":
        shared = width
    return Experts(
        count=count,
        per_token=_first(fields, _PER_TOKEN) or 1,
        intermediate=width,
        shared_intermediate=shared,
        layers=_expert_layers(fields, layers),
    )


def _first(fields: Fields, names: tuple[str, ...], *, minimum: int = 1) -> int | None:
    for name in names:
        if fields.has(name):
            return _one(fields, name, minimum=minimum)
    return None


def _one(fields: Fields, name: str, *, minimum: int = 1) -> int:
    """Return the number, or the common one of a list that has the same for each layer."""
    value = fields.value(name)
    if not isinstance(value, list):
        return fields.whole(name, minimum=minimum)
    if not value or any(one != value[0] for one in value):
        raise UncountableError(message("sizing.differs_by_layer", field=name))
    return Fields({name: value[0]}, fields.where).whole(name, minimum=minimum)


def _expert_layers(fields: Fields, layers: int) -> tuple[bool, ...]:
    listed = fields.numbers("moe_layers")
    if listed:
        return tuple(index in listed for index in range(layers))
    marks = _marks(fields)
    if marks is not None:
        if len(marks) < layers:
            raise UncountableError(message("sizing.too_few_marks", count=len(marks), layers=layers))
        return tuple(marks[:layers])
    first = fields.whole(
        "first_k_dense_replace", "num_dense_layers", "moe_layer_start_index", default=0, minimum=0
    )
    last = fields.whole("moe_layer_end_index", default=layers - 1, minimum=0)
    step = fields.whole(
        "decoder_sparse_step",
        "moe_layer_freq",
        "moe_layer_interval",
        "interleave_moe_layer_step",
        "expert_layer_period",
        default=1,
    )
    offset = fields.maybe("expert_layer_offset", minimum=0)
    dense = set(fields.numbers("mlp_only_layers") or ())

    def has_experts(index: int) -> bool:
        due = (index + 1) % step == 0 if offset is None else (index - offset) % step == 0
        return first <= index <= last and index not in dense and due

    return tuple(has_experts(index) for index in range(layers))


def _marks(fields: Fields) -> list[bool] | None:
    """Return the layers with experts if a list marks them; None: no list does."""
    numbered = fields.numbers("moe_layer_freq")
    if numbered:
        return [bool(mark) for mark in numbered]
    named: list[Any] | None = fields.numbers("mlp_layer_types")
    return [str(name) != "dense" for name in named] if named else None
