"""A trace file as checked text: unpacked, decoded, read in one pass, in bounded memory.

This file refuses what is wrong with a file as a file: a folder, a pipe, an empty or binary file, a truncated
archive, an endless line. Importers get lines of UTF-8 text.
"""

import codecs
import io
import re
import stat
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import BinaryIO, NoReturn, Self

from workbench.base import Message, Place, Refusal, WorkFailure, message
from workbench.traces.io.decode_text import as_utf8
from workbench.traces.io.unpack import CHUNK, unpacked
from workbench.traces.trace_limits import MAX_LINE_BYTES

Progress = Callable[[float], None]
"""Called with the share of the file that is read, 0 to 1."""
Cancelled = Callable[[], bool]

LINES, ITEMS = "lines", "items"
_BINARY_HEAD = 1024
_SHOWN_NAMES = 8
_TEXT = re.compile(rb"[^\x00-\x08\x0e-\x1a\x1c-\x1f\x7f]*")
_NAME = re.compile(r"[A-Za-z_][\w .-]{0,39}")


class ImportStoppedError(WorkFailure):
    """The user cancelled an import."""


class Source:
    """One file to import; `open` may be called several times, and leaving the context closes all.

    Raises:
        Refusal: not an ordinary file that can be read, or empty.
    """

    def __init__(
        self, path: Path, *, progress: Progress | None = None, cancelled: Cancelled | None = None
    ) -> None:
        self.path = path
        self.assumptions: list[Message] = []
        """Assumptions about the file."""
        self.counts = LINES
        """Unit of a row's number: the file's lines, or the items of a JSON list."""
        self._progress = progress
        self._cancelled = cancelled
        try:
            mode = path.stat()
        except (OSError, ValueError) as error:
            cause = getattr(error, "strerror", None) or str(error)
            raise Refusal("base.unreadable_file", self._place(), cause=cause) from error
        if stat.S_ISDIR(mode.st_mode):
            raise Refusal("traces.is_folder", self._place())
        if not stat.S_ISREG(mode.st_mode):
            raise Refusal("traces.is_pipe", self._place())
        if not mode.st_size:
            raise Refusal("traces.is_empty", self._place())
        self.size = mode.st_size
        self._opened = ExitStack()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._opened.close()

    def open(self, *, line_limit: int | None = MAX_LINE_BYTES) -> "TextBytes":
        """Open the file's text, unpacked, at its beginning. `line_limit` None: lines of any length."""
        try:
            file = self.path.open("rb")
        except OSError as error:
            raise Refusal("base.unreadable_file", self._place(), cause=error.strerror) from error
        return self._opened.enter_context(TextBytes(self, file, line_limit))

    def refuse(self, problem: Message, *, line: int | None = None) -> NoReturn:
        """End the import.

        Raises:
            Refusal: always; its place is this file and the line.
        """
        raise Refusal(problem.kind, self._place(line), **problem.values)

    def assume(self, assumption: Message) -> None:
        """Keep an assumption about the file for the report, once."""
        if assumption not in self.assumptions:
            self.assumptions.append(assumption)

    def _place(self, line: int | None = None) -> Place:
        return Place(file=str(self.path), line=line)

    def report_progress(self, position: int) -> None:
        """Report the progress of reading.

        Raises:
            ImportStoppedError: the user cancelled.
        """
        if self._cancelled is not None and self._cancelled():
            raise ImportStoppedError("traces.import_stopped", self._place())
        if self._progress is not None:
            self._progress(min(1.0, position / self.size))


class TextBytes(io.RawIOBase):
    """UTF-8 bytes without byte-order mark, checked while they are read; lines are counted for messages."""

    def __init__(self, source: Source, file: BinaryIO, line_limit: int | None) -> None:
        super().__init__()
        self._source = source
        self._file = file
        self._chunks = self._checked(line_limit)
        self._rest = memoryview(b"")

    def readable(self) -> bool:
        """Return True."""
        return True

    def close(self) -> None:
        """Close the file too."""
        self._file.close()
        super().close()

    def readinto(self, buffer: "memoryview | bytearray") -> int:  # type: ignore[override]  # typeshed's WriteableBuffer is private
        """Copy the next checked bytes into `buffer`."""
        if not self._rest:
            self._rest = memoryview(next(self._chunks, b""))
        count = min(len(buffer), len(self._rest))
        buffer[:count] = self._rest[:count]
        self._rest = self._rest[count:]
        return count

    def lines(self) -> Iterator[tuple[int, bytes]]:
        """Yield numbered lines that aren't blank, stripped."""
        for number, line in self.raw_lines():
            stripped = line.strip()
            if stripped:
                yield number, stripped

    def raw_lines(self) -> Iterator[tuple[int, bytes]]:
        """Yield all numbered lines with the space around them, without their ends."""
        with io.BufferedReader(self, CHUNK) as buffered:
            for number, line in enumerate(buffered, 1):
                # Joined files have byte-order marks in the middle.
                yield number, line.rstrip(b"\r\n").removeprefix(codecs.BOM_UTF8)

    def _checked(self, line_limit: int | None) -> Iterator[bytes]:
        line, line_bytes, first = 1, 0, True
        for chunk in as_utf8(self._unpacked(), self._other_encoding):
            if first and _is_binary(chunk[:_BINARY_HEAD]):
                line += chunk[: chunk.index(b"\0")].count(b"\n")
                self._source.refuse(message("traces.nul_byte"), line=line)
            first = False
            ends = chunk.count(b"\n")
            line_bytes = len(chunk) - chunk.rfind(b"\n") - 1 if ends else line_bytes + len(chunk)
            if line_limit is not None and line_bytes > line_limit:
                self._source.refuse(message("traces.line_too_long", mib=line_limit >> 20), line=line + ends)
            line += ends
            yield chunk
        if first:
            self._source.refuse(message("traces.empty_unpacked"))

    def _unpacked(self) -> Iterator[bytes]:
        for piece in unpacked(self._file, self._source):
            self._source.report_progress(self._file.tell())
            yield piece

    def _other_encoding(self, encoding: str, line: int) -> None:
        if encoding.startswith("UTF"):
            self._source.assume(message("traces.encoding_read", encoding=encoding))
        else:
            self._source.assume(message("traces.odd_bytes", line=line))


def _is_binary(head: bytes) -> bool:
    """Check for a NUL byte at the beginning; after a line of text it is a broken row that a crash left."""
    before, nul, _ = head.partition(b"\0")
    return bool(nul) and (b"\n" not in before or not _TEXT.fullmatch(before))


def shown_names(names: Sequence[str]) -> str:
    """Return a few names of columns or keys for a message, and only those that look like names."""
    shown = [name if _NAME.fullmatch(name) else "…" for name in map(str, names[:_SHOWN_NAMES])]
    return ", ".join(shown) + (", …" if len(names) > _SHOWN_NAMES else "")
