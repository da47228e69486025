"""Layout of vLLM's KV cache: groups of layers that share one pool of blocks.

Layers of one kind form one group. For mixed kinds vLLM makes groups of equal length, padding the last
one of a kind, and a block of the pool serves one group of layers (`_get_kv_cache_groups_uniform_page_size` in
its kv_cache_utils). A model of linear attention pads its block until one holds a request's whole state.
"""

import math

from workbench.advice.sizing.layer_kinds import ATTENTION
from workbench.advice.sizing.model import VALUE_BYTES, ModelShape
from workbench.advice.sizing.weights import stage_layers
from workbench.base import Record


class KvGroup(Record, frozen=True, kw_only=True):
    """Layers that share a block table."""

    kind: str
    layers: tuple[int, ...]


class KvLayout(Record, frozen=True, kw_only=True):
    """Sizes are of one GPU."""

    block: int
    """Tokens a block holds."""
    page_bytes: int
    """One layer's part of a block."""
    groups: tuple[KvGroup, ...]
    widths: tuple[int, ...]
    """Layers that a block of the pool spans, by pipeline stage."""
    window: int | None
    chunk: int | None

    @property
    def bytes_per_token(self) -> int:
        """Return the bytes per token of the largest stage: all its attention layers, padding included."""
        growing = sum(1 for group in self.groups if group.kind != "linear")
        return max(self.widths) * growing * self.page_bytes // self.block

    def blocks(self, stage_bytes: list[float]) -> int:
        """Return the pool's blocks; the smallest stage decides."""
        return min(
            max(0, int(size // (self.page_bytes * width)))
            for size, width in zip(stage_bytes, self.widths, strict=True)
            if width
        )

    def request_blocks(self, length: int, step_tokens: int, *, state_blocks: int = 1) -> int:
        """Return the most blocks that one request of `length` tokens takes.

        Args:
            length: prompt and output.
            step_tokens: the token budget, which a window must hold in addition.
            state_blocks: blocks of a group of linear layers (2 with prefix caching).
        """
        return sum(self._group_blocks(group.kind, length, step_tokens, state_blocks) for group in self.groups)

    def _group_blocks(self, kind: str, length: int, step_tokens: int, state_blocks: int) -> int:
        if kind == "linear":
            return state_blocks
        if kind == "sliding" and self.window is not None:
            return math.ceil(min(self.window - 1 + step_tokens, length) / self.block) + 1
        if kind == "chunked" and self.chunk is not None:
            return math.ceil(min(self.chunk + step_tokens, length) / self.block)
        return math.ceil(length / self.block)


def kv_layout(
    shape: ModelShape, *, tp: int, pp: int, kv_bytes: float, value_bytes: int, block: int, padding: float
) -> KvLayout | None:
    """Return the layout; None: it can't be known, and `shape` or `layout_gap` says why.

    Args:
        shape: the model.
        tp: tensor-parallel size.
        pp: pipeline-parallel size.
        kv_bytes: bytes of one stored value.
        value_bytes: bytes of the computing type, which linear layers keep their state in.
        block: tokens a block holds where no state forces more.
        padding: how far kinds may differ in number and still be padded to the larger one (1.25, later 1.5).
    """
    if shape.unread is not None or shape.unplanned is not None:
        return None
    row = shape.attentions * _row_bytes(shape, tp, kv_bytes)
    if "linear" in shape.kinds:
        block = math.ceil(_state_bytes(shape, tp, value_bytes) / row / 16) * 16
    groups = _groups(shape, padding)
    stages = stage_layers(shape.layers, pp)
    widths = tuple(max(len(set(group.layers) & set(stage)) for group in groups) for stage in stages)
    return KvLayout(
        block=block,
        page_bytes=round(row * block),
        groups=groups,
        widths=widths,
        window=shape.window,
        chunk=shape.chunk,
    )


def bytes_per_token(shape: ModelShape, *, tp: int, pp: int, kv_bytes: float) -> int | None:
    """Return what one token keeps on a GPU of the stage that keeps most; None: it isn't known.

    Every layer with attention counts for every token, and no state does.
    """
    if shape.unread is not None:
        return None
    rows = [_layer_bytes(shape, layer, tp, kv_bytes) for layer in range(shape.layers)]
    return int(max(sum(rows[layer] for layer in stage) for stage in stage_layers(shape.layers, pp)))


def _layer_bytes(shape: ModelShape, layer: int, tp: int, kv_bytes: float) -> float:
    """Return what one token keeps in one layer."""
    if shape.kinds[layer] not in ATTENTION:
        return 0.0
    heads = shape.kv_heads_by_layer[layer] if shape.kv_heads_by_layer else shape.kv_heads
    return shape.attentions * _row_bytes(shape, tp, kv_bytes, heads) if heads else 0.0


def _row_bytes(shape: ModelShape, tp: int, kv_bytes: float, kv_heads: int | None = None) -> float:
    """Return the bytes of one token in one attention."""
    if shape.mla is not None:
        # The latent row is on each GPU of a tensor-parallel group.
        return (shape.mla.kv_rank + shape.mla.rope_dim) * kv_bytes
    return 2 * max(1, (kv_heads or shape.kv_heads) // tp) * shape.head_dim * kv_bytes


def _state_bytes(shape: ModelShape, tp: int, value_bytes: int) -> float:
    state = shape.linear
    assert state is not None
    keys, values = state.key_heads * state.key_dim, state.value_heads * state.value_dim
    convolution = (state.convolution - 1) * (2 * keys + values) / tp * value_bytes
    size = VALUE_BYTES[state.state_dtype] if state.state_dtype else value_bytes
    return convolution + values * state.key_dim / tp * size


def _groups(shape: ModelShape, padding: float) -> tuple[KvGroup, ...]:
    by_kind: dict[str, list[int]] = {}
    for layer, kind in enumerate(shape.kinds):
        if kind != "none":
            by_kind.setdefault(kind, []).append(layer)
    sizes = [len(layers) for layers in by_kind.values()]
    size = max(sizes) if max(sizes) < min(sizes) * padding else min(sizes)
    groups = []
    for kind, layers in by_kind.items():
        count = math.ceil(len(layers) / size)
        groups += [KvGroup(kind=kind, layers=tuple(layers[place::count])) for place in range(count)]
    return tuple(groups)
