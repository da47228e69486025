"""Whole experiments on a real vLLM: a ladder over its seats that loses its server, and a switchback."""

import json
import subprocess
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import psutil
import pytest

from tests.scenarios.test_first_run import Conducting, stored
from tests.scenarios.test_resume import assert_its_pack_verifies
from tests.vllm.conftest import give_way, local_spec
from workbench.experiments import conclusions_of
from workbench.results import BenchFile, Verdict, VerdictKind, scorecard_rows

SEATS = "max_num_active_seqs"
RATE = 5
"""Requests a second that keep one to two sequence slots busy on a quiet machine."""
RUNS = "SELECT name, status FROM runs ORDER BY id"


def experiment_file(
    folder: Path,
    name: str,
    *,
    kind: str = "ladder",
    live: bool = True,
    values: str,
    load: str,
    more: str = "",
) -> Path:
    """An experiment over the seats of the tiny model's server, eight of them in the baseline."""
    spec = local_spec()
    env = ", ".join(f"{key} = {json.dumps(value)}" for key, value in spec.env.items())
    path = folder / f"{name}.toml"
    path.write_text(f"""
name = "{name}"
kind = "{kind}"
[target]
kind = "local"
model = {json.dumps(spec.model)}
executable = {json.dumps(spec.executable)}
args = {json.dumps(spec.args)}
env = {{ {env} }}
live_limits = {str(live).lower()}
[baseline]
max_model_len = 512
max_num_seqs = 16
max_num_active_seqs = 8
max_num_batched_tokens = 512
enable_prefix_caching = false
[control]
name = "{SEATS}"
values = {values}
[trace]
synthetic = "64:96"
[load]
rates = [{RATE}]
{load}
[objectives]
queue_p95_ms = 100
{more}
""")
    return path


def run(path: Path, bench: Path, *more: str) -> subprocess.CompletedProcess[str]:
    """To its end; every server that it starts gives way to its client."""
    words = [sys.executable, "-m", "workbench", "run", str(path), "--bench", str(bench), *more]
    with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as conductor:
        while True:
            try:
                said, errors = conductor.communicate(timeout=1.0)
                return subprocess.CompletedProcess(words, conductor.returncode, said, errors)
            except subprocess.TimeoutExpired:
                for one in psutil.Process(conductor.pid).children():
                    with suppress(psutil.Error):
                        if "serve" in one.cmdline():
                            give_way(one.pid)


def cells(bench: Path) -> dict[int, dict[str, Any]]:
    """Rows of the scorecard by their seats."""
    with BenchFile.open(bench) as file:
        return {row.cells["value"] or 8: row.cells for row in scorecard_rows(file)}


def queue_verdict(bench: Path, variant: str) -> Verdict:
    """On the queue time of the one row whose name begins so."""
    with BenchFile.open(bench) as file:
        (found,) = (
            verdict
            for verdict in conclusions_of(file).verdicts
            if verdict.figure == "queue_p95_ms" and verdict.variant.startswith(variant)
        )
    return found


@pytest.mark.vllm
def test_that_a_ladder_over_seats_outlives_its_server_resumes_and_says_that_one_slot_queues(
    tmp_path: Path, conduct: Callable[[Path], Conducting]
) -> None:
    # One slot serves about half of what arrives, so that its queue is no matter of chance.
    path = experiment_file(tmp_path, "seats", values="[1, 16]", load="requests = 90", more="[repeat]\nn = 2")
    conducting = conduct(path)
    pid = conducting.wait_for("server_state", state="ready")["pid"]
    give_way(pid)
    for _ in range(4):
        assert conducting.wait_for("run_finished")["status"] == "done"
    lost = conducting.wait_for("run_started")["run"]
    conducting.wait_for_completed(1)
    psutil.Process(pid).kill()
    assert conducting.wait_for("run_finished")["status"] == "failed"
    again = conducting.wait_for("server_state", state="ready")["pid"]
    assert again != pid
    give_way(again)
    assert conducting.wait_for("run_finished")["status"] == "done"
    assert conducting.wait_for("experiment_finished")["status"] == "failed"
    assert conducting.process.wait(60) == 1
    statuses = stored(conducting.bench, RUNS)
    assert [name for name, status in statuses if status == "failed"] == [lost]

    done = run(path, conducting.bench, "--resume")
    print(done.stdout)
    assert done.returncode == 0, done.stderr
    assert stored(conducting.bench, RUNS) == [*statuses, (lost, "done")]
    rows = cells(conducting.bench)
    assert {row["n"] for row in rows.values()} == {2}
    queued = rows[1]["queue_p95_ms"]
    # Empty where the queue was so long that more than one request in twenty was never scheduled.
    assert queued is None or queued > max(20, 5 * max(rows[8]["queue_p95_ms"], rows[16]["queue_p95_ms"]))
    (said,) = (line for line in done.stdout.splitlines() if line.startswith(f"{SEATS} 8 → 1: "))
    # What a busy machine measures is no more than shown: nothing is concluded from it.
    if rows[1]["valid"] and rows[8]["valid"]:
        assert "p95 queue time" in said
        assert (
            rows[1]["diverging"] or queue_verdict(conducting.bench, f"{SEATS} = 1").word is VerdictKind.WORSE
        )
    assert_its_pack_verifies(conducting.bench)


@pytest.mark.vllm_full
def test_that_a_switchback_and_a_restarted_plan_agree_that_two_seats_queue(
    tmp_path: Path, build: Path
) -> None:
    live = experiment_file(
        tmp_path, "switchback", kind="switchback", values="[2]", load="duration_s = 96",
        more="[switchback]\nblock_s = 8\nwashout_s = 2",
    )  # fmt: skip
    again = experiment_file(
        tmp_path, "restarted", live=False, values="[2]", load="requests = 120", more="[repeat]\nn = 2"
    )
    found = []
    for path, variant in ((live, f"{SEATS} = 8 ⇄ 2"), (again, f"{SEATS} = 2")):
        bench = path.with_suffix(".bench")
        done = run(path, bench)
        print(done.stdout)
        assert done.returncode == 0, done.stderr
        if "INVALID" in done.stdout:
            pytest.skip("this machine is too busy to measure on")
        found.append(queue_verdict(bench, variant))
    assert [verdict.word for verdict in found] == [VerdictKind.WORSE, VerdictKind.WORSE]


@pytest.mark.vllm_full
def test_that_seats_which_are_never_taken_make_no_difference(tmp_path: Path, build: Path) -> None:
    path = experiment_file(
        tmp_path, "nothing", kind="switchback", values="[16]", load="duration_s = 96",
        more="[switchback]\nblock_s = 8\nwashout_s = 2",
    )  # fmt: skip
    bench = path.with_suffix(".bench")
    done = run(path, bench)
    print(done.stdout)
    assert done.returncode == 0, done.stderr
    if "INVALID" in done.stdout:
        pytest.skip("this machine is too busy to measure on")
    assert queue_verdict(bench, SEATS).word not in (VerdictKind.BETTER, VerdictKind.WORSE)
