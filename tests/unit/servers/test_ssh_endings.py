"""A server behind a real sshd is ended without a trace, by whom it may be, and whatever broke before."""

import asyncio
import json
import os
import shlex
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.unit.servers.sshd import Sshd
from tests.unit.servers.there import (
    Watch,
    die,
    left_by_a_killed_owner,
    living,
    needs_sshd,
    start,
    target,
    there_pid,
    tree,
    what_is_there,
)
from workbench.cli import doctor
from workbench.cli.doctor_checks import Severity
from workbench.servers import ServerFailedError, find_remote_orphans
from workbench.servers.inside import keeper
from workbench.servers.ssh.connection import SshConnection

pytestmark = needs_sshd


async def test_that_a_stop_right_after_a_drop_still_ends_everything(there: Sshd, vllm_script: Path) -> None:
    watch = Watch()
    server = await start(target(there, vllm_script), watch)
    processes = tree(there_pid(server))
    there.drop()
    await server.stop()
    assert living(processes) == []
    assert watch.states[-1] == ("stopped", "")
    assert find_remote_orphans() == []


@pytest.mark.skipif(not Path("/dev/shm").is_dir(), reason="needs Linux's shared memory")
async def test_that_nothing_is_left_there_where_others_have_their_files(
    there: Sshd, vllm_script: Path
) -> None:
    watch = Watch()
    server = await start(target(there, vllm_script, "scatters"), watch)
    await watch.line("shared: ")
    said = "\n".join(watch.lines)
    shared = Path("/dev/shm") / said.partition("shared: ")[2].split()[0]
    meeting = Path(said.partition("distributed_init_method=file://")[2].split()[0])
    assert server._remote is not None
    folder = Path(json.loads((Path(server._remote.folder) / "scratch").read_text()))
    assert what_is_there(folder, meeting, shared) == ["socket", meeting.name, shared.name]
    # One word for the shell here, so that the one there makes the folder.
    inner = shlex.split(server.command or "")[3]
    assert 'VLLM_RPC_BASE_PATH="$(mktemp -d)"' in inner
    roll = Path(server._remote.folder) / "roll"
    async with asyncio.timeout(60):
        while shared.name not in roll.read_text():  # noqa: ASYNC110  # its keeper looks once a second
            await asyncio.sleep(0.1)
    os.kill(there_pid(server), signal.SIGKILL)
    await watch.state_is("failed")
    await server.stop()
    assert what_is_there(folder, meeting, shared) == []


async def test_that_nothing_is_left_there_of_a_start_that_never_came_so_far(
    there: Sshd, vllm_script: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[str] = []

    async def broken(self: SshConnection, here: int | str, far: int | str) -> int:
        notes = (there.home / ".cache/vllm-workbench/servers").glob("*/scratch")
        made.extend(json.loads(note.read_text()) for note in notes)
        raise ServerFailedError("servers.ssh_dropped", host="box", cause="gone")

    monkeypatch.setattr(SshConnection, "forward", broken)
    with pytest.raises(ServerFailedError, match="dropped"):
        await start(target(there, vllm_script), Watch())
    (scratch,) = made
    assert what_is_there(Path(scratch), Path(scratch)) == []
    assert list((there.home / ".cache/vllm-workbench/servers").iterdir()) == []


def test_that_the_users_own_place_for_sockets_there_is_told(tmp_path: Path) -> None:
    words = [sys.executable, str(Path(keeper.__file__)), "scratch", str(tmp_path / "s")]
    environment = {**os.environ, "VLLM_RPC_BASE_PATH": "/own"}
    told = [
        json.loads(subprocess.run(words, env=env, capture_output=True, check=True).stdout)
        for env in (environment, {**environment, "TMPDIR": str(tmp_path)})
    ]
    for one in told:
        assert one["sockets"] == "/own"
        assert len(one["path"]) + 37 <= 107
        Path(one["path"]).rmdir()


async def test_that_the_death_of_a_server_there_is_noticed(there: Sshd, vllm_script: Path) -> None:
    watch = Watch()
    server = await start(target(there, vllm_script, "dies"), watch)
    await die(server.url)
    await watch.state_is("failed")
    assert "memory" in watch.states[-1][1]
    await server.stop()


async def test_that_what_a_killed_owner_left_there_is_ended_by_the_next_start(
    there: Sshd, vllm_script: Path
) -> None:
    orphans = tree(left_by_a_killed_owner([there.host, str(vllm_script)]))
    assert len(living(orphans)) == 2
    assert [roll.place for _, roll in find_remote_orphans()] == [there.host]
    watch = Watch()
    server = await start(target(there, vllm_script), watch)
    assert living(orphans) == []
    assert any("ending what an earlier run left" in line for line in watch.lines)
    await server.stop()
    assert find_remote_orphans() == []


async def test_that_doctor_ends_what_a_killed_owner_left_there_and_nothing_else(
    there: Sshd, vllm_script: Path
) -> None:
    watch = Watch()
    server = await start(target(there, vllm_script), watch)
    orphans = tree(left_by_a_killed_owner([there.host, str(vllm_script)]))
    (finding,) = await doctor._clean_elsewhere()
    assert finding.text.startswith("ending what an earlier run left on")
    assert finding.level is Severity.FINE
    assert living(orphans) == []
    assert len(living(tree(there_pid(server)))) == 2
    await server.stop()


async def test_that_a_stop_without_a_connection_says_what_may_live(
    there: Sshd, vllm_script: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("workbench.servers.ssh.remote_child._AGAIN_S", (0.1, 0.2))
    watch = Watch()
    server = await start(target(there, vllm_script), watch)
    processes = tree(there_pid(server))
    there.stop()
    await server.stop()
    pid = there_pid(server)
    assert "isn't reachable" in watch.states[-1][1]
    assert f"`ssh {server._link.host} kill {pid}`" in watch.states[-1][1]
    for process in processes:
        process.kill()
