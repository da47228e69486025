"""A plan goes on after its conductor was killed; a bench file that takes nothing more ends it cleanly."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import psutil
import pytest

from tests.scenarios.test_first_run import Conducting, experiment_file, stored, workbench

pytestmark = pytest.mark.skipif(os.name == "nt", reason="SIGKILL and resource limits are POSIX")

RUNS = "SELECT name, status FROM runs ORDER BY id"


@pytest.fixture
def conduct(tmp_path: Path) -> Iterator[Callable[[Path], Conducting]]:
    """Starts a conductor that is ended with the test."""
    started: list[Conducting] = []

    def start(path: Path) -> Conducting:
        started.append(Conducting(path, tmp_path / "killed.bench"))
        return started[-1]

    yield start
    for conducting in started:
        conducting.end()


def kill(conducting: Conducting) -> None:
    """End the conductor as a power cut would, and wait for what it started to notice."""
    children = psutil.Process(conducting.process.pid).children(recursive=True)
    os.kill(conducting.process.pid, signal.SIGKILL)
    conducting.process.wait()
    _, alive = psutil.wait_procs(children, timeout=60)
    assert not alive


def assert_its_pack_verifies(bench: Path) -> None:
    """What is left of the plan follows from its raw rows, whatever happened to it."""
    pack = bench.with_suffix(".zip")
    assert workbench("export", str(bench), "--pack", str(pack)).returncode == 0
    verified = workbench("export", "--verify", str(pack))
    assert (verified.returncode, verified.stdout) == (0, "every figure follows from the raw rows\n")


def test_that_a_killed_plan_goes_on_with_the_run_that_broke(
    tmp_path: Path, conduct: Callable[[Path], Conducting]
) -> None:
    path = experiment_file(tmp_path, values="[16]", duration_s="6", time_scale="2.0", rate="5")
    conducting = conduct(path)
    conducting.wait_for("run_finished")
    conducting.wait_for_completed(1)
    kill(conducting)
    bench = tmp_path / "killed.bench"
    first, second = "baseline @ 5 req/s", "max_num_seqs = 16 @ 5 req/s"
    assert stored(bench, RUNS) == [(first, "done"), (second, "running")]
    assert_its_pack_verifies(bench)

    done = workbench("run", str(path), "--bench", str(bench), "--resume", "--events")
    assert done.returncode == 0, done.stderr
    events = [json.loads(line) for line in done.stdout.splitlines()]
    said = [event["text"] for event in events if event["type"] == "message"]
    assert f"resumed: 1 finished run is kept; repeated: {second}" in said
    assert [event["run"] for event in events if event["type"] == "run_started"] == [second]
    finished = [(event["run"], event["status"]) for event in events if event["type"] == "run_finished"]
    assert finished == [(first, "done"), (second, "done")]
    assert stored(bench, RUNS) == [(first, "done"), (second, "partial"), (second, "done")]
    assert stored(bench, "SELECT status FROM experiments") == [("done",)]

    again = workbench("run", str(path), "--bench", str(bench), "--resume", "--events")
    assert again.returncode == 0, again.stderr
    assert "run_started" not in again.stdout, "nothing is left to be run"
    assert again.stderr == ""

    # Another tool's results beside them are no part of the plan.
    theirs = Path(__file__).parents[1] / "data/peers/guidellm.json"
    assert workbench("peers", str(bench), str(theirs)).returncode == 0
    beside = workbench("run", "--bench", str(bench), "--resume", "--events")
    assert beside.returncode == 0, beside.stderr
    assert "resumed: 2 finished runs are kept" in beside.stdout
    assert stored(bench, "SELECT name, status FROM experiments")[1:] == [("GuideLLM: guidellm.json", "done")]
    assert_its_pack_verifies(bench)


def test_that_files_which_differ_from_what_the_bench_holds_are_refused_in_words(tmp_path: Path) -> None:
    path = experiment_file(tmp_path, values="[16]", duration_s="2", time_scale="2.0", rate="5")
    bench = tmp_path / "a.bench"
    assert workbench("run", str(path), "--bench", str(bench)).returncode == 0
    before = bench.read_bytes()
    path.write_text(path.read_text().replace("rates = [5]", "rates = [6]").replace("[16]", "[15]"))
    done = workbench("run", str(path), "--bench", str(bench), "--resume")
    assert done.returncode == 2
    assert "another control.values, load.rates" in done.stderr
    assert bench.read_bytes() == before
    assert workbench("run", str(path), "--resume").returncode == 2
    assert workbench("run", str(path), "--bench", str(tmp_path / "none.bench"), "--resume").returncode == 2


def test_that_a_second_conductor_is_refused_while_the_first_writes(
    tmp_path: Path, conduct: Callable[[Path], Conducting]
) -> None:
    path = experiment_file(tmp_path, values="[16]", duration_s="10", time_scale="1.0", rate="5")
    conducting = conduct(path)
    conducting.wait_for_completed(1)
    done = workbench("run", str(path), "--bench", str(conducting.bench), "--resume")
    assert done.returncode == 2, done.stderr
    assert len(done.stderr.strip().splitlines()) == 1
    assert str(conducting.process.pid) in done.stderr
    conducting.say("skip")
    assert conducting.wait_for("run_finished")["status"] == "skipped"
    conducting.say("stop")


LIMITED = """
import resource, sys
resource.setrlimit(resource.RLIMIT_FSIZE, ({size}, {size}))
from workbench.cli import main
sys.exit(main(sys.argv[1:]))
"""


def test_that_a_disk_that_fills_up_ends_the_plan_and_keeps_what_was_stored(tmp_path: Path) -> None:
    path = experiment_file(tmp_path, values="[16]", duration_s="30", time_scale="8.0", rate="20")
    bench = tmp_path / "full.bench"
    done = subprocess.run(
        [
            *(sys.executable, "-c", LIMITED.format(size=300_000)),
            *("run", str(path), "--bench", str(bench), "--events"),
        ],
        capture_output=True, text=True, timeout=280, check=False,
    )  # fmt: skip
    assert done.returncode == 1, (done.stdout[-500:], done.stderr)
    last = done.stderr.strip().splitlines()[-1]
    assert last.startswith("error: ")
    assert "everything stored so far is kept" in last
    events = [json.loads(line) for line in done.stdout.splitlines()]
    states = [event["state"] for event in events if event["type"] == "server_state"]
    assert states[-1] == "stopped"
    assert stored(bench, "SELECT COUNT(*) FROM requests")[0][0] > 0
