"""A server behind a real sshd: found, started, read, kept over dropped connections, ended without a trace."""

import asyncio
import contextlib
import json
import os
import shlex
import signal
import subprocess
import sys
from collections.abc import Iterator
from importlib.metadata import distributions
from pathlib import Path

import httpx
import psutil
import pytest

from tests.unit.servers import sshd
from tests.unit.servers.sshd import Sshd
from workbench.base import InputError, now
from workbench.cli import doctor
from workbench.cli.doctor_checks import Level
from workbench.results import MachineSample
from workbench.servers import ServerFailedError, TargetSpec, left_overs_elsewhere, make_server, records_of
from workbench.servers.inside import keeper
from workbench.servers.ssh import SshServer
from workbench.servers.ssh.link import Address, Link

pytestmark = pytest.mark.skipif(
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

    def state(self, state: str, detail: str) -> None:
        self.states.append((state, detail))

    async def state_is(self, state: str) -> None:
        """Until this state is entered."""
        async with asyncio.timeout(60):
            while self.states[-1][0] != state:  # noqa: ASYNC110  # states come one by one
                await asyncio.sleep(0.05)

    async def line(self, words: str) -> None:
        """Until a line has these words."""
        async with asyncio.timeout(60):
            while not any(words in line for line in self.lines):  # noqa: ASYNC110  # lines come one by one
                await asyncio.sleep(0.05)


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


async def test_that_a_server_there_is_as_one_here_whatever_its_names(there: Sshd, vllm_script: Path) -> None:
    # The folder above holds the stand-in's packages and must stay.
    odd = vllm_script.parent.with_name('it\'s a "box" & $HOME')
    script = vllm_script.parent.rename(odd) / "vllm"  # in no time
    watch = Watch()
    name = 'it\'s "mine"; rm -rf ~'
    server = await start(target(there, script, args=["--served-model-name", name]), watch)
    processes = tree(there_pid(server))
    assert len(processes) == 2
    assert (server.state, server.model) == ("ready", "served")
    effective = await server.effective()
    assert (effective.version, effective.num_gpu_blocks) == ("9.9.0", 100)
    assert server.command is not None
    assert server.command.startswith(f"ssh {there.host} -- ")
    assert any(repr(name) in line or name in line.replace("\\'", "'") for line in watch.lines)
    await server.stop()
    assert living(processes) == []
    details = [detail for state, detail in watch.states if state == "starting"]
    assert details[0] == "importing vLLM"
    assert "loading weights (100 %)" in details
    assert [state for state, _ in watch.states[-3:]] == ["ready", "stopping", "stopped"]
    assert left_overs_elsewhere() == []
    assert list((there.home / ".cache/vllm-workbench/servers").iterdir()) == []


async def test_that_a_dropped_connection_ends_nothing_and_loses_no_line(
    there: Sshd, vllm_script: Path
) -> None:
    watch = Watch()
    server = await start(target(there, vllm_script), watch)
    processes, url = tree(there_pid(server)), server.url
    count = len(watch.lines)
    there.drop()
    await watch.line("dropped; connecting again")
    async with httpx.AsyncClient(trust_env=False) as client, asyncio.timeout(60):
        while True:
            try:
                answer = await client.get(f"{url}/health")
                break
            except httpx.HTTPError:
                await asyncio.sleep(0.1)
    assert answer.status_code == 200
    assert len(living(processes)) == 2
    assert server.state == "ready"
    assert not [line for line in watch.lines[count:] if "Initializing" in line]
    await server.stop()
    assert living(processes) == []


async def test_that_a_stop_right_after_a_drop_still_ends_everything(there: Sshd, vllm_script: Path) -> None:
    watch = Watch()
    server = await start(target(there, vllm_script), watch)
    processes = tree(there_pid(server))
    there.drop()
    await server.stop()
    assert living(processes) == []
    assert watch.states[-1] == ("stopped", "")
    assert left_overs_elsewhere() == []


async def test_that_steps_and_live_limits_come_over_ssh_too(there: Sshd, vllm_script: Path) -> None:
    watch = Watch()
    spec = target(there, vllm_script, "inside", record_steps=True, live_limits=True)
    server = await start(spec, watch)
    possible = {limit.name: limit.reason for limit in await server.live_limits()}
    assert (possible["max_num_active_seqs"], possible["parked_kv_blocks"]) == (None, "groups")
    assert await server.set_limit("max_num_active_seqs", 3) == 4
    (path,) = [word for word in (server.command or "").split() if word.startswith("PYTHONPATH=")]
    assert (Path(path.removeprefix("PYTHONPATH=")) / "workbench_scheduler" / "tap.py").is_file()
    words = (sys.executable, "-c", "while True: sum(range(9999))", "workbench.load.worker")
    worker = await asyncio.create_subprocess_exec(*words)
    sample = await look_at(server)
    worker.kill()
    await worker.wait()
    assert 0 < (sample.host_cpu or 0) <= 1
    assert (sample.api_cpu or 0) >= 0
    assert sample.worker_cpu is None
    assert (sample.client_cpu or 0) > 0
    assert -60 < sample.t < 0
    there.drop()
    await watch.line("dropped; connecting again")
    async with asyncio.timeout(60):
        while True:
            try:
                assert await server.set_limit("max_num_active_seqs", 2) == 4
                break
            except ServerFailedError:
                await asyncio.sleep(0.1)
    await server.stop()
    assert server.steps_file is not None
    assert server.steps_file.read_text() == '{"ev":"reset","t_next":0}\n'


async def test_that_every_engine_there_takes_limits_and_has_its_record_fetched(
    there: Sshd, vllm_script: Path
) -> None:
    watch = Watch()
    server = await start(target(there, vllm_script, "parallel", record_steps=True, live_limits=True), watch)
    assert await server.set_limit("max_num_active_seqs", 3) == 4
    for engine in ("engine takes", "engine.1 takes"):
        await watch.line(f"{engine} {{'set': {{'max_num_active_seqs': 3}}}}")
    await server.stop()
    assert server.steps_file is not None
    assert [file.name.partition(".steps")[2] for file in records_of(server.steps_file)] == [
        ".jsonl",
        ".jsonl.1",
    ]


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
    async with asyncio.timeout(20):
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

    async def broken(self: Link, here: int | str, far: int | str) -> int:
        notes = (there.home / ".cache/vllm-workbench/servers").glob("*/scratch")
        made.extend(json.loads(note.read_text()) for note in notes)
        raise ServerFailedError("the connection dropped")

    monkeypatch.setattr(Link, "forward", broken)
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


async def test_that_the_stat_logger_is_brought_there_with_its_entry_point(
    there: Sshd, vllm_script: Path
) -> None:
    watch = Watch()
    server = await start(target(there, vllm_script, record_steps="stats"), watch)
    words = dict(word.split("=", 1) for word in (server.command or "").split() if "=" in word)
    await server.stop()
    ours, entry = words["PYTHONPATH"].split(":")[:2]
    assert (Path(ours) / "workbench_scheduler" / "stats.py").is_file()
    (found,) = distributions(path=[entry])
    assert [plugin.group for plugin in found.entry_points] == ["vllm.stat_logger_plugins"]
    assert words["WORKBENCH_STATS"].endswith("/steps")
    # The stand-in loads no plug-ins.
    assert [line for line in watch.lines if "loaded no stat logger" in line]


@pytest.mark.parametrize(("model", "words"), [("port", "port"), ("quiet", "ended with exit code 3")])
async def test_that_a_failed_start_there_is_told_with_its_cause(
    there: Sshd, vllm_script: Path, model: str, words: str
) -> None:
    watch = Watch()
    with pytest.raises(ServerFailedError, match=words):
        await start(target(there, vllm_script, model), watch)
    assert watch.states[-1][0] == "failed"
    assert list((there.home / ".cache/vllm-workbench/servers").iterdir()) == []


async def test_that_the_death_of_a_server_there_is_noticed(there: Sshd, vllm_script: Path) -> None:
    watch = Watch()
    server = await start(target(there, vllm_script, "dies"), watch)
    await watch.state_is("failed")
    assert "memory" in watch.states[-1][1]
    await server.stop()


async def test_that_what_a_killed_owner_left_there_is_ended_by_the_next_start(
    there: Sshd, vllm_script: Path
) -> None:
    orphans = tree(left_by_a_killed_owner([there.host, str(vllm_script)]))
    assert len(living(orphans)) == 2
    assert [roll.place for _, roll in left_overs_elsewhere()] == [there.host]
    watch = Watch()
    server = await start(target(there, vllm_script), watch)
    assert living(orphans) == []
    assert any("ending what an earlier run left" in line for line in watch.lines)
    await server.stop()
    assert left_overs_elsewhere() == []


async def test_that_doctor_ends_what_a_killed_owner_left_there_and_nothing_else(
    there: Sshd, vllm_script: Path
) -> None:
    watch = Watch()
    server = await start(target(there, vllm_script), watch)
    orphans = tree(left_by_a_killed_owner([there.host, str(vllm_script)]))
    (finding,) = await doctor._clean_elsewhere()
    assert finding.text.startswith("ending what an earlier run left on")
    assert finding.level is Level.FINE
    assert living(orphans) == []
    assert len(living(tree(there_pid(server)))) == 2
    await server.stop()


async def test_that_a_wrong_key_an_unknown_and_another_host_key_are_refused(
    there: Sshd, vllm_script: Path, tmp_path: Path
) -> None:
    spec = target(there, vllm_script)
    there.know(sshd.make_key(tmp_path / "other"))
    with pytest.raises(InputError, match=r"another one than before.*ssh-keygen -R"):
        await start(spec, Watch())
    there.know(None)
    with pytest.raises(InputError, match=r"is not known; connect once with"):
        await start(spec, Watch())
    there.know(there._host_key)
    sshd.make_key(there.home / ".ssh" / "id_ed25519")
    with pytest.raises(InputError, match=r"doesn't let us in.*ssh-copy-id"):
        await start(spec, Watch())
    there._authorized.write_text(sshd.make_key(there.home / ".ssh" / "id_ed25519", passphrase="secret"))
    with pytest.raises(InputError, match=r"ssh-add"):
        await start(spec, Watch())


async def test_that_a_machine_without_vllm_says_so(there: Sshd, vllm_script: Path) -> None:
    with pytest.raises(InputError, match="no such file, folder or command on that machine"):
        await start(target(there, vllm_script.with_name("none")), Watch())
    script = vllm_script.with_name("other")
    script.write_text("#!/bin/sh\n")
    with pytest.raises(InputError, match="neither its first line nor its folder names a Python"):
        await start(target(there, script), Watch())


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


async def test_that_a_shell_that_says_more_than_it_is_asked_is_named(there: Sshd, vllm_script: Path) -> None:
    (there.home / ".bashrc").write_text("echo Welcome to the cluster\n")
    with pytest.raises(InputError, match=r"says more than it is asked \('Welcome to the cluster.*\.bashrc"):
        await start(target(there, vllm_script), Watch())


async def test_that_nobody_there_is_told(there: Sshd, vllm_script: Path) -> None:
    there.stop()
    with pytest.raises(ServerFailedError, match="can't be reached"):
        await start(target(there, vllm_script), Watch())


def test_that_the_package_is_asked_for_where_it_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "asyncssh", None)
    with pytest.raises(InputError, match=r"pip install 'vllm-workbench\[ssh\]'"):
        make_server(TargetSpec(kind="ssh", host="box", model="m"), {})


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("box", ("box", None, None)),
        ("me@box", ("box", "me", None)),
        ("me@box:2222", ("box", "me", 2222)),
        ("fe80::1", ("fe80::1", None, None)),
    ],
)
def test_that_an_address_is_read(text: str, expected: tuple[str, str | None, int | None]) -> None:
    address = Address.parse(text)
    assert (address.host, address.user, address.port) == expected


@pytest.mark.parametrize("text", ["", "me@", "box:", "box:port", "box:70000", "-oProxyCommand=x"])
def test_that_what_is_no_address_is_refused(text: str) -> None:
    with pytest.raises(InputError, match="must look like HOST"):
        Address.parse(text)
