"""The estimate: from a model's shape and a card to KV tokens, with its error band and what isn't known."""

import math
from pathlib import Path
from typing import Any

from msgspec import to_builtins

from workbench.advice.sizing.families import FAMILIES, KEPT_AS_USUAL
from workbench.advice.sizing.kv_tokens import KvTokens, count_tokens
from workbench.advice.sizing.model import ModelShape
from workbench.advice.sizing.read_config import read_model
from workbench.advice.sizing.request import SizingRequest, check_division, check_request
from workbench.advice.sizing.sizing_inputs import SizingInputs, resolve
from workbench.advice.sizing.vllm_layout import VllmLayout, tokens_by_layout
from workbench.advice.sizing.weights import GIB
from workbench.base import Message, Place, Record, Refusal, message, shown

# The notes of an estimate: where figures come from, and what isn't known.

Range = tuple[int | None, int | None]
"""Both ends of the tokens that fit; None: not known."""


def notes_of(plan: SizingInputs, tokens: KvTokens | None, band: Range = (None, None)) -> list[Message]:
    """Return the notes, the general ones first."""
    return [
        *plan.shape.notes,
        *_assumptions(plan),
        *plan.weights.notes,
        *_cache(plan),
        *(tokens.notes if tokens else ()),
        *_fit(plan, tokens, band),
        *_limits(plan),
    ]


def _assumptions(plan: SizingInputs) -> list[Message]:
    known = plan.request.kv_gib is not None
    notes = []
    if plan.budget is None and not known:
        notes.append(message("sizing.no_gpu"))
    if plan.budget is not None and plan.request.gpu_memory_utilization is None and not known:
        notes.append(message("sizing.share_assumed", share=plan.share))
    if plan.budget is not None and not plan.version.measured and not known:
        notes.append(message("sizing.overheads_carried_over", version=plan.request.vllm_version))
    return notes


def _cache(plan: SizingInputs) -> list[Message]:
    notes = []
    shape = plan.shape
    if plan.by_vllm is not None:
        return _by_vllm(plan, plan.by_vllm)
    known = shape.model_type in FAMILIES or shape.model_type in KEPT_AS_USUAL
    if not known and shape.unread is None:
        notes.append(message("sizing.counted_as_usual", architecture=shown(shape.architecture)))
    if not shape.vocabulary:
        notes.append(message("sizing.no_sampler_share"))
    if plan.layout is None:
        notes.append(message("sizing.tokens_unknown", why=_layout_gap(plan)))
    elif shape.hybrid and "linear" not in shape.kinds:
        notes.append(message("sizing.hybrid", groups=len(plan.layout.groups)))
    return notes


def _by_vllm(plan: SizingInputs, by_vllm: VllmLayout) -> list[Message]:
    """Say whose layout it is, and where the own count differs from it."""
    notes = [
        message(
            "sizing.layout_by_vllm",
            version=by_vllm.version,
            architecture=by_vllm.architecture,
            platform=by_vllm.platform,
        )
    ]
    own = plan.kv_bytes_per_token
    # A count of groups of several kinds includes what pads them.
    padded = plan.layout is not None and len(plan.layout.groups) > 1
    if own is not None and own != by_vllm.bytes_per_token and not padded:
        notes.append(message("sizing.layout_differs", own=own, by_vllm=by_vllm.bytes_per_token))
    if not by_vllm.bytes_per_block:
        notes.append(message("sizing.tokens_unknown", why=message("sizing.no_attention")))
    return notes


def _layout_gap(plan: SizingInputs) -> Message:
    return plan.kv_unread or plan.shape.unread or plan.shape.unplanned or message("sizing.no_attention")


def _fit(plan: SizingInputs, tokens: KvTokens | None, band: Range) -> list[Message]:
    if plan.stage_kv is not None and min(plan.stage_kv) <= 0:
        return [_shortfall(plan, min(plan.stage_kv))]
    if tokens is None or tokens.concurrency is None or tokens.concurrency >= 1:
        return []
    low, high = band
    if low is None or high is None or not tokens.tokens or low == high:
        return [message("sizing.length_too_long", length=plan.length, longest=tokens.longest)]
    # The estimate's band holds of the length that fits too; at its lower end it surely starts.
    shortest, longest = (round(tokens.longest * end / tokens.tokens) for end in (low, high))
    return [
        message(
            "sizing.length_too_long_by_estimate",
            length=plan.length,
            longest=tokens.longest,
            low=shortest,
            high=longest,
        )
    ]


def _shortfall(plan: SizingInputs, left: float) -> Message:
    if plan.physical is None or plan.budget is None:
        return message("sizing.short", gib=-left)
    needed = plan.budget - left
    share = needed / plan.physical
    if share < 1:
        return message("sizing.short_of_share", gib=-left, share=math.ceil(share * 100) / 100)
    # Short of the whole card, not of the share of it that is planned with.
    return message("sizing.short_of_card", gib=needed - plan.physical)


def _limits(plan: SizingInputs) -> list[Message]:
    notes = []
    limit = plan.shape.max_positions
    if limit is not None and plan.length is not None and plan.length > limit:
        notes.append(message("sizing.above_positions", length=plan.length, limit=limit))
    replicas = (plan.request.count or 0) // (plan.request.tp * plan.request.pp)
    if replicas > 1:
        notes.append(message("sizing.replicas", count=plan.request.count, replicas=replicas))
    return notes


