"""A real vLLM behind a real sshd: started, recorded, its limits changed through the connection, stopped."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.unit.servers import sshd
from tests.unit.servers.sshd import Sshd
from tests.unit.servers.test_ssh import living, tree
from tests.vllm.conftest import CONTROLS, Loop, RealServer, local_spec
from workbench.engine import check_file
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
