"""Check that stored measurements are finite: a file with other numbers couldn't be read again."""

import math
from collections.abc import Sequence
from operator import itemgetter
from pathlib import Path
from typing import Any

import msgspec

from workbench.base import Place, Refusal
from workbench.results.run_records import MachineSample, RequestRecord, Sample

_MEASURED = frozenset(
    field.name
    for kind in (RequestRecord, Sample, MachineSample)
    for field in msgspec.structs.fields(kind)
    if field.type in (float, float | None)
)
"""Fields that hold measured numbers."""


def require_finite(path: Path, rows: Sequence[tuple[Any, ...]], names: Sequence[str]) -> None:
    """Check rows before they are written to `path`; `names` are their columns.

    A sum is finite where all that was added is, so that a million rows take a second.

    Raises:
        Refusal: a number is not finite.
    """
    places = [place for place, name in enumerate(names) if name in _MEASURED]
    pick = itemgetter(*places)
    for row in rows:
        if math.isfinite(sum(filter(None, pick(row)))):
            continue
        for place in places:
            value = row[place]
            if value is not None and not math.isfinite(value):
                raise Refusal("results.not_storable", Place(file=str(path)), name=names[place], value=value)
