"""A running plan is followed and stopped from elsewhere, and nobody who follows can delay it."""

import asyncio
import os
import socket
import stat
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import msgspec
import pytest

from workbench.experiments.run import followers
from workbench.experiments.run.channel import UserRequests
from workbench.experiments.run.events import (
    Event,
    ExperimentFinished,
    ExperimentStarted,
    Notice,
    RunFinished,
    RunStarted,
    ServerLog,
    StepsRecorded,
    decode_event,
)
from workbench.experiments.run.follow_plan import require_running
from workbench.experiments.run.followers import Followers
from workbench.experiments.run.plan_registry import RunningPlan, registration, running_folder, running_plan
from workbench.servers.processes import ProcessIdentity, identify_process

pytestmark = pytest.mark.skipif(os.name == "nt", reason="no Unix sockets")

STARTED = ExperimentStarted(
    name="Seats", bench="a.bench", plan=[], simulated=True, profile=None, target="engine",
    trace="t", trace_sha256="0", objectives={}, limits={},
)  # fmt: skip
FINISHED = ExperimentFinished(status="done", bench="a.bench", csv=None, report=[])


def began(run: str, index: int) -> RunStarted:
    return RunStarted(
        run=run, index=index, of=3, experiment="Seats", control=None, value=None, rate=1.0,
        duration_s=1.0, requests=1, simulated=True, limits={},
    )  # fmt: skip


class Plan:
    """A stand-in for a plan that is carried out: what it emits, what it is asked."""

    def __init__(self) -> None:
        self.seen: list[Event] = []
        self.requests = UserRequests()
        self.emit = Followers(self.seen.append, self.requests)

    @asynccontextmanager
    async def runs_into(self, bench: Path) -> AsyncIterator[RunningPlan]:
        with registration(bench) as announced:
            async with self.emit.listening(announced, self.emit):
                plan = running_plan(bench)
                assert plan is not None
                yield plan

    def texts(self) -> list[str]:
        return [event.text for event in self.seen if isinstance(event, Notice)]


STEPS = StepsRecorded(run="two", zero=1.0, records=[("a.steps.jsonl", 7)])


def is_there(path: Path) -> bool:
    return path.exists()


Link = tuple[asyncio.StreamReader, asyncio.StreamWriter]


async def joined(plan: RunningPlan) -> Link:
    return await asyncio.open_unix_connection(plan.socket, limit=1 << 20)


async def told(link: Link) -> Event:
    return decode_event(await asyncio.wait_for(link[0].readline(), 30))


async def until_true(condition: "asyncio.Event") -> None:
    await asyncio.wait_for(condition.wait(), 30)


async def test_a_follower_gets_where_the_plan_is_and_then_everything(tmp_path: Path) -> None:
    plan = Plan()
    async with plan.runs_into(tmp_path / "a.bench") as found:
        for event in (
            STARTED,
            began("one", 1),
            RunFinished(run="one", status="done", row={}),
            began("two", 2),
            STEPS,
            ServerLog(line="x"),
        ):
            plan.emit(event)
        first, second = await joined(found), await joined(found)
        for link in (first, second):
            assert [await told(link) for _ in range(3)] == [STARTED, began("two", 2), STEPS]
        finished = RunFinished(run="two", status="done", row={"n": 3})
        plan.emit(finished)
        plan.emit(FINISHED)
        for link in (first, second):
            assert [await told(link), await told(link)] == [finished, FINISHED]
    for reader, writer in (first, second):
        assert await asyncio.wait_for(reader.read(), 30) == b""
        writer.close()


async def test_a_run_that_has_finished_is_not_told_as_the_current_one(tmp_path: Path) -> None:
    plan = Plan()
    async with plan.runs_into(tmp_path / "a.bench") as found:
        for event in (STARTED, began("one", 1), RunFinished(run="one", status="done", row={})):
            plan.emit(event)
        link = await joined(found)
        assert await told(link) == STARTED
        plan.emit(began("two", 2))
        assert await told(link) == began("two", 2)
        link[1].close()


@pytest.mark.parametrize("command", ["stop", "skip", "limit"])
async def test_a_follower_s_command_reaches_the_plan(tmp_path: Path, command: str) -> None:
    plan = Plan()
    async with plan.runs_into(tmp_path / "a.bench") as found:
        _, writer = await joined(found)
        writer.write(msgspec.json.encode({"command": command, "name": "n", "value": 2}) + b"\n")
        if command == "limit":
            assert await asyncio.wait_for(plan.requests.limits.get(), 30) == ("n", 2)
        else:
            await until_true(getattr(plan.requests, command))
        writer.close()


async def test_a_follower_that_only_listens_may_end_its_side(tmp_path: Path) -> None:
    plan = Plan()
    async with plan.runs_into(tmp_path / "a.bench") as found:
        plan.emit(STARTED)
        link = await joined(found)
        link[1].write_eof()
        assert await told(link) == STARTED
        plan.emit(FINISHED)
        assert await told(link) == FINISHED
        link[1].close()


async def test_a_follower_that_sends_no_command_is_dropped_and_it_is_said(tmp_path: Path) -> None:
    plan = Plan()
    async with plan.runs_into(tmp_path / "a.bench") as found:
        reader, writer = await joined(found)
        writer.write(b"hello\n")
        assert await asyncio.wait_for(reader.read(), 30) == b""
        writer.close()
        await asyncio.sleep(0)
    assert len(plan.texts()) == 1
    assert "no command of stop, skip, stop_after_run, limit" in plan.texts()[0]


