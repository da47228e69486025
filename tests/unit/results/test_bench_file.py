import json
import os
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.unit.results.making import event_tokens, gaps, request, unanswered, with_run
from workbench.base import InputError, WorkbenchError
from workbench.results import (
    BenchFile,
    GpuSample,
    LimitChange,
    MachineSample,
    Objectives,
    RunFrame,
    Sample,
    summarize_run,
)
from workbench.results.bench import schema as bench_schema


def test_that_requests_and_samples_come_back_as_they_were_written(bench):
    run = with_run(bench)
    records = [
        request(
            0, gaps_ms=gaps([1, 2]), gap_tokens=event_tokens([1, 3]), queue_ms=7.5, session_id="s", turn=2
        ),
        unanswered(1, due=1.5, error="connection reset", retries=1),
    ]
    samples = [Sample(t=0.25, engine="1", running=3, kv_usage=0.5), Sample(t=0.0)]
    bench.write_requests(run, records)
    bench.write_samples(run, samples)
    bench.flush()
    assert bench.requests(run) == records
    assert bench.samples(run) == [samples[1], samples[0]]
    assert bench.request_count(run) == 2
    assert bench.request_columns(run).due.tolist() == [0.0, 1.5]


def test_that_the_machine_and_changed_limits_come_back_as_they_were_written(bench):
    run = with_run(bench)
    gpu = GpuSample(index=0, memory_used=80 << 30, power_w=310.5, throttling=["power cap"])
    machine = [MachineSample(t=1.0, host_cpu=0.5, gpus=[gpu]), MachineSample(t=0.0)]
    bench.write_machine(run, machine)
    changes = [
        LimitChange(t=1.5, name="max_num_active_seqs", asked=3, old=16, new=3, by="user"),
        LimitChange(t=None, name="x", asked=None, old=None, new=None, by="user", refusal="no such limit"),
    ]
    bench.write_limit_change(run, changes[0])
    bench.write_limit_change(None, changes[1])
    bench.flush()
    assert bench.machine_samples(run) == [machine[1], machine[0]]
    assert (bench.limit_changes(run), bench.limit_changes()) == (changes[:1], changes)


def test_that_a_file_of_the_first_version_opens_without_the_later_tables(tmp_path, monkeypatch):
    path = tmp_path / "b.bench"
    with monkeypatch.context() as patch:
        patch.setattr(bench_schema, "MIGRATIONS", bench_schema.MIGRATIONS[:1])
        with BenchFile.create(path) as bench:
            run = with_run(bench)
    before = path.read_bytes()
    with BenchFile.open(path) as bench:
        assert (bench.machine_samples(run), bench.limit_changes()) == ([], [])
        assert bench.run(run).name == "baseline @ 2"
    assert path.read_bytes() == before


def test_that_samples_from_before_a_column_was_added_lack_its_value(tmp_path, monkeypatch):
    path = tmp_path / "b.bench"
    with monkeypatch.context() as patch:
        patch.setattr(bench_schema, "MIGRATIONS", bench_schema.MIGRATIONS[:2])
        with BenchFile.create(path) as bench:
            run = with_run(bench)
    connection = sqlite3.connect(path)
    connection.execute("INSERT INTO samples (run_id, t, engine, waiting) VALUES (?, 1.0, '0', 3.0)", (run,))
    connection.commit()
    connection.close()
    with BenchFile.open(path) as bench:
        assert bench.samples(run) == [Sample(t=1.0, waiting=3.0)]
    with BenchFile.open(path, read_only=False) as bench:
        bench.write_samples(run, [Sample(t=2.0, waiting=3.0, deferred=2.0)])
        bench.flush()
        assert [sample.deferred for sample in bench.samples(run)] == [None, 2.0]


def test_that_a_request_written_again_replaces_the_earlier(bench):
    run = with_run(bench)
    bench.write_requests(run, [unanswered(5)])
    bench.write_requests(run, [request(5)])
    assert [record.outcome for record in bench.requests(run)] == ["completed"]


