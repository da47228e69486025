"""The form of a body, by its first bytes: gateways put any Content-Type on any form."""

from enum import Enum, auto

import msgspec

from workbench.base import UNREADABLE

_FIELDS = (b"data:", b"event:", b"id:", b"retry:", b"error:", b":")
BLANK = b" \t\r\n"
"""Bytes that may precede a body, to keep a connection open."""
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_RECORD_SEPARATOR = b"\x1e"
_COMPRESSIONS = frozenset(
    {b"gzip", b"x-gzip", b"deflate", b"br", b"zstd", b"compress", b"x-compress", b"dcb", b"dcz"}
)


class Form(Enum):
    """Form of a body."""

    EVENTS = auto()
    """Server-sent events."""
    JSON = auto()
    """An object, or one on each line."""
    TEXT = auto()
    """Neither, mostly a page."""


def form_of(start: bytes, content_type: bytes) -> Form | None:
    """Return the form of a body that begins with `start`; None: it takes more bytes to know."""
    start = start.removeprefix(_BYTE_ORDER_MARK).lstrip(BLANK)
    if not start or _BYTE_ORDER_MARK.startswith(start):
        return None
    if start[:1] in {b"{", b"[", _RECORD_SEPARATOR}:
        return Form.JSON
    if b"event-stream" in content_type or start.startswith(_FIELDS):
        return Form.EVENTS
    if any(field.startswith(start) for field in _FIELDS):
        return None
    return Form.TEXT


def is_compression(coding: bytes) -> bool:
    """Return whether a Content-Encoding changes the bytes; `none`, `identity`, `utf-8` and nothing don't."""
    return any(name.strip().lower() in _COMPRESSIONS for name in coding.split(b","))


class JsonLines:
    """A JSON body read by lines, each with the stamp at which it was complete.

    The second line shows whether the body is one object or a stream of objects, so nothing is returned before
    it arrives.
    """

    __slots__ = ("_at", "_body", "_looked", "lines")

    def __init__(self) -> None:
        self._body = bytearray()
        self._looked = False
        self._at: float | None = None
        """Stamp at which the first line was complete."""
        self.lines = False
        """The body is a stream: one object a line."""

    def __len__(self) -> int:
        return len(self._body)

    def feed(self, stamp: float, body: bytes) -> list[tuple[float, bytes]]:
        """Return the lines that these bytes complete."""
        self._body += body
        if b"\n" not in body and not (self._at is not None and not self._looked):
            return []
        if not self.lines:
            return self._first(stamp)
        return self._whole_lines(stamp)

    def rest(self) -> bytes:
        """Return the rest at the end: the whole body unless it is a stream, else an unfinished line."""
        return bytes(self._body).strip(BLANK + _RECORD_SEPARATOR)

    def _first(self, stamp: float) -> list[tuple[float, bytes]]:
        if self._looked:
            return []
        line, ended, after = bytes(self._body).lstrip(BLANK + _RECORD_SEPARATOR).partition(b"\n")
        if not ended:
            return []
        self._at = stamp if self._at is None else self._at
        if not after.strip(BLANK + _RECORD_SEPARATOR):
            return []
        self._looked = True
        try:
            self.lines = isinstance(msgspec.json.decode(line), dict)
        except UNREADABLE:
            self.lines = False
        if not self.lines:
            return []
        self._body = bytearray(after)
        return [(self._at, line.strip()), *self._whole_lines(stamp)]

    def _whole_lines(self, stamp: float) -> list[tuple[float, bytes]]:
        *whole, rest = self._body.split(b"\n")
        self._body = bytearray(rest)
        lines = (bytes(line).strip(BLANK + _RECORD_SEPARATOR) for line in whole)
        return [(stamp, line) for line in lines if line]
