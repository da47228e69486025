"""Load workers on another machine, through a real sshd: the same records, whatever the connection does."""

import asyncio
import os
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from tests.unit.load.playing import Request, Server, rows, schedule_at
from tests.unit.servers import sshd
from tests.unit.servers.sshd import Sshd
from workbench.base import InputError
from workbench.experiments.run import remote_workers as load_there
from workbench.experiments.run.remote_workers import RemoteWorkers, _RemoteWorker, check_version
from workbench.load import LoadOptions, LoadOutcome, StartLoad, Target, WorkerHost, run_load
from workbench.results import RequestRecord
from workbench.servers.run_command import CommandOutput
from workbench.servers.ssh.connection import SshConnection
from workbench.servers.ssh.host import SshHost
from workbench.traces import Trace

needs_sshd = pytest.mark.skipif(
    sshd.SSHD is None or (os.name == "posix" and os.geteuid() != 0),
    reason="no sshd that could be started here: install openssh-server, and be root for its /run/sshd",
)


@pytest.fixture
async def linked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[tuple[SshConnection, Sshd]]:
    daemon = Sshd(tmp_path / "ssh", {})
    daemon._settings = f'"HOME={daemon.home}"'
    monkeypatch.setenv("HOME", str(daemon.home))
    monkeypatch.delenv("SSH_AUTH_SOCK", raising=False)
    daemon.start()
    link = SshConnection(daemon.host)
    yield link, daemon
    await link.close()
    daemon.stop()


async def replay(server: Server, machine: SshHost, count: int, records: list[RequestRecord]) -> LoadOutcome:
    ahead_s = await machine.clock_ahead_s()
    assert ahead_s is not None
    assert abs(ahead_s) < 1.0, "it is this very machine's clock"
    return await run_load(
        Target(url="http://127.0.0.1:9", model="m"),
        Trace.from_rows(rows(count, output_length=4)),
        schedule_at(*(index * 0.02 for index in range(count))),
        LoadOptions(continuous_usage=True, workers=1, drain_s=30.0),
        on_records=records.extend,
        on_snapshot=lambda _: None,
        worker_host=WorkerHost(RemoteWorkers(machine, sys.executable, ahead_s).start),
    )


@needs_sshd
async def test_that_workers_there_bring_the_same_records(linked: tuple[SshConnection, Sshd]) -> None:
    records: list[RequestRecord] = []
    async with Server(Request.answer) as server:
        outcome = await replay(server, SshHost(linked[0], server.url), 10, records)
    assert {record.outcome for record in records} == {"completed"}
    assert len(records) == len(server.requests) == 10
    for record in records:
        seen = server.requests[
            [one.headers["x-request-id"] for one in server.requests].index(record.request_id)
        ]
        assert record.sent is not None
        # On one machine the translated start must be the true one.
        assert abs(seen.at - outcome.zero - record.sent) < 30.0
    assert outcome.worker_deaths == []


@needs_sshd
async def test_that_more_workers_than_sessions_of_one_connection_can_be_started(
    linked: tuple[SshConnection, Sshd],
) -> None:
    machine = SshHost(linked[0], "http://127.0.0.1:1")
    processes = await asyncio.gather(*(machine.start(["cat"]) for _ in range(11)))
    for number, process in enumerate(processes):
        process.stdin.write(b"%d\n" % number)
        process.stdin.write_eof()
    assert [await process.stdout.read() for process in processes] == [b"%d\n" % one for one in range(11)]
    async with asyncio.timeout(60):
        while machine._open:  # noqa: ASYNC110  # each closes its connection when its command has ended
            await asyncio.sleep(0.05)
    await machine.start(["sleep", "100"])
    await machine.close()
    assert machine._open == set()


@needs_sshd
async def test_that_a_dropped_connection_leaves_what_is_open_unfinished_and_ends_the_replay(
    linked: tuple[SshConnection, Sshd],
) -> None:
    link, daemon = linked
    records: list[RequestRecord] = []

    async def never(_: Request) -> None:
        daemon.drop()
        await asyncio.sleep(100)

    async with Server(never) as server, asyncio.timeout(90):
        outcome = await replay(server, SshHost(link, server.url), 3, records)
    assert {record.outcome for record in records} == {"unfinished"}
    assert len(records) == 3
    assert outcome.worker_deaths[0].kind == "load.worker_died"


class Answering:
    """A machine whose Python says this."""

    host, url = "box", "http://127.0.0.1:1"

    def __init__(self, exit_code: int, output: bytes, error: str = "") -> None:
        self._said = CommandOutput(exit_code=exit_code, output=output, last_error=error)

    async def call(self, words: Any) -> CommandOutput:
        assert words[0] == "/opt/python"
        return self._said

    async def start(self, words: Any) -> Any:
        raise NotImplementedError(words)


async def test_that_a_python_there_without_this_program_or_with_another_version_is_refused(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(load_there, "__version__", "7.1")
    assert await check_version(Answering(0, b"7.1 96\n"), "/opt/python") == 96
    assert await check_version(Answering(0, b"7.1 None\n"), "/opt/python") is None
    with pytest.raises(InputError, match=r"on box has vllm-workbench 7.0, this is 7.1"):
        await check_version(Answering(0, b"7.0\n"), "/opt/python")
    with pytest.raises(InputError, match=r"has no vllm-workbench \(No module.*install 7.1"):
        await check_version(Answering(1, b"", "No module named 'workbench'"), "/opt/python")


async def test_that_the_start_is_told_in_the_clock_of_the_machine_there() -> None:
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-c", "import sys; sys.stdout.buffer.write(sys.stdin.buffer.read())"),
        stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE,
    )  # fmt: skip
    worker = _RemoteWorker(process, 1000.0)
    await worker.say(StartLoad(zero=5.0))
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.close()
    echoed = await process.stdout.read()
    assert msgspec.msgpack.decode(echoed[4:], type=StartLoad) == StartLoad(zero=1005.0)
    assert str(await worker.close()) == "exit code 0"
