"""A server behind a real sshd: found, started, read, kept over dropped connections."""

import asyncio
import sys
from importlib.metadata import distributions
from pathlib import Path

import httpx
import pytest

from tests.unit.servers import sshd
from tests.unit.servers.sshd import Sshd
from tests.unit.servers.there import (
    Watch,
    living,
    look_at,
    needs_sshd,
    start,
    target,
    there_pid,
    tree,
)
from workbench.base import InputError
from workbench.servers import (
    ServerFailedError,
    TargetSpec,
    find_remote_orphans,
    make_server,
    step_record_files,
)
from workbench.servers.ssh.connection import SshAddress

pytestmark = needs_sshd


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
    await watch.line_that(lambda line: repr(name) in line or name in line.replace("\\'", "'"))
    await watch.line("Completed")
    await server.stop()
    assert living(processes) == []
    details = [detail for state, detail in watch.states if state == "starting"]
    # Lines over SSH may come after the server has answered, so only those before it can be phases.
    assert details[0] == "importing vLLM"
    assert [state for state, _ in watch.states[-3:]] == ["ready", "stopping", "stopped"]
    assert find_remote_orphans() == []
    assert list((there.home / ".cache/vllm-workbench/servers").iterdir()) == []


async def test_that_a_dropped_connection_ends_nothing_and_loses_no_line(
    there: Sshd, vllm_script: Path
) -> None:
    watch = Watch()
    server = await start(target(there, vllm_script), watch)
    processes, url = tree(there_pid(server)), server.url
    assert server.drops == 0
    there.drop()
    await watch.line("dropped; connecting again")
    assert server.drops == 1
    async with httpx.AsyncClient(trust_env=False) as client, asyncio.timeout(60):
        while True:
            try:
                answer = await client.get(f"{url}/health")
                break
            except httpx.HTTPError:
                await asyncio.sleep(0.1)
    assert answer.status_code == 200
    assert len(living(processes)) == 2
    assert (server.state, server.drops) == ("ready", 1)
    await watch.line("Initializing")
    assert len([line for line in watch.lines if "Initializing" in line]) == 1
    await server.stop()
    assert living(processes) == []


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
    assert [file.name.partition(".steps")[2] for file in step_record_files(server.steps_file)] == [
        ".jsonl",
        ".jsonl.1",
    ]


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
    await watch.line("did not load this program's stat logger")


@pytest.mark.parametrize(("model", "words"), [("port", "port"), ("quiet", "ended with exit code 3")])
async def test_that_a_failed_start_there_is_told_with_its_cause(
    there: Sshd, vllm_script: Path, model: str, words: str
) -> None:
    watch = Watch()
    with pytest.raises(ServerFailedError, match=words):
        await start(target(there, vllm_script, model), watch)
    assert watch.states[-1][0] == "failed"
    assert list((there.home / ".cache/vllm-workbench/servers").iterdir()) == []


async def test_that_a_wrong_key_an_unknown_and_another_host_key_are_refused(
    there: Sshd, vllm_script: Path, tmp_path: Path
) -> None:
    spec = target(there, vllm_script)
    there.know(sshd.make_key(tmp_path / "other"))
    with pytest.raises(InputError, match=r"its host key has changed.*ssh-keygen -R"):
        await start(spec, Watch())
    there.know(None)
    with pytest.raises(InputError, match=r"is not known; connect once with"):
        await start(spec, Watch())
    there.know(there._host_key)
    sshd.make_key(there.home / ".ssh" / "id_ed25519")
    with pytest.raises(InputError, match=r"refuses our login.*ssh-copy-id"):
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


async def test_that_a_shell_that_says_more_than_it_is_asked_is_named(there: Sshd, vllm_script: Path) -> None:
    (there.home / ".bashrc").write_text("echo Welcome to the cluster\n")
    with pytest.raises(
        InputError, match=r"prints more than it is asked for \('Welcome to the cluster.*\.bashrc"
    ):
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
    address = SshAddress.parse(text)
    assert (address.host, address.user, address.port) == expected


@pytest.mark.parametrize("text", ["", "me@", "box:", "box:port", "box:70000", "-oProxyCommand=x"])
def test_that_what_is_no_address_is_refused(text: str) -> None:
    with pytest.raises(InputError, match="must look like HOST"):
        SshAddress.parse(text)
