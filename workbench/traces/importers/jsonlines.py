"""JSON lines decoded into typed rows, with file, line and field in every complaint."""

import re
from collections.abc import Callable, Iterator
from typing import TypeVar

import msgspec

from workbench.traces.limits import MAX_ROWS
from workbench.traces.source import Source

T = TypeVar("T")

_AT = re.compile(r" - at `\$\.?(.*)`$")


def decoded_lines(source: Source, kind: type[T], *, after: int = 0) -> Iterator[tuple[int, T]]:
    """Numbered rows of a file of JSON lines, those after line `after`.

    Raises:
        InputError: a line isn't JSON or isn't of that form.
    """
    decode = msgspec.json.Decoder(kind).decode
    rows = 0
    for number, line in source.open().lines():
        if number <= after:
            continue
        rows += 1
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
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError, OverflowError) as error:
        source.fail(f"not JSON: {error}", line=number)


def in_words(error: msgspec.ValidationError) -> str:
    """A complaint of msgspec with the field first: `field input_length: Expected int, got str`."""
    text = str(error).replace("`", "")
    where = _AT.search(str(error))
    if not where:
        return text
    return f"field {where.group(1)}: {_AT.sub('', str(error)).replace('`', '')}"
