import csv
import hashlib
import io
import zipfile

import pytest

from tests.unit.results.making import request, texts, unanswered
from workbench.base import InputError
from workbench.results import (
    BenchFile,
    Conditions,
    Histogram,
    Objectives,
    RunFrame,
    RunInputs,
    Sample,
    ServerDelta,
    pack_other_definitions,
    pack_report_differs,
    recompute,
    summarize_run,
    verify,
    verify_pack,
    write_pack,
)

SERVER = ServerDelta(preemptions=4, queue=Histogram(edges=(0.3, 0.5), counts=(90.0, 10.0, 0.0), sum=20.0))
CONDITIONS = Conditions(asked={"max_num_seqs": 8}, effective={"max_num_seqs": 16}, need=("kv",))
FRAME = RunFrame(length_s=10.0, ended=20.0)


def fill(bench, *, with_inputs=True):
    objectives = Objectives(ttft_p95_ms=150)
    requests = [request(i, due=i / 10, ttft=0.1 + i / 1000, cls="ab"[i % 2]) for i in range(99)] + [
        unanswered(99)
    ]
    samples = [Sample(t=i / 4, running=i, preemptions=2) for i in range(9)]
    experiment = bench.add_experiment("x", 'name = "x"', objectives=objectives)
    run = bench.add_run(experiment, "baseline", control=None, value=None, config={}, frame=FRAME)
    bench.write_requests(run, reversed(requests))
    bench.write_samples(run, samples)
    bench.write_log(run, "server", ["ready"])
    summary = summarize_run(
        requests, FRAME, samples=samples, server=SERVER, objectives=objectives, conditions=CONDITIONS
    )
    bench.finish_run(
        run, "done", summary, RunInputs(server=SERVER, conditions=CONDITIONS) if with_inputs else None
    )
    return run, summary


@pytest.fixture
def bench(tmp_path):
    with BenchFile.create(tmp_path / "b.bench") as file:
        yield file


def test_that_a_run_is_computed_again_from_the_file_alone(bench):
    run, summary = fill(bench)
    again = recompute(bench, run)
    assert again.ttft_ms.p50 == pytest.approx(summary.ttft_ms.p50)
    assert (again.preemptions, again.queue_ms.hi, again.reasons) == (4, 500, summary.reasons)
    assert verify(bench) == []


def test_that_a_run_with_a_warm_up_follows_from_its_rows(bench):
    """What the warm-up's requests left to end in the window counts in its rates."""
    measured = [request(i, due=i / 10) for i in range(100)]
    warming = [request(i, due=(i - 20) / 10, ttft=2.5, phase="warmup") for i in range(20)]
    experiment = bench.add_experiment("x", "")
    run = bench.add_run(experiment, "baseline", control=None, value=None, config={}, frame=FRAME)
    bench.write_requests(run, [*warming, *measured])
    summary = summarize_run([*warming, *measured], FRAME)
    assert summary.completed_rps > summarize_run(measured, FRAME).completed_rps
    bench.finish_run(run, "done", summary)
    assert verify(bench) == []
    assert recompute(bench, run).completed_rps == pytest.approx(summary.completed_rps)


def test_that_a_warm_up_request_stands_beside_the_measured_one_of_its_number(bench):
    experiment = bench.add_experiment("x", "")
    run = bench.add_run(experiment, "baseline", control=None, value=None, config={})
    # The warm-up's may be the later to end: neither takes the other's place.
    bench.write_requests(run, [request(3, due=1.0)])
    bench.write_requests(run, [request(3, due=-2.0, phase="warmup")])
    found = [(each.phase, each.index, each.due) for each in bench.requests(run)]
    assert found == [("measured", 3, 1.0), ("warmup", 3, -2.0)]


def test_that_without_stored_inputs_only_what_needs_them_is_not_checked(bench):
    fill(bench, with_inputs=False)
    assert verify(bench) == []


def test_that_a_figure_that_does_not_follow_is_named(bench):
    run, _ = fill(bench)
    bench.write_requests(run, [request(0, ttft=90.0, cls="a")])
    assert any("ttft_ms.max is stored as" in line for line in texts(verify(bench)))


