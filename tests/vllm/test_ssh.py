"""A real vLLM behind a real sshd: started, recorded, its limits changed through the connection, stopped."""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
import tomlkit

from tests.unit.servers import sshd
from tests.unit.servers.sshd import Sshd
from tests.unit.servers.there import living, tree
from tests.vllm.conftest import CONTROLS, Loop, RealServer, local_spec
from workbench.engine import check_file
from workbench.results import BenchFile
from workbench.servers.ssh import SshServer

pytestmark = [
    pytest.mark.vllm_full,
    pytest.mark.timeout(600),
    pytest.mark.skipif(sshd.SSHD is None, reason="no sshd here: install openssh-server"),
]


@pytest.fixture
def there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Sshd]:
    daemon = Sshd(tmp_path, {})
    daemon._settings = f'"HOME={daemon.home}"'
    monkeypatch.setenv("HOME", str(daemon.home))
    monkeypatch.delenv("SSH_AUTH_SOCK", raising=False)
    daemon.start()
    yield daemon
    daemon.stop()


def test_that_a_server_there_is_measured_and_changed_as_one_here(
    build: Path, loop: Loop, there: Sshd
) -> None:
    spec = local_spec(kind="ssh", host=there.host, record_steps=True, live_limits=True)
    real = RealServer(loop, spec, CONTROLS)
    loop.call(real.begin())
    server = real.server
    assert isinstance(server, SshServer)
    assert server._remote is not None
    processes = tree(server._remote.pid)
    assert real.effective().num_gpu_blocks == 60
    assert loop.call(server.set_limit("max_num_active_seqs", 3)) == 16
    there.drop()
    real.stop()
    assert living(processes) == []
    assert server.steps_file is not None
    assert check_file(server.steps_file).identical


def test_that_a_run_there_has_its_machine_its_steps_and_its_load_beside_the_server(
    build: Path, there: Sshd, tmp_path: Path
) -> None:
    spec = local_spec(kind="ssh", host=there.host)
    target = {
        **{name: getattr(spec, name) for name in ("kind", "host", "model", "executable", "args", "env")},
        "record_steps": True,
        "live_limits": True,
        "load_python": sys.executable,
    }
    told = {
        "name": "There",
        "target": target,
        "baseline": {**CONTROLS, "max_num_active_seqs": 16},
        "control": {"name": "max_num_active_seqs", "values": [1]},
        "trace": {"synthetic": "50:100"},
        # However fast this machine is: eight callers are far from sixteen slots and far beyond one.
        "load": {"concurrency": [8], "duration_s": 15.0},
    }
    path, bench = tmp_path / "there.toml", tmp_path / "there.bench"
    path.write_text(tomlkit.dumps(told))
    words = [sys.executable, "-m", "workbench", "run", str(path), "--bench", str(bench)]
    home = {**os.environ, "XDG_DATA_HOME": str(tmp_path / "data")}
    done = subprocess.run(words, capture_output=True, text=True, timeout=500, env=home, check=False)
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
    with BenchFile.open(bench) as file:
        baseline, capped = file.runs()
        for run in (baseline, capped):
            machine = file.machine_samples(run.id)
            assert max(sample.engine_cpu or 0.0 for sample in machine) > 0.05
            assert max(sample.worker_cpu or 0.0 for sample in machine) > 0.05
            assert {record.outcome for record in file.requests(run.id)} == {"completed"}
        assert file.experiments()[0].facts["load_place"] == "there"
        assert [(change.new, change.by) for change in file.limit_changes()] == [(1, "plan")]
        strips = [line.text for line in file.log(capped.id) if '"type":"diagnosis"' in line.text]
        record = bench.parent / capped.facts["steps_file"]
    print(f"\n{strips[0][:400]}")
    assert '"bound":"seats"' in strips[0], "from the scheduler's own reasons, at its own clock's times"
    assert check_file(record).identical
