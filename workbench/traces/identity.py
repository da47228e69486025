"""Two hashes: of the workload (`trace_sha256`) and of its due times (`schedule_sha256`).

docs/reference/traces.md describes the bytes that are hashed: integers only, little-endian, times rounded to a
stated grain, so they are the same on every platform.
"""

import hashlib
from typing import Any

import numpy as np
from numpy.typing import NDArray

from workbench.traces.columns import Floats, Ints, Labels, TraceColumns, bits_of
from workbench.traces.prompts import PROMPT_BUILDER_VERSION
from workbench.traces.trace_limits import ticks

SCHEDULE_TICKS_PER_S = 1_000_000
"""Due times are rounded to 1 us, finer than any clock that sends a request."""


def trace_sha256(trace: TraceColumns, seed: int) -> str:
    """Return the identity of a workload in hexadecimal; rate scaling doesn't change it."""
    digest = hashlib.sha256()
    scale = trace.header.time_scale()
    made_by = f"builder {PROMPT_BUILDER_VERSION} seed {seed} block_tokens {trace.header.block_tokens}"
    digest.update(f"workbench-trace 1 {made_by} rows {len(trace)}\n".encode())
    _feed(digest, "timestamp", ticks(trace.timestamp_ms * scale))
    _feed(digest, "input_length", trace.input_length)
    _feed(digest, "output_length", trace.output_length)
    if len(trace.hash_flat) and trace.hash_offsets is not None:
        _feed(digest, "hash_counts", np.diff(trace.hash_offsets))
        _feed(digest, "hash_ids", bits_of(trace.hash_flat))
    _feed_labels(digest, "class", trace.classes)
    _feed_labels(digest, "session_id", trace.sessions)
    _feed_known(digest, "turn", trace.turn)
    _feed_known(digest, "delay", None if trace.delay_ms is None else ticks(trace.delay_ms * scale))
    _feed_known(digest, "cancel_after_tokens", trace.cancel_after_tokens)
    _feed_known(
        digest, "cancel_after_ms", None if trace.cancel_after_ms is None else ticks(trace.cancel_after_ms)
    )
    if trace.priority is not None and trace.priority.any():
        _feed(digest, "priority", trace.priority)
    return digest.hexdigest()


def schedule_sha256(due_s: Floats) -> str:
    """Return the identity of due times: their number, then each in whole microseconds."""
    digest = hashlib.sha256()
    digest.update(f"workbench-schedule 1 requests {len(due_s)}\n".encode())
    _feed(digest, "due", np.rint(due_s * SCHEDULE_TICKS_PER_S).astype(np.int64))
    return digest.hexdigest()


def _feed(digest: Any, name: str, column: NDArray[Any]) -> None:
    digest.update(f"{name}\n".encode())
    little = column.dtype.newbyteorder("<")
    digest.update(np.ascontiguousarray(column, little).view(np.uint8).data)


def _feed_known(digest: Any, name: str, column: Ints | None) -> None:
    """Feed a column; one without any value counts as absent."""
    if column is not None and np.any(column >= 0):
        _feed(digest, name, column)


def _feed_labels(digest: Any, name: str, labels: Labels | None) -> None:
    if labels is None or not labels.names:
        return
    for label in labels.names:
        encoded = label.encode()
        digest.update(f"{name} {len(encoded)} ".encode() + encoded + b"\n")
    _feed(digest, f"{name} codes", labels.codes)
