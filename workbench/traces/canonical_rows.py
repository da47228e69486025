"""One request of a trace, and the trace's header, as in the canonical file."""

from typing import Any

import msgspec


class TraceRow(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, rename={"cls": "class"}):
    """One request. Times are milliseconds; None is unknown or doesn't apply."""

    timestamp: float
    """Arrival, ms from the first request of the trace."""
    input_length: int
    """Prompt tokens, at least 1."""
    output_length: int
    """Tokens to generate, at least 1."""
    hash_ids: tuple[int, ...] | None = None
    """One id for each block of `block_tokens` prompt tokens; an id stands for its whole prefix.

    None: the prompt is unique.
    """
    cls: str | None = None
    """Mix group or input-length band; JSON key `class`."""
    session_id: str | None = None
    turn: int | None = None
    """Number of the turn in its session, from 0."""
    delay: float | None = None
    """Think time, ms: this turn is due that long after the session's previous turn ended.

    None: due at `timestamp`.
    """
    cancel_after_tokens: int | None = None
    cancel_after_ms: float | None = None
    """The client leaves this long after the request was due."""
    priority: int = 0
    """Lower values are scheduled first, as in vLLM's priority policy."""


class TraceHeader(msgspec.Struct, frozen=True, kw_only=True):
    """First line of a canonical trace."""

    workbench_trace: int = 1
    """Version of the format."""
    block_tokens: int = 512
    """Prompt tokens of one block, which one of `hash_ids` stands for."""
    source: str = ""
    """Name of the source; never a path on somebody's machine."""
    transforms: tuple[dict[str, Any], ...] = ()
    """Transforms applied to the rows, in order: `{"name": "speedup", "factor": 4.0}`."""

    def with_transform(self, name: str, **parameters: Any) -> "TraceHeader":
        """Return the header with one more transform."""
        return msgspec.structs.replace(self, transforms=(*self.transforms, {"name": name, **parameters}))

    def time_scale(self) -> float:
        """Return the factor by which rate scaling divided the times: own time = time * factor."""
        scale = 1.0
        for transform in self.transforms:
            if transform.get("name") in RATE_SCALING:
                scale *= float(transform["factor"])
        return scale


RATE_SCALING = ("speedup", "mean_rate")
"""Transforms that only divide the times by their `factor`; they keep the trace's identity."""
