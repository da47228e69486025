"""Seals: digests of the stored data, which reveal any later change.

Each part of a run (its row, its requests, its samples, …) has a digest in `meta`. A run is sealed at its end,
in the same transaction; an open or broken-off run isn't. The
digests have no key, so a change that also renews them is not found.
"""

import hashlib
import sqlite3
from collections.abc import Iterable, Iterator
from typing import Any

import msgspec

from workbench.base import Message, message
from workbench.results.bench.schema import insert, select

_PREFIX = "seal:"
_SHARED = 0
"""The run number of data that belongs to no run; runs are numbered from 1."""
_SEAL_ROW = insert("meta", ("key", "value"), replace=True)
_OF_RUN = {
    "run": ("runs", "WHERE id = ?1"),
    "requests": ("requests", "WHERE key >= ?1 << 32 AND key < (?1 + 1) << 32 ORDER BY key"),
    "samples": ("samples", "WHERE run_id = ?1 ORDER BY id"),
    "machine": ("machine", "WHERE run_id = ?1 ORDER BY id"),
    "limits": ("limit_changes", "WHERE run_id = ?1 ORDER BY id"),
    "log": ("log", "WHERE run_id = ?1 ORDER BY id"),
}
"""The table and rows of each part."""
_BETWEEN_RUNS = {
    "limits": ("limit_changes", "WHERE run_id IS NULL ORDER BY id"),
    "log": ("log", "WHERE run_id IS NULL ORDER BY id"),
}
_WHOLE = {
    "experiments": ("experiments", "ORDER BY id"),
    "meta": ("meta", "WHERE key <> 'writer' AND key NOT LIKE 'seal:%' ORDER BY key"),
}
"""Small tables, sealed with every commit that changed them."""
_ENCODER = msgspec.msgpack.Encoder()