def test_that_runs_do_not_mix(bench):
    first, second = with_run(bench), with_run(bench)
    bench.write_requests(first, [request(0), request(1)])
    bench.write_requests(second, [request(0)])
    assert (bench.request_count(first), bench.request_count(second)) == (2, 1)


def test_that_a_run_is_read_back_with_its_summary(bench):
    run = with_run(bench)
    summary = summarize_run([request()], RunFrame(length_s=1.0))
    bench.update_run(run, command="vllm serve m", effective={"max_num_seqs": 256}, simulated=True)
    bench.finish_run(run, "done", summary)
    entry = bench.run(run)
    assert (entry.status, entry.simulated, entry.effective) == ("done", True, {"max_num_seqs": 256})
    assert entry.summary == json.loads(json.dumps(summary.to_json()))
    assert bench.experiments()[0].objectives == Objectives(ttft_p95_ms=500)


@pytest.mark.parametrize("value", [None, 64, 0.5, "fcfs", False, [1, 2]])
def test_that_a_controls_value_keeps_its_kind(bench, value):
    experiment = bench.add_experiment("x", "")
    run = bench.add_run(experiment, "r", control="c", value=value, config={})
    assert bench.run(run).value == value
    assert type(bench.run(run).value) is type(value)


def test_that_no_secret_reaches_the_file(tmp_path):
    path = tmp_path / "b.bench"
    with BenchFile.create(path) as bench:
        run = with_run(bench)
        bench.write_log(run, "server", ["INFO api_key='sk-live-1', Authorization: Bearer abcdef123"])
        bench.update_run(run, effective={"api_key": ["sk-eff"], "max_num_batched_tokens": 2048})
        bench.update_run(run, command="vllm serve m --x 'api_key=sk-cmd'")
        assert bench.run(run).effective["max_num_batched_tokens"] == 2048
    content = path.read_bytes()
    for secret in (b"hf_verysecret", b"sk-1", b"sk-live-1", b"abcdef123", b"sk-eff", b"sk-cmd"):
        assert secret not in content
    assert b'TZ = "UTC"' in content


def test_that_closing_leaves_one_file(tmp_path):
    path = tmp_path / "b.bench"
    with BenchFile.create(path) as bench:
        bench.write_requests(with_run(bench), [request()])
        assert (tmp_path / "b.bench-wal").exists()
    assert [file.name for file in tmp_path.iterdir()] == ["b.bench"]
    with BenchFile.open(path) as again:
        assert again.request_count(1) == 1


def test_that_a_reader_sees_what_was_flushed_while_the_writer_goes_on(bench):
    run = with_run(bench)
    bench.write_requests(run, [request(0)])
    bench.flush()
    bench.write_requests(run, [request(1)])
    with BenchFile.open(bench.path) as reader:
        assert reader.request_count(run) == 1


CRASH = """
import os, sys
from pathlib import Path
from tests.unit.results.making import request
from workbench.results import BenchFile
bench = BenchFile.create(Path(sys.argv[1]))
run = bench.add_run(bench.add_experiment("x", ""), "r", control=None, value=None, config={})
bench.write_requests(run, [request(i) for i in range(50)])
bench.flush()
bench.write_requests(run, [request(50)])
os._exit(9)
"""


@pytest.fixture
def crashed(tmp_path):
    path = tmp_path / "crashed" / "b.bench"
    path.parent.mkdir()
    root = Path(__file__).parents[3]
    done = subprocess.run([sys.executable, "-c", CRASH, str(path)], cwd=root, check=False, timeout=60)
    assert done.returncode == 9
    return path


def test_that_a_killed_writer_loses_nothing_that_was_flushed(crashed):
    assert (crashed.parent / "b.bench-wal").stat().st_size > 0
    with BenchFile.open(crashed) as reader:
        assert reader.request_count(1) == 50


