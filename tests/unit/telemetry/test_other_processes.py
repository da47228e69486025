"""What other processes take of this machine: without ours and the server's, whatever ended meanwhile."""

import importlib.machinery
import importlib.util
import os
import socket
import subprocess
import sys
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import psutil
import pytest

from workbench.telemetry import usable_cores as cores
from workbench.telemetry.usable_cores import cgroup_quota

SOURCE = Path(cores.__file__).with_name("other_processes.py")


@pytest.fixture
def real() -> ModuleType:
    """The module itself, which in tests is otherwise replaced by a quiet machine."""
    loader = importlib.machinery.SourceFileLoader("other_processes_itself", str(SOURCE))
    spec = importlib.util.spec_from_loader(loader.name, loader)
    assert spec is not None
    module = importlib.util.module_from_spec(spec)
    loader.exec_module(module)
    return module


class Machine:
    """A machine of four cores at a fake time: what all processes and each known one used so far."""

    def __init__(self, real: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
        self.at, self.all_s = 0.0, 0.0
        self.used = {os.getpid(): 0.0, 7: 0.0}
        self.family = {os.getpid(): [os.getpid()], 7: [7]}
        monkeypatch.setattr(real, "now", lambda: self.at)
        monkeypatch.setattr(real, "_busy_s", lambda: self.all_s)
        monkeypatch.setattr(real, "_cpu_s", lambda process: self.used.get(process.pid))
        monkeypatch.setattr(real, "_tree", self._tree)
        monkeypatch.setattr(real, "allowed_cores", lambda: [0, 1, 2, 3])
        monkeypatch.setattr(real, "usable_cores", lambda: 4.0)

    def _tree(self, first: int) -> list[Any]:
        return [SimpleNamespace(pid=pid) for pid in self.family.get(first, ())]

    def passes(self, seconds: float, others: float, **ours: float) -> None:
        """Time passes; `others` and `ours` are CPU seconds that they used in it."""
        self.at += seconds
        self.all_s += others + sum(ours.values())
        self.used[os.getpid()] += ours.get("client", 0.0)
        self.used[7] += ours.get("server", 0.0)


@pytest.fixture
def machine(real: ModuleType, monkeypatch: pytest.MonkeyPatch) -> Machine:
    return Machine(real, monkeypatch)


def test_what_neither_we_nor_the_server_took_is_the_others(real: ModuleType, machine: Machine) -> None:
    others = real.OtherProcesses([7])
    assert others.share() is None
    machine.passes(2.0, others=2.5, client=0.5, server=3.0)
    assert others.share() == pytest.approx(2.5 / 2 / 4)
    machine.passes(1.0, others=0.0, server=4.0)
    assert others.share() == pytest.approx(0.0)


def test_an_unseen_server_leaves_the_share_unknown(real: ModuleType, machine: Machine) -> None:
    others = real.OtherProcesses([8])
    machine.passes(1.0, others=2.0)
    assert (others.share(), others.share()) == (None, None)


def test_a_descendant_that_took_its_time_with_it_leaves_one_look_unknown(
    real: ModuleType, machine: Machine
) -> None:
    machine.family[7], machine.used[9] = [7, 9], 50.0
    others = real.OtherProcesses([7])
    others.share()
    del machine.used[9]
    machine.passes(1.0, others=1.0, server=1.0)
    assert others.share() is None
    machine.passes(1.0, others=1.0, server=1.0)
    assert others.share() == pytest.approx(0.25)


@pytest.mark.parametrize(("others", "share"), [(0.5, 0.0), (2.0, 0.0), (2.5, 0.25), (9.0, 1.0)])
def test_under_a_quota_others_first_take_what_we_may_not_use(
    real: ModuleType, others: float, share: float
) -> None:
    assert real.share_taken(others, 4.0, 2.0) == pytest.approx(share)


def test_a_process_of_this_machine_is_seen(real: ModuleType) -> None:
    """Whatever else runs here, the first look knows nothing and the share lies between 0 and 1."""
    others = real.OtherProcesses()
    assert others.share() is None
    spin = "import time; end = time.monotonic() + 0.3\nwhile time.monotonic() < end: pass"
    subprocess.run([sys.executable, "-c", spin], check=True)
    share = others.share()
    assert share is None or 0 <= share <= 1


def test_the_process_that_listens_on_a_port_is_found(real: ModuleType) -> None:
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        listening.listen()
        port = listening.getsockname()[1]
        assert real.listening_processes(port) == (os.getpid(),)
    assert real.listening_processes(port) is None


def test_a_program_that_passes_on_names_no_server(real: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    one = SimpleNamespace(status=psutil.CONN_LISTEN, laddr=SimpleNamespace(port=80), pid=5)
    monkeypatch.setattr(psutil, "net_connections", lambda **_: [one])
    for name, found in (("vllm", (5,)), ("docker-proxy", None), ("nginx: master", None)):
        monkeypatch.setattr(psutil, "Process", lambda _pid, name=name: SimpleNamespace(name=lambda: name))
        assert real.listening_processes(80) == found
    one.pid = None
    assert real.listening_processes(80) is None


@pytest.mark.parametrize(
    ("quotas", "cores_left"),
    [
        ({"": "max 100000", "a": "200000 100000", "a/b": "max 100000"}, 2.0),
        ({"a/b": "50000 100000", "a": "200000 100000"}, 0.5),
        ({"a/b": "max 100000"}, None),
        ({}, None),
        ({"": "150000 100000"}, 1.5),
    ],
)
def test_the_smallest_quota_of_the_control_groups_counts(
    tmp_path: Path, quotas: dict[str, str], cores_left: float | None
) -> None:
    groups = tmp_path / "cgroup"
    for name, text in quotas.items():
        (groups / name).mkdir(parents=True, exist_ok=True)
        (groups / name / "cpu.max").write_text(f"{text}\n")
    own = tmp_path / "own"
    own.write_text("0::/a/b\n")
    assert cgroup_quota(groups, own) == cores_left
    assert cgroup_quota(groups, tmp_path / "none") is None
