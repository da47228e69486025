"""Explicit changes of a trace, each recorded in its header."""

from workbench.traces.transforms.rows import blend, only_phase, replicate, sample, window, with_bands
from workbench.traces.transforms.sessions import (
    closed_sessions,
    open_sessions,
    shuffle_sessions,
    stagger_sessions,
)
from workbench.traces.transforms.steps import STEPS, Step
from workbench.traces.transforms.times import speedup, spread_ticks, to_mean_rate, with_arrivals, with_profile

__all__ = [
    "STEPS",
    "Step",
    "blend",
    "closed_sessions",
    "only_phase",
    "open_sessions",
    "replicate",
    "sample",
    "shuffle_sessions",
    "speedup",
    "spread_ticks",
    "stagger_sessions",
    "to_mean_rate",
    "window",
    "with_arrivals",
    "with_bands",
    "with_profile",
]
