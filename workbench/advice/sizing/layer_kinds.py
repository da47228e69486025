"""Which layers keep keys and values of all tokens, of a window, of a chunk, or none at all.

The rules are those of the model definitions in vLLM, by `model_type`.
"""

from workbench.advice.sizing.fields import Fields

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
    "recurrent": "linear",
    "conv": "linear",
}
_PATTERN = {"gemma3": 6, "gemma3_text": 6, "cohere2": 4, "gemma2": 2, "gpt_oss": 2}
# Every n-th layer sees all tokens, where the configuration doesn't list the layers.


def layer_kinds(fields: Fields, model_type: str, layers: int) -> tuple[str, ...]:
    """One kind a layer."""
    listed = fields.numbers("layer_types") or fields.numbers("layers_block_type")
    if listed is not None and len(listed) == layers:
        return tuple(_BY_NAME.get(str(name), "linear") for name in listed)
    if fields.has("hybrid_override_pattern"):
        # Nemotron-H: M is Mamba, * attention, - an MLP alone, which keeps nothing.
        pattern = fields.text("hybrid_override_pattern")
        return tuple({"*": "full", "M": "linear"}.get(mark, "none") for mark in pattern)
    if fields.has("full_attention_interval"):
        return _every(fields.whole("full_attention_interval"), layers, "linear")
    if fields.has("no_rope_layers") or fields.has("attention_chunk_size"):
        return _llama4(fields, layers)
    if fields.has("sliding_window") and fields.switch("use_sliding_window", default=True):
        step = fields.maybe("sliding_window_pattern", "_sliding_window_pattern") or _PATTERN.get(model_type)
        return _every(step, layers, "sliding") if step else ("sliding",) * layers
    return ("full",) * layers


def _every(step: int, layers: int, others: str) -> tuple[str, ...]:
    return tuple("full" if (index + 1) % step == 0 else others for index in range(layers))


def _llama4(fields: Fields, layers: int) -> tuple[str, ...]:
    if not fields.has("attention_chunk_size"):
        return ("full",) * layers
    rotary = fields.numbers("no_rope_layers")
    if rotary and len(rotary) == layers:
        return tuple("chunked" if mark else "full" for mark in rotary)
    return _every(fields.whole("nope_layer_interval", "no_rope_layer_interval", default=4), layers, "chunked")
