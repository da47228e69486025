"""Which layers keep keys and values of all tokens, of a window, of a chunk, or none at all.

The rules are those of the model definitions in vLLM, by `model_type`.
"""

from workbench.advice.sizing.fields import Fields
from workbench.base import InputError, shown

_BY_NAME = {
    "full_attention": "full",
    "attention": "full",
    "global_attention": "full",
    "sliding_attention": "sliding",
    "sliding_window": "sliding",
    "local_attention": "sliding",
    "chunked_attention": "chunked",
    "linear_attention": "linear",
    "mamba": "linear",
    "mamba2": "linear",
    "recurrent": "linear",
    "conv": "linear",
    "mlp": "none",
    "moe": "none",
}
_PATTERN = {"gemma3": 6, "gemma3_text": 6, "cohere2": 4, "gemma2": 2, "gpt_oss": 2}
# Every n-th layer sees all tokens, where the configuration doesn't list the layers.


def layer_kinds(fields: Fields, model_type: str, layers: int) -> tuple[str, ...]:
    """One kind a layer; one that isn't known here keeps keys and values of all tokens, which is the most.

    Raises:
        InputError: a pattern of another number of layers.
    """
    _field, listed = _listed(fields)
    if listed is not None and len(listed) == layers:
        return tuple(_BY_NAME.get(str(name), "full") for name in listed)
    if fields.has("hybrid_override_pattern"):
        # Nemotron-H: M is Mamba, * attention, - an MLP alone, which keeps nothing.
        pattern = fields.text("hybrid_override_pattern")
        if len(pattern) != layers:
            raise InputError(
                f"{fields.where}: hybrid_override_pattern is of {len(pattern)} layers,"
                f" num_hidden_layers is {layers}"
            )
        return tuple({"*": "full", "M": "linear"}.get(mark, "none") for mark in pattern)
    if fields.has("full_attention_interval"):
        return _every(fields.whole("full_attention_interval"), layers, "linear")
    if fields.has("no_rope_layers") or fields.has("attention_chunk_size"):
        return _llama4(fields, layers)
    if fields.has("sliding_window") and fields.switch("use_sliding_window", default=True):
        step = fields.maybe("sliding_window_pattern", "_sliding_window_pattern") or _PATTERN.get(model_type)
        return _every(step, layers, "sliding") if step else ("sliding",) * layers
    return ("full",) * layers


def kinds_notes(fields: Fields, layers: int) -> list[str]:
    """What of the listed kinds couldn't be taken as it is."""
    field, listed = _listed(fields)
    if listed is None:
        return []
    if len(listed) != layers:
        return [f"{field} lists {len(listed)} kinds for {layers} layers: it isn't used"]
    unknown = sorted({str(name) for name in listed} - _BY_NAME.keys())
    if not unknown:
        return []
    names = ", ".join(shown(name) for name in unknown[:3])
    return [f"{field} has kinds that aren't known here ({names}): counted as attention to all tokens"]


def _listed(fields: Fields) -> tuple[str, list[object] | None]:
    for field in ("layer_types", "layers_block_type"):
        if listed := fields.numbers(field):
            return field, listed
    return "", None


def _every(step: int, layers: int, others: str) -> tuple[str, ...]:
    return tuple("full" if (index + 1) % step == 0 else others for index in range(layers))


def _llama4(fields: Fields, layers: int) -> tuple[str, ...]:
    if not fields.has("attention_chunk_size"):
        return ("full",) * layers
    rotary = fields.numbers("no_rope_layers")
    if rotary and len(rotary) == layers:
        return tuple("chunked" if mark else "full" for mark in rotary)
    return _every(fields.whole("nope_layer_interval", "no_rope_layer_interval", default=4), layers, "chunked")
