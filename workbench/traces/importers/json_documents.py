"""JSON in any arrangement: one value a line, a list, values one after another, or one document.

Memory stays bounded. A broken value is reported to `broken`; reading continues after it if the next value can
be found.
"""

import json
import re
from collections.abc import Callable, Iterator
from typing import Any, Literal

import msgspec

from workbench.base import UNREADABLE, Message, message
from workbench.traces.io.source_file import ITEMS, Source
from workbench.traces.trace_limits import MAX_DOCUMENT_BYTES, MAX_LINE_BYTES, MAX_ROWS

_CHUNK = 1 << 20
_SPACE = " \t\r\n\ufeff"
_BEGINS_VALUE = (b"{", b"[", b'"', b"]")

Broken = Callable[[int, Message], None]
"""Gets the line (or the number in a list) of a value that can't be read, and its problem without its text."""
Arrangement = Literal["lines", "list", "values", "document"]


def values(source: Source, *, broken: Broken | None = None) -> Iterator[tuple[int, Any]]:
    """Yield numbered values (their line, or their number in a list).

    Raises:
        Refusal: a value is too large, there are too many, or one is broken and `broken` is None.
    """
    tell = broken or _ends_the_import(source)
    found = arrangement(source)
    for count, item in enumerate(_READERS[found](source, tell), 1):
        if count > MAX_ROWS:
            source.refuse(message("traces.too_many_values", maximum=MAX_ROWS))
        yield item


def first_value(source: Source) -> Any:
    """Return the first value, or None if there is none; used to find the format."""
    return next(iter(values(source, broken=lambda _line, _problem: None)), (0, None))[1]


