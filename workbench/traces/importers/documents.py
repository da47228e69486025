"""JSON in whichever arrangement.

One value a line, a list of values, or a single document; in bounded memory.
"""

import json
from collections.abc import Iterator
from typing import Any

import msgspec

from workbench.base import UNREADABLE
from workbench.traces.limits import MAX_DOCUMENT_BYTES, MAX_LINE_BYTES, MAX_ROWS
from workbench.traces.source import Source

_CHUNK = 1 << 20
_SPACE = " \t\r\n"


def values(source: Source, *, bad_lines: list[int] | None = None) -> Iterator[tuple[int, Any]]:
    """Numbered values (their line, or their number in a list).

    `bad_lines` collects the lines that aren't JSON; without it the first one ends the import.

    Raises:
        InputError: not JSON, a value that is too large, or too many.
    """
    arrangement = _list_items if begins_with_list(source) else _lines_or_document
    for count, item in enumerate(arrangement(source, bad_lines), 1):
        if count > MAX_ROWS:
            source.fail(f"more than {MAX_ROWS:,} values")
        yield item


def first_value(source: Source) -> Any:
    """The first value, or None where there is none; for telling the format."""
    return next(iter(values(source, bad_lines=[])), (0, None))[1]


def begins_with_list(source: Source) -> bool:
    """Whether the file is one JSON list."""
    with source.open(line_limit=None) as text:
        head = text.read(4096) or b""
        while head and not head.strip():
            head = text.read(4096) or b""
    return head.lstrip().startswith(b"[")


def _lines_or_document(source: Source, bad_lines: list[int] | None) -> Iterator[tuple[int, Any]]:
    decode = msgspec.json.Decoder().decode
    first = True
    for number, line in source.open().lines():
        try:
            value = decode(line)
        except UNREADABLE as error:
            if first:
                yield 1, _document(source)
                return
            if bad_lines is None:
                source.fail(f"not JSON: {_position(error)}", line=number)
            bad_lines.append(number)
            continue
        first = False
        yield number, value


def _document(source: Source) -> Any:
    """The whole file as one value, such as an indented object."""
    with source.open(line_limit=None) as text:
        parts, size = [], 0
        while part := text.read(_CHUNK):
            parts.append(part)
            size += len(part)
            if size > MAX_DOCUMENT_BYTES:
                source.fail(
                    f"one JSON document of more than {MAX_DOCUMENT_BYTES >> 20} MiB: give one value a line"
                )
    try:
        return msgspec.json.decode(b"".join(parts))
    except UNREADABLE as error:
        source.fail(f"not JSON: {_position(error)}", line=1)


def _list_items(source: Source, bad_lines: list[int] | None) -> Iterator[tuple[int, Any]]:
    """The items of a top-level list, one at a time; a damaged list ends the import whatever is tolerated."""
    del bad_lines
    reader = _ListReader(source)
    number = 0
    while reader.has_item():
        number += 1
        yield number, reader.item(number)


class _ListReader:
    """Walks through `[value, value, ...]` with no more text in memory than the current value needs."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self._raw = source.open(line_limit=None)
        self._decode = json.JSONDecoder(parse_constant=_no_constant).raw_decode
        self._text, self._at, self._ended = "", 0, False
        self._undecoded = b""
        self._skip_space()
        self._at += 1

    def has_item(self) -> bool:
        """Move to the next item; False at the end of the list."""
        self._skip_space(",")
        if self._at >= len(self._text):
            self._source.fail("the JSON list ends too early")
        return self._text[self._at] != "]"

    def item(self, number: int) -> Any:
        """Decode the item here."""
        wanted = _CHUNK
        while True:
            try:
                value, end = self._decode(self._text, self._at)
            except (ValueError, RecursionError) as error:
                if self._ended or isinstance(error, RecursionError):
                    self._source.fail(f"item {number} of the list is not JSON")
            else:
                # A number may go on in the next piece; objects and lists can't.
                if end < len(self._text) or self._ended:
                    self._at = end
                    return value
            if len(self._text) - self._at > MAX_LINE_BYTES:
                self._source.fail(
                    f"item {number} of the list is longer than {MAX_LINE_BYTES >> 20} MiB, or not JSON"
                )
            self._more(wanted)
            wanted *= 2

    def _skip_space(self, also: str = "") -> None:
        while True:
            while self._at < len(self._text) and self._text[self._at] in _SPACE + also:
                self._at += 1
            if self._at < len(self._text) or self._ended:
                return
            self._more(_CHUNK)

    def _more(self, wanted: int) -> None:
        pieces = [self._undecoded]
        while wanted > 0 and (piece := self._raw.read(min(wanted, _CHUNK))):
            pieces.append(piece)
            wanted -= len(piece)
        self._ended = wanted > 0
        data = b"".join(pieces)
        text = data.decode("utf-8", "ignore")
        # A character may be cut in two at the end of a piece.
        self._undecoded = data[len(text.encode()) :]
        self._text, self._at = self._text[self._at :] + text, 0


def _no_constant(name: str) -> Any:
    raise ValueError(name)


def _position(error: BaseException) -> str:
    """Where the JSON breaks, without its text: a log's text must not reach a message."""
    text = str(error)
    return (
        text[: text.index("(byte")].strip() + " " + text[text.index("(byte") :]
        if "(byte" in text
        else "damaged"
    )
