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
        place = _place(engine_id, known)
        if place is not None:
            found[place] += count
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


def _place(engine_id: str, known: dict[str, int]) -> int | None:
    """Return the request's index for an engine's id, which wraps ours: `cmpl-ID-0-1f2e3d4c`."""
    _, _, left = engine_id.partition("-")
    while left:
        if left in known:
            return known[left]
        left = left.rpartition("-")[0]
    return known.get(engine_id)
