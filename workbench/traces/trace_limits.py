"""Limits of a trace, so that bad input fails early and memory stays bounded."""

import numpy as np

from workbench.traces.columns import Floats, Ints

MAX_TOKENS = 16_777_216
"""Longest prompt or output: above the longest context of any model (10 million tokens)."""

MAX_TIME_MS = 1e14
"""Largest time stamp, relative or since 1970, in ms: the year 5138."""

LARGEST_TIME = 2.0**63
"""Time stamps from here on, in any unit, don't fit 64 bits."""

MAX_ROWS = 20_000_000
MAX_IDS = 400_000_000
"""Block ids of a whole trace (3.2 GB)."""

MAX_BLOCK_TOKENS = 65_536

MAX_LINE_BYTES = 64 * 1024 * 1024
"""Longest line, or longest value of a JSON list."""

MAX_DOCUMENT_BYTES = 256 * 1024 * 1024
"""Longest JSON document that is one object."""


TICKS_PER_MS = 10_000
"""Times are kept to 100 ns, the finest grain of any public trace (Azure 2023)."""


def on_grain(times_ms: Floats) -> Floats:
    """Round times to the grain of 100 ns."""
    return np.rint(times_ms * TICKS_PER_MS) / TICKS_PER_MS


def ticks(times_ms: Floats) -> Ints:
    """Return times in whole steps of 100 ns; -1 where unknown (NaN)."""
    steps: Floats = np.rint(times_ms * TICKS_PER_MS)
    return np.where(np.isnan(steps), -1, steps).astype(np.int64)
