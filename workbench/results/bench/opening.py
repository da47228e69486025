"""Opening a bench file: what it is, whether it is whole, who writes to it; refusals in one clear line."""

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

from workbench.base import UNREADABLE, InputError, WorkbenchError, utc_now
from workbench.results.bench.schema import APPLICATION_ID, version_known

_MAGIC = b"SQLite format 3\0"
_HEADER_BYTES = 100
_BUSY_S = 1.0
"""How long another program's lock is waited for when a file is opened."""
WRITER_BUSY_MS = 5000
"""The same while results are stored, which are worth more patience."""


class Writer(msgspec.Struct, frozen=True):
    """The process that writes to the file. Its start time tells it from a later one with the same number."""

    pid: int
    started: float
    host: str
    since_utc: str


@contextmanager
def worded(path: Path) -> Iterator[None]:
    """Turn SQLite's errors into one line that names the file and what to do.

    Raises:
        WorkbenchError: disk full, locked, damaged, unwritable.
    """
    try:
        yield
    except sqlite3.Error as error:
        raise WorkbenchError(f"{path}: {_words(error)}") from error


def _words(error: sqlite3.Error) -> str:
    code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR) & 0xFF
    known = {
        sqlite3.SQLITE_FULL: "the disk is full; all that was stored before is kept",
        sqlite3.SQLITE_BUSY: "another program holds this bench file; close it there first",
        sqlite3.SQLITE_READONLY: "can't be written to: it or its folder is read-only",
        sqlite3.SQLITE_CANTOPEN: "can't be opened: check that it and its folder may be read and written",
        sqlite3.SQLITE_CORRUPT: "this bench file is damaged or cut short",
        sqlite3.SQLITE_NOTADB: "not a bench file",
        sqlite3.SQLITE_IOERR: f"reading or writing failed ({error}); all that was stored before is kept",
    }
    return known.get(code, f"the bench file can't be used ({error})")


def require_bench_file(path: Path) -> int:
    """Look at the first bytes only, so that a file that is refused stays untouched; returns its version.

    Raises:
        InputError: missing, not a bench file, cut short, or of a newer version of the program.
    """
    try:
        size = path.stat().st_size
        with path.open("rb") as file:
            header = file.read(_HEADER_BYTES)
    except OSError as error:
        raise InputError(f"{path}: can't be read: {error.strerror}") from error
    if not header.startswith(_MAGIC):
        raise InputError(f"{path}: not a bench file ({'it is empty' if not header else 'no SQLite header'})")
    if len(header) < _HEADER_BYTES:
        raise InputError(f"{path}: this bench file is cut short: {size} bytes")
    version, application = struct.unpack_from(">I", header, 60)[0], struct.unpack_from(">I", header, 68)[0]
    if application != APPLICATION_ID:
        raise InputError(f"{path}: a SQLite file, but not a bench file of vLLM Workbench")
    if version > version_known():
        raise InputError(
            f"{path}: written by a newer vLLM Workbench (bench format {version}, this program reads up to "
            f"{version_known()}); update the program"
        )
    log = path.with_name(path.name + "-wal")
    if not (log.exists() and log.stat().st_size):
        # With a left-over log the pages that are missing here may stand there: SQLite itself knows.
        _require_whole(path, header, size)
    return int(version)


def _require_whole(path: Path, header: bytes, size: int) -> None:
    page = struct.unpack_from(">H", header, 16)[0]
    page = 65536 if page == 1 else page
    pages, changes, valid_for = (struct.unpack_from(">I", header, place)[0] for place in (28, 24, 92))
    # The page count holds only where the two change counters agree (SQLite file format, 1.3.7).
    if changes == valid_for and size < page * pages:
        raise InputError(f"{path}: this bench file is cut short: {size} bytes where {page * pages} belong")


def connect(path: Path, *, read_only: bool) -> sqlite3.Connection:
    """Open an existing SQLite file. A reader may be used from any one thread at a time."""
    uri = f"{path.resolve().as_uri()}?mode={'ro' if read_only else 'rw'}"
    return sqlite3.connect(
        uri, uri=True, timeout=_BUSY_S, isolation_level=None, check_same_thread=not read_only
    )


def copy_with_log(path: Path, folder: Path) -> Path:
    """A copy of the file and its left-over write-ahead log, for readers that may not write beside it."""
    copy = folder / path.name
    shutil.copyfile(path, copy)
    log = path.with_name(path.name + "-wal")
    if log.exists():
        shutil.copyfile(log, folder / log.name)
    return copy


def claim(connection: sqlite3.Connection, path: Path) -> None:
    """Make this process the file's one writer.

    Raises:
        InputError: a process that lives on this machine already is.
    """
    # A read needs no lock: a writer in the middle of a transaction is named, not waited for.
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
        raise InputError(
            f"{path}: another run writes to this bench file (process {writer.pid}, "
            f"since {writer.since_utc}); wait for it or choose another file"
        )


def release(connection: sqlite3.Connection) -> None:
    """Give up the claim, in the open transaction if there is one."""
    connection.execute("DELETE FROM meta WHERE key = 'writer'")


def _this_process() -> Writer:
    process = psutil.Process()
    return Writer(pid=process.pid, started=process.create_time(), host=_host(), since_utc=utc_now())


def _writer_of(text: Any) -> Writer | None:
    """None: no writer of ours wrote that."""
    try:
        return msgspec.json.decode(text, type=Writer)
    except (TypeError, *UNREADABLE):
        return None


def _alive(writer: Writer) -> bool:
    """A writer elsewhere can't be asked; SQLite's log works on one machine only, so it is a left-over."""
    if writer.host != _host():
        return False
    try:
        return abs(psutil.Process(writer.pid).create_time() - writer.started) < 1.0
    except psutil.Error:
        return False


def _host() -> str:
    return os.uname().nodename if hasattr(os, "uname") else os.environ.get("COMPUTERNAME", "")