def test_that_writing_goes_on_after_a_crash(crashed):
    with BenchFile.open(crashed, read_only=False) as bench:
        bench.write_requests(1, [request(50)])
    with BenchFile.open(crashed) as reader:
        assert reader.request_count(1) == 51
    assert [file.name for file in crashed.parent.iterdir()] == ["b.bench"]


@pytest.mark.skipif(not hasattr(os, "geteuid"), reason="needs POSIX permissions")
def test_that_a_left_over_log_is_read_where_nothing_may_be_written(crashed, monkeypatch):
    def denied(*_args, **_kwargs):
        raise sqlite3.OperationalError("unable to open database file")

    monkeypatch.setattr("workbench.results.bench.bench_file.connect", denied_when_read_only(denied))
    before = {file.name: file.read_bytes() for file in crashed.parent.iterdir()}
    with BenchFile.open(crashed) as reader:
        assert reader.request_count(1) == 50
    assert {file.name: file.read_bytes() for file in crashed.parent.iterdir()} == before


def denied_when_read_only(denied):
    from workbench.results.bench.opening import connect

    return lambda path, *, read_only: denied() if read_only else connect(path, read_only=read_only)


def test_that_two_writers_on_one_file_are_refused_in_words(bench):
    bench.flush()
    with pytest.raises(InputError, match=rf"another run writes to this bench file \(process {os.getpid()}"):
        BenchFile.open(bench.path, read_only=False)


def test_that_a_writer_that_is_refused_changes_nothing(bench):
    bench.write_requests(with_run(bench), [request()])
    bench.flush()
    before = bench.path.read_bytes()
    with pytest.raises(InputError):
        BenchFile.open(bench.path, read_only=False)
    assert bench.path.read_bytes() == before


def test_that_the_file_may_be_written_again_once_its_writer_closed(tmp_path):
    path = tmp_path / "b.bench"
    BenchFile.create(path).close()
    BenchFile.open(path, read_only=False).close()


def test_that_an_existing_file_is_never_overwritten(tmp_path):
    path = tmp_path / "mine.bench"
    path.write_text("mine")
    with pytest.raises(InputError, match=r"mine\.bench: there is a file of this name"):
        BenchFile.create(path)
    assert path.read_text() == "mine"


@pytest.fixture
def older(tmp_path, monkeypatch):
    """A file of today's version seen by a later program, which has one migration more."""
    path = tmp_path / "older" / "b.bench"
    path.parent.mkdir()
    with BenchFile.create(path) as bench:
        bench.write_requests(with_run(bench), [request()])
    step = "ALTER TABLE runs ADD COLUMN later TEXT;"
    monkeypatch.setattr(bench_schema, "MIGRATIONS", (*bench_schema.MIGRATIONS, step))
    return path


def test_that_an_older_file_is_migrated_when_opened_for_writing(older):
    BenchFile.open(older, read_only=False).close()
    connection = sqlite3.connect(older)
    assert connection.execute("PRAGMA user_version").fetchone() == (len(bench_schema.MIGRATIONS),)
    assert connection.execute("SELECT name, later FROM runs").fetchall() == [("baseline @ 2", None)]
    connection.close()


def test_that_an_older_file_is_read_without_being_touched(older):
    before = older.read_bytes()
    with BenchFile.open(older) as bench:
        assert bench.request_count(1) == 1
    assert older.read_bytes() == before
    assert [file.name for file in older.parent.iterdir()] == ["b.bench"]


def test_that_a_migration_that_fails_leaves_the_old_file(older, monkeypatch):
    broken = (
        *bench_schema.MIGRATIONS[:-1],
        "ALTER TABLE runs ADD COLUMN a TEXT; ALTER TABLE none ADD b TEXT;",
    )
    monkeypatch.setattr(bench_schema, "MIGRATIONS", broken)
    with pytest.raises(WorkbenchError, match="can't be used"):
        BenchFile.open(older, read_only=False)
    connection = sqlite3.connect(older)
    assert "a" not in [row[1] for row in connection.execute("PRAGMA table_info(runs)")]
    connection.close()


