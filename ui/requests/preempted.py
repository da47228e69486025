"""The number of preemptions of each request, from the step record beside a bench file. No Qt."""

import contextlib
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from ui.requests.table import Floats, Objects
from workbench.base import UNREADABLE
from workbench.experiments import sent_request_id

_CALL_BEGINS = b'{"ev":"sched"'
_NOBODY = b'"pre":[]'
"""Most steps preempt nothing; their lines need no decoding."""


class _Call(msgspec.Struct):
    pre: list[tuple[str, int]]


_calls = msgspec.json.Decoder(_Call)


def preemptions(bench: Path, facts: dict[str, Any], ids: Objects) -> Floats:
    """Return the count for each request, shape (n,); NaN for all without a step record."""
    unknown = np.full(len(ids), np.nan)
    file, span = facts.get("steps_file"), facts.get("steps_bytes")
    if not isinstance(file, str) or not isinstance(span, list) or len(span) != 2:
        return unknown
    counted = Counter[str]()
    try:
        # Each engine of a server has its own record.
        for name, begin, end in [(file, *span), *(facts.get("steps_more") or [])]:
            with (bench.parent / name).open("rb") as lines:
                lines.seek(int(begin))
                counted.update(_preempted(lines, int(end) - int(begin)))
    except (OSError, ValueError, TypeError):
        return unknown
    known = {str(name): place for place, name in enumerate(ids)}
    found = np.zeros(len(ids))
    for engine_id, count in counted.items():
        name = engine_id if engine_id in known else sent_request_id(engine_id, known)
        if name is not None:
            found[known[name]] += count
    return found


def _preempted(lines: Iterable[bytes], length: int) -> Iterator[str]:
    """Yield the engine's ids of preempted requests, in order; skip a line that is cut at either end."""
    for line in lines:
        length -= len(line)
        if line.startswith(_CALL_BEGINS) and _NOBODY not in line:
            with contextlib.suppress(*UNREADABLE):
                yield from (name for name, _ in _calls.decode(line).pre)
        if length <= 0:
            return
