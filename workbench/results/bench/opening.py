"""Open a bench file: check that it is one, that it is whole, and that it has no other writer."""

import os
import shutil
import sqlite3
import struct
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import msgspec
import psutil

from workbench.base import UNREADABLE, Place, Refusal, WorkFailure, utc_now
from workbench.results.bench.schema import APPLICATION_ID, version_known

_MAGIC = b"SQLite format 3\0"
_HEADER_BYTES = 100
_BUSY_S = 1.0
"""Wait for another program's lock when a file is opened."""
WRITER_BUSY_MS = 5000
"""Wait for a lock while results are stored; longer, because they would be lost."""


class BenchWriter(msgspec.Struct, frozen=True):
    """The process that writes to the file; its start time distinguishes it from a later one."""

    pid: int
    started: float
    host: str
    since_utc: str


_SQLITE_KINDS = {
    sqlite3.SQLITE_FULL: "results.disk_full",
    sqlite3.SQLITE_BUSY: "results.bench_locked",
    sqlite3.SQLITE_READONLY: "results.bench_read_only",
    sqlite3.SQLITE_CANTOPEN: "results.bench_not_opened",
    sqlite3.SQLITE_CORRUPT: "results.bench_corrupt",
    sqlite3.SQLITE_NOTADB: "results.not_a_bench",
    sqlite3.SQLITE_IOERR: "results.bench_io_error",
}
"""SQLite's error codes and the kinds of the failures that they become."""


@contextmanager
def sqlite_failures(path: Path) -> Iterator[None]:
    """Turn SQLite's errors into failures that name the file and say what to do.

    Raises:
        WorkFailure: disk full, locked, damaged, unwritable.
    """
    try:
        yield
    except sqlite3.Error as error:
        code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR) & 0xFF
        kind = _SQLITE_KINDS.get(code, "results.bench_unusable")
        raise WorkFailure(kind, Place(file=str(path)), cause=str(error)) from error


def require_bench_file(path: Path) -> int:
    """Check the first bytes of a file and return its version; a refused file stays untouched.

    Raises:
        Refusal: missing, not a bench file, cut short, or of a newer version of the program.
    """
    place = Place(file=str(path))
    try:
        size = path.stat().st_size
        with path.open("rb") as file:
            header = file.read(_HEADER_BYTES)
    except OSError as error:
        raise Refusal("base.unreadable_file", place, cause=error.strerror or str(error)) from error
    if not header:
        raise Refusal("results.bench_empty", place)
    if not header.startswith(_MAGIC):
        raise Refusal("results.bench_without_header", place)
    if len(header) < _HEADER_BYTES:
        raise Refusal("results.bench_header_short", place, size=size)
    version, application = struct.unpack_from(">I", header, 60)[0], struct.unpack_from(">I", header, 68)[0]
    if application != APPLICATION_ID:
        raise Refusal("results.other_sqlite_file", place)
    if version > version_known():
        raise Refusal("results.newer_bench", place, version=version, known=version_known())
    log = path.with_name(path.name + "-wal")
    if not (log.exists() and log.stat().st_size):
        # A left-over log may hold the pages that are missing here; SQLite reads them from it.
        _require_whole(path, header, size)
    return int(version)


def _require_whole(path: Path, header: bytes, size: int) -> None:
    page = struct.unpack_from(">H", header, 16)[0]
    page = 65536 if page == 1 else page
    pages, changes, valid_for = (struct.unpack_from(">I", header, place)[0] for place in (28, 24, 92))
    # The page count is valid only if the two change counters agree (SQLite file format, 1.3.7).
    if changes == valid_for and size < page * pages:
        raise Refusal("results.bench_cut_short", Place(file=str(path)), size=size, whole=page * pages)


def connect(path: Path, *, read_only: bool) -> sqlite3.Connection:
    """Open an existing SQLite file. A reader may be used from any thread, one at a time."""
    uri = f"{path.resolve().as_uri()}?mode={'ro' if read_only else 'rw'}"
    return sqlite3.connect(
        uri, uri=True, timeout=_BUSY_S, isolation_level=None, check_same_thread=not read_only
    )


def copy_with_log(path: Path, folder: Path) -> Path:
    """Copy the file and its left-over write-ahead log, for readers that may not write beside it."""
    copy = folder / path.name
    shutil.copyfile(path, copy)
    log = path.with_name(path.name + "-wal")
    if log.exists():
        shutil.copyfile(log, folder / log.name)
    return copy


def claim_writer(connection: sqlite3.Connection, path: Path) -> None:
    """Make this process the file's one writer.

    Raises:
        Refusal: another live process of this machine is the writer.
    """
    # Reading needs no lock, so a writer in the middle of a transaction is named at once.
    _refuse_second_writer(connection, path)
    connection.execute("BEGIN IMMEDIATE")
    try:
        _refuse_second_writer(connection, path)
        value = msgspec.json.encode(_this_process()).decode()
        connection.execute("INSERT OR REPLACE INTO meta VALUES ('writer', ?)", (value,))
        connection.execute("COMMIT")
    finally:
        if connection.in_transaction:
            connection.rollback()


def _refuse_second_writer(connection: sqlite3.Connection, path: Path) -> None:
    row = connection.execute("SELECT value FROM meta WHERE key = 'writer'").fetchone()
    writer = _writer_of(row[0]) if row else None
    if writer is not None and _alive(writer):
        raise Refusal(
            "results.second_writer", Place(file=str(path)), process=writer.pid, since=writer.since_utc
        )


def release_writer(connection: sqlite3.Connection) -> None:
    """Release the file, in the open transaction if there is one."""
    connection.execute("DELETE FROM meta WHERE key = 'writer'")


def _this_process() -> BenchWriter:
    process = psutil.Process()
    return BenchWriter(pid=process.pid, started=process.create_time(), host=_host(), since_utc=utc_now())


def _writer_of(text: Any) -> BenchWriter | None:
    """Return the stored writer; None: not in our form."""
    try:
        return msgspec.json.decode(text, type=BenchWriter)
    except (TypeError, *UNREADABLE):
        return None


def _alive(writer: BenchWriter) -> bool:
    """Return whether a writer lives; one of another machine is a left-over: SQLite's log is local."""
    if writer.host != _host():
        return False
    try:
        return abs(psutil.Process(writer.pid).create_time() - writer.started) < 1.0
    except psutil.Error:
        return False


def _host() -> str:
    return os.uname().nodename if hasattr(os, "uname") else os.environ.get("COMPUTERNAME", "")