class SizingEstimate(Record, frozen=True, kw_only=True):
    """Sizes are of one GPU; None: unknown, and the notes say why."""

    weights_gib: float | None
    kv_bytes_per_token: int | None
    kv_gib: float | None
    """KV cache of the GPU with least."""
    kv_tokens: int | None
    kv_tokens_low: int | None
    kv_tokens_high: int | None
    kv_blocks: int | None
    max_concurrency: float | None
    """Requests of max_model_len that fit at once."""
    max_model_len: int | None
    max_model_len_fits: int | None
    budget_gib: float | None
    overhead_gib: float | None
    activation_gib: float | None
    non_torch_gib: float | None
    cuda_graph_gib: float | None
    block_size: int | None
    band_pct: float | None
    """By which kv_gib and kv_tokens can be off, either way."""
    fits: bool | None
    """True if one request of max_model_len fits."""
    notes: list[Message]

    def to_dict(self) -> dict[str, Any]:
        """Return the fields as plain values: `notes` in English, and as kinds with figures in `messages`."""
        fields = to_builtins(self)
        return {**fields, "notes": [str(note) for note in self.notes], "messages": fields["notes"]}


def size_model(request: SizingRequest, by_vllm: VllmLayout | None = None) -> SizingEstimate:
    """Read the model's configuration and estimate; with the layout of an installed vLLM, if there is one.

    Raises:
        Refusal: what is asked can't be: unreadable model, unknown GPU, sizes that don't divide.
    """
    if request.config is None:
        raise Refusal("sizing.no_model", Place(key="config"))
    check_request(request)
    shape = read_model(request.config)
    folder = request.config if request.config.is_dir() else request.config.parent
    return estimate(shape, request, folder=folder, by_vllm=by_vllm)


def estimate(
    shape: ModelShape,
    request: SizingRequest,
    *,
    folder: Path | None = None,
    by_vllm: VllmLayout | None = None,
) -> SizingEstimate:
    """Estimate a shape.

    Args:
        shape: the model.
        request: the configuration; its `config` isn't read.
        folder: where a checkpoint may lie.
        by_vllm: the layout by an installed vLLM.

    Raises:
        Refusal: as `size_model`.
    """
    check_request(request)
    check_division(shape, request.tp, request.pp)
    plan = resolve(shape, request, folder, by_vllm)
    tokens = _tokens(plan)
    return _result(plan, tokens, notes_of(plan, tokens, _range(tokens, _memory_band(plan, _kv_gib(plan)))))


def _kv_gib(plan: SizingInputs) -> float | None:
    return None if plan.stage_kv is None else max(0.0, min(plan.stage_kv))


def _tokens(plan: SizingInputs) -> KvTokens | None:
    if plan.by_vllm is not None and plan.stage_kv is not None and plan.length is not None:
        kv_bytes = max(0.0, min(plan.stage_kv)) * GIB
        return tokens_by_layout(plan.by_vllm, kv_bytes, version=plan.version, length=plan.length)
    if plan.layout is None or plan.stage_kv is None:
        return None
    return count_tokens(
        plan.layout,
        [max(0.0, size) * GIB for size in plan.stage_kv],
        version=plan.version,
        length=plan.length,
        assumed=plan.request.max_model_len is None,
        limit=plan.shape.max_positions,
        step_tokens=plan.version.tokens_in_flight(plan.step_tokens, plan.request.pp),
    )


def _memory_band(plan: SizingInputs, kv_gib: float | None) -> float | None:
    """Return the possible error of kv_gib in percent."""
    if kv_gib is None or kv_gib <= 0:
        return None
    if plan.request.kv_gib is not None:
        # A GiB figure is printed with two digits; ranks and stages differ.
        several = plan.request.pp > 1 or plan.request.tp > 1
        return 1.5 if several else 0.5
    weights = max(plan.weights.stages_gib or (0.0,)) * plan.weights.band
    return (weights + plan.overhead.band + plan.unfitted_gib) / kv_gib * 100


def _result(plan: SizingInputs, tokens: KvTokens | None, notes: list[Message]) -> SizingEstimate:
    kv_gib = _kv_gib(plan)
    memory_band = _memory_band(plan, kv_gib)
    counting_band = 0.0 if tokens is None else tokens.band
    low, high = _range(tokens, memory_band)
    stages = plan.weights.stages_gib
    activation = max(plan.overhead.activation)
    concurrency = None if tokens is None else tokens.concurrency
    return SizingEstimate(
        weights_gib=None if stages is None else round(max(stages), 3),
        kv_bytes_per_token=plan.by_vllm.bytes_per_token if plan.by_vllm else plan.kv_bytes_per_token,
        kv_gib=None if kv_gib is None else round(kv_gib, 3),
        kv_tokens=None if tokens is None else tokens.tokens,
        kv_tokens_low=low,
        kv_tokens_high=high,
        kv_blocks=None if tokens is None else tokens.blocks,
        max_concurrency=concurrency,
        max_model_len=plan.length,
        max_model_len_fits=None if tokens is None else tokens.longest,
        budget_gib=None if plan.budget is None else round(plan.budget, 3),
        overhead_gib=round(activation + plan.overhead.non_torch + plan.overhead.graphs, 3),
        activation_gib=round(activation, 3),
        non_torch_gib=round(plan.overhead.non_torch, 3),
        cuda_graph_gib=round(plan.overhead.graphs, 3),
        block_size=_block(plan),
        band_pct=None if memory_band is None else round(memory_band + counting_band, 1),
        fits=None if concurrency is None else concurrency >= 1,
        notes=notes,
    )


def _block(plan: SizingInputs) -> int | None:
    if plan.by_vllm is not None:
        return plan.by_vllm.block_size or None
    return None if plan.layout is None else plan.layout.block


def _range(tokens: KvTokens | None, band: float | None) -> tuple[int | None, int | None]:
    """Return both ends: the ways of counting, widened by the band."""
    if tokens is None or band is None:
        return None, None
    low, high = tokens.low * (1 - band / 100), tokens.high * (1 + band / 100)
    return max(0, round(low)), round(high)
