"""`explain` splits the time of real requests of the embedded engine into causes that sum to it."""

import argparse
import hashlib
import json
import zipfile
from pathlib import Path

import pytest

from tests.scenarios.test_first_run import workbench
from workbench.base import Refusal
from workbench.cli import explain
from workbench.experiments import check_pack, pack, write_report
from workbench.results import BenchFile

EXPERIMENT = """
name = "Slots"
[target]
kind = "embedded"
profile = "h100_sxm/Llama-3.1-8B/tp1"
{record}
[baseline]
max_num_seqs = 4
[trace]
synthetic = "200:40"
[load]
rates = [20]
duration_s = 4
"""


@pytest.fixture(scope="module")
def measured(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A bench file of four seconds at four slots, which are too few."""
    return measure(tmp_path_factory.mktemp("explain"), "")


def measure(folder: Path, record: str) -> Path:
    path = folder / "slots.toml"
    path.write_text(EXPERIMENT.format(record=record))
    done = workbench("run", str(path), "--bench", str(folder / "slots.bench"))
    assert done.returncode == 0, done.stderr
    return folder / "slots.bench"


def test_the_parts_of_each_request_sum_to_its_latency_and_name_the_slots(measured: Path) -> None:
    done = workbench("explain", str(measured), "--all", "--json", "-")
    assert done.returncode == 0, done.stderr
    (run,) = json.loads(done.stdout)
    ended = [request for request in run["requests"] if request["e2e_ms"] is not None]
    assert len(ended) > 60
    for request in ended:
        parts = sum(part["ms"] for part in request["parts"])
        assert parts + request["unexplained_ms"] == pytest.approx(request["e2e_ms"])
        assert abs(request["unexplained_ms"]) <= 0.01 * request["e2e_ms"]
        assert all(part["ms"] >= 0 for part in request["parts"])
    assert max(run["totals"], key=run["totals"].get) == "sequence_limit"
    told = workbench("explain", str(measured), "--worst", "1").stdout
    assert "waited: sequence limit" in told
    worst = max(ended, key=lambda request: request["e2e_ms"])["request"]
    table, trace = measured.with_suffix(".csv"), measured.with_suffix(".json")
    files = ("--csv", str(table), "--perfetto", str(trace))
    said = workbench("explain", str(measured), "--request", worst, "--json", "-", *files)
    (alone,) = json.loads(said.stdout)
    assert [request["request"] for request in alone["requests"]] == [worst]
    by_setting, by_request = alone["request_what_if"]
    assert by_setting["changes"] == {"max_num_seqs": 8}
    assert by_request["without"] in {each["request"] for each in run["requests"]}
    assert by_setting["after_ms"] < by_request["after_ms"] < by_request["before_ms"]
    assert abs(by_setting["error"]) < 0.05
    assert f",{worst}," in table.read_text()
    assert json.loads(trace.read_text())["traceEvents"]
    forked = workbench(
        "engine", "fork", str(measured), "--at", "1s", "--set", "max_num_seqs=16", "--json", "-"
    )
    assert forked.returncode == 0, forked.stderr
    result = json.loads(forked.stdout)
    assert 0.9 < result["at_s"] < 1.2
    waiting = result["figures"]["waiting_ms"]
    assert waiting["certain"]
    assert waiting["changed"] < 0.5 * waiting["recorded"]
    assert {each["request"] for each in result["gain"]} <= {request["request"] for request in ended}
    for wrong in (["--what-if", "max_num_seqs=abc"], ["--worst", "-1"], ["--request", "none"]):
        refused = workbench("explain", str(measured), *wrong)
        assert (refused.returncode, len(refused.stderr.strip().splitlines())) == (2, 1), refused.stderr


def test_a_pack_carries_the_steps_that_a_bench_file_alone_lacks_and_its_ledger_is_computed_again(
    measured: Path, tmp_path: Path
) -> None:
    alone = tmp_path / measured.name
    alone.write_bytes(measured.read_bytes())
    parser = argparse.ArgumentParser()
    explain.configure(parser)
    with pytest.raises(Refusal, match=r"put the folder slots\.steps beside the bench file again"):
        explain.run(parser.parse_args([str(alone)]))
    packed, forged = tmp_path / "p.zip", tmp_path / "forged.zip"
    with BenchFile.open(measured) as bench:
        assert pack(bench, packed) == []
        write_report(bench, tmp_path / "r.html")
    assert "waited: sequence limit" in (tmp_path / "r.html").read_text()
    assert check_pack(packed) == []
    with zipfile.ZipFile(packed) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    (name,) = [name for name in members if name.startswith("ledger/") and name.endswith(".csv")]
    members[name] = members[name].replace(b"sequence_limit", b"front_end", 1)
    sums = [f"{hashlib.sha256(content).hexdigest()}  {each}" for each, content in members.items()]
    members["SHA256SUMS"] = "\n".join(line for line in sums if "SHA256SUMS" not in line).encode()
    with zipfile.ZipFile(forged, "w") as archive:
        for each, content in members.items():
            archive.writestr(each, content)
    assert [found.kind for found in check_pack(forged)] == ["experiments.ledger_differs"]


def test_a_run_without_a_step_record_is_refused_with_the_way_out(tmp_path: Path) -> None:
    done = workbench("explain", str(measure(tmp_path, "record_steps = false")))
    assert done.returncode == 2
    assert "record_steps = true" in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1
