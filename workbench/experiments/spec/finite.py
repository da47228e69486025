"""Refusal of numbers that aren't finite: `inf` and `nan`."""

import math
from collections.abc import Iterator
from typing import Any

import msgspec

from workbench.base import Message, Place, Refusal, message


def require_finite(record: msgspec.Struct, table: str, where: str) -> None:
    """Check that every number of a table is finite.

    Raises:
        Refusal: names the number.
    """
    for key, value in _numbers(msgspec.structs.asdict(record)):
        if not math.isfinite(value):
            place = Place(file=where or None, table=table, key=key)
            said = not_finite(table, key, value)
            raise Refusal(said.kind, place, **said.values)


def not_finite(table: str, key: str, value: float) -> Message:
    """Return the problem; an infinite rate, which means a closed loop elsewhere, gets its own."""
    if (table, key, value) == ("load", "rates", math.inf):
        return message("experiments.no_rate", value=str(value))
    return message("base.not_finite", value=str(value))


def _numbers(fields: dict[str, Any]) -> Iterator[tuple[str, float]]:
    for key, value in fields.items():
        if isinstance(value, msgspec.Struct):
            yield from ((key, number) for _, number in _numbers(msgspec.structs.asdict(value)))
        for one in value if isinstance(value, list) else [value]:
            if isinstance(one, float):
                yield key, one
