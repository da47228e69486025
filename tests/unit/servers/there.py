"""A server behind a real sshd of this machine: the ground that its tests share."""

import asyncio
import contextlib
import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import httpx
import psutil
import pytest

from tests.unit.servers import sshd
from tests.unit.servers.sshd import Sshd
from workbench.base import Message, now
from workbench.results import MachineSample
from workbench.servers import TargetSpec, make_server
from workbench.servers.ssh import SshServer

needs_sshd = pytest.mark.skipif(
    sshd.SSHD is None or (os.name == "posix" and os.geteuid() != 0),
    reason="no sshd that could be started here: install openssh-server, and be root for its /run/sshd",
)
OWNER = """
import asyncio, sys
from workbench.servers import TargetSpec, make_server

async def main():
    server = make_server(TargetSpec(kind="ssh", host=sys.argv[1], model="ok", executable=sys.argv[2]), {})
    await server.start(lambda _: None, lambda _, __: None)
    print(server._remote.pid, flush=True)
    await asyncio.Event().wait()

asyncio.run(main())
"""


class Watch:
    def __init__(self) -> None:
        self.lines: list[str] = []
        self.states: list[tuple[str, str]] = []

    def log(self, line: str) -> None:
        self.lines.append(line)

    def state(self, state: str, detail: Message | str) -> None:
        self.states.append((state, str(detail)))

    async def state_is(self, state: str) -> None:
        """Until this state is entered."""
        async with asyncio.timeout(60):
            while self.states[-1][0] != state:  # noqa: ASYNC110  # states come one by one
                await asyncio.sleep(0.05)

    async def line_that(self, fits: Callable[[str], bool]) -> None:
        """Until a line fits: what a server says may come after it is ready."""
        async with asyncio.timeout(60):
            while not any(map(fits, self.lines)):  # noqa: ASYNC110  # lines come one by one
                await asyncio.sleep(0.05)

    async def line(self, words: str) -> None:
        """Until a line has these words."""
        async with asyncio.timeout(60):
            while not any(words in line for line in self.lines):  # noqa: ASYNC110  # lines come one by one
                await asyncio.sleep(0.05)


async def die(url: str | None) -> None:
    """Have the stand-in end as if by itself."""
    async with httpx.AsyncClient(trust_env=False) as client:
        await client.get(f"{url}/die")


def left_by_a_killed_owner(words: list[str]) -> int:
    """The pid of a server whose owner was killed."""
    with subprocess.Popen([sys.executable, "-c", OWNER, *words], stdout=subprocess.PIPE, text=True) as owner:
        assert owner.stdout is not None
        pid = int(owner.stdout.readline())
        os.kill(owner.pid, signal.SIGKILL)
    return pid


@pytest.fixture
def there(vllm_script: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Sshd]:
    """A daemon that lets us in, on a machine with the stand-in vLLM."""
    daemon = Sshd(tmp_path / "ssh", {"PYTHONPATH": str(vllm_script.parent.parent / "packages")})
    daemon._settings += f' "HOME={daemon.home}"'
    monkeypatch.setenv("HOME", str(daemon.home))
    monkeypatch.delenv("SSH_AUTH_SOCK", raising=False)
    daemon.start()
    yield daemon
    end_what_a_failed_test_left(daemon.home)
    daemon.stop()


def end_what_a_failed_test_left(home: Path) -> None:
    for roll in home.glob(".cache/vllm-workbench/servers/*/roll"):
        for pid, *_ in json.loads(roll.read_text())["marks"]:
            with contextlib.suppress(psutil.Error):
                psutil.Process(pid).kill()


def target(there: Sshd, script: Path, model: str = "ok", **more: object) -> TargetSpec:
    return TargetSpec(kind="ssh", host=there.host, model=model, executable=str(script), **more)


async def start(spec: TargetSpec, watch: Watch) -> SshServer:
    server = make_server(spec, {"max_num_seqs": 4})
    assert isinstance(server, SshServer)
    await server.start(watch.log, watch.state)
    return server


async def look_at(server: SshServer) -> MachineSample:
    """The first sample of the machine there, with its times before a schedule that begins in a minute."""
    machine = server.machine()
    assert machine is not None
    machine.zero = now() + 60.0
    samples: list[MachineSample] = []
    stop = asyncio.Event()

    def take(sample: MachineSample) -> None:
        samples.append(sample)
        stop.set()

    async with asyncio.timeout(60):
        await machine.run(take, stop)
    return samples[0]


def there_pid(server: SshServer) -> int:
    assert server.pid is None
    assert server._remote is not None
    return server._remote.pid


def what_is_there(folder: Path, *files: Path) -> list[str]:
    inside = ["socket" if one.is_socket() else one.name for one in folder.glob("*")]
    return [*inside, *(file.name for file in files if file.exists())]


def tree(pid: int) -> list[psutil.Process]:
    return [psutil.Process(pid), *psutil.Process(pid).children(recursive=True)]


def living(processes: list[psutil.Process]) -> list[psutil.Process]:
    return [one for one in processes if one.is_running() and one.status() != psutil.STATUS_ZOMBIE]
