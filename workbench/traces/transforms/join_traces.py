"""Joining traces while their sessions and block ids stay distinct."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from workbench.base import Refusal
from workbench.traces.columns import NO_IDS, Ids, Ints, Labels, bits_of
from workbench.traces.context_fit import cut_ids
from workbench.traces.random_streams import GOLDEN, mix_array
from workbench.traces.trace import Trace
from workbench.traces.trace_limits import MAX_IDS, MAX_ROWS

_OPTIONAL = {
    "turn": -1,
    "delay_ms": np.nan,
    "cancel_after_tokens": -1,
    "cancel_after_ms": np.nan,
    "priority": 0,
}


def with_separate_ids(traces: Sequence[Trace], *, share_ids: bool = False) -> list[Trace]:
    """Give the traces distinct sessions and block ids (ids renumbered from 0)."""
    separate, used = [], 0
    for number, trace in enumerate(traces):
        changes: dict[str, Any] = {}
        if trace.sessions is not None:
            names = tuple(f"{number}/{name}" for name in trace.sessions.names)
            changes["sessions"] = Labels(trace.sessions.codes, names)
        if trace.hash_offsets is not None and not share_ids:
            distinct, numbered = np.unique(trace.hash_flat, return_inverse=True)
            changes["hash_flat"] = numbered.astype(np.uint64) + np.uint64(used)
            used += len(distinct)
        separate.append(replace(trace, **changes))
    return separate


def concatenated(traces: Sequence[Trace]) -> Trace:
    """Return all rows, trace after trace, with the first header; times unchanged (see `in_order`).

    Raises:
        Refusal: more rows or ids than a trace may hold.
    """
    if sum(map(len, traces)) > MAX_ROWS or sum(len(trace.hash_flat) for trace in traces) > MAX_IDS:
        raise Refusal("traces.joined_too_large", rows=MAX_ROWS, ids=MAX_IDS)
    offsets, flat = _joined_ids(traces)
    optional = {name: _joined_optional(traces, name, unknown) for name, unknown in _OPTIONAL.items()}
    return Trace(
        header=traces[0].header,
        timestamp_ms=np.concatenate([trace.timestamp_ms for trace in traces]),
        input_length=np.concatenate([trace.input_length for trace in traces]),
        output_length=np.concatenate([trace.output_length for trace in traces]),
        classes=_joined_labels([trace.classes for trace in traces]),
        hash_offsets=offsets,
        hash_flat=flat,
        sessions=_joined_sessions(traces),
        **optional,
    )


def _joined_ids(traces: Sequence[Trace]) -> tuple[Ints | None, Ids]:
    if all(trace.hash_offsets is None for trace in traces):
        return None, NO_IDS
    counts = [
        np.zeros(len(trace), np.int64) if trace.hash_offsets is None else np.diff(trace.hash_offsets)
        for trace in traces
    ]
    offsets = np.concatenate([np.zeros(1, np.int64), np.cumsum(np.concatenate(counts))])
    kinds = {trace.hash_flat.dtype for trace in traces if len(trace.hash_flat)}
    # With signed and unsigned ids, take the bits: prompts follow from them.
    flats = [trace.hash_flat if len(kinds) == 1 else bits_of(trace.hash_flat) for trace in traces]
    return offsets, np.concatenate([flat for flat in flats if len(flat)])


def _joined_optional(traces: Sequence[Trace], name: str, unknown: float) -> NDArray[Any] | None:
    columns = [getattr(trace, name) for trace in traces]
    known = next((column for column in columns if column is not None), None)
    if known is None:
        return None
    filled = [
        np.full(len(trace), unknown, known.dtype) if column is None else column
        for trace, column in zip(traces, columns, strict=True)
    ]
    return np.concatenate(filled)


def _joined_labels(parts: Sequence[Labels]) -> Labels:
    codes: list[NDArray[Any]] = []
    names: list[str] = []
    for part in parts:
        codes.append(np.where(part.codes < 0, -1, part.codes + len(names)))
        names.extend(part.names)
    return _merged(np.concatenate(codes), names)


def _merged(codes: NDArray[Any], names: Sequence[str]) -> Labels:
    """Make labels from a numbering in which one name may have several numbers."""
    numbers: dict[str, int] = {}
    merged = np.array([*(numbers.setdefault(name, len(numbers)) for name in names), -1])
    return Labels.from_codes(merged[codes], tuple(numbers))


def _joined_sessions(traces: Sequence[Trace]) -> Labels | None:
    if all(trace.sessions is None for trace in traces):
        return None
    return _joined_labels([trace.sessions or Labels.none(len(trace)) for trace in traces])


def with_block_tokens(trace: Trace, block_tokens: int) -> Trace:
    """Return the trace in smaller blocks: each id becomes several, equal where it was equal.

    Raises:
        Refusal: the blocks aren't whole multiples of `block_tokens`.
    """
    parts, rest = divmod(trace.header.block_tokens, block_tokens)
    if rest:
        raise Refusal("traces.block_sizes", tokens=trace.header.block_tokens, wanted=block_tokens)
    header = msgspec.structs.replace(trace.header, block_tokens=block_tokens)
    if parts == 1 or trace.hash_offsets is None:
        return replace(trace, header=header)
    steps = np.arange(parts, dtype=np.uint64) * np.uint64(GOLDEN)
    flat = mix_array(np.add.outer(bits_of(trace.hash_flat), steps).reshape(-1))
    return cut_ids(replace(trace, header=header, hash_offsets=trace.hash_offsets * parts, hash_flat=flat))
