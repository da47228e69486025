"""Twenty ways to tamper with a result. Each changes a bench file by SQL alone.

Naive: the bench file in the pack is edited, and nothing is made right. Consistent: figures, seals, hashes and
signature are made again, as a vendor who has this program can.
"""

import sqlite3
import zipfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import msgspec
import numpy as np

from tests.unit.experiments.made_result import MadeResult
from workbench.experiments.packs.carry_out import bench_of
from workbench.results import BenchFile, recompute

Edit = Callable[[sqlite3.Connection], None]
FIRST = "key >= 1 << 32 AND key < 2 << 32"
"""The requests of the first run."""


@dataclass(frozen=True)
class Tampering:
    """One way, with the kind of the finding when all else was made right; None: undetectable."""

    name: str
    edit: Edit
    found: str | None


def sql(*statements: str) -> Edit:
    def edit(connection: sqlite3.Connection) -> None:
        for statement in statements:
            connection.execute(statement)

    return edit


def shift_clock(connection: sqlite3.Connection) -> None:
    """All answers come 40 ms earlier, if they can."""
    connection.execute(
        f"UPDATE requests SET first_token = max(sent, first_token - 0.04), last_token = last_token - 0.04, "
        f"done = done - 0.04 WHERE {FIRST}"
    )
    flatten_gaps(connection)


def flatten_gaps(connection: sqlite3.Connection) -> None:
    """Every token gap is the mean of its stream."""
    rows = connection.execute(
        f"SELECT key, last_token - first_token, length(gaps_ms) / 4 FROM requests WHERE {FIRST}"
    )
    for key, span, count in rows.fetchall():
        gaps = np.full(count, 1000 * span / count, "<f4").tobytes()
        connection.execute("UPDATE requests SET gaps_ms = ? WHERE key = ?", (gaps, key))


def duplicate_quick(connection: sqlite3.Connection) -> None:
    """The five quickest requests are there twice."""
    names = [row[1] for row in connection.execute("PRAGMA table_info(requests)") if row[1] != "key"]
    columns = ", ".join(f'"{name}"' for name in names)
    connection.execute(
        f"INSERT INTO requests (key, {columns}) SELECT key + 1000, {columns} FROM requests WHERE {FIRST} "
        "ORDER BY first_token - due LIMIT 5"
    )


def copy_run(connection: sqlite3.Connection) -> None:
    """The last run has the requests of the first."""
    (last,) = connection.execute("SELECT max(id) FROM runs").fetchone()
    names = [row[1] for row in connection.execute("PRAGMA table_info(requests)") if row[1] != "key"]
    columns = ", ".join(f'"{name}"' for name in names)
    connection.execute(f"DELETE FROM requests WHERE key >= {last} << 32")
    connection.execute(
        f"INSERT INTO requests (key, {columns}) SELECT key + (({last} - 1) << 32), {columns} "
        f"FROM requests WHERE {FIRST}"
    )


def in_json(table: str, column: str, change: Callable[[dict], None], which: str = "id = 1") -> Edit:
    """Change the JSON of one column."""

    def edit(connection: sqlite3.Connection) -> None:
        for key, text in connection.execute(f"SELECT id, {column} FROM {table} WHERE {which}").fetchall():
            content = msgspec.json.decode(text)
            change(content)
            connection.execute(
                f"UPDATE {table} SET {column} = ? WHERE id = ?", (msgspec.json.encode(content).decode(), key)
            )

    return edit


def both(*edits: Edit) -> Edit:
    def edit(connection: sqlite3.Connection) -> None:
        for each in edits:
            each(connection)

    return edit


def _half_generated(inputs: dict) -> None:
    inputs["server"]["generation_tokens"] /= 2


def _warm(inputs: dict) -> None:
    inputs["server"]["prefix_hits"] = inputs["server"]["prefix_queries"] / 2
    inputs["conditions"]["prefix_hit_ideal"] = 0.6


def later(times: str, hours: int) -> str:
    return f"strftime('%Y-%m-%dT%H:%M:%fZ', {times}, '{hours:+d} hours')"


def shift_zone(connection: sqlite3.Connection) -> None:
    """Every run and its log lines were eight hours earlier."""
    connection.execute(
        f"UPDATE runs SET started_utc = {later('started_utc', -8)}, ended_utc = {later('ended_utc', -8)}"
    )
    connection.execute(f"UPDATE log SET utc = {later('utc', -8)}")


def swap_tries(connection: sqlite3.Connection) -> None:
    """The replaced try counts, and the one that replaced it doesn't."""
    ((first,),) = connection.execute("SELECT id FROM runs WHERE status = 'replaced'").fetchall()
    connection.execute("UPDATE runs SET status = 'replaced' WHERE id = ?", (first + 1,))
    connection.execute("UPDATE runs SET status = 'done' WHERE id = ?", (first,))


