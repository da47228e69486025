import zipfile

import pytest

from workbench.experiments import check_pack, pack
from workbench.experiments.spec.read_experiments import BASE
from workbench.results import BenchFile
from workbench.traces import make_mix, read_trace, write_trace

REST = """[target]
kind = "embedded"
profile = "h100_sxm/Llama-3.1-8B/tp1"
[control]
name = "max_num_seqs"
values = [32]
[load]
rates = [2.0]
requests = 40
"""
MADE = """name = "made"
[trace]
mix = "agent"
seed = 7
"""
FROM_FILE = """name = "own"
[trace]
file = "own.jsonl"
seed = 3
"""


def begun(folder, toml, trace, seed):
    """A bench file with one experiment that replayed the trace, and no runs."""
    with BenchFile.create(folder / "b.bench") as bench:
        bench.set_meta(BASE, str(folder))
        bench.add_experiment("x", toml + REST, facts={"trace_sha256": trace.sha256(seed)})
    return BenchFile.open(folder / "b.bench")


def made():
    return make_mix("agent", requests=40, rate=2.0, seed=7)


def own(folder):
    trace = make_mix("chat", requests=30, rate=1.0, seed=1)
    write_trace(trace, folder / "own.jsonl")
    return trace


def traces(path):
    with zipfile.ZipFile(path) as archive:
        return [name for name in archive.namelist() if name.startswith("traces/")]


def test_that_a_pack_carries_the_trace_that_was_made_and_the_supplier_reads_the_same_one(tmp_path):
    with begun(tmp_path, MADE, made(), 7) as bench:
        assert pack(bench, tmp_path / "p.zip") == []
    name = f"traces/{made().sha256(7)}.jsonl"
    with zipfile.ZipFile(tmp_path / "p.zip") as archive:
        replayed = read_trace(archive.extract(name, tmp_path / "supplier"))
    assert replayed.sha256(7) == made().sha256(7)
    assert check_pack(tmp_path / "p.zip") == []


def test_that_a_pack_carries_a_trace_file_from_beside_the_experiment(tmp_path):
    with begun(tmp_path, FROM_FILE, own(tmp_path), 3) as bench:
        assert pack(bench, tmp_path / "p.zip") == []
    assert traces(tmp_path / "p.zip") == [f"traces/{read_trace(tmp_path / 'own.jsonl').sha256(3)}.jsonl"]
    assert check_pack(tmp_path / "p.zip") == []


@pytest.mark.parametrize("gone", [True, False])
def test_that_a_trace_file_that_is_gone_or_another_now_is_named_and_not_packed(tmp_path, gone):
    with begun(tmp_path, FROM_FILE, own(tmp_path), 3) as bench:
        if gone:
            (tmp_path / "own.jsonl").unlink()
        else:
            write_trace(made(), tmp_path / "own.jsonl")
        (line,) = map(str, pack(bench, tmp_path / "p.zip"))
    assert "x: the trace with hash" in line
    assert line.endswith("own.jsonl: the file holds another trace now") is not gone
    assert traces(tmp_path / "p.zip") == ["traces/absent.txt"]
    assert check_pack(tmp_path / "p.zip") == []


def test_that_a_trace_put_under_anothers_name_is_found_out(tmp_path):
    with begun(tmp_path, MADE, made(), 7) as bench:
        pack(bench, tmp_path / "p.zip")
    name = f"traces/{made().sha256(7)}.jsonl"
    write_trace(make_mix("agent", requests=40, rate=2.0, seed=8), tmp_path / "other.jsonl")
    with zipfile.ZipFile(tmp_path / "p.zip") as archive:
        contents = {each: archive.read(each) for each in archive.namelist()}
    contents[name] = (tmp_path / "other.jsonl").read_bytes()
    contents["traces/0.jsonl"] = b"{}"
    with zipfile.ZipFile(tmp_path / "p.zip", "w") as archive:
        for each, content in contents.items():
            archive.writestr(each, content)
    lines = list(map(str, check_pack(tmp_path / "p.zip")))
    assert f"{name} is not what its hash says" in lines
    assert f"{name} is not the trace that its runs replayed" in lines
    assert "traces/0.jsonl is the trace of no run" in lines


def test_that_a_bench_of_figures_without_a_trace_makes_a_pack_without_one(tmp_path):
    with BenchFile.create(tmp_path / "b.bench") as bench:
        bench.add_experiment("of another tool", "")
    with BenchFile.open(tmp_path / "b.bench") as bench:
        assert pack(bench, tmp_path / "p.zip") == []
    assert traces(tmp_path / "p.zip") == []
    assert check_pack(tmp_path / "p.zip") == []