def keys_twice(line: bytes) -> list[str]:
    """Return the keys that an object has twice with different values; a decoder silently takes the last."""
    twice: list[str] = []

    def remember(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for key, value in pairs:
            if found.get(key, value) != value and key not in twice:
                twice.append(key)
            found[key] = value
        return found

    try:
        json.loads(line, object_pairs_hook=remember)
    except UNREADABLE:
        return []
    return twice


def looks_like_json(head: bytes) -> bool:
    """Check whether a file that begins so is JSON, not a log whose lines begin with a bracket."""
    text = head.lstrip()
    if text.startswith(b"{"):
        return text[1:].lstrip()[:1] in (b'"', b"}", b"")
    return text.startswith(b"[") and text[1:].lstrip()[:1] in (*_BEGINS_VALUE, b"")


def arrangement(source: Source) -> Arrangement:
    """Find the arrangement of a file's values by its first line."""
    with source.open(line_limit=None) as text:
        head = text.read(4096) or b""
        while head and not head.strip():
            head = text.read(4096) or b""
    if head.lstrip().startswith(b"[") and looks_like_json(head):
        return "list"
    _, first = next(source.open(line_limit=None).lines(), (0, b""))
    if _is_json(first.removesuffix(b",")):
        return "lines"
    return _of_several_lines(source)


def _of_several_lines(source: Source) -> Arrangement:
    """Find the arrangement if the first line is no value: it is broken, or the value spans several lines."""
    reader = _JsonValueReader(source, bare=True)
    try:
        reader.value()
    except _BrokenValueError:
        return "lines"
    reader.skip_space()
    return "document" if reader.at_end() else "values"


def _is_json(line: bytes) -> bool:
    """Check whether a line is one value; Python's decoder also accepts half a surrogate pair."""
    try:
        json.loads(line)
    except UNREADABLE:
        return False
    return True


def _lines(source: Source, tell: Broken) -> Iterator[tuple[int, Any]]:
    decode = msgspec.json.Decoder().decode
    for number, line in source.open().lines():
        try:
            value = decode(without_comma(line))
        except UNREADABLE as error:
            if line not in (b"[", b"]", b","):
                tell(number, not_json(error))
            continue
        yield number, value


def without_comma(line: bytes) -> bytes:
    """Return a line that was cut out of a JSON list without its comma."""
    return line[:-1] if line.endswith(b"},") else line


def _document(source: Source, tell: Broken) -> Iterator[tuple[int, Any]]:
    """Read the whole file as one value, such as an indented object."""
    with source.open(line_limit=None) as text:
        parts, size = [], 0
        while part := text.read(_CHUNK):
            parts.append(part)
            size += len(part)
            if size > MAX_DOCUMENT_BYTES:
                source.refuse(message("traces.document_too_long", mib=MAX_DOCUMENT_BYTES >> 20))
    try:
        yield 1, msgspec.json.decode(b"".join(parts))
    except UNREADABLE as error:
        tell(1, not_json(error))


def _values(source: Source, tell: Broken) -> Iterator[tuple[int, Any]]:
    """Read values one after another, each on any number of lines."""
    source.counts = ITEMS
    reader = _JsonValueReader(source, bare=True)
    number = 0
    reader.skip_space(",")
    while not reader.at_end():
        number += 1
        try:
            yield number, reader.value()
        except _BrokenValueError:
            tell(number, message("traces.rest_lost", number=number))
            return
        reader.skip_space(",")


def _list(source: Source, tell: Broken) -> Iterator[tuple[int, Any]]:
    """Read the items of a top-level list, one at a time."""
    source.counts = ITEMS
    reader = _JsonValueReader(source)
    number = 0
    while True:
        reader.skip_space(",")
        if reader.at_end():
            tell(number + 1, message("traces.list_cut"))
            return
        if reader.ends_list():
            return
        number += 1
        try:
            yield number, reader.value()
        except _BrokenValueError as error:
            if error.too_long:
                source.refuse(message("traces.item_too_long", number=number, mib=MAX_LINE_BYTES >> 20))
            found_next = reader.skip_to_next_item()
            tell(number, message("traces.item_not_json", number=number))
            if not found_next:
                return


class _BrokenValueError(Exception):
    def __init__(self, *, too_long: bool = False) -> None:
        super().__init__()
        self.too_long = too_long


class _JsonValueReader:
    """Reads values with no more text in memory than the current one needs."""

    def __init__(self, source: Source, *, bare: bool = False) -> None:
        self._raw = source.open(line_limit=None)
        self._decode = json.JSONDecoder(parse_constant=_no_constant).raw_decode
        self._text, self._at, self._ended = "", 0, False
        self._undecoded = b""
        self._indent = ""
        self.skip_space()
        if not bare:
            self._at += 1

    def at_end(self) -> bool:
        """Check whether the file ends here (after `skip_space`)."""
        return self._at >= len(self._text)

    def ends_list(self) -> bool:
        """Check whether the list ends here."""
        return self._text[self._at] == "]"

    def value(self) -> Any:
        """Decode the value here.

        Raises:
            _BrokenValueError: the value isn't JSON, or too long.
        """
        self._remember_indent()
        wanted = _CHUNK
        while True:
            try:
                value, end = self._decode(self._text, self._at)
            except RecursionError as error:
                raise _BrokenValueError from error
            except ValueError as error:
                if self._ended or self._breaks_before_the_end(error):
                    raise _BrokenValueError from error
            else:
                # A number may go on in the next piece; objects and lists can't.
                if end < len(self._text) or self._ended:
                    halves = "\\ud" in self._text[self._at : end].lower()
                    self._at = end
                    return _encodable(value) if halves else value
            if len(self._text) - self._at > MAX_LINE_BYTES:
                raise _BrokenValueError(too_long=True)
            self._more(wanted)
            wanted *= 2

    def _breaks_before_the_end(self, error: ValueError) -> bool:
        """Check whether the error lies far before the end of the text, so that more text can't mend it."""
        position = getattr(error, "pos", None)
        # The error's position is the beginning of an unterminated string.
        if position is None or "Unterminated" in str(error):
            return False
        return int(position) < len(self._text) - 64

    def _remember_indent(self) -> None:
        """Store the indentation of a value that begins its line."""
        before = self._text[max(0, self._at - 200) : self._at]
        start = before.rpartition("\n")[2]
        self._indent = start if not start.strip(" \t") else "\0"

    def skip_to_next_item(self) -> bool:
        """Move to the next object with the same indentation; False if there is none."""
        while True:
            place = self._text.find(f"\n{self._indent}{{", self._at)
            if place >= 0:
                self._at = place + 1
                return True
            if self._ended:
                self._at = len(self._text)
                return False
            keep = len(self._text) - len(self._indent) - 2
            self._at = max(self._at, keep)
            self._more(_CHUNK)

    def skip_space(self, also: str = "") -> None:
        """Move over space, and over these characters."""
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
        # A piece may end within a character.
        self._undecoded = data[len(text.encode()) :]
        # Keep some text before the place: it shows the indentation of the value.
        start = max(0, self._at - 200)
        self._text, self._at = self._text[start:] + text, self._at - start


def _encodable(value: Any) -> Any:
    """Return a value with texts that UTF-8 can encode; JSON may contain half of a surrogate pair."""
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode()
    if isinstance(value, list):
        return [_encodable(each) for each in value]
    if isinstance(value, dict):
        return {_encodable(key): _encodable(each) for key, each in value.items()}
    return value


def _no_constant(name: str) -> Any:
    raise ValueError(name)


_BYTE = re.compile(r"\(byte (\d+)\)")


def not_json(error: BaseException) -> Message:
    """Return the byte at which the JSON breaks, without its text, which may be private."""
    found = _BYTE.search(str(error))
    if found is None:
        return message("traces.not_json")
    return message("traces.not_json_at", byte=int(found[1]))


def _ends_the_import(source: Source) -> Broken:
    def ends(line: int, problem: Message) -> None:
        source.refuse(problem, line=line)

    return ends


_READERS: dict[Arrangement, Callable[[Source, Broken], Iterator[tuple[int, Any]]]] = {
    "lines": _lines,
    "list": _list,
    "values": _values,
    "document": _document,
}
