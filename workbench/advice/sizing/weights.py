"""Counting the weights that one GPU holds, stage by stage, as vLLM shards them.

Tensor parallelism divides attention heads, MLPs, experts and vocabulary; norms, routers and the latent
projections of MLA are on each GPU. Pipeline parallelism divides layers (vLLM's `get_pp_indices`).
"""

from pathlib import Path

from workbench.advice.sizing.checkpoint import Checkpoint, read_checkpoint
from workbench.advice.sizing.model import VALUE_BYTES, Experts, Mla, ModelShape, Quantisation
from workbench.base import Message, Record, message, shown

_VOCABULARY_PAD = 64
_MXFP4_PAD = 256
# vLLM pads the vocabulary to 64 rows, and mxfp4 experts to 256 columns on the kernels of H100.


class Weights(Record, frozen=True, kw_only=True):
    """Numbers of weights by how they are stored."""

    quantised: float = 0.0
    """Weights of linear layers, which a quantized checkpoint stores in fewer bits."""
    experts: float = 0.0
    kept: float = 0.0
    """Weights always in the computing type: embeddings, norms, routers, vision."""

    def plus(self, other: "Weights") -> "Weights":
        """Return the sum."""
        return Weights(
            quantised=self.quantised + other.quantised,
            experts=self.experts + other.experts,
            kept=self.kept + other.kept,
        )


