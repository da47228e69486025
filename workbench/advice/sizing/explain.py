"""The notes of an estimate: where figures come from, and what isn't known."""

import math

from workbench.advice.sizing.families import FAMILIES
from workbench.advice.sizing.plan import Plan
from workbench.advice.sizing.tokens import KvTokens

Range = tuple[int | None, int | None]
"""Both ends of the tokens that fit; None: not known."""


def notes_of(plan: Plan, tokens: KvTokens | None, band: Range = (None, None)) -> list[str]:
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


def _assumptions(plan: Plan) -> list[str]:
    known = plan.request.kv_gib is not None
    notes = []
    if plan.budget is None and not known:
        notes.append("no GPU is given, so the budget isn't known: name a card or its memory")
    if plan.budget is not None and plan.request.gpu_memory_utilization is None and not known:
        notes.append(f"gpu_memory_utilization {plan.share:g} assumed; vLLM's default differs by version")
    if plan.budget is not None and not plan.version.measured and not known:
        version = plan.request.vllm_version
        notes.append(f"overheads were fitted to logs of vLLM 0.19 on H100 and carried over to {version}")
    return notes


def _cache(plan: Plan) -> list[str]:
    notes = []
    shape = plan.shape
    if shape.model_type not in FAMILIES:
        notes.append(
            f"{shape.architecture} isn't a known architecture: keys and values are counted as plain attention"
        )
    if not shape.vocabulary:
        notes.append("vocab_size is missing: the activation peak is counted without the sampler's share")
    if plan.layout is None:
        notes.append(f"KV tokens can't be known: {_layout_gap(plan)}")
    elif shape.hybrid and "linear" not in shape.kinds:
        groups = len(plan.layout.groups)
        notes.append(f"hybrid: layers of several kinds share blocks in {groups} groups; padding is counted")
    return notes


def _layout_gap(plan: Plan) -> str:
    if plan.shape.uneven:
        return plan.shape.uneven
    if "linear" in plan.shape.kinds:
        return f"{plan.shape.model_type} keeps a state a request whose size config.json doesn't tell"
    return "no layer keeps keys and values"


def _fit(plan: Plan, tokens: KvTokens | None, band: Range) -> list[str]:
    if plan.stage_kv is not None and min(plan.stage_kv) <= 0:
        return [_shortfall(plan, min(plan.stage_kv))]
    if tokens is None or tokens.concurrency is None or tokens.concurrency >= 1:
        return []
    said = f"one request of {plan.length:,} tokens doesn't fit; max_model_len {tokens.longest} does"
    low, high = band
    if low is None or high is None or not tokens.tokens or low == high:
        return [said]
    # The estimate's band holds of the length that fits too; at its lower end it surely starts.
    shortest, longest = (round(tokens.longest * end / tokens.tokens) for end in (low, high))
    return [f"{said} by this estimate ({shortest} to {longest}): {shortest} is safe"]


def _shortfall(plan: Plan, left: float) -> str:
    text = f"doesn't fit: {-left:.2f} GiB short before any KV cache"
    if plan.physical is None or plan.budget is None:
        return text
    needed = plan.budget - left
    share = needed / plan.physical
    if share < 1:
        return f"{text}; gpu_memory_utilization above {math.ceil(share * 100) / 100:.2f} would start it"
    # Short of the whole card, not of the share of it that is planned with.
    missing = needed - plan.physical
    return (
        f"doesn't fit: {missing:.2f} GiB short before any KV cache, even with all of the card:"
        " more GPUs (--tp), a larger one, or smaller weights"
    )


def _limits(plan: Plan) -> list[str]:
    notes = []
    limit = plan.shape.max_positions
    if limit is not None and plan.length is not None and plan.length > limit:
        notes.append(f"max_model_len {plan.length} is above the model's {limit}: vLLM refuses it")
    replicas = (plan.request.count or 0) // (plan.request.tp * plan.request.pp)
    if replicas > 1:
        notes.append(f"{plan.request.count} GPUs hold {replicas} such replicas; figures are of one")
    return notes
