"""A session of eight experiments on two nodes of a real Ray cluster, all on 127.0.0.1, with things killed."""

import csv
import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import psutil
import pytest

from workbench.base import now
from workbench.results import BenchFile

# Ray replaces 127.0.0.1 by the machine's outer address unless it is told that there is no cluster.
os.environ["RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER"] = "0"
os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
ray: Any = pytest.importorskip("ray")
pytestmark = [pytest.mark.slow, pytest.mark.timeout(1800)]

_NODE: dict[str, Any] = {
    "num_cpus": 1,
    "node_ip_address": "127.0.0.1",
    "object_store_memory": 80_000_000,
}
EXPERIMENTS = 8
DURATION_S = 20
_MOST_S = 600.0


@pytest.fixture
def cluster() -> Iterator[Any]:
    """Two nodes that take one experiment each; the head takes none."""
    from ray.cluster_utils import Cluster  # after importorskip

    nodes = Cluster(initialize_head=True, head_node_args={**_NODE, "num_cpus": 0, "include_dashboard": False})
    for _ in range(2):
        nodes.add_node(**_NODE)
    yield nodes
    nodes.shutdown()


def experiment_files(folder: Path, count: int, duration_s: int) -> list[Path]:
    files = [folder / f"e{number}.toml" for number in range(count)]
    for file in files:
        file.write_text(f"""
name = "Experiment {file.stem}"
[target]
kind = "embedded"
[trace]
synthetic = "50:10"
[load]
rates = [1]
arrivals = "constant"
duration_s = {duration_s}
""")
    return files


class Driver(AbstractContextManager["Driver"]):
    """The command, in a process of its own, which ends with the context."""

    def __init__(self, cluster: Any, files: list[Path], out: Path, *more: str) -> None:
        words = ["run", *map(str, files), "--on", cluster.address, "--out", str(out), "--events", *more]
        self.process = subprocess.Popen(
            [sys.executable, "-m", "workbench", *words],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        )  # fmt: skip
        self.kinds: list[str] = []
        self.errors = ""

    def __exit__(self, *_: object) -> None:
        if self.process.poll() is None:
            self.process.kill()
            self.process.communicate()

    def wait_for(self, kind: str, times: int = 1) -> None:
        """Wait until something was said so often."""
        assert self.process.stdout is not None
        while self.kinds.count(kind) < times:
            line = self.process.stdout.readline()
            assert line, (self.kinds, self.process.communicate()[1][-2000:])
            said = json.loads(line)["message"]["kind"]
            self.kinds.append(said.removeprefix("experiments.cluster_"))

    def end(self) -> int:
        """Read the rest and return the exit code."""
        out, errors = self.process.communicate(timeout=_MOST_S)
        self.errors = errors.decode()[-2000:]
        self.kinds += [
            json.loads(line)["message"]["kind"].removeprefix("experiments.cluster_")
            for line in out.splitlines()
        ]
        return self.process.returncode


def node_processes() -> list[psutil.Process]:
    """The conductors on the nodes."""
    found = []
    for process in psutil.process_iter(["cmdline"]):
        words = process.info["cmdline"] or []
        if "workbench.experiments.cluster.node_process" in words:
            found.append(process)
    return found


def kill_an_actor() -> None:
    """End the actor of an experiment that runs."""
    actor = node_processes()[0].parent()
    assert actor is not None
    actor.kill()


def kill_a_node() -> None:
    """End all processes of a node that runs an experiment."""
    actor = node_processes()[0].parent()
    raylet = actor and actor.parent()
    assert raylet is not None
    assert "raylet" in raylet.name()
    for process in (raylet, *raylet.children(recursive=True)):
        process.kill()


def wait_until_gone(processes: list[psutil.Process]) -> None:
    _, alive = psutil.wait_procs(processes, timeout=60)
    assert not alive


def tries_of(out: Path) -> dict[str, list[dict[str, Any]]]:
    found: dict[str, list[dict[str, Any]]] = {}
    for path in sorted(out.glob("tries/*-*.json")):
        record = json.loads(path.read_text())
        found.setdefault(record["name"], []).append(record)
    return found


def assert_complete(out: Path, files: list[Path], duration_s: int) -> None:
    """Each experiment has one whole bench file with every request once, and one row of the table."""
    assert sorted(path.stem for path in out.glob("*.bench")) == [file.stem for file in files]
    for file in files:
        with BenchFile.open(out / f"{file.stem}.bench") as bench:
            assert bench.broken_seals() == []
            (run,) = bench.runs()
            assert run.status == "done"
            columns = bench.request_columns(run.id)
        assert sorted(columns.index) == list(range(len(columns)))
        assert len(columns) == pytest.approx(duration_s, abs=1)
    with (out / "scorecard.csv").open(newline="") as table:
        rows = list(csv.DictReader(table))
    assert sorted(row["evidence_path"] for row in rows) == [f"{each.stem}.bench" for each in files]
    tries = tries_of(out)
    for row in rows:
        own = tries[Path(row["evidence_path"]).stem]
        assert [each["status"] for each in own].count("done") == 1
        assert {each["status"] for each in own} <= {"done", "replaced"}
        assert row["node"] == next(each["node"] for each in own if each["status"] == "done")


def test_that_killed_nodes_drivers_and_actors_lose_nothing_and_repeat_nothing(
    tmp_path: Path, cluster: Any
) -> None:
    files, out = experiment_files(tmp_path, EXPERIMENTS, DURATION_S), tmp_path / "out"
    with Driver(cluster, files, out) as driver:
        driver.wait_for("placed", 2)
        while not node_processes():
            time.sleep(0.1)
        kill_an_actor()
        driver.wait_for("again")
        driver.wait_for("done", 2)
        driver.wait_for("placed", 5)
        running = node_processes()
        driver.process.kill()
        driver.process.communicate()
    wait_until_gone(running)
    finished = {path: path.read_bytes() for path in out.glob("*.bench")}
    assert len(finished) >= 2

    with Driver(cluster, files, out, "--resume") as again:
        again.wait_for("placed", 2)
        while len(node_processes()) < 2:
            time.sleep(0.1)
        kill_a_node()
        again.wait_for("again")
        cluster.add_node(**_NODE)
        assert again.end() == 0, again.errors
    assert again.kinds.count("kept") == len(finished)
    assert all(path.read_bytes() == content for path, content in finished.items())
    assert_complete(out, files, DURATION_S)
    replaced = [each for own in tries_of(out).values() for each in own if each["status"] == "replaced"]
    assert len(replaced) >= 3
    assert node_processes() == []


def test_that_two_nodes_take_at_most_three_fifths_of_the_time_of_one(tmp_path: Path, cluster: Any) -> None:
    files = experiment_files(tmp_path, EXPERIMENTS, DURATION_S)
    took = {}
    for nodes in (2, 1):
        if nodes == 1:
            cluster.remove_node(cluster.list_all_nodes()[-1])
        begun, out = now(), tmp_path / f"out-{nodes}"
        with Driver(cluster, files, out) as driver:
            assert driver.end() == 0, driver.errors
        took[nodes] = now() - begun
        assert_complete(out, files, DURATION_S)
    assert took[2] <= 0.6 * took[1], took
