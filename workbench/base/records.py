"""Records that cross a process or a file border: strict, typed, as JSON lines."""

from typing import Any, TypeVar

import msgspec

from workbench.base.errors import InputError

T = TypeVar("T")

UNREADABLE = (msgspec.MsgspecError, ValueError, OverflowError, RecursionError)
"""What decoders of JSON and TOML raise on a text that others wrote: another form, no UTF-8, a number without
end, brackets within brackets by the thousand (which no decoder calls an error of the text)."""


class Record(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=False):
    """Base of immutable records. Unknown is None, which JSON writes as null; never 0."""


def encode_line(record: Any) -> bytes:
    """One record as one line of JSON with its newline, as events travel."""
    return msgspec.json.encode(record) + b"\n"


def decode_json(data: bytes | str, kind: type[T], *, where: str) -> T:
    """Read strict JSON into `kind`.

    Raises:
        InputError: not JSON, or not of that form; the message begins with `where`.
    """
    try:
        return msgspec.json.decode(data, type=kind)
    except UNREADABLE as error:
        raise InputError(f"{where}: {error}") from error
