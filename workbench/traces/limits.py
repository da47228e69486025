"""Bounds of what a trace may hold, so that bad input fails early and memory stays bounded."""

MAX_TOKENS = 16_777_216
"""Longest prompt or output: above the longest context of any model (10 million tokens)."""

MAX_TIME_MS = 1e14
"""Largest time stamp, relative or since 1970, in ms: the year 5138."""

MAX_ROWS = 20_000_000
MAX_IDS = 400_000_000
"""Block ids of a whole trace (3.2 GB)."""

MAX_BLOCK_TOKENS = 65_536

MAX_LINE_BYTES = 64 * 1024 * 1024
"""Longest line, or longest value of a JSON list."""

MAX_DOCUMENT_BYTES = 256 * 1024 * 1024
"""Longest JSON document that is one object."""
