"""The conductor: what ends early has not failed, and whatever was begun beside a load is ended."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.unit.experiments.test_experiment import GOOD, read
from tests.unit.servers.test_attached import VLLM, service
from workbench.experiments import Event, RunFinished, ServerState
from workbench.experiments.plan.plan import make_plan
from workbench.experiments.plan.workload import read_workload
from workbench.experiments.run.answer_quality import QualityCheck
from workbench.experiments.run.bench_recorder import BenchRecorder, StorageError
from workbench.experiments.run.channel import UserRequests
from workbench.experiments.run.conductor import Conductor
from workbench.experiments.run.watch_run import end_afterwards
from workbench.experiments.spec.tables import Quality
from workbench.load import Target
from workbench.results import BenchFile

ATTACHED = 'kind = "attached"\nurl = "{url}"\nmodel = "a"'
EMBEDDED = 'kind = "embedded"\nprofile = "h100_sxm/Llama-3.1-8B/tp1"\ntime_scale = 2.0'


@pytest.fixture
async def url() -> AsyncIterator[str]:
    async with service(VLLM) as found:
        yield found


class Ending(QualityCheck):
    """A comparison during which the user asks for an end."""

    def __init__(self, requests: UserRequests, command: str) -> None:
        super().__init__(Quality(prompts="p", tokens=8), ["one"], {}, lambda _, __: None)
        self._requests, self._command = requests, command

    async def _answer(self, client: object, target: Target, prompt: str) -> str:
        self._requests.trigger(self._command)
        await asyncio.Event().wait()
        return ""


def experiment_text(url: str) -> str:
    text = GOOD.replace(EMBEDDED, ATTACHED.format(url=url)).replace("values = [32, 64]", "values = []")
    return f'kind = "soak"\n{text.replace("300:256", "20:16")}'


async def carried_out(url: str, bench: Path, command: str) -> tuple[str, list[Event], list[tuple[str, str]]]:
    """The end of a plan whose comparison of answers is ended by `command`, its events, the runs stored."""
    plan = make_plan([read(experiment_text(url))])
    requests = UserRequests()
    events: list[Event] = []
    with BenchFile.create(bench) as file:
        first = plan.experiments[0]
        conductor = Conductor(
            plan,
            read_workload(first.trace, first.load),
            BenchRecorder(file),
            events.append,
            requests,
            Ending(requests, command),
        )
        status = await conductor.run()
        return status, events, [(run.name, run.status) for run in file.runs()]


async def test_that_a_stop_while_answers_are_compared_ends_the_plan_as_stopped_without_a_run(
    url: str, tmp_path: Path
) -> None:
    status, events, runs = await carried_out(url, tmp_path / "a.bench", "stop")
    assert (status, runs) == ("stopped", [])
    assert not [event for event in events if isinstance(event, RunFinished)]


async def test_that_a_skip_while_answers_are_compared_skips_the_run_and_nothing_has_failed(
    url: str, tmp_path: Path
) -> None:
    status, events, runs = await carried_out(url, tmp_path / "a.bench", "skip")
    assert (status, runs) == ("done", [("baseline @ 12 req/s", "skipped")])
    finished = [(event.run, event.status) for event in events if isinstance(event, RunFinished)]
    assert finished == runs


async def test_that_a_bench_file_that_becomes_read_only_ends_the_plan_and_its_server_in_one_line(
    url: str, tmp_path: Path
) -> None:
    plan = make_plan([read(experiment_text(url))])
    first = plan.experiments[0]
    events: list[Event] = []
    requests = UserRequests()
    with BenchFile.create(tmp_path / "a.bench") as file:

        class Locking(Ending):
            async def _answer(self, client: object, target: Target, prompt: str) -> str:
                file._connection.execute("PRAGMA query_only = ON")
                return "answer"

        conductor = Conductor(
            plan,
            read_workload(first.trace, first.load),
            BenchRecorder(file),
            events.append,
            requests,
            Locking(requests, "stop"),
        )
        with pytest.raises(StorageError, match=r"a\.bench: can't be written to"):
            await conductor.run()
        file._connection.execute("PRAGMA query_only = OFF")
    assert [event.state for event in events if isinstance(event, ServerState)][-1] == "stopped"
    with BenchFile.open(tmp_path / "a.bench") as kept:
        assert [entry.name for entry in kept.experiments()] == ["Seats on chat"]


class Beside:
    """Something beside a load, which may not end well."""

    def __init__(self, name: str, ended: list[str], *, breaks: bool = False) -> None:
        self._name, self._ended, self._breaks = name, ended, breaks

    def begin(self, zero: float) -> None:
        pass

    async def end(self) -> None:
        self._ended.append(self._name)
        if self._breaks:
            raise OSError(f"{self._name} broke")


async def test_that_one_that_breaks_leaves_nothing_beside_a_load_unended() -> None:
    ended: list[str] = []
    beside = [Beside("switching", ended, breaks=True), Beside("machine", ended), Beside("steps", ended)]
    with pytest.raises(OSError, match="switching broke"):
        async with end_afterwards(beside):
            assert not ended
    assert ended == ["switching", "machine", "steps"]


async def test_that_all_is_ended_where_the_load_itself_breaks() -> None:
    ended: list[str] = []
    with pytest.raises(RuntimeError, match="no load"):
        async with end_afterwards([Beside("machine", ended), Beside("steps", ended)]):
            raise RuntimeError("no load")
    assert ended == ["machine", "steps"]


def test_that_a_try_which_broke_off_is_one_too_so_that_the_next_finds_none_of_its_prompts_cached(
    tmp_path: Path,
) -> None:
    plan = make_plan([read(experiment_text("http://127.0.0.1:1"))])
    (run,) = plan.runs
    with BenchFile.create(tmp_path / "a.bench") as file:
        recorder = BenchRecorder(file)
        recorder.start(plan, {})
        assert recorder.try_count(run) == 0
        recorder.store_failed_run(run, "stopped by the user", "partial")
        assert recorder.try_count(run) == 1
        resumed = BenchRecorder(file)
        resumed.resume(plan)
        assert resumed.try_count(run) == 1