class Seals:
    """The seals of a file that is open for writing; `renew` must precede every commit."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self._touched: dict[int, set[str]] = {}
        self.were_missing = False
        """The file had no seals: an earlier build wrote it."""

    def touch(self, part: str, run_id: int | None = None) -> None:
        """Note that this part of a run (None: of no run) was written."""
        self._touched.setdefault(run_id or _SHARED, set()).add(part)

    def touch_unsealed(self) -> None:
        """Seal the whole file if an earlier build wrote it without seals."""
        self.were_missing = not _seals(self._connection)
        if self.were_missing:
            self.touch("experiments")
            self.touch("meta")
            for (run_id,) in self._connection.execute("SELECT id FROM runs").fetchall():
                self.touch("run", run_id)

    def renew(self) -> None:
        """Seal the touched parts again, in the transaction that wrote them."""
        if not self._touched:
            return
        known = _seals(self._connection)
        whole = self._touched.get(_SHARED, set()) & _WHOLE.keys()
        self._write(whole, _SHARED)
        if "experiments" in self._touched.get(_SHARED, ()):
            self._touched[_SHARED] |= _BETWEEN_RUNS.keys()
        for run_id, parts in self._touched.items():
            all_parts = _parts(run_id)
            if _is_open(self._connection, run_id):
                self._remove(known & {(part, run_id) for part in all_parts})
            else:
                missing = {part for part in all_parts if (part, run_id) not in known}
                self._write((parts & all_parts) | missing, run_id)
        self._touched.clear()

    def seal_open_too(self) -> None:
        """Seal open and broken-off runs as they are: this copy gets no more writes."""
        known = _seals(self._connection)
        for run_id in (_SHARED, *_run_ids(self._connection)):
            self._write({part for part in _parts(run_id) if (part, run_id) not in known}, run_id)

    def _write(self, parts: Iterable[str], run_id: int) -> None:
        rows = [(_key(part, run_id), _digest(self._connection, part, run_id)) for part in sorted(parts)]
        self._connection.executemany(_SEAL_ROW, rows)

    def _remove(self, seals: Iterable[tuple[str, int]]) -> None:
        rows = [(_key(part, run_id),) for part, run_id in seals]
        self._connection.executemany("DELETE FROM meta WHERE key = ?", rows)


def broken_seals(connection: sqlite3.Connection, names: dict[int, str]) -> list[Message]:
    """Return what was changed since it was sealed; empty for intact files and files without seals.

    `names` holds the runs' names by id.
    """
    known = _seals(connection)
    if not known:
        return []
    wanted = {(part, _SHARED) for part in _WHOLE}
    for run_id in (_SHARED, *names):
        if not _is_open(connection, run_id):
            wanted |= {(part, run_id) for part in _parts(run_id)}
    found = []
    for part, run_id in sorted(known | wanted, key=lambda seal: (seal[1], seal[0])):
        if run_id not in (_SHARED, *names):
            found.append(message("results.sealed_run_gone", run=run_id, part=_PART_WORDS[part]))
        elif (part, run_id) not in known:
            # An earlier build had no seal for parts that it didn't store.
            if _digest(connection, part, run_id) != _OF_NOTHING:
                found.append(_say("missing", part, run_id, names))
        elif _stored(connection, part, run_id) != _digest(connection, part, run_id):
            found.append(_say("broken", part, run_id, names))
    return found


_PART_WORDS = {
    "run": message("results.part_run"),
    "requests": message("results.part_requests"),
    "samples": message("results.part_samples"),
    "machine": message("results.part_machine"),
    "limits": message("results.part_limits"),
    "log": message("results.part_log"),
    "experiments": message("results.part_experiments"),
    "meta": message("results.part_meta"),
}


def _say(what: str, part: str, run_id: int, names: dict[int, str]) -> Message:
    word = _PART_WORDS[part]
    if run_id == _SHARED:
        if what == "missing":
            return message("results.seal_missing", part=word)
        return message("results.seal_broken", part=word)
    if what == "missing":
        return message("results.seal_of_run_missing", run=run_id, name=names[run_id], part=word)
    return message("results.seal_of_run_broken", run=run_id, name=names[run_id], part=word)


def _parts(run_id: int) -> frozenset[str]:
    return frozenset(_BETWEEN_RUNS if run_id == _SHARED else _OF_RUN)


def _is_open(connection: sqlite3.Connection, run_id: int) -> bool:
    """Return whether the run (or any experiment) is open or broke off, so that more may be written."""
    if run_id == _SHARED:
        going_on = connection.execute("SELECT 1 FROM experiments WHERE status = 'running' LIMIT 1")
    else:
        going_on = connection.execute("SELECT 1 FROM runs WHERE id = ? AND status = 'running'", (run_id,))
    return going_on.fetchone() is not None


def _run_ids(connection: sqlite3.Connection) -> Iterator[int]:
    return (int(run_id) for (run_id,) in connection.execute("SELECT id FROM runs ORDER BY id").fetchall())


def _key(part: str, run_id: int) -> str:
    return f"{_PREFIX}{part}:{run_id}"


def _seals(connection: sqlite3.Connection) -> set[tuple[str, int]]:
    """Return the stored seals; other keys are skipped."""
    found = set()
    for (key,) in connection.execute("SELECT key FROM meta WHERE key LIKE 'seal:%'").fetchall():
        part, _, run_id = str(key).removeprefix(_PREFIX).partition(":")
        if run_id.isdecimal() and part in _parts(int(run_id)) | (set() if int(run_id) else _WHOLE.keys()):
            found.add((part, int(run_id)))
    return found


def _stored(connection: sqlite3.Connection, part: str, run_id: int) -> Any:
    row = connection.execute("SELECT value FROM meta WHERE key = ?", (_key(part, run_id),)).fetchone()
    return row and row[0]


def _digest(connection: sqlite3.Connection, part: str, run_id: int) -> str:
    """Return the digest of the rows in order; it ignores empty columns at the end, from later versions."""
    digest = hashlib.sha256()
    for row in _rows(connection, part, run_id):
        length = len(row)
        while length and row[length - 1] is None:
            length -= 1
        digest.update(_ENCODER.encode(row[:length]))
    return digest.hexdigest()


_OF_NOTHING = hashlib.sha256().hexdigest()


def _rows(connection: sqlite3.Connection, part: str, run_id: int) -> Iterable[tuple[Any, ...]]:
    """Return all rows of the part; none if an older file lacks the table."""
    table, which = _WHOLE.get(part) or (_OF_RUN if run_id else _BETWEEN_RUNS)[part]
    named = connection.execute("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?", (table,))
    if named.fetchone() is None:
        return []
    return connection.execute(select("*", table, which), (run_id,) if "?" in which else ())
