"""Writing a trace in its canonical form."""

from pathlib import Path

import msgspec

from workbench.base import write_atomic
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
    lines += [encode(msgspec.structs.replace(row, timestamp=whole(row.timestamp))) for row in trace.rows()]
    return b"\n".join(lines) + b"\n"


def whole(milliseconds: float) -> float:
    """A time without a fraction as an integer, as the public traces have it."""
    return int(milliseconds) if milliseconds.is_integer() else milliseconds
