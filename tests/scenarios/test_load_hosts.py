"""An experiment whose load comes from two machines over SSH, through a real sshd."""

import sys
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from tests.scenarios.engine_server import FAST, Server
from tests.unit.experiments.test_load_there import needs_sshd
from tests.unit.servers.sshd import Sshd
from workbench.experiments import read_experiments, run_experiments
from workbench.experiments.run.events import Event, Notice, RunFinished, SampleTaken
from workbench.results import BenchFile

pytestmark = [needs_sshd, pytest.mark.slow]


@pytest.fixture
def boxes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Sshd]:
    """Two names, box-a and box-b, of one machine."""
    daemon = Sshd(tmp_path / "ssh", {})
    daemon._settings = f'"HOME={daemon.home}"'
    monkeypatch.setenv("HOME", str(daemon.home))
    monkeypatch.delenv("SSH_AUTH_SOCK", raising=False)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    (daemon.home / ".ssh" / "config").write_text(
        f"Host box-a box-b\n  HostName 127.0.0.1\n  Port {daemon.port}\n"
    )
    daemon.start()
    yield daemon
    daemon.stop()


@pytest.fixture
def engine() -> Iterator[Server]:
    server = Server(*FAST)
    yield server
    server.end()


def experiment(folder: Path, url: str, *, hosts: str, duration_s: int = 4) -> Path:
    path = folder / "hosts.toml"
    path.write_text(f"""
name = "From two machines"
[target]
kind = "attached"
url = "{url}"
[trace]
synthetic = "50:10"
[load]
rates = [20]
duration_s = {duration_s}
hosts = {{ ssh = [{hosts}], python = "{sys.executable}" }}
""")
    return path


def test_that_two_machines_send_one_schedule(tmp_path: Path, boxes: Sshd, engine: Server) -> None:
    del boxes
    events: list[Event] = []
    path = experiment(tmp_path, engine.url, hosts='"box-a", "box-b"')
    status = run_experiments(read_experiments([path]), tmp_path / "hosts.bench", events.append)
    assert status == "done", events[-3:]
    (row,) = [event.row for event in events if isinstance(event, RunFinished)]
    assert row["load_place"] == "hosts"
    assert row["load_hosts"].startswith("box-a ±")
    assert 0 < row["clock_error_ms"] < 1000
    assert row["unfinished"] == 0
    with BenchFile.open(tmp_path / "hosts.bench") as bench:
        run = bench.runs()[0]
        columns = bench.request_columns(run.id)
    assert sorted(columns.index) == list(range(len(columns)))
    assert len(columns) > 40


def test_that_a_machine_that_is_killed_makes_the_run_invalid_and_is_named(
    tmp_path: Path, boxes: Sshd, engine: Server
) -> None:
    del boxes
    events: list[Event] = []

    def watch(event: Event) -> None:
        events.append(event)
        if isinstance(event, SampleTaken) and (event.completed or 0) > 15:
            workers = [
                process
                for process in psutil.process_iter(["cmdline"])
                if "workbench.load.worker" in (process.info["cmdline"] or [])
                and str(tmp_path) in (process.environ().get("HOME") or "")
            ]
            if len(workers) == 2:
                workers[0].kill()

    path = experiment(tmp_path, engine.url, hosts='"box-a", "box-b"', duration_s=6)
    run_experiments(read_experiments([path]), tmp_path / "hosts.bench", watch, calibrated=False)
    (row,) = [event.row for event in events if isinstance(event, RunFinished)]
    assert row["valid"] is False
    assert "load host lost: box-" in row["reasons"]
    said = [event for event in events if isinstance(event, Notice) and event.message]
    assert any(
        event.message is not None and event.message.kind == "experiments.host_lost_now" for event in said
    )
    with BenchFile.open(tmp_path / "hosts.bench") as bench:
        assert bench.broken_seals() == []
        assert bench.runs()[0].figures.requests.completed > 15