def stage_layers(layers: int, pp: int) -> list[range]:
    """Return the layers of each pipeline stage; the remainder goes to the stages before the last one."""
    sizes = [layers // pp] * pp
    for place in range(2, layers % pp + 2):
        sizes[-place] += 1
    starts = [sum(sizes[:stage]) for stage in range(pp)]
    return [range(start, start + size) for start, size in zip(starts, sizes, strict=True)]


def stage_weights(shape: ModelShape, *, tp: int, pp: int) -> list[Weights]:
    """Return the weights of one GPU of each pipeline stage."""
    table = _padded(shape.vocabulary, _VOCABULARY_PAD) * shape.hidden / tp
    stages = []
    for stage, layers in enumerate(stage_layers(shape.layers, pp)):
        total = Weights(kept=shape.hidden)
        for layer in layers:
            total = total.plus(_layer(shape, layer, tp))
        if stage == 0:
            total = total.plus(Weights(kept=table + _vision(shape) / tp))
        if stage == pp - 1 and not (shape.tied and pp == 1):
            total = total.plus(Weights(kept=table))
        stages.append(total)
    return stages


def _layer(shape: ModelShape, layer: int, tp: int) -> Weights:
    attention = _linear(shape, tp) if shape.kinds[layer] == "linear" else _attention(shape, tp)
    return attention.plus(_mlp(shape, layer, tp)).plus(Weights(kept=2 * shape.hidden))


def _attention(shape: ModelShape, tp: int) -> Weights:
    if shape.mla is not None:
        return _latent(shape, shape.mla, tp)
    queries = shape.heads / tp * shape.head_dim * (2 if shape.gated_attention else 1)
    outputs = shape.heads / tp * shape.head_dim
    kept_heads = max(1, shape.kv_heads // tp)
    return Weights(quantised=shape.hidden * (queries + outputs + 2 * kept_heads * shape.head_dim))


def _latent(shape: ModelShape, mla: Mla, tp: int) -> Weights:
    heads = shape.heads / tp
    query_width = heads * (mla.nope_dim + mla.rope_dim)
    if mla.query_rank is None:
        queries = shape.hidden * query_width
    else:
        queries = shape.hidden * mla.query_rank + mla.query_rank * query_width
    down = shape.hidden * (mla.kv_rank + mla.rope_dim)
    up = mla.kv_rank * heads * (mla.nope_dim + mla.value_dim)
    outputs = heads * mla.value_dim * shape.hidden
    # The absorbed copies of the up-projection stay in the computing type beside it.
    return Weights(quantised=queries + down + up + outputs, kept=up)


def _linear(shape: ModelShape, tp: int) -> Weights:
    state = shape.linear
    if state is None:
        return Weights()
    keys, values = state.key_heads * state.key_dim, state.value_heads * state.value_dim
    mixed = 2 * keys + values
    projections = shape.hidden * (mixed + values) + values * shape.hidden
    kept = shape.hidden * 2 * state.value_heads + mixed * state.convolution
    return Weights(quantised=projections / tp, kept=kept / tp)


def _mlp(shape: ModelShape, layer: int, tp: int) -> Weights:
    matrices = 3 if shape.gated else 2
    if shape.experts is not None and shape.experts.layers[layer]:
        return _moe(shape, shape.experts, tp)
    return Weights(quantised=matrices * shape.hidden * shape.intermediate / tp)


def _moe(shape: ModelShape, experts: Experts, tp: int) -> Weights:
    width = experts.intermediate / tp
    if shape.quantisation is not None and shape.quantisation.method == "mxfp4":
        width = _padded(experts.intermediate, _MXFP4_PAD) / tp
    return Weights(
        experts=experts.count * 3 * shape.hidden * width,
        quantised=3 * shape.hidden * experts.shared_intermediate / tp,
        kept=shape.hidden * experts.count,
    )


def _vision(shape: ModelShape) -> float:
    tower = shape.vision
    if tower is None:
        return 0.0
    matrices = 3 if tower.gated else 2
    layer = 4 * tower.hidden**2 + matrices * tower.hidden * tower.intermediate
    return tower.layers * layer + tower.projector_weights


def _padded(size: int, to: int) -> int:
    return -(-size // to) * to


# Weights that one GPU holds: from the checkpoint's own sizes where they lie there, else counted.

GIB = 2**30


class WeightsEstimate(Record, frozen=True, kw_only=True):
    """GiB of one GPU of each pipeline stage; None: unknown, for the reason in the notes."""

    stages_gib: tuple[float, ...] | None
    band: float
    """Relative error."""
    notes: tuple[Message, ...]


def estimate_weights(
    shape: ModelShape,
    *,
    tp: int,
    pp: int,
    value_bytes: int,
    quantisation: Quantisation | None,
    folder: Path | None,
) -> WeightsEstimate:
    """Return the weights by the best source available."""
    counted = _counted_bytes(shape, quantisation, value_bytes, tp=tp, pp=pp)
    stored = quantisation is not None and shape.quantisation is not None
    checkpoint = _checkpoint(shape, folder, value_bytes, stored=stored)
    tables = _rotary_bytes(shape, value_bytes)
    online = quantisation is not None and shape.quantisation is None
    if checkpoint is not None and not online:
        shares = _shares(shape, counted, value_bytes, quantisation, stages=tp * pp, pp=pp)
        sizes = tuple((checkpoint.size_bytes * share + tables) / GIB for share in shares)
        return WeightsEstimate(stages_gib=sizes, band=0.01, notes=(checkpoint.source,))
    if counted is None:
        return WeightsEstimate(stages_gib=None, band=0.0, notes=(_gap(shape, quantisation),))
    sizes = tuple((size + tables) / GIB for size in counted)
    return _judged(sizes, shape, quantisation)


def _checkpoint(
    shape: ModelShape, folder: Path | None, value_bytes: int, *, stored: bool
) -> Checkpoint | None:
    if folder is None:
        return None
    return read_checkpoint(
        folder, value_bytes=value_bytes, stored_bytes=VALUE_BYTES[shape.dtype], quantised=stored
    )


def _judged(
    sizes: tuple[float, ...], shape: ModelShape, quantisation: Quantisation | None
) -> WeightsEstimate:
    notes = [message("sizing.weights_counted")]
    band = 0.01
    if quantisation is not None:
        band = 0.03
        method, bits = quantisation.method, quantisation.bits
        notes.append(message("sizing.weight_bits", method=method, bits=bits))
        if quantisation.partial:
            band = 0.15
            notes.append(quantisation.partial)
    if shape.vision is not None:
        band = max(band, 0.02)
        if not shape.vision.layers:
            band = 0.1
            notes.append(message("sizing.no_vision_size"))
    return WeightsEstimate(stages_gib=sizes, band=band, notes=tuple(notes))


def _gap(shape: ModelShape, quantisation: Quantisation | None) -> Message:
    if quantisation is not None and quantisation.bits is None:
        return message("sizing.no_weight_bits", method=shown(quantisation.method))
    return message("sizing.weights_uncounted", why=shape.uncounted)


def _counted_bytes(
    shape: ModelShape, quantisation: Quantisation | None, value_bytes: int, *, tp: int, pp: int
) -> list[float] | None:
    if shape.uncounted or (quantisation is not None and quantisation.bits is None):
        return None
    return [_size(part, quantisation, value_bytes) for part in stage_weights(shape, tp=tp, pp=pp)]


def _size(part: Weights, quantisation: Quantisation | None, value_bytes: int) -> float:
    if quantisation is None or quantisation.bits is None:
        return (part.quantised + part.experts + part.kept) * value_bytes
    few = part.experts if quantisation.experts_only else part.experts + part.quantised
    rest = part.kept + (part.quantised if quantisation.experts_only else 0.0)
    return few * quantisation.bits / 8 + rest * value_bytes


def _shares(
    shape: ModelShape,
    counted: list[float] | None,
    value_bytes: int,
    quantisation: Quantisation | None,
    *,
    stages: int,
    pp: int,
) -> list[float]:
    """Return the shares of the whole checkpoint on one GPU of each stage."""
    whole = _counted_bytes(shape, quantisation, value_bytes, tp=1, pp=1)
    if counted is None or whole is None:
        return [1 / stages] * pp
    return [size / whole[0] for size in counted]


def _rotary_bytes(shape: ModelShape, value_bytes: int) -> float:
    width = shape.mla.rope_dim if shape.mla else shape.head_dim
    return float(shape.rope_rows * width * value_bytes)
