"""Rule R8 on runs of the embedded engine: a held-up load worker makes a run invalid; it is done again."""

import json
import time
from pathlib import Path

import psutil
import pytest

from tests.scenarios.test_first_run import Conduct, Conducting, conduct, experiment_file, stored, workbench

__all__ = ["conduct"]


RUNS = "SELECT name, status FROM runs ORDER BY id"


def hold_up(conducting: Conducting) -> None:
    """Keep the load worker from its work for a second of the run that goes on."""
    conducting.wait_for_completed(1)
    children = psutil.Process(conducting.process.pid).children(recursive=True)
    (worker,) = [child for child in children if "workbench.load.worker" in child.cmdline()]
    worker.suspend()
    time.sleep(1.0)
    worker.resume()


def held_up(folder: Path) -> Path:
    """An experiment of short answers, so that the first is there while most requests are still due."""
    path = experiment_file(folder, rate="6", duration_s="4", time_scale="1.0", values="[8]")
    path.write_text(path.read_text().replace("200:100", "200:10"))
    return path


@pytest.mark.slow
def test_that_a_load_worker_that_stood_still_is_found_and_its_run_alone_done_again_when_asked(
    tmp_path: Path, conduct: Conduct
) -> None:
    conducting = conduct(held_up(tmp_path))
    hold_up(conducting)
    row = conducting.wait_for("run_finished")["row"]
    assert row["valid"] is False
    assert "client-bound: client delay p99 " in row["reasons"]
    diagnosis = conducting.wait_for("diagnosis")
    assert any(said.startswith("Client-bound: client delay p99 ") for said in diagnosis["sentences"])
    # What makes the run invalid comes before any control.
    assert diagnosis["change"]["control"] is None
    # Either a worker of its own, or, where the cores had no time left, a machine that has.
    change = diagnosis["next_change"]
    assert "more load workers" in change or "this one's cores are" in change
    conducting.wait_for("experiment_finished")
    conducting.process.wait(60)
    bench = conducting.bench
    first, second = "baseline @ 6 req/s", "max_num_seqs = 8 @ 6 req/s"
    assert stored(bench, RUNS) == [(first, "done"), (second, "done")]
    valid = json.loads(stored(bench, "SELECT summary FROM runs ORDER BY id")[1][0])["valid"]

    # By its own experiments, without the file.
    done = workbench("run", "--bench", str(bench), "--resume", "--again", "--events")
    assert done.returncode == 0, done.stderr
    events = [json.loads(line) for line in done.stdout.splitlines()]
    started = [event["run"] for event in events if event["type"] == "run_started"]
    assert started == ([first] if valid else [first, second])
    left = [(first, "replaced"), (second, "done" if valid else "replaced"), (first, "done")]
    assert stored(bench, RUNS)[:3] == left
    rows = [event["row"] for event in events if event["type"] == "run_finished"]
    assert [(row["run"], row["n"]) for row in rows] == [(first, 1), (second, 1)]


def test_that_a_run_that_this_machine_spoilt_is_done_again_where_the_experiment_says_so(
    tmp_path: Path, conduct: Conduct
) -> None:
    path = held_up(tmp_path)
    path.write_text(f"{path.read_text()}[repeat]\ndisturbed = 1\n")
    conducting = conduct(path)
    hold_up(conducting)
    first = conducting.wait_for("run_finished")
    assert first["row"]["valid"] is False
    said = conducting.wait_for("message", level="info")["text"]
    assert said.startswith("baseline @ 6 req/s: client-bound: ")
    assert said.endswith("; the run is repeated")
    assert conducting.wait_for("run_started")["run"] == first["run"]
    again = conducting.wait_for("run_finished")["row"]
    assert (again["run"], again["n"]) == (first["run"], 1)
    conducting.say("stop")
    conducting.wait_for("experiment_finished")
    conducting.process.wait(60)
    name = first["run"]
    assert stored(conducting.bench, RUNS)[:2] == [(name, "replaced"), (name, "done")]
