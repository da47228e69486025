"""The monotonic clock for all stamps of a run, and wall time for records."""

import time
from datetime import UTC, datetime

now = time.perf_counter
"""Seconds on a clock that never steps and that all processes of one machine share.

On Linux it is CLOCK_MONOTONIC, on macOS mach_absolute_time, on Windows the performance counter.
"""


def utc_now() -> str:
    """Return the wall time as ISO 8601 UTC with milliseconds; for records, never for durations."""
    return datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def parse_utc(text: str) -> datetime:
    """Read a time that `utc_now` wrote."""
    return datetime.fromisoformat(text)
