"""Decoding of files to UTF-8: byte-order marks, UTF-16 and UTF-32, Windows-1252, old line ends."""

import codecs
from collections.abc import Callable, Iterable, Iterator
from itertools import chain

_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),  # before UTF-16: its mark begins with that one's
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_HEAD = 512
_WINDOWS = "workbench.windows-1252"

OnOther = Callable[[str, int], None]
"""Gets an encoding other than UTF-8 and the first line that uses it."""


def _as_windows_1252(error: UnicodeError) -> tuple[str, int]:
    """Decode a byte that isn't UTF-8 as Windows-1252."""
    if not isinstance(error, UnicodeDecodeError):
        raise error
    return error.object[error.start : error.end].decode("cp1252", "replace"), error.end


codecs.register_error(_WINDOWS, _as_windows_1252)


def as_utf8(chunks: Iterable[bytes], on_other: OnOther) -> Iterator[bytes]:
    """Decode chunks of any of these encodings, and encode them as UTF-8 without a byte-order mark.

    A byte that isn't UTF-8 is read as Windows-1252. Lone carriage returns become line ends if the file has no
    others.
    """
    pieces = (chunk for chunk in chunks if chunk)
    first = next(pieces, b"")
    mark, encoding = encoding_of(first)
    if encoding != "utf-8":
        on_other(encoding.upper(), 1)
    decoder = codecs.getincrementaldecoder(encoding)()
    old_ends = b"\n" not in first and b"\r" in first
    line, strict = 1, True
    for chunk, final in chain(
        [(first[len(mark) :], False)], ((piece, False) for piece in pieces), [(b"", True)]
    ):
        before = decoder.getstate()
        try:
            text = decoder.decode(chunk, final)
        except UnicodeDecodeError as error:
            if not strict:
                raise
            on_other("Windows-1252" if encoding == "utf-8" else encoding.upper(), line + _ends(chunk, error))
            errors = _WINDOWS if encoding == "utf-8" else "replace"
            decoder, strict = codecs.getincrementaldecoder(encoding)(errors), False
            decoder.setstate(before)
            text = decoder.decode(chunk, final)
        line += text.count("\n")
        if old_ends:
            text = text.replace("\r", "\n")
        if text:
            yield text.encode("utf-8", "replace")


def encoding_of(head: bytes) -> tuple[bytes, str]:
    """Return the byte-order mark and the encoding of a file by its first bytes."""
    for mark, encoding in _MARKS:
        if head.startswith(mark):
            return mark, encoding
    some = head[:_HEAD]
    evens, odds = some[::2].count(0), some[1::2].count(0)
    # Text of mostly ASCII: every second byte is 0.
    half = len(some) // 2
    if half >= 4 and odds > 0.7 * half and not evens:
        return b"", "utf-16-le"
    if half >= 4 and evens > 0.7 * half and not odds:
        return b"", "utf-16-be"
    return b"", "utf-8"


def _ends(chunk: bytes, error: UnicodeDecodeError) -> int:
    return chunk[: error.start].count(b"\n")
