"""Resolved inputs of an estimate: types, version, limits, weights, overhead, budget."""

from dataclasses import dataclass
from pathlib import Path

from workbench.advice.sizing.checkpoint import online_quantisation
from workbench.advice.sizing.kv_layout import KvLayout, bytes_per_token, kv_layout
from workbench.advice.sizing.model import VALUE_BYTES, ModelShape, Quantisation
from workbench.advice.sizing.overhead import Overhead, estimate_overhead
from workbench.advice.sizing.request import KV_BYTES, SizingRequest, kv_type, value_type
from workbench.advice.sizing.versions import MemoryVersion, default_limits, read_version
from workbench.advice.sizing.vllm_layout import VllmLayout
from workbench.advice.sizing.weights import GIB, WeightsEstimate, estimate_weights
from workbench.base import Message, message
from workbench.profiles import Card

_FITTED_GIB = (78.0, 80.5)
# Overheads were fitted on cards of this size.


@dataclass(frozen=True, slots=True)
class SizingInputs:
    """Sizes are GiB of one GPU; None: unknown."""

    shape: ModelShape
    request: SizingRequest
    version: MemoryVersion
    physical: float | None
    budget: float | None
    length: int | None
    """max_model_len, or the model's own."""
    step_tokens: int
    weights: WeightsEstimate
    overhead: Overhead
    layout: KvLayout | None
    kv_bytes_per_token: int | None
    kv_unread: Message | None
    """Why the storage type of keys and values is unknown; None: it is known."""
    by_vllm: VllmLayout | None
    """Layout from an installed vLLM; it replaces the counted one."""
    stage_kv: list[float] | None
    """Memory left for the KV cache on a GPU of each pipeline stage; can be negative."""

    @property
    def share(self) -> float:
        """gpu_memory_utilization."""
        return self.request.gpu_memory_utilization or self.version.memory_share

    @property
    def unfitted_gib(self) -> float:
        """Return the extra error of the overheads on a card that they weren't fitted on."""
        low, high = _FITTED_GIB
        return 0.0 if self.physical is not None and low <= self.physical <= high else 0.3


def resolve(
    shape: ModelShape, request: SizingRequest, folder: Path | None, by_vllm: VllmLayout | None = None
) -> SizingInputs:
    """Resolve a checked request; a layout from vLLM replaces the count.

    Raises:
        Refusal: an unknown GPU, type or version.
    """
    version = read_version(request.vllm_version)
    computing = value_type(shape, request.dtype)
    value_bytes = VALUE_BYTES[computing]
    card = request.card()
    physical = request.gpu_gib or (card.usable_gib if card else None)
    step_tokens, max_sequences = _limits(request, card, physical, version)
    weights = _weights(shape, request, value_bytes, folder, by_vllm)
    overhead = estimate_overhead(
        shape,
        tp=request.tp,
        pp=request.pp,
        max_sequences=max_sequences,
        step_tokens=step_tokens,
        value_bytes=value_bytes,
        version=version,
        eager=request.enforce_eager,
    )
    budget = None
    if physical is not None:
        budget = physical * (request.gpu_memory_utilization or version.memory_share)
    layout, per_token, unread = _cache(shape, request, computing, version)
    longest = by_vllm.longest if by_vllm and by_vllm.blocks else shape.max_positions
    return SizingInputs(
        shape=shape,
        request=request,
        version=version,
        physical=physical,
        budget=budget,
        length=request.max_model_len or longest,
        step_tokens=step_tokens,
        weights=weights,
        overhead=overhead,
        layout=layout,
        kv_bytes_per_token=per_token,
        kv_unread=unread,
        by_vllm=by_vllm,
        stage_kv=_stage_kv(request, budget, weights, overhead),
    )


def step_limits(request: SizingRequest) -> tuple[int, int]:
    """Return the token budget of a step and the sequence limit, as asked or as vLLM sets them for the card.

    Raises:
        Refusal: an unknown GPU or version.
    """
    card = request.card()
    physical = request.gpu_gib or (card.usable_gib if card else None)
    return _limits(request, card, physical, read_version(request.vllm_version))


def _limits(
    request: SizingRequest, card: Card | None, physical: float | None, version: MemoryVersion
) -> tuple[int, int]:
    a100 = card is not None and card.name.startswith("a100")
    step, max_sequences = default_limits(physical, a100=a100, version=version)
    step = request.max_num_batched_tokens or step
    return step, min(request.max_num_seqs or max_sequences, step)


def _weights(
    shape: ModelShape,
    request: SizingRequest,
    value_bytes: int,
    folder: Path | None,
    by_vllm: VllmLayout | None,
) -> WeightsEstimate:
    if request.weights_gib is not None:
        sizes = (request.weights_gib,) * request.pp
        return WeightsEstimate(stages_gib=sizes, band=0.0, notes=(message("sizing.weights_given"),))
    counted = estimate_weights(
        shape,
        tp=request.tp,
        pp=request.pp,
        value_bytes=value_bytes,
        quantisation=_quantisation(shape, request.quantization),
        folder=folder,
    )
    if by_vllm is None or any(note.kind.startswith("sizing.weights_from_") for note in counted.notes):
        return counted
    size = by_vllm.weights_bytes / GIB
    return WeightsEstimate(stages_gib=(size,), band=0.02, notes=(message("sizing.weights_by_vllm"),))


def _quantisation(shape: ModelShape, asked: str | None) -> Quantisation | None:
    if asked is not None and shape.quantisation is None:
        return online_quantisation(asked)
    return shape.quantisation


def _cache(
    shape: ModelShape, request: SizingRequest, computing: str, version: MemoryVersion
) -> tuple[KvLayout | None, int | None, Message | None]:
    """Return the layout, the bytes of a token, and why they are unknown if the stored type is."""
    stored = kv_type(shape, computing, request.kv_cache_dtype)
    if stored is None:
        return None, None, shape.kv_unread
    kv_bytes = KV_BYTES[stored]
    layout = kv_layout(
        shape,
        tp=request.tp,
        pp=request.pp,
        kv_bytes=kv_bytes,
        value_bytes=VALUE_BYTES[computing],
        block=request.block_size or 16,
        padding=version.group_padding,
    )
    if layout is not None:
        return layout, layout.bytes_per_token, None
    return None, bytes_per_token(shape, tp=request.tp, pp=request.pp, kv_bytes=kv_bytes), None


def _stage_kv(
    request: SizingRequest, budget: float | None, weights: WeightsEstimate, overhead: Overhead
) -> list[float] | None:
    if request.kv_gib is not None:
        return [request.kv_gib] * request.pp
    if budget is None or weights.stages_gib is None:
        return None
    fixed = overhead.non_torch + overhead.graphs
    stages = zip(weights.stages_gib, overhead.activation, strict=True)
    return [budget - size - activation - fixed for size, activation in stages]
