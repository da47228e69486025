"""Content of packed files: gzip, zstd, bzip2, xz, ZIP, and tables that aren't text.

Parquet and Arrow become JSON lines and an Excel workbook CSV, so that every importer reads text.
"""

import bz2
import csv
import gzip
import io
import lzma
import zipfile
import zlib
from collections.abc import Callable, Iterator, Sequence
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from importlib import import_module
from typing import Any, BinaryIO, NoReturn, Protocol

import msgspec
import zstandard

from workbench.base import Message, message

CHUNK = 1 << 20
_ROWS = 1024
_NESTED = 3
_TAR = slice(257, 262)
_SHOWN = 6


class Owner(Protocol):
    """The file to which a container reports problems and assumptions."""

    def refuse(self, problem: Message, *, line: int | None = None) -> NoReturn:
        """End the import."""

    def assume(self, assumption: Message) -> None:
        """Keep an assumption for the report."""


def unpacked(file: BinaryIO, owner: Owner, *, depth: int = 0) -> Iterator[bytes]:
    """Yield the unpacked content of a seekable file."""
    head = file.read(512)
    file.seek(0)
    if head[_TAR] == b"ustar":
        owner.refuse(message("traces.tar"))
    if depth > _NESTED:
        owner.refuse(message("traces.packed_too_deep"))
    unpack = next((unpack for magic, unpack in _CONTAINERS if head.startswith(magic)), _plain)
    return unpack(file, owner, depth)


def _plain(file: BinaryIO, owner: Owner, depth: int) -> Iterator[bytes]:
    try:
        while chunk := file.read(CHUNK):
            yield chunk
    except OSError as error:
        if depth:
            raise
        owner.refuse(message("base.unreadable_file", cause=error.strerror))


def _gzip(file: BinaryIO, owner: Owner, depth: int) -> Iterator[bytes]:
    try:
        with gzip.GzipFile(fileobj=file) as stream:
            yield from unpacked(_as_binary(stream), owner, depth=depth + 1)
    except EOFError:
        owner.refuse(message("traces.archive_cut", form="gzip"))
    except (OSError, zlib.error) as error:
        _refuse_damaged(owner, "gzip", str(error))


def _bzip2(file: BinaryIO, owner: Owner, depth: int) -> Iterator[bytes]:
    try:
        with bz2.BZ2File(file) as stream:
            yield from unpacked(_as_binary(stream), owner, depth=depth + 1)
    except (EOFError, OSError, ValueError) as error:
        _refuse_damaged(owner, "bzip2", str(error))


def _xz(file: BinaryIO, owner: Owner, depth: int) -> Iterator[bytes]:
    try:
        with lzma.LZMAFile(file) as stream:
            yield from unpacked(_as_binary(stream), owner, depth=depth + 1)
    except (EOFError, OSError, lzma.LZMAError) as error:
        _refuse_damaged(owner, "xz", str(error))


def _refuse_damaged(owner: Owner, form: str, cause: str) -> NoReturn:
    owner.refuse(message("traces.damaged_archive", form=form, cause=cause))


def _as_binary(stream: Any) -> BinaryIO:
    """Read a decompressing stream in large pieces."""
    return io.BufferedReader(stream, CHUNK)


def _zstd(file: BinaryIO, owner: Owner, depth: int) -> Iterator[bytes]:
    del depth
    pieces = _zstd_pieces(file, owner)
    first = next(pieces, b"")
    if first[_TAR] == b"ustar":
        owner.refuse(message("traces.tar"))
    yield first
    yield from pieces


def _zstd_pieces(file: BinaryIO, owner: Owner) -> Iterator[bytes]:
    # Feed small pieces: 4 bytes of zstd can unpack to 128 KiB.
    frame = zstandard.ZstdDecompressor(max_window_size=1 << 27).decompressobj()
    begun = False
    try:
        while rest := file.read(1024):
            while rest:
                if frame.eof:
                    frame = zstandard.ZstdDecompressor(max_window_size=1 << 27).decompressobj()
                chunk = frame.decompress(rest)
                begun, rest = True, frame.unused_data
                if chunk:
                    yield chunk
    except zstandard.ZstdError as error:
        _refuse_damaged(owner, "zstd", str(error))
    if begun and not frame.eof:
        owner.refuse(message("traces.archive_cut", form="zstd"))


def _zip(file: BinaryIO, owner: Owner, depth: int) -> Iterator[bytes]:
    """Yield the only file of a ZIP archive; an Excel workbook is one too."""
    try:
        with zipfile.ZipFile(file) as archive:
            names = archive.namelist()
            if "xl/workbook.xml" in names:
                file.seek(0)
                yield from _workbook(file, owner)
            elif "content.xml" in names and "mimetype" in names:
                owner.refuse(message("traces.spreadsheet", form="OpenDocument"))
            else:
                member = _only_member(archive, owner)
                with archive.open(member) as stream:
                    yield from unpacked(_as_binary(stream), owner, depth=depth + 1)
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError) as error:
        _refuse_damaged(owner, "ZIP", str(error))