def test_that_a_full_disk_stops_with_one_line_and_keeps_what_was_stored(bench):
    run = with_run(bench)
    bench.write_requests(run, [request(i) for i in range(100)])
    bench.flush()
    (pages,) = bench._connection.execute("PRAGMA page_count").fetchone()
    bench._connection.execute(f"PRAGMA max_page_count = {pages + 2}")
    with pytest.raises(WorkbenchError, match=r"b\.bench: the disk is full; everything stored so far is kept"):
        bench.write_requests(run, [request(i) for i in range(100, 2000)])
    assert bench.request_count(run) == 100


def test_that_a_file_that_another_program_locks_is_refused_in_words(tmp_path, monkeypatch):
    path = tmp_path / "b.bench"
    BenchFile.create(path).close()
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN EXCLUSIVE")
    monkeypatch.setattr("workbench.results.bench.opening._BUSY_S", 0.1)
    with pytest.raises(WorkbenchError, match=r"b\.bench: another program holds this bench file"):
        BenchFile.open(path, read_only=False)
    other.close()


def test_that_a_writer_in_the_middle_of_a_transaction_is_named_at_once(tmp_path, monkeypatch):
    path = tmp_path / "b.bench"
    monkeypatch.setattr("workbench.results.bench.opening._BUSY_S", 0.1)
    with BenchFile.create(path) as bench:
        bench.flush()
        bench._connection.execute("BEGIN IMMEDIATE")
        with pytest.raises(InputError, match=rf"another run writes .*process {os.getpid()}"):
            BenchFile.open(path, read_only=False)
        bench._connection.rollback()


def test_that_what_is_made_of_a_file_is_computed_once_until_somebody_writes(tmp_path):
    made = []

    def names(bench):
        return bench.cached_while_unchanged(
            "names", lambda: made.append(1) or [run.name for run in bench.runs()]
        )

    with BenchFile.create(tmp_path / "a.bench") as writer:
        with_run(writer)
        writer.flush()
        with BenchFile.open(tmp_path / "a.bench") as reader:
            assert names(reader) == names(reader) == ["baseline @ 2"]
            assert len(made) == 1
            with_run(writer)
            assert len(names(writer)) == 2, "of what it wrote itself, flushed or not"
            assert len(names(reader)) == 1
            writer.flush()
            assert len(names(reader)) == 2


def test_that_what_was_computed_from_rows_that_a_full_disk_undid_is_forgotten(bench):
    (pages,) = bench._connection.execute("PRAGMA page_count").fetchone()
    bench._connection.execute(f"PRAGMA max_page_count = {pages + 2}")
    run = with_run(bench)

    def count():
        return bench.cached_while_unchanged("count", lambda: len(bench.runs()))

    assert count() == 1
    with pytest.raises(WorkbenchError):
        bench.write_requests(run, [request(i) for i in range(2000)])
    assert count() == 0


@pytest.mark.slow
def test_that_a_million_requests_in_200_runs_open_within_two_seconds(tmp_path):
    path = tmp_path / "big.bench"
    summary = summarize_run([request(i) for i in range(400)], RunFrame(length_s=10.0))
    records = [request(i, tokens=64) for i in range(5000)]
    with BenchFile.create(path) as bench:
        experiment = bench.add_experiment("big", "")
        for index in range(200):
            run = bench.add_run(experiment, f"r{index}", control=None, value=None, config={})
            bench.write_requests(run, records)
            bench.finish_run(run, "done", summary)
    begun = time.perf_counter()
    with BenchFile.open(path) as bench:
        assert len(bench.runs()) == 200
        opened = time.perf_counter() - begun
        assert len(bench.request_columns(100)) == 5000
        read = time.perf_counter() - begun - opened
    assert opened < 2.0
    assert read < 1.0
