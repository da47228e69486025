"""Whatever number of a bench file or of a pack is changed afterwards, verifying finds it."""

import contextlib
import json
import re
import sqlite3
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.unit.results.making import as_earlier_builds_wrote, event_tokens, gaps, request, texts, unanswered
from workbench.base import WorkbenchError
from workbench.results import (
    BenchFile,
    Conditions,
    GpuSample,
    LimitChange,
    MachineSample,
    Objectives,
    RunFrame,
    RunInputs,
    Sample,
    ServerDelta,
    pack_changed,
    recompute,
    summarize_run,
    verify,
    verify_pack,
    write_pack,
)
from workbench.results.bench.seals import broken_seals

FRAME = RunFrame(length_s=1.0, ended=2.0)
SERVER = ServerDelta(preemptions=4, prefix_queries=100.0, prefix_hits=25.0)
CONDITIONS = Conditions(asked={"max_num_seqs": 8}, effective={"max_num_seqs": 8}, clock_step_s=0.01)
GPU = GpuSample(index=0, memory_used=7_000, utilisation=0.5, power_w=300.0)


def fill(bench: BenchFile) -> int:
    """One of everything that a file can hold, in two runs; returns the id of the second, which broke off."""
    objectives = Objectives(ttft_p95_ms=150)
    cost = {"per_hour": 2.5, "currency": "EUR"}
    experiment = bench.add_experiment(
        "x", 'name = "x"\n[load]\nrates = [4]\n', objectives=objectives, cost=cost, facts={"seed": 3}
    )
    requests = [
        request(0, gaps_ms=gaps([10, 10]), gap_tokens=event_tokens([1, 1]), queue_ms=7.5, prefill_ms=3.0),
        request(1, due=0.5, session_id="s", turn=2, connect_ms=1.5, requeue_wait_ms=2.0),
        unanswered(2, due=0.75, error="connection reset", retries=1),
        request(0, due=-0.5, phase="warmup"),
    ]
    samples = [
        Sample(t=index / 4, running=2.0, waiting=1.0, kv_usage=0.5, preemptions=index) for index in (0, 1)
    ]
    machine = MachineSample(t=0.5, host_cpu=0.5, client_cpu=0.1, gpus=[GPU])
    change = LimitChange(t=0.5, name="max_num_seqs", asked=4, old=8, new=4, by="user", refusal=None)
    first, second = (
        bench.add_run(
            experiment,
            name,
            control="max_num_seqs",
            value=value,
            config={"max_num_seqs": value},
            rate=4.0,
            frame=FRAME,
            effective={"max_num_seqs": value, "kv_cache_tokens": 1600},
            facts={"weights_gib": 15.1},
        )
        for name, value in (("first", 8), ("second", 16))
    )
    for run in (first, second):
        bench.write_requests(run, requests)
        bench.write_samples(run, samples)
        bench.write_machine(run, [machine])
        bench.write_limit_change(run, change)
        bench.write_log(run, "server", ["GPU KV cache size: 1,600 tokens"])
    summary = summarize_run(
        requests, FRAME, samples=samples, server=SERVER, objectives=objectives, conditions=CONDITIONS
    )
    bench.finish_run(first, "done", summary, RunInputs(server=SERVER, conditions=CONDITIONS))
    bench.write_log(first, "event", ['{"type":"diagnosis","t":1.5,"shares":{"queue":0.25}}'])
    bench.write_log(None, "server", ["between runs 17"])
    bench.set_meta("conclusions", '{"runs":[[1,"done"]]}')
    bench.flush()
    return second


