"""Counting the weights that one GPU holds, stage by stage, as vLLM shards them.

Tensor parallelism divides attention heads, MLPs, experts and vocabulary; norms, routers and the latent
projections of MLA are on each GPU. Pipeline parallelism divides layers (vLLM's `get_pp_indices`).
"""

from workbench.advice.sizing.model import Experts, Mla, ModelShape
from workbench.base import Record

_VOCABULARY_PAD = 64
_MXFP4_PAD = 256
# vLLM pads the vocabulary to 64 rows, and mxfp4 experts to 256 columns on the kernels of H100.


class Weights(Record, frozen=True, kw_only=True):
    """Numbers of weights by how they are stored."""

    quantised: float = 0.0
    """Of linear layers, which a quantised checkpoint stores in fewer bits."""
    experts: float = 0.0
    kept: float = 0.0
    """Always in the computing type: embeddings, norms, routers, vision."""

    def plus(self, other: "Weights") -> "Weights":
        """The sum."""
        return Weights(
            quantised=self.quantised + other.quantised,
            experts=self.experts + other.experts,
            kept=self.kept + other.kept,
        )


def stage_layers(layers: int, pp: int) -> list[range]:
    """Layers of each pipeline stage; what doesn't divide goes to the stages before the last one."""
    sizes = [layers // pp] * pp
    for place in range(2, layers % pp + 2):
        sizes[-place] += 1
    starts = [sum(sizes[:stage]) for stage in range(pp)]
    return [range(start, start + size) for start, size in zip(starts, sizes, strict=True)]


def stage_weights(shape: ModelShape, *, tp: int, pp: int) -> list[Weights]:
    """Weights of one GPU of each pipeline stage."""
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
