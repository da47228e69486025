"""A trace file as guarded bytes: plain, gzip or zstd, read once through, in bounded memory.

Everything that can be wrong with a file as a file is said here: a folder, a pipe, empty, binary, another
encoding, a truncated archive, an endless line. Importers read what is left: lines of UTF-8 text.
"""

import codecs
import gzip
import io
import re
import stat
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import BinaryIO, NoReturn, Self

import zstandard

from workbench.base import InputError, WorkbenchError
from workbench.traces.limits import MAX_LINE_BYTES

Progress = Callable[[float], None]
"""Told the share of the file that was read, 0 to 1."""
Cancelled = Callable[[], bool]

_CHUNK = 1 << 20
_GZIP, _ZSTD = b"\x1f\x8b", b"\x28\xb5\x2f\xfd"
_SHOWN_NAMES = 8
_NAME = re.compile(r"[A-Za-z_][\w .-]{0,39}")
_OTHER_ENCODINGS = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)


class ImportStoppedError(WorkbenchError):
    """The user cancelled an import."""


class Source:
    """One file to import; `open` may be called more than once, and leaving the context closes all.

    Raises:
        InputError: not an ordinary file that can be read, or empty.
    """

    def __init__(
        self, path: Path, *, progress: Progress | None = None, cancelled: Cancelled | None = None
    ) -> None:
        self.path = path
        self._progress = progress
        self._cancelled = cancelled
        try:
            mode = path.stat()
        except (OSError, ValueError) as error:
            raise InputError(f"{path}: can't be read: {getattr(error, 'strerror', None) or error}") from error
        if stat.S_ISDIR(mode.st_mode):
            raise InputError(f"{path}: is a folder; name one file (join several with cat)")
        if not stat.S_ISREG(mode.st_mode):
            raise InputError(f"{path}: is a pipe or a device; write it to a file first")
        if not mode.st_size:
            raise InputError(f"{path}: is empty")
        self.size = mode.st_size
        self._opened = ExitStack()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._opened.close()

    def open(self, *, line_limit: int | None = MAX_LINE_BYTES) -> "TextBytes":
        """The file's text, uncompressed, from its beginning. `line_limit` None: lines may have any length."""
        try:
            file = self.path.open("rb")
        except OSError as error:
            raise InputError(f"{self.path}: can't be read: {error.strerror}") from error
        return self._opened.enter_context(TextBytes(self, file, line_limit))

    def fail(self, message: str, *, line: int | None = None) -> NoReturn:
        """End the import with this file's name, and the line where there is one, before the message."""
        raise InputError(
            f"{self.path}: {message}" if line is None else f"{self.path}, line {line}: {message}"
        )

    def reached(self, position: int) -> None:
        """Tell how far reading came.

        Raises:
            ImportStoppedError: the user asked to cancel.
        """
        if self._cancelled is not None and self._cancelled():
            raise ImportStoppedError(f"{self.path}: import stopped")
        if self._progress is not None:
            self._progress(min(1.0, position / self.size))


class TextBytes(io.RawIOBase):
    """UTF-8 bytes without byte-order mark, checked as they pass; lines are counted for messages."""

    def __init__(self, source: Source, file: BinaryIO, line_limit: int | None) -> None:
        super().__init__()
        self._source = source
        self._file = file
        self._chunks = self._checked(line_limit)
        self._rest = memoryview(b"")

    def readable(self) -> bool:
        """A stream to read."""
        return True

    def close(self) -> None:
        """Close the file too."""
        self._file.close()
        super().close()

    def readinto(self, buffer: "memoryview | bytearray") -> int:  # type: ignore[override]  # typeshed's WriteableBuffer is private
        """The next checked bytes."""
        if not self._rest:
            self._rest = memoryview(next(self._chunks, b""))
        count = min(len(buffer), len(self._rest))
        buffer[:count] = self._rest[:count]
        self._rest = self._rest[count:]
        return count

    def lines(self) -> Iterator[tuple[int, bytes]]:
        """Numbered lines that aren't blank, without their ends."""
        with io.BufferedReader(self, _CHUNK) as buffered:
            for number, line in enumerate(buffered, 1):
                stripped = line.strip()
                if stripped:
                    yield number, stripped

    def _checked(self, line_limit: int | None) -> Iterator[bytes]:
        decoder = codecs.getincrementaldecoder("utf-8")()
        line, line_bytes, first = 1, 0, True
        for chunk in self._unpacked():
            if first:
                self._refuse_other_encodings(chunk)
                chunk = chunk.removeprefix(codecs.BOM_UTF8)  # noqa: PLW2901 - the mark is not text
                first = False
            if b"\0" in chunk:
                self._source.fail(
                    "a NUL byte: not a text file", line=line + chunk[: chunk.index(b"\0")].count(b"\n")
                )
            try:
                decoder.decode(chunk)
            except UnicodeDecodeError as error:
                self._source.fail("not UTF-8 text", line=line + chunk[: error.start].count(b"\n"))
            ends = chunk.count(b"\n")
            line_bytes = len(chunk) - chunk.rfind(b"\n") - 1 if ends else line_bytes + len(chunk)
            if line_limit is not None and line_bytes > line_limit:
                self._source.fail(f"longer than {line_limit >> 20} MiB", line=line + ends)
            line += ends
            yield chunk
        if first:
            self._source.fail("is empty once unpacked")

    def _refuse_other_encodings(self, chunk: bytes) -> None:
        if chunk.startswith(_OTHER_ENCODINGS):
            self._source.fail("is UTF-16 text; save it as UTF-8")

    def _unpacked(self) -> Iterator[bytes]:
        head = self._file.read(4)
        self._file.seek(0)
        if head.startswith(_GZIP):
            return self._gunzipped()
        if head == _ZSTD:
            return self._zstd_unpacked()
        return self._read()

    def _read(self, size: int = _CHUNK) -> Iterator[bytes]:
        try:
            while chunk := self._file.read(size):
                self._source.reached(self._file.tell())
                yield chunk
        except OSError as error:
            self._source.fail(f"can't be read: {error.strerror}")

    def _gunzipped(self) -> Iterator[bytes]:
        try:
            with gzip.GzipFile(fileobj=self._file) as unpacked:
                while chunk := unpacked.read(_CHUNK):
                    self._source.reached(self._file.tell())
                    yield chunk
        except EOFError:
            self._source.fail("the gzip archive ends too early")
        except (OSError, zlib.error) as error:
            self._source.fail(f"the gzip archive is damaged: {error}")

    def _zstd_unpacked(self) -> Iterator[bytes]:
        # Fed in small pieces: 4 bytes of zstd can unpack to 128 KiB.
        frame = zstandard.ZstdDecompressor(max_window_size=1 << 27).decompressobj()
        begun = False
        try:
            for piece in self._read(1024):
                rest = piece
                while rest:
                    if frame.eof:
                        frame = zstandard.ZstdDecompressor(max_window_size=1 << 27).decompressobj()
                    chunk = frame.decompress(rest)
                    begun, rest = True, frame.unused_data
                    if chunk:
                        yield chunk
        except zstandard.ZstdError as error:
            self._source.fail(f"the zstd archive is damaged: {error}")
        if begun and not frame.eof:
            self._source.fail("the zstd archive ends too early")


def shown_names(names: Sequence[str]) -> str:
    """Names of columns or keys as a message may repeat them: a few, and only what reads like a name."""
    shown = [name if _NAME.fullmatch(name) else "…" for name in map(str, names[:_SHOWN_NAMES])]
    return ", ".join(shown) + (", …" if len(names) > _SHOWN_NAMES else "")
