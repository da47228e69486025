"""Queries of a bench file: all runs with their summaries, and one run's requests and samples."""

import math
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from types import TracebackType
from typing import Any, Self, TypeVar

from workbench.base import UNREADABLE, Message, Place, WorkFailure, message
from workbench.results.bench.entries import BenchLogLine, ExperimentEntry, RunEntry, from_row
from workbench.results.bench.opening import connect, release_writer, sqlite_failures
from workbench.results.bench.schema import select
from workbench.results.bench.seals import broken_seals
from workbench.results.figures.request_columns import COLUMN_NAMES, LARGEST, RequestColumns, columns_from_rows
from workbench.results.run_records import (
    LimitChange,
    MachineSample,
    Outcome,
    RequestRecord,
    Sample,
    may_be_unknown,
)

Entry = TypeVar("Entry", ExperimentEntry, RunEntry)
Record = TypeVar("Record", MachineSample, LimitChange, Sample)
T = TypeVar("T")

REQUEST_FIELDS = tuple(name for name in RequestRecord.__struct_fields__ if name != "index")
"""The stored fields of a request besides its key."""
SAMPLE_FIELDS = Sample.__struct_fields__
MACHINE_FIELDS = MachineSample.__struct_fields__
LIMIT_FIELDS = LimitChange.__struct_fields__

_INDEX_BITS = 32
_WARMUP = 1 << 31
"""The bit of a warm-up request in its key, which distinguishes it from the measured one of its number."""
_OF_RUN = "WHERE key >= ? AND key < ?"
_FACTS = "WHERE key <> 'writer' AND key NOT LIKE 'seal:%'"


def request_key(run_id: int, index: int, *, warmup: bool = False) -> int:
    """Return a request's key: its run and its place in the schedule; the warm-up has its own schedule."""
    return run_id << _INDEX_BITS | (_WARMUP if warmup else 0) | index


