"""A whole session on a server over SSH, through a real sshd: what its load can resolve is measured first."""

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.scenarios.test_stand_in_gpu import FLAG_PARSER
from tests.unit.experiments.test_load_there import needs_sshd
from tests.unit.servers.conftest import PARSER
from tests.unit.servers.sshd import Sshd
from workbench.experiments import read_experiments, run_experiments
from workbench.experiments.run.events import ClientCalibrated, Event, RunFinished
from workbench.load.calibration import calibrate as calibration
from workbench.load.calibration import rates as levels

pytestmark = needs_sshd

STAND_IN_VLLM = """
import os, sys
os.execv(sys.executable, [sys.executable, "-m", "workbench", "engine", "serve", *sys.argv[3:]])
"""


@pytest.fixture
def there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Sshd]:
    """A machine whose vLLM is the embedded engine."""
    for name, text in {
        "packages/vllm/__init__.py": "",
        "packages/vllm/utils/__init__.py": "",
        "packages/vllm/utils/argparse_utils.py": FLAG_PARSER,
        "packages/vllm/entrypoints/__init__.py": "",
        "packages/vllm/entrypoints/launchers/__init__.py": "",
        "packages/vllm/entrypoints/launchers/cli_args.py": PARSER,
        "packages/vllm-9.9.0.dist-info/METADATA": "Metadata-Version: 2.1\nName: vllm\nVersion: 9.9.0\n",
        "bin/vllm": f"#!{sys.executable}\n{STAND_IN_VLLM}",
    }.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    (tmp_path / "bin" / "vllm").chmod(0o755)
    daemon = Sshd(tmp_path / "ssh", {"PYTHONPATH": str(tmp_path / "packages")})
    daemon._settings += f' "HOME={daemon.home}"'
    monkeypatch.setenv("HOME", str(daemon.home))
    monkeypatch.delenv("SSH_AUTH_SOCK", raising=False)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    # A moment of load that a busy machine can't fail.
    monkeypatch.setattr(calibration, "QUICK_RATES", (10_000,))
    monkeypatch.setattr(calibration, "QUICK_S", 0.1)
    monkeypatch.setattr(calibration, "_HOPELESS_DELAY_MS", 1e9)
    monkeypatch.setattr(calibration, "_DRAIN_S", 60.0)
    monkeypatch.setattr(levels, "MOST_ERROR_MS", 1e9)
    daemon.start()
    yield daemon
    daemon.stop()


@pytest.mark.parametrize("load_there", [pytest.param(False, marks=pytest.mark.slow), True])
def test_that_a_session_over_ssh_measures_its_way_and_stores_the_floor_with_every_run(
    tmp_path: Path, there: Sshd, load_there: bool
) -> None:
    path = tmp_path / "ssh.toml"
    path.write_text(f"""
name = "Over SSH"
kind = "soak"
[target]
kind = "ssh"
host = "{there.host}"
model = "some/model"
executable = "{tmp_path / "bin" / "vllm"}"
{f'load_python = "{sys.executable}"' if load_there else ""}
[control]
name = "max_num_seqs"
values = []
[trace]
synthetic = "100:10"
[load]
rates = [10]
duration_s = 1
""")
    events: list[Event] = []
    status = run_experiments(read_experiments([path]), tmp_path / "ssh.bench", events.append, calibrated=True)
    assert status == "done", events[-3:]
    assert [event.state for event in events if isinstance(event, ClientCalibrated)] == ["running", "done"]
    (row,) = [event.row for event in events if isinstance(event, RunFinished)]
    assert row["load_place"] == ("there" if load_there else "tunnel")
    way = f"load workers on {there.host}" if load_there else f"through the tunnel to {there.host}"
    assert row["calibrated_path"] == way
    assert row["client_floor_ttft_ms"] > 0