async def test_a_follower_that_does_not_read_is_dropped_and_the_plan_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(followers, "MOST_UNREAD", 100_000)
    plan = Plan()
    async with plan.runs_into(tmp_path / "a.bench") as found:
        plan.emit(STARTED)
        reading = await joined(found)
        assert await told(reading) == STARTED
        deaf = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        deaf.connect(found.socket)
        lines = [ServerLog(line=str(number) + "x" * 5_000) for number in range(400)]
        got: list[Event] = []
        for line in lines:
            plan.emit(line)  # returns at once, whoever reads
            while not got or got[-1] != line:
                event = await told(reading)
                if not isinstance(event, Notice):
                    got.append(event)
        assert got == lines
        assert [event for event in plan.seen if isinstance(event, ServerLog)] == lines
        assert plan.texts() == [
            "a follower of this plan was dropped because it doesn't read; the plan goes on"
        ]
        deaf.close()
        reading[1].close()


async def test_a_follower_that_leaves_changes_nothing(tmp_path: Path) -> None:
    plan = Plan()
    async with plan.runs_into(tmp_path / "a.bench") as found:
        plan.emit(STARTED)
        link = await joined(found)
        await told(link)
        link[1].transport.abort()
        for number in range(20):
            plan.emit(ServerLog(line=str(number)))
            await asyncio.sleep(0)
        assert not plan.texts()
    assert len(plan.seen) == 21


async def test_only_the_user_can_reach_the_socket_and_nothing_is_left_of_it(tmp_path: Path) -> None:
    def mode(path: Path) -> int:
        return stat.S_IMODE(path.stat().st_mode)

    plan = Plan()
    async with plan.runs_into(tmp_path / "a.bench") as found:
        place = Path(found.socket)
        (record,) = running_folder().glob("*.json")
        assert (mode(place), mode(place.parent), mode(record), mode(record.parent)) == (
            *(0o600, 0o700),
            *(0o600, 0o700),
        )
        assert found.process == identify_process(os.getpid())
        assert found.bench == str((tmp_path / "a.bench").resolve())
    assert not list(running_folder().iterdir())
    assert not is_there(place)


async def test_a_path_too_long_for_a_socket_gets_one_elsewhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / ("d" * 120)))
    plan = Plan()
    async with plan.runs_into(tmp_path / "a.bench") as found:
        place = Path(found.socket)
        assert stat.S_IMODE(place.parent.stat().st_mode) == 0o700
        plan.emit(STARTED)
        link = await joined(found)
        assert await told(link) == STARTED
        link[1].close()
    assert not place.parent.exists()


def stale(bench: Path, process: ProcessIdentity, host: str | None = None) -> Path:
    """The record and the socket that a killed plan left."""
    folder = running_folder()
    folder.mkdir(parents=True, exist_ok=True)
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as left:
        here = Path.cwd()
        os.chdir(folder)  # a path of any length
        try:
            left.bind("old.sock")
        finally:
            os.chdir(here)
    with registration(bench) as announced:
        announced.bind().close()
        announced.write()
        plan = running_plan(bench)
    assert plan is not None
    old = msgspec.structs.replace(
        plan, process=process, socket=str(folder / "old.sock"), host=plan.host if host is None else host
    )
    (folder / "old.json").write_bytes(msgspec.json.encode(old))
    return folder / "old.json"


def gone() -> ProcessIdentity:
    """A process that has ended."""
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as child:
        mark = identify_process(child.pid)
        assert mark is not None
    return mark


def earlier() -> ProcessIdentity:
    """A process whose number another one has now."""
    mark = identify_process(os.getpid())
    assert mark is not None
    return msgspec.structs.replace(mark, started=mark.started - 100)


@pytest.mark.parametrize("process", [gone, earlier])
async def test_what_a_killed_plan_left_is_passed_over_and_the_next_start_removes_it(
    tmp_path: Path, process: object
) -> None:
    assert callable(process)
    record = stale(tmp_path / "a.bench", process())
    assert running_plan(tmp_path / "a.bench") is None
    with pytest.raises(Exception, match="no plan runs into this bench file"):
        require_running(tmp_path / "a.bench")
    async with Plan().runs_into(tmp_path / "b.bench"):
        assert not record.exists()
        assert not record.with_suffix(".sock").exists()


async def test_another_machine_s_record_in_a_shared_folder_is_left_alone(tmp_path: Path) -> None:
    record = stale(tmp_path / "a.bench", earlier(), host="elsewhere")
    assert running_plan(tmp_path / "a.bench") is None
    async with Plan().runs_into(tmp_path / "b.bench"):
        assert record.exists()


async def test_a_plan_goes_on_where_it_cannot_be_reached_and_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "file"))
    plan = Plan()
    with registration(tmp_path / "a.bench") as announced:
        async with plan.emit.listening(announced, plan.emit):
            plan.emit(STARTED)
            await asyncio.sleep(0)
    assert plan.seen[0] == STARTED
    assert plan.texts() == ["this plan can't be followed or stopped from another process: Not a directory"]
