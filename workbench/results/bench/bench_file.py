"""The bench file: all measurements in one SQLite file that survives a crash of its writer."""

import math
import sqlite3
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from operator import itemgetter
from pathlib import Path
from typing import Any, Self

import msgspec

from workbench import __version__
from workbench.base import Message, Place, Refusal, WorkbenchError, utc_now
from workbench.results.bench.entries import ExperimentEntry, RunEntry, RunInputs, to_column
from workbench.results.bench.mask_stored import mask_line, mask_stored
from workbench.results.bench.opening import (
    WRITER_BUSY_MS,
    claim_writer,
    connect,
    copy_with_log,
    release_writer,
    require_bench_file,
    sqlite_failures,
)
from workbench.results.bench.queries import (
    LIMIT_FIELDS,
    MACHINE_FIELDS,
    REQUEST_FIELDS,
    SAMPLE_FIELDS,
    BenchQueries,
    request_key,
)
from workbench.results.bench.schema import insert, migrate, update, version_known
from workbench.results.bench.seals import Seals
from workbench.results.figures.definitions_version import DEFINITIONS
from workbench.results.figures.summary import RunSummary
from workbench.results.objectives import Objectives
from workbench.results.run_records import LimitChange, MachineSample, RequestRecord, Sample

_REQUEST_ROW = insert("requests", ("key", *REQUEST_FIELDS), replace=True)
_SAMPLE_ROW = insert("samples", ("run_id", *SAMPLE_FIELDS))
_MACHINE_ROW = insert("machine", ("run_id", *MACHINE_FIELDS))
_LIMIT_ROW = insert("limit_changes", ("run_id", "utc", *LIMIT_FIELDS))
_LOG_ROW = insert("log", ("run_id", "utc", "kind", "text"))
_META_ROW = insert("meta", ("key", "value"), replace=True)

_MEASURED = frozenset(
    field.name
    for kind in (RequestRecord, Sample, MachineSample)
    for field in msgspec.structs.fields(kind)
    if field.type in (float, float | None)
)
"""Fields that hold measured numbers."""


