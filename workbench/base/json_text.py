"""Records as JSON text: one line each where they are sent or appended."""

from typing import Any, TypeVar

import msgspec

from workbench.base.records import UNREADABLE
from workbench.base.refusals import Place, Refusal

T = TypeVar("T")


def encode_line(record: Any) -> bytes:
    """Return a record as one line of JSON with its newline."""
    return msgspec.json.encode(record) + b"\n"


def decode_json(data: bytes | str, kind: type[T], *, where: str) -> T:
    """Read strict JSON into `kind`.

    Raises:
        Refusal: it isn't JSON, or lacks the fields of `kind`; its place is `where`.
    """
    try:
        return msgspec.json.decode(data, type=kind)
    except UNREADABLE as error:
        raise Refusal("base.unreadable_json", Place(file=where), problem=str(error)) from error
