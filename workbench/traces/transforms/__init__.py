"""Explicit changes of a trace, each recorded in its header."""

from workbench.traces.transforms.rows import blend, replicate, sample, window, with_bands
from workbench.traces.transforms.sessions import closed_sessions, open_sessions, shuffle_sessions
from workbench.traces.transforms.times import speedup, spread_ticks, to_mean_rate

__all__ = [
    "blend",
    "closed_sessions",
    "open_sessions",
    "replicate",
    "sample",
    "shuffle_sessions",
    "speedup",
    "spread_ticks",
    "to_mean_rate",
    "window",
    "with_bands",
]