def _only_member(archive: zipfile.ZipFile, owner: Owner) -> zipfile.ZipInfo:
    members = [
        member
        for member in archive.infolist()
        if not member.is_dir()
        and not member.filename.startswith("__MACOSX/")
        and not member.filename.rpartition("/")[2].startswith(".")
    ]
    if not members:
        owner.refuse(message("traces.archive_empty"))
    if len(members) > 1:
        more = ["…"] if len(members) > _SHOWN else []
        named = [member.filename.rpartition("/")[2] for member in members[:_SHOWN]] + more
        owner.refuse(message("traces.archive_of_several", count=len(members), names=named))
    if members[0].flag_bits & 1:
        owner.refuse(message("traces.archive_locked"))
    return members[0]


def _workbook(file: BinaryIO, owner: Owner) -> Iterator[bytes]:
    """Yield the first sheet with rows as CSV."""
    openpyxl = import_module("openpyxl")
    try:
        book = openpyxl.load_workbook(file, read_only=True, data_only=True)
    except Exception as error:  # noqa: BLE001 - openpyxl names no common class of what a damaged workbook raises
        _refuse_damaged(owner, "Excel", type(error).__name__)
    sheet = next((sheet for sheet in book.worksheets if (sheet.max_row or 0) > 1), book.worksheets[0])
    if len(book.worksheets) > 1:
        owner.assume(message("traces.sheet_read", name=sheet.title, count=len(book.worksheets)))
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    for number, row in enumerate(sheet.iter_rows(values_only=True), 1):
        writer.writerow([_cell(value) for value in row])
        if number % _ROWS == 0:
            yield _taken(text)
    yield _taken(text)


def _cell(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, datetime):
        return value.isoformat(sep=" ", timespec="microseconds")
    return repr(value) if isinstance(value, float) else str(value)


def _taken(text: io.StringIO) -> bytes:
    data = text.getvalue().encode("utf-8", "replace")
    text.seek(0)
    text.truncate()
    return data


def _parquet(file: BinaryIO, owner: Owner, depth: int) -> Iterator[bytes]:
    del depth
    module = _pyarrow("pyarrow.parquet", "Parquet", owner)
    yield from _batches(lambda: module.ParquetFile(file).iter_batches(batch_size=_ROWS), "Parquet", owner)


def _arrow(file: BinaryIO, owner: Owner, depth: int) -> Iterator[bytes]:
    del depth
    module = _pyarrow("pyarrow.ipc", "Arrow", owner)

    def batches() -> Iterator[Any]:
        opened = module.open_file(file)
        return (opened.get_batch(number) for number in range(opened.num_record_batches))

    yield from _batches(batches, "Arrow", owner)


def _batches(read: Callable[[], Iterator[Any]], form: str, owner: Owner) -> Iterator[bytes]:
    encode = msgspec.json.Encoder(enc_hook=_plain_value).encode
    try:
        for batch in read():
            rows: Sequence[dict[str, Any]] = batch.to_pylist()
            yield b"".join(encode(_with_instants(row)) + b"\n" for row in rows)
    except Exception as error:  # noqa: BLE001 - pyarrow names no common class of what a damaged file raises
        _refuse_damaged(owner, form, type(error).__name__)


def _pyarrow(name: str, form: str, owner: Owner) -> Any:
    try:
        return import_module(name)
    except ImportError:
        owner.refuse(message("traces.needs_pyarrow", form=form))


def _with_instants(row: dict[str, Any]) -> dict[str, Any]:
    """Keep the nanoseconds of a pandas time stamp."""
    return {name: str(value) if hasattr(value, "nanosecond") else value for name, value in row.items()}


def _plain_value(value: object) -> object:
    if isinstance(value, Decimal):
        return int(value) if value == value.to_integral_value() else float(value)
    if isinstance(value, date | time | timedelta):
        return str(value)
    raise NotImplementedError(type(value).__name__)


def _old_excel(file: BinaryIO, owner: Owner, depth: int) -> Iterator[bytes]:
    del file, depth
    owner.refuse(message("traces.spreadsheet", form="Excel 97"))


_Unpack = Callable[[BinaryIO, Owner, int], Iterator[bytes]]
_CONTAINERS: tuple[tuple[bytes, _Unpack], ...] = (
    (b"\x1f\x8b", _gzip),
    (b"\x28\xb5\x2f\xfd", _zstd),
    (b"BZh", _bzip2),
    (b"\xfd7zXZ\x00", _xz),
    (b"PK\x03\x04", _zip),
    (b"PAR1", _parquet),
    (b"ARROW1", _arrow),
    (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", _old_excel),
)
"""First bytes of a container and its reader."""
