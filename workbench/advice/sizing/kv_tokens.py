"""Tokens, blocks, concurrency and the longest context from KV bytes, as vLLM counts them."""

import msgspec

from workbench.advice.sizing.kv_layout import KvLayout
from workbench.advice.sizing.versions import MemoryVersion
from workbench.base import Message, Record, message

_SHORT = 8192
# Requests at least this long are meant where no length is given.
_STATE_BAND = 15.0
# Percent; linear-attention models differ so much between versions and settings.


class KvTokens(Record, frozen=True, kw_only=True):
    """Counts for one server."""

    tokens: int
    """As this version's log prints them."""
    low: int
    high: int
    """Bounds, if versions or lengths count differently."""
    band: float
    """Percent by which `tokens` can be off, from the way of counting alone."""
    blocks: int
    concurrency: float | None
    """Requests of full length that fit at once; None if no length is known."""
    exact: float
    """The same, not rounded."""
    longest: int
    """The longest context of one request, at most the model's own."""
    notes: tuple[Message, ...]


def count_tokens(
    layout: KvLayout,
    stage_bytes: list[float],
    *,
    version: MemoryVersion,
    length: int | None,
    assumed: bool,
    limit: int | None,
    step_tokens: int,
) -> KvTokens:
    """Count.

    Args:
        layout: of the model on these GPUs.
        stage_bytes: KV bytes of one GPU of each pipeline stage.
        version: which of vLLM's two ways of printing tokens holds.
        length: max_model_len.
        assumed: the length is the model's own, not asked for.
        limit: the model's own longest context.
        step_tokens: tokens that can be in flight at once, which windows must hold beside themselves.
    """
    blocks = layout.blocks(stage_bytes)
    plain = blocks * layout.block
    exact = 0.0 if length is None else blocks / layout.request_blocks(length, step_tokens)
    counted = KvTokens(
        tokens=plain,
        low=plain,
        high=plain,
        band=0.0,
        blocks=blocks,
        concurrency=None if length is None else round(exact, 2),
        exact=exact,
        longest=_longest(layout, blocks, limit, step_tokens),
        notes=(),
    )
    if length is None or len(layout.groups) == 1:
        return _plain(layout, counted, length, version)
    if any(group.kind == "linear" for group in layout.groups):
        return _with_state(layout, counted, length, step_tokens, assumed=assumed)
    return _mixed(layout, counted, length, version)


def _plain(layout: KvLayout, counted: KvTokens, length: int | None, version: MemoryVersion) -> KvTokens:
    """Count plain attention; newer versions print what requests of full length hold in whole blocks."""
    whole = all(group.kind == "full" for group in layout.groups)
    if length is None or counted.concurrency is None or (whole and not version.prints_by_concurrency):
        return counted
    held = int(counted.exact * length)
    tokens = held if version.prints_by_concurrency else counted.tokens
    ends = {"low": min(held, counted.low), "high": max(held, counted.high)}
    return msgspec.structs.replace(counted, tokens=tokens, **ends)


def _mixed(layout: KvLayout, counted: KvTokens, length: int, version: MemoryVersion) -> KvTokens:
    """Count full and local attention; older versions print a group's share, newer ones what requests hold."""
    shared = counted.blocks // len(layout.groups) * layout.block
    held = int(counted.exact * length)
    if version.prints_by_concurrency:
        tokens, other = held, message("sizing.older_print", tokens=shared)
    else:
        tokens, other = shared, message("sizing.windows_hold", length=length, tokens=held)
    ends = {"low": min(held, shared), "high": max(held, shared)}
    return msgspec.structs.replace(counted, tokens=tokens, notes=(other,), **ends)


def _with_state(
    layout: KvLayout, counted: KvTokens, length: int, step_tokens: int, *, assumed: bool
) -> KvTokens:
    """Count linear attention; each request keeps a state of fixed size beside its tokens."""
    blocks = counted.blocks
    held = int(counted.exact * length)
    shortest = min(length, _SHORT) if assumed else length
    low = int(blocks / layout.request_blocks(shortest, step_tokens, state_blocks=2) * shortest)
    printed = blocks // len(layout.groups) * layout.block
    note = message("sizing.fixed_state", tokens=held, length=length, printed=printed)
    band = max(_STATE_BAND, (held - low) / held * 100 if held else 0.0)
    return msgspec.structs.replace(
        counted, tokens=held, low=low, high=blocks * layout.block, band=round(band, 1), notes=(note,)
    )


def _longest(layout: KvLayout, blocks: int, limit: int | None, step_tokens: int) -> int:
    """Return the largest length whose request fits; `request_blocks` grows with it."""
    low, high = 0, limit or max(1, blocks) * layout.block
    while low < high:
        middle = (low + high + 1) // 2
        if layout.request_blocks(middle, step_tokens) <= blocks:
            low = middle
        else:
            high = middle - 1
    return low