class BenchFile(BenchQueries):
    """One bench file, open for reading or, by one process at a time, for writing.

    Writes form a transaction until `flush`, which the writer calls at least twice a second. Closing
    leaves a single file; after a crash the next opening finds everything flushed.
    """

    def __init__(
        self,
        path: Path,
        connection: sqlite3.Connection,
        *,
        read_only: bool,
        folder: tempfile.TemporaryDirectory[str] | None = None,
    ) -> None:
        super().__init__(path, connection)
        self.read_only = read_only
        self.known_secrets: Sequence[str] = ()
        """Secrets of the measured server, masked in every line of a log."""
        self._folder = folder
        self._closed = False
        self._seals = Seals(connection)

    @classmethod
    def create(cls, path: Path) -> Self:
        """Make a bench file and open it for writing.

        Raises:
            Refusal: a file is there already, or can't be made.
        """
        place = Place(file=str(path))
        try:
            path.open("xb").close()
        except FileExistsError as error:
            raise Refusal("results.file_exists", place) from error
        except OSError as error:
            raise Refusal("results.bench_not_made", place, cause=error.strerror or str(error)) from error
        try:
            bench = cls._writer(path, _migrated(path, path))
        except BaseException:
            path.unlink(missing_ok=True)
            raise
        bench.set_meta("created_utc", utc_now())
        bench.set_meta("created_by", f"vLLM Workbench {__version__}")
        bench.set_meta("definitions", str(DEFINITIONS))
        bench.flush()
        return bench

    @classmethod
    def open(cls, path: Path, *, read_only: bool = True) -> Self:
        """Open an existing bench file; a writer appends to it, also after a crash.

        Raises:
            Refusal: missing, not a bench file, cut short, of a newer version (left untouched), or written
                to by another process.
            WorkFailure: damaged, locked.
        """
        version = require_bench_file(path)
        if not read_only:
            with sqlite_failures(path):
                connection = connect(path, read_only=False)
            return cls._writer(path, connection)
        reader = _reader(path) if version == version_known() else None
        return cls(path, reader, read_only=True) if reader else cls._copied(path)

    @classmethod
    def _writer(cls, path: Path, connection: sqlite3.Connection) -> Self:
        try:
            with sqlite_failures(path):
                connection.execute("PRAGMA journal_mode = WAL")
                connection.execute("PRAGMA synchronous = NORMAL")
                claim_writer(connection, path)
                connection.execute(f"PRAGMA busy_timeout = {WRITER_BUSY_MS}")
                migrate(connection)
        except BaseException:
            connection.close()
            raise
        bench = cls(path, connection, read_only=False)
        bench._seals.touch_unsealed()
        return bench

    @classmethod
    def _copied(cls, path: Path) -> Self:
        """Open a copy: of an older version, or with a left-over log in a read-only folder."""
        folder = tempfile.TemporaryDirectory(prefix="vllm-workbench-")
        try:
            connection = _migrated(path, copy_with_log(path, Path(folder.name)))
        except BaseException:
            folder.cleanup()
            raise
        return cls(path, connection, read_only=True, folder=folder)

    def set_meta(self, key: str, value: str) -> None:
        """Store a fact about the whole file."""
        self._write(_META_ROW, (key, value))
        self._seals.touch("meta")

    def add_experiment(
        self,
        name: str,
        toml: str,
        *,
        objectives: Objectives | None = None,
        cost: Mapping[str, Any] | None = None,
        facts: Mapping[str, Any] | None = None,
    ) -> int:
        """Store an experiment as it starts, with masked secrets in `toml`; return its id.

        `facts` are values of scorecard columns that hold for all its runs, by column name.
        """
        fields = {
            "name": name,
            "toml": toml,
            "status": "running",
            "started_utc": utc_now(),
            "objectives": objectives or Objectives(),
            "cost": dict(cost or {}),
            "facts": dict(facts or {}),
        }
        self._seals.touch("experiments")
        return self._insert("experiments", fields)

    def update_experiment(self, experiment_id: int, **fields: Any) -> None:
        """Change fields of an experiment, such as `facts` once the server is known."""
        self._seals.touch("experiments")
        self._update("experiments", experiment_id, fields)

    def finish_experiment(self, experiment_id: int, status: str) -> None:
        """Store the end of an experiment: done, stopped or failed."""
        self.update_experiment(experiment_id, status=status, ended_utc=utc_now())

    def add_run(
        self,
        experiment_id: int,
        name: str,
        *,
        control: str | None,
        value: Any,
        config: Mapping[str, Any],
        repeat: int = 1,
        rate: float | None = None,
        **fields: Any,
    ) -> int:
        """Store a run as it starts; return its id.

        `config` holds every control as asked; `fields` may be concurrency, command, effective, trace_sha256,
        schedule_sha256, simulated, profile, time_scale, frame, facts.
        """
        stated = {
            "experiment_id": experiment_id,
            "name": name,
            "control": control,
            "value": value,
            "config": dict(config),
            "repeat": repeat,
            "rate": rate,
            "status": "running",
            "started_utc": utc_now(),
            "time_scale": 1.0,
            "facts": {},
        }
        run_id = self._insert("runs", stated | fields)
        self._seals.touch("run", run_id)
        return run_id

    def update_run(self, run_id: int, **fields: Any) -> None:
        """Change fields of a run, such as `effective` and `command` once its server is up."""
        self._seals.touch("run", run_id)
        self._update("runs", run_id, fields)

    def finish_run(
        self, run_id: int, status: str, summary: RunSummary | None, inputs: RunInputs | None = None
    ) -> None:
        """Store the end of a run (done, partial, skipped, failed) and its figures, and commit.

        With `inputs` every figure can be computed again from the file alone.
        """
        figures = summary.to_json() if summary else None
        self.update_run(run_id, status=status, summary=figures, inputs=inputs, ended_utc=utc_now())
        self.flush()

    def write_requests(self, run_id: int, records: Iterable[RequestRecord]) -> None:
        """Store requests; one of the same phase and index replaces the earlier."""
        rows = [
            (
                request_key(run_id, record.index, warmup=record.phase == "warmup"),
                *(getattr(record, name) for name in REQUEST_FIELDS),
            )
            for record in records
        ]
        self._seals.touch("requests", run_id)
        self._write_many(_REQUEST_ROW, rows, ("key", *REQUEST_FIELDS))

    def write_samples(self, run_id: int, samples: Iterable[Sample]) -> None:
        """Store scrapes."""
        rows = [(run_id, *(getattr(sample, name) for name in SAMPLE_FIELDS)) for sample in samples]
        self._seals.touch("samples", run_id)
        self._write_many(_SAMPLE_ROW, rows, ("run_id", *SAMPLE_FIELDS))

    def write_machine(self, run_id: int, samples: Iterable[MachineSample]) -> None:
        """Store samples of the machine."""
        rows = [(run_id, *_columns(sample, MACHINE_FIELDS)) for sample in samples]
        self._seals.touch("machine", run_id)
        self._write_many(_MACHINE_ROW, rows, ("run_id", *MACHINE_FIELDS))

    def write_limit_change(self, run_id: int | None, change: LimitChange) -> None:
        """Store a limit's change or its refusal; `run_id` None: between runs."""
        self._seals.touch("limits", run_id)
        self._write(_LIMIT_ROW, (run_id, utc_now(), *_columns(change, LIMIT_FIELDS)))

    def write_log(self, run_id: int | None, kind: str, lines: Iterable[str]) -> None:
        """Store lines of `server`, `event` or `warning`; secrets are masked."""
        utc = utc_now()
        rows = [(run_id, utc, kind, mask_line(kind, line, self.known_secrets)) for line in lines]
        self._seals.touch("log", run_id)
        self._write_many(_LOG_ROW, rows)

    def flush(self) -> None:
        """Commit all writes since the last flush; after that a crash can't lose them."""
        with self._keeping():
            if self._connection.in_transaction:
                self._seals.renew()
                self._connection.execute("COMMIT")

    def mask_again(self) -> None:
        """Mask secrets that an earlier build stored in clear."""
        if not self._seals.were_missing:
            return
        for experiment in self.experiments():
            self._update_masked("experiments", experiment)
        for run in self.runs():
            self._update_masked("runs", run)
        self.flush()

    def seal_open_too(self) -> None:
        """Seal open and broken-off runs as they are, in a copy that gets no more writes."""
        with self._keeping():
            self._begin()
            self._seals.seal_open_too()
        self.flush()

    def broken_seals(self) -> list[Message]:
        """Return the broken seals; uncommitted writes are sealed first."""
        if self._connection.in_transaction:
            with self._keeping():
                self._seals.renew()
        return super().broken_seals()

    def close(self) -> None:
        """Commit, fold the log into the file and release the file. A second call does nothing."""
        if self._closed:
            return
        self._closed = True
        try:
            if not self.read_only:
                self._end_writing()
        finally:
            self._connection.close()
            if self._folder:
                self._folder.cleanup()

    def _end_writing(self) -> None:
        with self._keeping():
            self._begin()
            self._seals.renew()
            release_writer(self._connection)
            self._connection.execute("COMMIT")
        # An open reader keeps the log alive; the file is complete nevertheless.
        with suppress(sqlite3.OperationalError):
            self._connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
            self._connection.execute("PRAGMA busy_timeout = 200")
            self._connection.execute("PRAGMA journal_mode = DELETE").fetchall()

    def _insert(self, table: str, fields: Mapping[str, Any]) -> int:
        columns = {name: to_column(name, mask_stored(name, value)) for name, value in fields.items()}
        return self._write(insert(table, tuple(columns)), tuple(columns.values()))

    def _update(self, table: str, key: int, fields: Mapping[str, Any]) -> None:
        columns = {name: to_column(name, mask_stored(name, value)) for name, value in fields.items()}
        self._write(update(table, columns), (*columns.values(), key))

    def _update_masked(self, table: str, entry: ExperimentEntry | RunEntry) -> None:
        stored = msgspec.to_builtins(entry)
        changed = {name: value for name, value in stored.items() if mask_stored(name, value) != value}
        if changed:
            self._update(table, entry.id, changed)

    def _write(self, sql: str, row: tuple[Any, ...]) -> int:
        with self._keeping():
            self._begin()
            return self._connection.execute(sql, row).lastrowid or 0

    def _write_many(self, sql: str, rows: list[tuple[Any, ...]], names: Sequence[str] = ()) -> None:
        """Write rows; the columns `names` hold measurements.

        Raises:
            Refusal: a number is not finite: the file could not be read again.
        """
        if names and rows:
            _require_finite(self.path, rows, names)
        if rows:
            with self._keeping():
                self._begin()
                self._connection.executemany(sql, rows)

    def _begin(self) -> None:
        if not self._connection.in_transaction:
            self._connection.execute("BEGIN IMMEDIATE")

    @contextmanager
    def _keeping(self) -> Iterator[None]:
        """Surround writes: an error undoes only what was not flushed, and becomes a `WorkFailure`."""
        try:
            with sqlite_failures(self.path):
                yield
        except WorkbenchError:
            if self._connection.in_transaction:
                self._connection.rollback()
                # Values computed from rows that were rolled back are wrong now.
                self._computed.clear()
            raise


