"""What a trace asks for, in figures and in pictures."""

from workbench.traces.statistics.drawing import TraceDrawing, drawing
from workbench.traces.statistics.prefixes import ideal_hit_tokens, pool_hit_tokens
from workbench.traces.statistics.summary import (
    ClassSummary,
    LatencySummary,
    Lengths,
    Offered,
    TraceSummary,
    summarise_latency,
    summarise_trace,
)

__all__ = [
    "ClassSummary",
    "LatencySummary",
    "Lengths",
    "Offered",
    "TraceDrawing",
    "TraceSummary",
    "drawing",
    "ideal_hit_tokens",
    "pool_hit_tokens",
    "summarise_latency",
    "summarise_trace",
]
