"""The notes of an estimate: where figures come from, and what isn't known."""

import math

from workbench.advice.sizing.families import FAMILIES, KEPT_AS_USUAL
from workbench.advice.sizing.plan import Plan
from workbench.advice.sizing.tokens import KvTokens
from workbench.advice.sizing.told import ToldLayout
from workbench.base import Message, message, shown

Range = tuple[int | None, int | None]
"""Both ends of the tokens that fit; None: not known."""


def notes_of(plan: Plan, tokens: KvTokens | None, band: Range = (None, None)) -> list[Message]:
    """One sentence each, the general ones first."""
    return [
        *plan.shape.notes,
        *_assumptions(plan),
        *plan.weights.notes,
        *_cache(plan),
        *(tokens.notes if tokens else ()),
        *_fit(plan, tokens, band),
        *_limits(plan),
    ]


def _assumptions(plan: Plan) -> list[Message]:
    known = plan.request.kv_gib is not None
    notes = []
    if plan.budget is None and not known:
        notes.append(message("sizing.no_gpu"))
    if plan.budget is not None and plan.request.gpu_memory_utilization is None and not known:
        notes.append(message("sizing.share_assumed", share=plan.share))
    if plan.budget is not None and not plan.version.measured and not known:
        notes.append(message("sizing.overheads_carried_over", version=plan.request.vllm_version))
    return notes


def _cache(plan: Plan) -> list[Message]:
    notes = []
    shape = plan.shape
    if plan.told is not None:
        return _told(plan, plan.told)
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


def _told(plan: Plan, told: ToldLayout) -> list[Message]:
    """Say whose layout it is, and where the own count differs from it."""
    notes = [
        message(
            "sizing.layout_by_vllm",
            version=told.version,
            architecture=told.architecture,
            platform=told.platform,
        )
    ]
    own = plan.kv_bytes_per_token
    # A count of groups of several kinds includes what pads them.
    padded = plan.layout is not None and len(plan.layout.groups) > 1
    if own is not None and own != told.bytes_per_token and not padded:
        notes.append(message("sizing.layout_differs", own=own, told=told.bytes_per_token))
    if not told.bytes_per_block:
        notes.append(message("sizing.tokens_unknown", why=message("sizing.no_attention")))
    return notes


def _layout_gap(plan: Plan) -> Message:
    return plan.kv_unread or plan.shape.unread or plan.shape.unplanned or message("sizing.no_attention")


def _fit(plan: Plan, tokens: KvTokens | None, band: Range) -> list[Message]:
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


def _shortfall(plan: Plan, left: float) -> Message:
    if plan.physical is None or plan.budget is None:
        return message("sizing.short", gib=-left)
    needed = plan.budget - left
    share = needed / plan.physical
    if share < 1:
        return message("sizing.short_of_share", gib=-left, share=math.ceil(share * 100) / 100)
    # Short of the whole card, not of the share of it that is planned with.
    return message("sizing.short_of_card", gib=needed - plan.physical)


def _limits(plan: Plan) -> list[Message]:
    notes = []
    limit = plan.shape.max_positions
    if limit is not None and plan.length is not None and plan.length > limit:
        notes.append(message("sizing.above_positions", length=plan.length, limit=limit))
    replicas = (plan.request.count or 0) // (plan.request.tp * plan.request.pp)
    if replicas > 1:
        notes.append(message("sizing.replicas", count=plan.request.count, replicas=replicas))
    return notes
