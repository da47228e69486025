"""The bench file's tables, version by version. A migration must not lose users' measurements."""

import sqlite3
from collections.abc import Iterable, Sequence

APPLICATION_ID = 0x764C4257
"""`vLBW` in the SQLite header, which marks a bench file."""

_VERSION_1 = f"""
PRAGMA application_id = {APPLICATION_ID};
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;

CREATE TABLE experiments (
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL,
  toml TEXT NOT NULL,           -- as given, secrets masked
  status TEXT NOT NULL,         -- running, done, stopped, failed
  started_utc TEXT NOT NULL,
  ended_utc TEXT,
  objectives TEXT NOT NULL,     -- JSON
  cost TEXT NOT NULL,           -- JSON of the TOML's [cost]
  facts TEXT NOT NULL           -- JSON, scorecard columns known for all runs
);

CREATE TABLE runs (
  id INTEGER PRIMARY KEY,
  experiment_id INTEGER NOT NULL REFERENCES experiments (id),
  name TEXT NOT NULL,
  control TEXT,                 -- NULL: the baseline
  value TEXT NOT NULL,          -- JSON
  rate REAL,
  concurrency INTEGER,
  repeat INTEGER NOT NULL,
  status TEXT NOT NULL,         -- running, done, partial, skipped, failed, replaced, imported, watched
  started_utc TEXT NOT NULL,
  ended_utc TEXT,
  command TEXT,                 -- quoted, secrets masked
  config TEXT NOT NULL,         -- JSON, every control as asked
  effective TEXT,               -- JSON, as the server says
  trace_sha256 TEXT,
  schedule_sha256 TEXT,
  simulated INTEGER,
  profile TEXT,
  time_scale REAL NOT NULL,
  frame TEXT,                   -- JSON of RunFrame
  inputs TEXT,                  -- JSON of RunInputs: what the summary needs besides requests and samples
  summary TEXT,                 -- JSON of RunSummary
  facts TEXT NOT NULL           -- JSON, scorecard columns known for this run
);

-- The key is run << 32 | index, so that a run's requests lie together without a second tree.
CREATE TABLE requests (
  key INTEGER PRIMARY KEY,
  "row" INTEGER NOT NULL, request_id TEXT NOT NULL, cls TEXT NOT NULL, phase TEXT NOT NULL,
  session_id TEXT, turn INTEGER, input_tokens INTEGER NOT NULL, output_tokens INTEGER NOT NULL,
  due REAL NOT NULL, released REAL, sent REAL, first_token REAL, last_token REAL, done REAL, connect_ms REAL,
  outcome TEXT NOT NULL, finish_reason TEXT, status INTEGER, error TEXT,
  prompt_tokens INTEGER, completion_tokens INTEGER, tokens INTEGER, token_source TEXT,
  first_event_tokens INTEGER NOT NULL, queue_ms REAL, prefill_ms REAL, requeue_wait_ms REAL,
  retries INTEGER NOT NULL, input_mode TEXT NOT NULL,
  gaps_ms BLOB NOT NULL, gap_tokens BLOB NOT NULL
);

CREATE TABLE samples (
  id INTEGER PRIMARY KEY,
  run_id INTEGER NOT NULL REFERENCES runs (id),
  t REAL NOT NULL, engine TEXT NOT NULL, running REAL, waiting REAL, kv_usage REAL, preemptions REAL,
  prompt_tokens REAL, generation_tokens REAL, prefix_queries REAL, prefix_hits REAL, succeeded REAL,
  rejected REAL, queue_sum_s REAL, queue_count REAL, ttft_sum_s REAL, ttft_count REAL
);
CREATE INDEX samples_of_run ON samples (run_id, t);

CREATE TABLE log (
  id INTEGER PRIMARY KEY,
  run_id INTEGER REFERENCES runs (id),  -- NULL: between runs
  utc TEXT NOT NULL,
  kind TEXT NOT NULL,           -- server, event, warning
  text TEXT NOT NULL            -- secrets masked
);
CREATE INDEX log_of_run ON log (run_id);
"""

_VERSION_2 = """
CREATE TABLE machine (
  id INTEGER PRIMARY KEY,
  run_id INTEGER NOT NULL REFERENCES runs (id),
  t REAL NOT NULL,
  host_cpu REAL, api_cpu REAL, engine_cpu REAL, worker_cpu REAL, client_cpu REAL,
  net_received REAL, net_sent REAL, disk_read REAL,
  gpus TEXT NOT NULL            -- JSON of the GpuSamples
);
CREATE INDEX machine_of_run ON machine (run_id, t);

CREATE TABLE limit_changes (
  id INTEGER PRIMARY KEY,
  run_id INTEGER REFERENCES runs (id),  -- NULL: between runs
  utc TEXT NOT NULL,
  t REAL,                       -- seconds since the schedule's start
  name TEXT NOT NULL,
  asked TEXT NOT NULL,          -- JSON
  old INTEGER, new INTEGER,
  "by" TEXT NOT NULL,           -- user, switchback, restored
  refusal TEXT                  -- NULL: accepted
);
CREATE INDEX limit_changes_of_run ON limit_changes (run_id);
"""

_VERSION_3 = "ALTER TABLE samples ADD COLUMN deferred REAL;"

_VERSION_4 = """
ALTER TABLE machine ADD COLUMN others_cpu REAL;
ALTER TABLE machine ADD COLUMN client_others_cpu REAL;
"""

_VERSION_5 = """
ALTER TABLE samples ADD COLUMN itl_sum_s REAL;
ALTER TABLE samples ADD COLUMN itl_count REAL;
"""

MIGRATIONS: tuple[str, ...] = (_VERSION_1, _VERSION_2, _VERSION_3, _VERSION_4, _VERSION_5)
"""Entry v turns version v into v + 1; version 0 is an empty file. Never change an entry that was released."""


def version_known() -> int:
    """Return the newest version that this program reads and writes."""
    return len(MIGRATIONS)


def migrate(connection: sqlite3.Connection) -> None:
    """Bring the file to the newest version, each step in one transaction."""
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    for step in range(version, version_known()):
        script = f"BEGIN IMMEDIATE;\n{MIGRATIONS[step]}\nPRAGMA user_version = {step + 1};\nCOMMIT;"
        try:
            connection.executescript(script)
        except sqlite3.Error:
            if connection.in_transaction:
                connection.rollback()
            raise


# SQL statements from our own table and field names; values are always parameters.


def select(fields: Iterable[str], table: str, rest: str = "") -> str:
    """Return a SELECT of fields (names or expressions), with WHERE and ORDER BY in `rest`."""
    return f"SELECT {', '.join(fields)} FROM {table} {rest}"  # noqa: S608  # names only, see above


def insert(table: str, fields: Sequence[str], *, replace: bool = False) -> str:
    """Return an INSERT of one row with a parameter for each field."""
    verb = "INSERT OR REPLACE" if replace else "INSERT"
    names, marks = ", ".join(f'"{name}"' for name in fields), ", ".join("?" * len(fields))
    return f"{verb} INTO {table} ({names}) VALUES ({marks})"


def update(table: str, fields: Iterable[str]) -> str:
    """Return an UPDATE of one row by its id, the last parameter."""
    changes = ", ".join(f'"{name}" = ?' for name in fields)
    return f"UPDATE {table} SET {changes} WHERE id = ?"  # noqa: S608  # names only, see above
