"""The grain of times, and times as whole numbers."""

import numpy as np

from workbench.traces.arrays import Floats, Ints

TICKS_PER_MS = 10_000
"""Times are kept to 100 ns, the finest grain of any public trace (Azure 2023)."""


def on_grain(times_ms: Floats) -> Floats:
    """Times rounded to the grain of 100 ns."""
    return np.rint(times_ms * TICKS_PER_MS) / TICKS_PER_MS


def ticks(times_ms: Floats) -> Ints:
    """Times in whole steps of 100 ns; -1 where unknown (NaN)."""
    steps: Floats = np.rint(times_ms * TICKS_PER_MS)
    return np.where(np.isnan(steps), -1, steps).astype(np.int64)
