"""What a run's own samples say of the server's state."""

from typing import Any, cast

import pytest

from workbench.experiments.run.watch_run import RunWatch
from workbench.results import Sample


class Recorder:
    def samples(self, _: object) -> None:
        pass


def told(*samples: list[Sample]) -> list[tuple[str, str]]:
    """The states that are told as these scrapes come in, one after the other."""
    states: list[tuple[str, str]] = []
    nothing: Any = None
    watch = RunWatch(
        "r", 10.0, cast("Any", Recorder()), nothing, nothing, lambda state, why: states.append((state, why))
    )
    for each in samples:
        watch._samples(each)
    return states


def sample(t: float, running: int = 0, waiting: int = 0, tokens: float = 0.0) -> list[Sample]:
    return [Sample(t=t, running=running, waiting=waiting, generation_tokens=tokens)]


def test_that_a_server_is_busy_from_its_first_request_on_and_a_pause_does_not_end_it() -> None:
    states = told(sample(0), sample(1, 1), sample(2, 0), sample(3, 2), sample(4, 0))
    assert states == [("busy", "")]


@pytest.mark.parametrize("first", [sample(0, running=1), sample(0, waiting=1)])
def test_that_waiting_is_work_as_running_is(first: list[Sample]) -> None:
    assert told(first) == [("busy", "")]


def test_that_a_server_without_work_or_figures_is_told_nothing_of() -> None:
    assert told(sample(0), [], [Sample(t=1.0)]) == []


def test_that_one_without_progress_is_in_trouble_until_it_moves_again() -> None:
    states = told(sample(0, 1), sample(1, 1), sample(30, 1), sample(31, 1), sample(32, 1, tokens=5.0))
    assert [state for state, _ in states] == ["busy", "degraded", "busy"]
    assert "no progress for 30 s: 1 running, 0 waiting" in str(states[1][1])


def test_that_one_in_trouble_whose_work_has_gone_is_ready() -> None:
    states = told(sample(0, 1), sample(30, 1), sample(31, 0), sample(32, 0))
    assert [state for state, _ in states] == ["busy", "degraded", "ready"]
