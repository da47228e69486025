"""Writing a trace in its canonical form."""

from pathlib import Path

import msgspec

from workbench.base import write_atomic
from workbench.traces.rows import TraceRow
from workbench.traces.trace import Trace


def write_trace(trace: Trace, path: Path | str) -> None:
    """Write the canonical file: the header, then one row a line; read again it is the same trace.

    Raises:
        InputError: the file can't be written.
    """
    write_atomic(Path(path), canonical_bytes(trace))


def canonical_bytes(trace: Trace) -> bytes:
    """The canonical file's content."""
    encode = msgspec.json.Encoder().encode
    lines = [encode(trace.header)]
    lines += [encode(_with_whole_times(row)) for row in trace.rows()]
    return b"\n".join(lines) + b"\n"


def _with_whole_times(row: TraceRow) -> TraceRow:
    """Times without a fraction as integers, as the public traces have them."""
    if float(row.timestamp).is_integer():
        return msgspec.structs.replace(row, timestamp=int(row.timestamp))
    return row
