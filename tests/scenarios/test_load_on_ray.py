"""An experiment whose load comes from two nodes of a real Ray cluster, all on 127.0.0.1."""

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import psutil
import pytest

from tests.scenarios.engine_server import FAST, Server
from workbench.base import Refusal, now
from workbench.experiments import read_experiments, run_experiments
from workbench.experiments.run import ray_hosts
from workbench.experiments.run.events import Event, Notice, RunFinished, SampleTaken
from workbench.experiments.run.ray_hosts import ray_machines
from workbench.experiments.spec.tables import LoadHosts
from workbench.results import BenchFile

# Ray replaces 127.0.0.1 by the machine's outer address unless it is told that there is no cluster.
os.environ["RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER"] = "0"
os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
ray: Any = pytest.importorskip("ray")
pytestmark = pytest.mark.slow

_NODE: dict[str, Any] = {
    "num_cpus": 2,
    "node_ip_address": "127.0.0.1",
    "object_store_memory": 80_000_000,
}


@pytest.fixture
def cluster() -> Iterator[Any]:
    from ray.cluster_utils import Cluster  # after importorskip

    nodes = Cluster(initialize_head=True, head_node_args={**_NODE, "include_dashboard": False})
    for _ in range(2):
        nodes.add_node(**_NODE)
    yield nodes
    nodes.shutdown()


@pytest.fixture
def engine() -> Iterator[Server]:
    server = Server(*FAST)
    yield server
    server.end()


def experiment(folder: Path, url: str, address: str, duration_s: int) -> Path:
    path = folder / "ray.toml"
    path.write_text(f"""
name = "From two nodes"
[target]
kind = "attached"
url = "{url}"
[trace]
synthetic = "50:10"
[load]
rates = [20]
duration_s = {duration_s}
hosts = {{ ray = "{address}", count = 2 }}
""")
    return path


def load_workers() -> list[psutil.Process]:
    return [
        process
        for process in psutil.Process().children(recursive=True)
        if "workbench.load.worker" in process.cmdline()
    ]


def test_that_two_nodes_send_one_schedule_and_nothing_stays(
    tmp_path: Path, cluster: Any, engine: Server
) -> None:
    events: list[Event] = []
    assert cluster.address
    path = experiment(tmp_path, engine.url, "auto", 4)
    status = run_experiments(
        read_experiments([path]), tmp_path / "ray.bench", events.append, calibrated=False
    )
    assert status == "done", events[-3:]
    (row,) = [event.row for event in events if isinstance(event, RunFinished)]
    assert row["load_place"] == "hosts"
    assert row["load_hosts"].count("127.0.0.1/") == 2
    assert 0 < row["clock_error_ms"] < 1000
    with BenchFile.open(tmp_path / "ray.bench") as bench:
        columns = bench.request_columns(bench.runs()[0].id)
    assert sorted(columns.index) == list(range(len(columns)))
    assert load_workers() == []


def kill_a_node() -> None:
    """End all processes of a node that sends, but not the head's, which this process is connected to."""
    for worker in load_workers():
        raylet = worker.parents()[1]
        if "raylet" in raylet.name() and "--head" not in raylet.cmdline():
            for process in (raylet, *raylet.children(recursive=True)):
                process.kill()
            return
    raise AssertionError([worker.parents() for worker in load_workers()])


def kill_an_actor() -> None:
    load_workers()[0].parents()[0].kill()


@pytest.mark.parametrize("kill", [kill_an_actor, kill_a_node])
def test_that_a_lost_node_is_named_and_what_came_stays(
    tmp_path: Path, cluster: Any, engine: Server, kill: Callable[[], None]
) -> None:
    events: list[Event] = []
    times: dict[str, float] = {}

    def watch(event: Event) -> None:
        events.append(event)
        if isinstance(event, SampleTaken) and (event.completed or 0) > 15 and not times:
            kill()
            times["killed"] = now()
        said = event.message if isinstance(event, Notice) else None
        if said is not None and said.kind == "experiments.host_lost_now":
            times.setdefault("named", now())

    path = experiment(tmp_path, engine.url, cluster.address, 6)
    run_experiments(read_experiments([path]), tmp_path / "ray.bench", watch, calibrated=False)
    (row,) = [event.row for event in events if isinstance(event, RunFinished)]
    assert row["valid"] is False
    assert "load host lost: 127.0.0.1/" in row["reasons"]
    assert times["named"] - times["killed"] < 2.0
    with BenchFile.open(tmp_path / "ray.bench") as bench:
        assert bench.broken_seals() == []
        assert (bench.runs()[0].figures.requests.completed or 0) > 15


async def test_that_too_few_nodes_are_refused(cluster: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ray_hosts, "_ROOM_S", 2.0)
    with pytest.raises(Refusal) as refused:
        async with ray_machines(LoadHosts(ray=cluster.address, count=9)):
            pass
    assert (refused.value.kind, refused.value.values["nodes"]) == ("experiments.ray_no_room", 9)