class BenchQueries:
    """The reading methods of a bench file."""

    def __init__(self, path: Path, connection: sqlite3.Connection) -> None:
        self.path = path
        self._connection = connection
        self._computed: dict[str, tuple[object, Any]] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the connection."""
        self._connection.close()

    def cached_while_unchanged(self, name: str, compute: Callable[[], T]) -> T:
        """Return the result of `compute`, kept under this name until the file changes."""
        ((by_others,),) = self._rows("PRAGMA data_version")
        state = by_others, self._connection.total_changes
        known = self._computed.get(name)
        if known is None or known[0] != state:
            known = self._computed[name] = state, compute()
        found: T = known[1]
        return found

    def meta(self) -> dict[str, str]:
        """Return the facts about the whole file: created_utc, created_by, and those that the writer set."""
        return dict(self._rows(select(("key", "value"), "meta", _FACTS)))

    def experiments(self) -> list[ExperimentEntry]:
        """Return all experiments in the order of their starts."""
        return self._entries(ExperimentEntry, "experiments", "")

    def runs(self, experiment_id: int | None = None) -> list[RunEntry]:
        """Return all runs, or one experiment's, in the order of their starts, without requests."""
        if experiment_id is None:
            stray = self._rows("SELECT id FROM runs WHERE experiment_id NOT IN (SELECT id FROM experiments)")
            if stray:
                raise self._damaged("runs", message("results.run_without_experiment", run=stray[0][0]))
            return self._entries(RunEntry, "runs", "")
        return self._entries(RunEntry, "runs", "WHERE experiment_id = ?", experiment_id)

    def counted_runs(self) -> dict[str, RunEntry]:
        """Return by name the run that counts among its tries: the last finished one, else the last."""
        last: dict[str, RunEntry] = {}
        for run in self.runs():
            known = last.get(run.name)
            if known is None or known.status != "done" or run.status == "done":
                last[run.name] = run
        return last

    def run(self, run_id: int) -> RunEntry:
        """Return one run.

        Raises:
            WorkFailure: the file has no such run.
        """
        entries = self._entries(RunEntry, "runs", "WHERE id = ?", run_id)
        if not entries:
            raise WorkFailure("results.no_such_run", Place(file=str(self.path)), run=run_id)
        return entries[0]

    def request_columns(self, run_id: int) -> RequestColumns:
        """Return a run's requests as arrays, in the order of the schedule."""
        return columns_from_rows(self._requests(run_id, COLUMN_NAMES))

    def requests(self, run_id: int) -> list[RequestRecord]:
        """Return a run's requests with all their fields, in the order of the schedule."""
        names = RequestRecord.__struct_fields__
        found = []
        for row in self._requests(run_id, names):
            fields: dict[str, Any] = dict(zip(names, _measured(RequestRecord, row), strict=True))
            found.append(RequestRecord(**fields | {"outcome": Outcome(fields["outcome"])}))
        return found

    def request_values(self, run_id: int, names: tuple[str, ...]) -> list[tuple[Any, ...]]:
        """Return some fields of a run's requests, by their names in `RequestRecord`, in schedule order.

        This avoids reading the token gaps, which are most of the file.
        """
        unknown = set(names) - set(RequestRecord.__struct_fields__)
        if unknown:
            raise ValueError(f"requests have no {', '.join(sorted(unknown))}")
        return self._requests(run_id, names)

    def request_count(self, run_id: int) -> int:
        """Return the number of stored requests of a run."""
        ((count,),) = self._rows(select(("count(*)",), "requests", _OF_RUN), *_keys(run_id))
        return int(count)

    def samples(self, run_id: int) -> list[Sample]:
        """Return a run's scrapes by time."""
        return self._records(Sample, "samples", "WHERE run_id = ? ORDER BY t, id", run_id)

    def machine_samples(self, run_id: int) -> list[MachineSample]:
        """Return the samples of a run's machine by time; empty if it couldn't be sampled."""
        return self._records(MachineSample, "machine", "WHERE run_id = ? ORDER BY t, id", run_id)

    def limit_changes(self, run_id: int | None = None) -> list[LimitChange]:
        """Return the changes of limits, made or refused, in their order: of one run, or all."""
        where, values = ("", ()) if run_id is None else ("WHERE run_id = ?", (run_id,))
        return self._records(LimitChange, "limit_changes", f"{where} ORDER BY id", *values)

    def log(self, run_id: int | None = None) -> list[BenchLogLine]:
        """Return the stored lines: of one run, or all."""
        names = BenchLogLine.__struct_fields__
        where, values = ("", ()) if run_id is None else ("WHERE run_id = ?", (run_id,))
        rows = self._rows(select(names, "log", f"{where} ORDER BY id"), *values)
        return self._of_rows(BenchLogLine, names, rows, "log")

    def broken_seals(self) -> list[Message]:
        """Return what was changed since it was stored; empty for intact files and those of earlier builds."""
        names = {int(run_id): str(name) for run_id, name in self._rows(select(("id", "name"), "runs"))}
        with sqlite_failures(self.path):
            return broken_seals(self._connection, names)

    def copy_to(self, path: Path) -> None:
        """Write the whole content as one file to `path`, which must not exist."""
        with sqlite_failures(path):
            self._connection.execute("VACUUM INTO ?", (str(path),))
            # The copy has no writer, even if the file has one.
            with closing(connect(path, read_only=False)) as copy:
                release_writer(copy)

    def _requests(self, run_id: int, names: tuple[str, ...]) -> list[tuple[Any, ...]]:
        index = f"key & {_WARMUP - 1}"
        fields = [index if name == "index" else f'"{name}"' for name in names]
        return self._rows(select(fields, "requests", f"{_OF_RUN} ORDER BY key"), *_keys(run_id))

    def _records(self, kind: type[Record], table: str, where: str, *values: Any) -> list[Record]:
        names = kind.__struct_fields__
        rows = self._rows(select([f'"{name}"' for name in names], table, where), *values)
        return self._of_rows(kind, names, [_measured(kind, row) for row in rows], table)

    def _entries(self, kind: type[Entry], table: str, where: str, *values: Any) -> list[Entry]:
        names = kind.__struct_fields__
        rows = self._rows(select(names, table, f"{where} ORDER BY id"), *values)
        return self._of_rows(kind, names, rows, table)

    def _of_rows(
        self, kind: type[T], names: tuple[str, ...], rows: list[tuple[Any, ...]], table: str
    ) -> list[T]:
        for row in rows:
            for name, value in zip(names, row, strict=True):
                if type(value) is float and not -LARGEST <= value <= LARGEST:
                    raise self._damaged(table, message("results.impossible_value", name=name, value=value))
        try:
            return [from_row(kind, names, row) for row in rows]
        except UNREADABLE as error:
            raise self._damaged(table, str(error)) from error

    def _damaged(self, table: str, problem: Message | str) -> WorkFailure:
        return WorkFailure("results.bench_damaged", Place(file=str(self.path)), table=table, problem=problem)

    def _rows(self, sql: str, *values: Any) -> list[tuple[Any, ...]]:
        with sqlite_failures(self.path):
            return self._connection.execute(sql, values).fetchall()


def _measured(kind: type[Any], row: tuple[Any, ...]) -> tuple[Any, ...]:
    """Return a stored measurement; a value that is not finite (from older builds) becomes unknown."""
    if all(type(value) is not float or math.isfinite(value) for value in row):
        return row
    unknown = may_be_unknown(kind)
    return tuple(
        None if type(value) is float and not math.isfinite(value) and name in unknown else value
        for name, value in zip(kind.__struct_fields__, row, strict=True)
    )


def _keys(run_id: int) -> tuple[int, int]:
    """Return the first key of a run and of the next."""
    return request_key(run_id, 0), request_key(run_id + 1, 0)