def test_that_a_run_whose_writer_died_is_computed_as_stopped(bench):
    experiment = bench.add_experiment("x", "")
    run = bench.add_run(
        experiment, "baseline", control=None, value=None, config={}, frame=RunFrame(length_s=100.0)
    )
    bench.write_requests(run, [request(i, due=i / 10) for i in range(100)])
    again = recompute(bench, run)
    assert again.partial
    assert again.duration_s == pytest.approx(10, abs=0.1)
    assert again.requests.completed == 100


def packed(bench, tmp_path):
    path = tmp_path / "p.zip"
    write_pack(bench, path)
    return path


def rewritten(path, name, content):
    """The pack with one member changed, its hash left as it was."""
    with zipfile.ZipFile(path) as archive:
        members = {each: archive.read(each) for each in archive.namelist()}
    members[name] = content(members[name])
    with zipfile.ZipFile(path, "w") as archive:
        for each, data in members.items():
            archive.writestr(each, data)


def test_that_a_pack_holds_all_that_a_buyer_needs_and_verifies(bench, tmp_path):
    fill(bench)
    bench.flush()
    path = packed(bench, tmp_path)
    with zipfile.ZipFile(path) as archive:
        names = set(archive.namelist())
        assert b"ready" in archive.read("logs/run-1.txt")
    assert {"report.html", "scorecard.csv", "experiments/1.toml", "raw.bench", "SHA256SUMS"} <= names
    assert verify_pack(path) == []


def test_that_a_pack_that_was_zipped_again_verifies(bench, tmp_path):
    """Zip programs add entries for folders; they hold nothing that could have been changed."""
    fill(bench)
    bench.flush()
    path = packed(bench, tmp_path)
    with zipfile.ZipFile(path, "a") as archive:
        archive.mkdir("experiments")
        archive.mkdir("logs")
    assert verify_pack(path) == []


def test_that_the_packs_scorecard_names_the_report_that_it_belongs_to(bench, tmp_path):
    fill(bench)
    bench.flush()
    path = packed(bench, tmp_path)
    with zipfile.ZipFile(path) as archive:
        digest = hashlib.sha256(archive.read("report.html")).hexdigest()
        assert digest in archive.read("scorecard.csv").decode()
    assert verify_pack(path) == []


def test_that_a_changed_scorecard_is_found(bench, tmp_path):
    fill(bench)
    bench.flush()
    path = packed(bench, tmp_path)
    rewritten(path, "scorecard.csv", lambda data: data.replace(b"baseline", b"better"))
    assert texts(verify_pack(path)) == [
        "scorecard.csv is not what its hash says",
        "scorecard.csv does not follow from the raw rows",
    ]


def test_that_a_changed_summary_is_found_even_with_its_hash_made_right(bench, tmp_path):
    run, _ = fill(bench)
    bench.flush()
    bench.update_run(run, summary=bench.run(run).summary | {"offered_rps": 99.0})
    bench.flush()
    (line,) = texts(verify_pack(packed(bench, tmp_path)))
    assert line == "run 1 (baseline): offered_rps is stored as 99.0, the raw rows give 10.0"


def test_that_a_pack_of_an_earlier_build_is_said_to_be_one(bench, tmp_path):
    fill(bench)
    bench.flush()
    assert pack_other_definitions(packed(bench, tmp_path)) is None
    (tmp_path / "p.zip").unlink()
    bench._connection.execute("DELETE FROM meta WHERE key = 'definitions'")
    said = str(pack_other_definitions(packed(bench, tmp_path)))
    assert said.startswith("the file was written by a build of vLLM Workbench 0.")


def test_that_columns_that_came_later_are_no_difference_and_changed_or_unknown_ones_are(bench, tmp_path):
    fill(bench)
    bench.flush()
    path = packed(bench, tmp_path)

    def without_last_column(data):
        rows = list(csv.reader(io.StringIO(data.decode(), newline="")))
        written = io.StringIO(newline="")
        csv.writer(written).writerows(row[:-1] for row in rows)
        return written.getvalue().encode()

    rewritten(path, "scorecard.csv", without_last_column)
    assert texts(verify_pack(path)) == ["scorecard.csv is not what its hash says"]
    rewritten(path, "scorecard.csv", lambda data: data.replace(b"offered_rps", b"offered_rate"))
    assert "scorecard.csv does not follow from the raw rows" in texts(verify_pack(path))


