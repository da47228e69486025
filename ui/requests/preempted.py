"""How often each request was preempted, by the record of the scheduler's steps beside a bench file. No Qt."""

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
"""Most steps preempt nobody; their lines need no decoding."""


class _Call(msgspec.Struct):
    pre: list[tuple[str, int]]


_calls = msgspec.json.Decoder(_Call)


def preemptions(bench: Path, facts: dict[str, Any], ids: Objects) -> Floats:
    """Of each request, shape (n,); NaN for all where the run has no record, or it is gone."""
    unknown = np.full(len(ids), np.nan)
    file, span = facts.get("steps_file"), facts.get("steps_bytes")
    if not isinstance(file, str) or not isinstance(span, list) or len(span) != 2:
        return unknown
    counted = Counter[str]()
    try:
        # Each engine of a server has a record of its own.
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
    """The engine's ids of those thrown out, in order; a line cut at either end isn't one."""
    for line in lines:
        length -= len(line)
        if line.startswith(_CALL_BEGINS) and _NOBODY not in line:
            with contextlib.suppress(*UNREADABLE):
                yield from (name for name, _ in _calls.decode(line).pre)
        if length <= 0:
            return


def _place(engine_id: str, known: dict[str, int]) -> int | None:
    """An engine's id is ours with something around it: `cmpl-ID-0-1f2e3d4c`."""
    _, _, left = engine_id.partition("-")
    while left:
        if left in known:
            return known[left]
        left = left.rpartition("-")[0]
    return known.get(engine_id)
