"""What is no bench file, damaged or newer: refused in one line that names it."""

import math
import sqlite3

import numpy as np
import pytest

from tests.unit.results.making import request, with_run
from workbench.base import InputError, WorkbenchError
from workbench.results import BenchFile, MachineSample, Sample


def test_that_a_folder_that_is_not_there_is_named(tmp_path):
    with pytest.raises(InputError, match="nowhere"):
        BenchFile.create(tmp_path / "nowhere" / "b.bench")


@pytest.mark.parametrize("content", [b"", b"hello", b"PK\x03\x04" * 100, b"SQLite format 3\0"])
def test_that_what_is_no_bench_file_is_refused_and_left_alone(tmp_path, content):
    path = tmp_path / "x.bench"
    path.write_bytes(content)
    for read_only in (True, False):
        with pytest.raises(InputError, match=r"x\.bench: (not a bench file|this bench file is cut short)"):
            BenchFile.open(path, read_only=read_only)
    assert path.read_bytes() == content


def test_that_another_programs_sqlite_file_is_refused(tmp_path):
    path = tmp_path / "other.db"
    connection = sqlite3.connect(path)
    connection.execute("CREATE TABLE t (x)")
    connection.close()
    with pytest.raises(InputError, match="not a bench file of vLLM Workbench"):
        BenchFile.open(path)


def test_that_a_missing_file_is_named(tmp_path):
    with pytest.raises(InputError, match=r"gone\.bench: can't be read: No such file"):
        BenchFile.open(tmp_path / "gone.bench")


def test_that_a_file_cut_short_is_refused(tmp_path):
    path = tmp_path / "b.bench"
    with BenchFile.create(path) as bench:
        bench.write_requests(with_run(bench), [request(i) for i in range(100)])
    path.write_bytes(path.read_bytes()[:-5000])
    with pytest.raises(InputError, match=r"cut short: \d+ of \d+ bytes"):
        BenchFile.open(path)


def test_that_damage_inside_is_one_clear_line(tmp_path):
    path = tmp_path / "b.bench"
    with BenchFile.create(path) as bench:
        bench.write_requests(with_run(bench), [request(i) for i in range(100)])
    content = bytearray(path.read_bytes())
    content[4096:] = b"\xff" * (len(content) - 4096)
    path.write_bytes(content)
    with pytest.raises(WorkbenchError, match=r"b\.bench: .*damaged"), BenchFile.open(path) as bench:
        bench.runs()


def test_that_a_newer_file_is_refused_untouched(tmp_path):
    path = tmp_path / "b.bench"
    BenchFile.create(path).close()
    connection = sqlite3.connect(path)
    connection.execute("PRAGMA user_version = 99")
    connection.close()
    before = path.read_bytes()
    for read_only in (True, False):
        with pytest.raises(InputError, match=r"newer vLLM Workbench \(bench format 99.*update"):
            BenchFile.open(path, read_only=read_only)
    assert path.read_bytes() == before
    assert [file.name for file in tmp_path.iterdir()] == ["b.bench"]


@pytest.mark.parametrize(
    ("change", "read", "said"),
    [
        ("UPDATE samples SET t = 9e999", lambda b: b.samples(1), "damaged in samples: t inf"),
        ("UPDATE samples SET kv_usage = 'x'", lambda b: b.samples(1), "damaged in samples: "),
        ("UPDATE runs SET time_scale = -9e999", lambda b: b.runs(), "damaged in runs: time_scale -inf"),
        ("UPDATE runs SET rate = 1e308", lambda b: b.run(1), r"damaged in runs: rate 1e\+308"),
        ("UPDATE runs SET experiment_id = 77", lambda b: b.runs(), "runs: run 1 belongs to no experiment"),
        ("UPDATE experiments SET id = 5", lambda b: b.runs(), "runs: run 1 belongs to no experiment"),
        (
            "UPDATE requests SET due = -9e999",
            lambda b: b.request_columns(1),
            "column due must hold numbers",
        ),
        ("UPDATE requests SET retries = 1e308", lambda b: b.request_columns(1), "none beyond 1e"),
        ("UPDATE log SET text = x'ff00'", lambda b: b.log(), "damaged in log: "),
        ("UPDATE requests SET cls = x'ff00'", lambda b: b.request_columns(1), "column cls must hold text"),
    ],
)
def test_that_values_that_cannot_be_are_named_before_anything_is_computed_of_them(bench, change, read, said):
    run = with_run(bench)
    bench.write_requests(run, [request(0), request(1)])
    bench.write_samples(run, [Sample(t=0.0, running=3, kv_usage=0.5)])
    bench.write_log(run, "server", ["ready"])
    bench.flush()
    bench._connection.execute("PRAGMA foreign_keys = OFF")
    bench._connection.execute(change)
    with pytest.raises((WorkbenchError, InputError), match=said):
        read(bench)


def test_that_a_file_with_a_value_that_is_not_finite_is_read_with_that_value_unknown(bench):
    run = with_run(bench)
    bench.write_requests(run, [request(0), request(1)])
    bench.write_samples(run, [Sample(t=0.0, running=3, generation_tokens=5)])
    bench.write_machine(run, [MachineSample(t=0.0, host_cpu=0.5)])
    bench.flush()
    for change in (
        "UPDATE samples SET generation_tokens = 9e999",
        "UPDATE machine SET host_cpu = -9e999",
        "UPDATE requests SET queue_ms = 9e999",
    ):
        bench._connection.execute(change)
    assert bench.samples(run) == [Sample(t=0.0, running=3, generation_tokens=None)]
    assert bench.machine_samples(run) == [MachineSample(t=0.0, host_cpu=None)]
    assert np.isnan(bench.request_columns(run).queue_ms).all()
    assert [record.queue_ms for record in bench.requests(run)] == [None, None]


@pytest.mark.parametrize("value", [math.inf, -math.inf, math.nan])
def test_that_the_writer_refuses_a_value_that_is_not_finite(bench, value):
    run = with_run(bench)
    for write in (
        lambda: bench.write_samples(run, [Sample(t=0.0, generation_tokens=value)]),
        lambda: bench.write_machine(run, [MachineSample(t=0.0, disk_read=value)]),
        lambda: bench.write_requests(run, [request(0, queue_ms=value)]),
    ):
        with pytest.raises(InputError, match=r"can't be stored: .* is not a finite number"):
            write()
    assert bench.samples(run) == []