def test_that_a_report_with_another_answer_is_found_though_every_hash_was_made_right(bench, tmp_path):
    """Each figure follows; only what is made of them doesn't."""
    fill(bench)
    bench.flush()
    path = packed(bench, tmp_path)
    assert pack_report_differs(path) is None
    with zipfile.ZipFile(path) as archive:
        members = {each: archive.read(each) for each in archive.namelist()}
    old = hashlib.sha256(members["report.html"]).hexdigest().encode()
    members["report.html"] = members["report.html"].replace(b"Decision sheet", b"Decision sheet, rounded up")
    new = hashlib.sha256(members["report.html"]).hexdigest().encode()
    before = hashlib.sha256(members["scorecard.csv"]).hexdigest().encode()
    members["scorecard.csv"] = members["scorecard.csv"].replace(old, new)
    after = hashlib.sha256(members["scorecard.csv"]).hexdigest().encode()
    members["SHA256SUMS"] = members["SHA256SUMS"].replace(old, new).replace(before, after)
    with zipfile.ZipFile(path, "w") as archive:
        for each, content in members.items():
            archive.writestr(each, content)
    assert verify_pack(path) == []
    assert "report.html is not what this build makes of raw.bench" in str(pack_report_differs(path))


@pytest.mark.parametrize("name", ["experiments/1.toml", "logs/run-1.txt"])
def test_that_a_text_that_the_bench_does_not_hold_is_found_even_with_its_hash_made_right(
    bench, tmp_path, name
):
    fill(bench)
    bench.flush()
    path = packed(bench, tmp_path)
    with zipfile.ZipFile(path) as archive:
        members = {each: archive.read(each) for each in archive.namelist()}
    sums = next(each for each in members if each.startswith("SHA256"))
    old, members[name] = members[name], b"something kinder"
    members[sums] = members[sums].replace(
        hashlib.sha256(old).hexdigest().encode(), hashlib.sha256(members[name]).hexdigest().encode()
    )
    with zipfile.ZipFile(path, "w") as archive:
        for each, content in members.items():
            archive.writestr(each, content)
    assert texts(verify_pack(path)) == [f"{name} is not what raw.bench holds"]


def test_that_what_would_unpack_to_fill_the_memory_is_refused_before_it_is_unpacked(tmp_path, monkeypatch):
    path = tmp_path / "p.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("raw.bench", bytes(2_000_000))
    monkeypatch.setattr("workbench.results.exports.pack_members._LEAST_ROOM", 1_000_000)
    monkeypatch.setattr(zipfile.ZipFile, "read", lambda *_: pytest.fail("it was unpacked"))
    with pytest.raises(InputError, match=r"p\.zip: .* MB would unpack to 2 MB, more than any pack does"):
        verify_pack(path)


def test_that_a_pack_that_cannot_be_unpacked_is_refused(tmp_path):
    """A member that says it is encrypted, and one whose bytes are no deflated stream."""
    path = tmp_path / "p.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("raw.bench", b"hello" * 100)
    whole = path.read_bytes()
    central = whole.index(b"PK\x01\x02")
    encrypted = bytearray(whole)
    encrypted[6] |= 1
    encrypted[central + 8] |= 1
    broken = bytearray(whole)
    broken[39:44] = b"\xff" * 5
    for content in (encrypted, broken):
        path.write_bytes(content)
        with pytest.raises(InputError, match="not a pack that can be read"):
            verify_pack(path)


def test_that_what_is_no_pack_is_refused(tmp_path):
    path = tmp_path / "p.zip"
    with pytest.raises(InputError, match="not a pack that can be read"):
        verify_pack(path)
    path.write_bytes(b"hello")
    with pytest.raises(InputError, match="not a pack that can be read"):
        verify_pack(path)
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("x", "y")
    with pytest.raises(InputError, match=r"SHA256SUMS, raw\.bench, scorecard\.csv missing"):
        verify_pack(path)


def test_that_packing_leaves_the_bench_as_it_was(bench, tmp_path):
    fill(bench)
    bench.close()
    before = bench.path.read_bytes()
    with BenchFile.open(bench.path) as reader:
        write_pack(reader, tmp_path / "p.zip")
    assert bench.path.read_bytes() == before