@pytest.fixture(scope="module")
def pack(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A pack of a file with a run that came to its end and one whose writer died."""
    folder = tmp_path_factory.mktemp("pack")
    with BenchFile.create(folder / "b.bench") as bench:
        fill(bench)
        write_pack(bench, folder / "p.zip")
    return folder / "p.zip"


def changes_of(value: Any) -> Iterator[Any]:
    """The value with one of its numbers changed, each in turn; JSON and other text by the numbers in it."""
    if isinstance(value, int | float):
        yield value + 1
        yield value + (value or 1.0) * 1e-9 if isinstance(value, float) else -value - 1
    elif isinstance(value, bytes):
        for place in range(len(value)):
            yield value[:place] + bytes([value[place] ^ 1]) + value[place + 1 :]
    elif isinstance(value, str):
        for found in re.finditer(r"\d+", value):
            changed = str(int(found[0][-1]) ^ 1)
            yield value[: found.end() - 1] + changed + value[found.end() :]


def test_that_every_change_of_a_stored_number_breaks_a_seal(pack: Path, tmp_path: Path) -> None:
    with zipfile.ZipFile(pack) as archive:
        raw = Path(archive.extract("raw.bench", tmp_path))
    connection = sqlite3.connect(raw, isolation_level=None)
    names = dict(connection.execute("SELECT id, name FROM runs"))
    assert broken_seals(connection, names) == []
    changed = 0
    tables = [name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
    assert {"requests", "samples", "machine", "limit_changes", "log", "runs", "experiments"} <= set(tables)
    for table in tables:
        columns = [row[1] for row in connection.execute(f"PRAGMA table_info({table})")]
        key = columns[0]
        for row in connection.execute(f"SELECT * FROM {table}").fetchall():
            for column, value in zip(columns, row, strict=True):
                for other in changes_of(value):
                    sql = f'UPDATE OR IGNORE {table} SET "{column}" = ? WHERE {key} = ?'
                    connection.execute("BEGIN")
                    # The number of another row can't be taken.
                    changed += connection.execute(sql, (other, row[0])).rowcount
                    same = connection.execute("SELECT changes()").fetchone() == (0,)
                    broken = broken_seals(connection, names)
                    connection.execute("ROLLBACK")
                    assert broken or same, f"{table}.{column}: {value!r} → {other!r}"
    assert changed > 500
    connection.close()


@pytest.mark.parametrize("table", ["requests", "samples", "machine", "limit_changes", "log", "runs", "meta"])
def test_that_a_row_that_is_gone_or_was_added_is_found(pack: Path, tmp_path: Path, table: str) -> None:
    with zipfile.ZipFile(pack) as archive:
        raw = Path(archive.extract("raw.bench", tmp_path))
    connection = sqlite3.connect(raw)
    connection.execute(
        f"DELETE FROM {table} WHERE rowid = (SELECT min(rowid) FROM {table})"
        if table != "meta"
        else "DELETE FROM meta"
    )
    if table == "meta":
        connection.execute("INSERT INTO meta VALUES ('seal:meta:0', 'x')")
    connection.commit()
    connection.close()
    with BenchFile.open(raw) as bench:
        assert bench.broken_seals()


@given(st.data())
def test_that_every_change_of_a_number_in_a_pack_is_found(pack: Path, data: st.DataObject) -> None:
    with zipfile.ZipFile(pack) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    name = data.draw(st.sampled_from(sorted(members)))
    digits = [place for place, byte in enumerate(members[name]) if chr(byte).isdigit()]
    place = data.draw(st.sampled_from(digits))
    content = bytearray(members[name])
    content[place] = ord(str((int(chr(content[place])) + data.draw(st.integers(1, 9))) % 10))
    changed = pack.with_name("changed.zip")
    with zipfile.ZipFile(changed, "w") as archive:
        for each, before in members.items():
            archive.writestr(each, bytes(content) if each == name else before)
    # It may be no bench file any more.
    with contextlib.suppress(WorkbenchError):
        assert verify_pack(changed)


def test_that_the_lines_say_which_run_and_what_of_it_was_changed(bench: BenchFile) -> None:
    fill(bench)
    bench.finish_experiment(1, "done")
    bench.flush()
    bench._connection.execute("UPDATE machine SET host_cpu = 0.1 WHERE run_id = 1")
    bench._connection.execute("UPDATE log SET text = 'between runs 18' WHERE run_id IS NULL")
    bench._connection.execute("DELETE FROM meta WHERE key = 'seal:samples:1'")
    bench._connection.execute("UPDATE experiments SET cost = '{}'")
    assert texts(verify(bench)) == [
        "the experiments changed after they were stored",
        "its log changed after they were stored",
        "run 1 (first): its machine samples changed after the run ended",
        "run 1 (first): the seal of its samples is missing",
    ]


def test_that_a_run_that_goes_on_is_sealed_as_it_ends_and_again_when_something_is_added(
    bench: BenchFile,
) -> None:
    second = fill(bench)
    bench.write_samples(second, [Sample(t=3.0, running=1.0)])
    bench.flush()
    assert verify(bench) == []
    summary = recompute(bench, second)
    bench.update_run(second, frame=msgspec.structs.replace(FRAME, stopped=True))
    bench.finish_run(second, "partial", summary)
    bench.write_log(second, "event", ["{}"])
    bench.flush()
    assert [line for line in texts(verify(bench)) if "changed" in line or "seal" in line] == []
    bench._connection.execute("UPDATE samples SET running = 5 WHERE run_id = ?", (second,))
    assert [str(seal) for seal in bench.broken_seals()] == [
        f"run {second} (second): its samples changed after the run ended"
    ]


def test_that_a_change_before_packing_is_told_as_a_change_and_not_sealed_over(
    bench: BenchFile, tmp_path: Path
) -> None:
    fill(bench)
    bench._connection.execute("UPDATE machine SET host_cpu = 0.1 WHERE run_id = 1")
    write_pack(bench, tmp_path / "p.zip")
    said = ["run 1 (first): its machine samples changed after the run ended"]
    assert texts(verify_pack(tmp_path / "p.zip")) == texts(pack_changed(tmp_path / "p.zip")) == said


def test_that_a_pack_of_a_file_that_is_being_written_verifies(bench: BenchFile, tmp_path: Path) -> None:
    second = fill(bench)
    with BenchFile.open(bench.path) as reader:
        write_pack(reader, tmp_path / "p.zip")
    bench.write_samples(second, [Sample(t=3.0)])
    assert verify_pack(tmp_path / "p.zip") == []


def test_that_a_file_of_an_earlier_build_has_no_seals_and_its_pack_verifies_sealed_and_masked(
    tmp_path: Path,
) -> None:
    path, packed = tmp_path / "b.bench", tmp_path / "p.zip"
    with BenchFile.create(path) as bench:
        fill(bench)
    as_earlier_builds_wrote(path)
    # So they stored the command: in the run's row masked by its look, among the figures in clear.
    connection = sqlite3.connect(path)
    (text,) = connection.execute("SELECT summary FROM runs WHERE id = 1").fetchone()
    given_as = """vllm serve m --x '{"time_to_first_token":[1],"note_api_key": "c-clear"}'"""
    summary = json.dumps({**json.loads(text), "command": given_as})
    shown = """vllm serve m --x '{"time_to_first_token":[••••],"note_api_key": "••••"}'"""
    connection.execute("UPDATE runs SET summary = ?, command = ? WHERE id = 1", (summary, shown))
    connection.commit()
    connection.close()
    with BenchFile.open(path) as bench:
        assert bench.broken_seals() == []
        write_pack(bench, packed)
    assert verify_pack(packed) == []
    with zipfile.ZipFile(packed) as archive:
        assert not [name for name in archive.namelist() if b"c-clear" in archive.read(name)]
        raw = Path(archive.extract("raw.bench", tmp_path))
    with sqlite3.connect(raw) as connection:
        connection.execute("UPDATE samples SET running = 5 WHERE id = 1")
    with BenchFile.open(raw) as bench:
        assert len(verify(bench)) >= 1