def _columns(record: object, names: Iterable[str]) -> Iterator[Any]:
    return (to_column(name, getattr(record, name)) for name in names)


def _migrated(path: Path, place: Path) -> sqlite3.Connection:
    """Connect to `place` for writing and bring it to the newest version; errors name `path`."""
    with sqlite_failures(path):
        connection = connect(place, read_only=False)
        try:
            migrate(connection)
        except BaseException:
            connection.close()
            raise
    return connection


def _reader(path: Path) -> sqlite3.Connection | None:
    """Connect for reading; None: SQLite would have to write beside the file and may not."""
    with sqlite_failures(path), ExitStack() as opened:
        try:
            connection = connect(path, read_only=True)
            opened.callback(connection.close)
            connection.execute("SELECT 1 FROM meta").fetchone()
        except sqlite3.OperationalError:
            return None
        opened.pop_all()
    return connection


def _require_finite(path: Path, rows: Sequence[tuple[Any, ...]], names: Sequence[str]) -> None:
    """Check rows before they are written to `path`; `names` are their columns.

    A sum is finite where all that was added is, so that a million rows take a second.

    Raises:
        Refusal: a number is not finite.
    """
    places = [place for place, name in enumerate(names) if name in _MEASURED]
    pick = itemgetter(*places)
    for row in rows:
        if math.isfinite(sum(filter(None, pick(row)))):
            continue
        for place in places:
            value = row[place]
            if value is not None and not math.isfinite(value):
                raise Refusal("results.not_storable", Place(file=str(path)), name=names[place], value=value)
