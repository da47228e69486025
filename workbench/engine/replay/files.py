"""Opening what `engine replay` is given: a trace of any known format, or the requests of a measured run."""

import gzip
from pathlib import Path

import msgspec

from workbench.base import UNREADABLE
from workbench.engine.replay.measured import is_measured, measured_trace, read_measured
from workbench.traces import Trace, read_trace


def read_workload(path: Path) -> Trace:
    """The trace in a file.

    Raises:
        InputError: it can't be read; the message names file, line and field.
    """
    if is_measured(path):
        return measured_trace(read_measured(path), path.name)
    return read_trace(path)


class _Timed(msgspec.Struct, frozen=True):
    timestamp: float | None = None
    workbench_trace: int | None = None


def lead_in_s(path: Path) -> float:
    """Seconds before the first request of a canonical trace, whose clock starts at 0; 0 for other files.

    Traces are held from their first arrival on; a replay's clock is that of the file.
    """
    try:
        with gzip.open(path) if path.suffix == ".gz" else path.open("rb") as file:
            header, *rows = [msgspec.json.decode(line, type=_Timed) for line in file if line.strip()]
    except (OSError, EOFError, *UNREADABLE):
        return 0.0  # another format, which has no such header
    times = [row.timestamp for row in rows if row.timestamp is not None]
    return min(times) / 1000 if header.workbench_trace and times else 0.0
