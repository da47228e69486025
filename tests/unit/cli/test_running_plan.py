"""`run --follow` and `run --stop`: what they print, how they end, what they refuse."""

import asyncio
import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.command_line import refused, workbench
from tests.unit.experiments.test_followers import STARTED, Plan, began
from workbench.base import WorkbenchError
from workbench.cli import running_plan as command
from workbench.cli.progress import ConsoleProgress
from workbench.experiments.run.events import Event, ExperimentFinished, decode_event
from workbench.results import BenchFile

pytestmark = pytest.mark.skipif(os.name == "nt", reason="no Unix sockets")


class Running(Plan):
    """A stand-in for a plan of another process: it begins a run, and ends once it is stopped or let go."""

    def __init__(self, bench: Path, status: str | None) -> None:
        super().__init__()
        self._bench, self._status = bench, status
        self.ready = threading.Event()

    def carry_out(self) -> None:
        asyncio.run(self._carry_out())

    async def _carry_out(self) -> None:
        async with self.runs_into(self._bench):
            self.emit(STARTED)
            self.emit(began("baseline", 1))
            self.ready.set()
            status = self._status
            if status is None:
                await asyncio.wait_for(self.requests.stop.wait(), 60)
                status = "stopped"
            else:
                while not self.emit._following:  # noqa: ASYNC110 - who joins sets no event
                    await asyncio.sleep(0.01)
            if status != "killed":
                self.emit(
                    ExperimentFinished(status=status, bench=str(self._bench), csv=None, report=["Seen."])
                )


@pytest.fixture
def bench(tmp_path: Path) -> Path:
    with BenchFile.create(tmp_path / "a.bench"):
        pass
    return tmp_path / "a.bench"


@contextmanager
def running(bench: Path, status: str | None) -> Iterator[Running]:
    plan = Running(bench, status)
    thread = threading.Thread(target=plan.carry_out)
    thread.start()
    assert plan.ready.wait(60)
    try:
        yield plan
    finally:
        thread.join(60)
        assert not thread.is_alive()


@pytest.mark.parametrize(("status", "code"), [("done", 0), ("failed", 1), ("stopped", 1)])
def test_a_follower_sees_the_progress_and_ends_as_the_plan_does(bench: Path, status: str, code: int) -> None:
    with running(bench, status):
        done = workbench("run", "--follow", str(bench))
    assert done.returncode == code
    assert done.stderr.splitlines() == [
        "Seats: 0 runs on engine (simulated, trace t)",
        "run 1/3 baseline: 1 requests over 1 s",
        status,
    ]
    assert done.stdout.splitlines()[-2:] == ["Seen.", f"bench file: {bench}"]


def test_a_follower_gets_the_events_as_lines(bench: Path) -> None:
    with running(bench, "done"):
        done = workbench("run", "--follow", str(bench), "--events")
    assert (done.returncode, done.stderr) == (0, "")
    told = [decode_event(line) for line in done.stdout.splitlines()]
    assert told[:2] == [STARTED, began("baseline", 1)]
    assert isinstance(told[2], ExperimentFinished)
    assert len(told) == 3


def test_a_plan_whose_process_ends_before_it_is_no_success(bench: Path) -> None:
    with running(bench, "killed"):
        done = workbench("run", "--follow", str(bench))
    assert done.returncode == 1
    assert done.stderr.splitlines()[-1].startswith("the plan's process ended before the plan did")


def test_leaving_a_plan_does_not_stop_it(bench: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shown: list[Event] = []

    def interrupted(self: ConsoleProgress, event: Event) -> None:
        shown.append(event)
        if event == began("baseline", 1):
            raise KeyboardInterrupt

    with running(bench, None) as plan:
        with monkeypatch.context() as patched:
            patched.setattr(ConsoleProgress, "__call__", interrupted)
            left = workbench("run", "--follow", str(bench))
        assert (left.returncode, left.stderr) == (1, "left; the plan goes on\n")
        assert not plan.requests.stop.is_set()
        assert workbench("run", "--stop", str(bench)).returncode == 0
    assert shown == [STARTED, began("baseline", 1)]


def test_a_stop_waits_for_the_end_and_says_what_ended(bench: Path) -> None:
    with running(bench, None):
        done = workbench("run", "--stop", str(bench))
    assert done.returncode == 0
    assert done.stdout == f"stopped: the plan of {bench.resolve()} has ended\n"
    assert done.stderr.splitlines()[-1] == "stopped"


def test_a_stop_does_not_wait_for_ever(bench: Path) -> None:
    with running(bench, None) as plan:
        plan.requests.apply = lambda command: None  # type: ignore[method-assign]  # a plan that hangs
        with pytest.raises(WorkbenchError, match=r"the plan still runs 0\.2 s after the stop was sent"):
            command.stop(bench, patience_s=0.2)
        del plan.requests.apply
        assert workbench("run", "--stop", str(bench)).returncode == 0


@pytest.mark.parametrize("option", ["--follow", "--stop"])
def test_a_bench_file_into_which_no_plan_runs_is_refused(bench: Path, option: str) -> None:
    said = refused(workbench("run", option, str(bench)))
    assert said == f"error: {bench}: no plan runs into this bench file on this machine"


def test_a_system_without_the_sockets_says_so(bench: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("workbench.experiments.run.follow_plan.has_sockets", lambda: False)
    assert "this system has no Unix sockets" in refused(workbench("run", "--follow", str(bench)))


@pytest.mark.parametrize(
    ("words", "named"),
    [
        (["a.toml", "--follow", "b.bench"], "--follow takes a bench file and no experiment files"),
        (
            ["--follow", "b.bench", "--resume", "--plan"],
            "--follow takes a bench file and no --plan, --resume",
        ),
        (["--stop", "b.bench", "--events"], "--stop takes a bench file and no --events"),
        (["--stop", "b.bench", "--follow", "b.bench"], "--stop takes a bench file and no --follow"),
    ],
)
def test_nothing_of_another_plan_is_taken_beside_them(words: list[str], named: str) -> None:
    assert refused(workbench("run", *words)) == f"error: {named}"