TAMPERINGS = (
    Tampering(
        "slow requests dropped",
        sql(f"DELETE FROM requests WHERE key IN (SELECT key FROM requests WHERE {FIRST} "
            "ORDER BY first_token - due DESC LIMIT 4)"),
        "packs.rows_missing",
    ),
    Tampering("quick requests duplicated", duplicate_quick, "packs.rows_extra"),
    Tampering("clock shifted", shift_clock, "packs.server_saw_longer"),
    Tampering("class removed", sql("DELETE FROM requests WHERE cls = 'long'"), "packs.rows_missing"),
    Tampering(
        "class renamed", sql(f"UPDATE requests SET cls = 'short' WHERE {FIRST}"), "packs.rows_differ"
    ),
    Tampering(
        "other trace",
        both(sql("UPDATE runs SET trace_sha256 = replace(trace_sha256, substr(trace_sha256, 1, 4), 'abcd')")),
        "packs.other_trace",
    ),
    Tampering(
        "shorter outputs asked",
        sql(f"UPDATE requests SET output_tokens = output_tokens / 2 WHERE {FIRST}"),
        "packs.rows_differ",
    ),
    Tampering(
        "shorter outputs generated",
        both(
            in_json("runs", "inputs", _half_generated),
            sql("UPDATE samples SET generation_tokens = generation_tokens / 2 WHERE run_id = 1"),
        ),
        "packs.server_counted",
    ),
    Tampering(
        "warm cache",
        both(
            in_json("runs", "inputs", _warm),
            sql("UPDATE samples SET prefix_hits = prefix_queries / 2 WHERE run_id = 1"),
        ),
        "packs.cold_hits_differ",
    ),
    Tampering(
        "other flags",
        sql("UPDATE runs SET command = replace(command, '--max-num-seqs 8', '--max-num-seqs 64')"),
        "packs.command_differs",
    ),
    Tampering(
        "other flags in the log",
        sql("""UPDATE log SET text = replace(text, "'max_num_seqs': 8", "'max_num_seqs': 64")"""),
        "packs.log_differs",
    ),
    Tampering(
        "a replica not ready",
        sql(
            "INSERT INTO samples (run_id, t, engine, generation_tokens) VALUES (1, 5.0, '1', 0.0)",
        ),
        "packs.engines_late",
    ),
    Tampering("requests of another run", copy_run, "packs.rows_copied"),
    Tampering(
        "rate lowered", sql(f"UPDATE requests SET due = due * 1.2 WHERE {FIRST}"), "packs.due_times_differ"
    ),
    Tampering(
        "a failure hidden",
        sql(f"UPDATE requests SET completion_tokens = 1, tokens = 1 WHERE {FIRST} AND key % 7 = 0"),
        "packs.tokens_differ",
    ),
    Tampering(
        "a run left out",
        sql(
            "DELETE FROM requests WHERE key >= 5 << 32",
            *(f"DELETE FROM {table} WHERE run_id = 5" for table in ("log", "samples", "machine")),
            "DELETE FROM runs WHERE id = 5",
            "DELETE FROM meta WHERE key LIKE 'seal:%:5'",
        ),
        "packs.run_missing",
    ),
    Tampering("an earlier try chosen", swap_tries, "packs.try_chosen"),
    Tampering("machine samples removed", sql("DELETE FROM machine"), "packs.evidence_missing"),
    Tampering("time zone", shift_zone, "packs.run_outside_sessions"),
    Tampering(
        "easier objective",
        sql("UPDATE experiments SET toml = replace(toml, '2000', '9000'), "
            "objectives = replace(objectives, '2000', '9000')"),
        "packs.settings_differ",
    ),
    Tampering("token gaps flattened", flatten_gaps, None),
    Tampering(
        "edited log",
        sql("UPDATE log SET text = replace(text, '80.0 tokens/s', '95.0 tokens/s')"),
        None,
    ),
)  # fmt: skip


def tamper_naively(pack: Path, edit: Edit) -> None:
    """Edit the bench file in the pack, and nothing else."""
    with zipfile.ZipFile(pack) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    raw = pack.with_suffix(".raw")
    raw.write_bytes(members["raw.bench"])
    connection = sqlite3.connect(raw)
    with connection:
        edit(connection)
    connection.close()
    members["raw.bench"] = raw.read_bytes()
    with zipfile.ZipFile(pack, "w") as archive:
        for name, content in members.items():
            archive.writestr(name, content)


def tamper_consistently(result: MadeResult, edit: Edit) -> None:
    """Edit the vendor's bench file, compute its figures and seals again, and pack and sign it."""
    with BenchFile.open(bench_of(result.work), read_only=False) as bench:
        bench._connection.execute("BEGIN IMMEDIATE")
        edit(bench._connection)
        for run in bench.runs():
            for part in ("run", "requests", "samples", "machine", "limits", "log"):
                bench._seals.touch(part, run.id)
            bench.update_run(run.id, summary=recompute(bench, run.id).to_json())
        for part in ("experiments", "meta", "log", "limits"):
            bench._seals.touch(part)
        bench.flush()
    result.pack()
