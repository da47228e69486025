"""JSON rows decoded into typed ones, with file, line and field in every complaint."""

import re
from collections.abc import Callable, Iterator
from typing import TypeVar

import msgspec

from workbench.base import UNREADABLE
from workbench.traces.importers.documents import begins_with_list, values
from workbench.traces.limits import MAX_ROWS
from workbench.traces.source import Source

T = TypeVar("T")

_AT = re.compile(r" - at `\$\.?(.*)`$")


def decoded_rows(source: Source, kind: type[T]) -> Iterator[tuple[int, T]]:
    """Numbered rows of a file of JSON lines, or of one JSON list.

    Raises:
        InputError: a row isn't JSON or isn't of that form.
    """
    if begins_with_list(source):
        for number, value in values(source):
            try:
                yield number, msgspec.convert(value, kind)
            except msgspec.ValidationError as error:
                source.fail(f"item {number}: {in_words(error)}")
        return
    decode = msgspec.json.Decoder(kind).decode
    for rows, (number, line) in enumerate(source.open().lines(), 1):
        if rows > MAX_ROWS:
            source.fail(f"more than {MAX_ROWS:,} rows")
        yield number, decode_line(source, decode, number, line)


def decode_line(source: Source, decode: Callable[[bytes], T], number: int, line: bytes) -> T:
    """One line, decoded.

    Raises:
        InputError: it isn't JSON or isn't of that form.
    """
    try:
        return decode(line)
    except msgspec.ValidationError as error:
        source.fail(in_words(error), line=number)
    except UNREADABLE as error:
        source.fail(f"not JSON: {error}", line=number)


def in_words(error: msgspec.ValidationError) -> str:
    """A complaint of msgspec with the field first: `field input_length: Expected int, got str`."""
    text = str(error)
    where = _AT.search(text)
    words = _AT.sub("", text).replace("`", "")
    return f"field {where.group(1)}: {words}" if where and where.group(1) else words
