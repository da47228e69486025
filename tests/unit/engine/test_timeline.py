"""The ideal clock: late wake-ups change nothing, steps follow without a gap, aborts come in time."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from workbench.engine.ideal_timeline import Arrival, Timeline
from workbench.engine.scheduler import EngineCoreOutputs, Request, Scheduler, SchedulerConfig, SchedulerOutput

STEP_S = 0.01


class Diary:
    """Writes down what the timeline tells."""

    def __init__(self) -> None:
        self.lines: list[tuple[Any, ...]] = []

    def added(self, request: Request, now: float) -> None:
        self.lines.append(("added", request.request_id, now))

    def aborted(self, request: Request) -> None:
        self.lines.append(("aborted", request.request_id))

    def scheduled(self, step: SchedulerOutput, now: float) -> None:
        self.lines.append(
            (
                "scheduled",
                step.step_index,
                now,
                [(r.request_id, count) for r, count in step.num_scheduled_tokens],
            )
        )

    def updated(self, step: SchedulerOutput, update: EngineCoreOutputs, now: float) -> None:
        self.lines.append(("updated", step.step_index, now, [r.request_id for r in update.outputs]))

    def times(self, what: str) -> list[float]:
        return [line[2] for line in self.lines if line[0] == what and line[3]]


def timeline(*, is_async: bool = False, **changes: Any) -> tuple[Timeline, Diary, Scheduler]:
    given = {
        "num_gpu_blocks": 40, "max_model_len": 256, "max_num_seqs": 4, "max_num_batched_tokens": 64,
        "async_scheduling": is_async, **changes,
    }  # fmt: skip
    scheduler, diary = Scheduler(SchedulerConfig(**given)), Diary()
    return (
        Timeline(scheduler, lambda step: STEP_S + step.total_num_scheduled_tokens * 1e-5, diary),
        diary,
        scheduler,
    )


def play(line: Timeline, arrivals: list[Arrival], wakes: list[float]) -> None:
    """Wake at these times: hand in what has come by then, do all that is due by then."""
    coming = list(arrivals)
    for wake in [*wakes, 1e9]:
        while coming and coming[0].stamp <= wake:
            line.hand_in(coming.pop(0))
        while (due := line.next_event()) is not None and due <= wake:
            line.run_one()


def test_that_the_next_step_of_a_busy_engine_starts_where_the_last_ended() -> None:
    line, diary, _ = timeline()
    play(line, [Arrival(0.5, Request("a", 10, 5))], [])
    starts, ends = diary.times("scheduled"), diary.times("updated")
    assert starts[0] == 0.5
    assert starts[1:] == ends[:-1]
    assert ends[0] == 0.5 + STEP_S + 10e-5


def test_that_async_scheduling_decides_a_step_while_the_last_one_runs() -> None:
    line, diary, _ = timeline(is_async=True)
    play(line, [Arrival(0.0, Request("a", 10, 4))], [])
    starts, ends = diary.times("scheduled"), diary.times("updated")
    assert starts[:2] == [0.0, 0.0]
    assert starts[2] == ends[0]
    assert ends == pytest.approx([0.0101 + k * 0.01001 for k in range(4)], abs=1e-12)


def test_that_an_abort_during_a_step_discards_its_token_and_an_add_waits_for_the_next() -> None:
    line, diary, _ = timeline()
    a, b = Request("a", 10, 50), Request("b", 10, 1)
    play(line, [Arrival(0.0, a), Arrival(0.001, b), Arrival(0.002, a, abort=True)], [])
    assert diary.lines[:5] == [
        ("added", "a", 0.0),
        ("scheduled", 0, 0.0, [("a", 10)]),
        ("aborted", "a"),
        ("updated", 0, STEP_S + 10e-5, []),
        ("added", "b", STEP_S + 10e-5),
    ]


def test_that_an_abort_overtaking_its_request_still_ends_it() -> None:
    line, diary, _ = timeline()
    a, b = Request("a", 10, 50), Request("b", 10, 50)
    play(line, [Arrival(0.0, a), Arrival(0.001, b), Arrival(0.001, b, abort=True)], [])
    assert ("aborted", "b") in diary.lines
    emitted = [name for line in diary.lines if line[0] == "updated" for name in line[3]]
    assert emitted == ["a"] * 50


def test_that_a_budget_lowered_below_a_prompt_does_not_spin_and_a_raised_one_helps() -> None:
    line, diary, scheduler = timeline(enable_chunked_prefill=False, max_num_batched_tokens=256)
    scheduler.max_num_scheduled_tokens = 5
    play(line, [Arrival(0.0, Request("a", 10, 1))], [1.0])
    assert line.next_event() is None
    assert len(diary.lines) < 12
    scheduler.max_num_scheduled_tokens = 256
    line.nudge(2.0)
    assert line.next_event() == 2.0 + STEP_S + 10e-5
    play(line, [], [])
    assert not scheduler.has_requests()


@st.composite
def workloads(draw: st.DrawFn) -> tuple[list[tuple[float, str, int, int, bool]], list[float], bool]:
    count = draw(st.integers(1, 12))
    stamps = sorted(draw(st.lists(st.floats(0, 0.3), min_size=count, max_size=count)))
    rows = [
        (stamp, f"r{k}", draw(st.integers(1, 120)), draw(st.integers(1, 20)), draw(st.booleans()))
        for k, stamp in enumerate(stamps)
    ]
    wakes = sorted(draw(st.lists(st.floats(0, 2), max_size=8)))
    return rows, wakes, draw(st.booleans())


def _arrivals(rows: list[tuple[float, str, int, int, bool]]) -> list[Arrival]:
    arrivals = []
    for stamp, name, prompt, tokens, leaves in rows:
        request = Request(name, prompt, tokens)
        arrivals.append(Arrival(stamp, request))
        if leaves:
            arrivals.append(Arrival(stamp + 0.02, request, abort=True))
    return sorted(arrivals, key=lambda arrival: arrival.stamp)


@settings(max_examples=120, deadline=None)
@given(workloads())
def test_that_waking_late_changes_no_decision_and_no_time(
    workload: tuple[list[tuple[float, str, int, int, bool]], list[float], bool],
) -> None:
    rows, wakes, is_async = workload
    in_time, diary, _ = timeline(is_async=is_async, num_gpu_blocks=20)
    # In time: woken at every stamp and at every step's end.
    coming = _arrivals(rows)
    while coming or in_time.next_event() is not None:
        due = in_time.next_event()
        if coming and (due is None or coming[0].stamp <= due):
            in_time.hand_in(coming.pop(0))
            continue
        in_time.run_one()
    late, late_diary, scheduler = timeline(is_async=is_async, num_gpu_blocks=20)
    play(late, _arrivals(rows), wakes)
    assert late_diary.lines == diary.lines
    assert not scheduler.has_requests()


def test_that_a_gathering_engine_takes_in_what_comes_a_moment_later_and_only_when_it_was_idle() -> None:
    scheduler, diary = Scheduler(SchedulerConfig(num_gpu_blocks=40, max_model_len=256, policy="static",
                                                 async_scheduling=False)), Diary()  # fmt: skip
    line = Timeline(scheduler, lambda _: STEP_S, diary, gather_s=0.05)
    arrivals = [(0.0, "a"), (0.04, "b"), (0.06, "late"), (0.5, "alone")]
    play(line, [Arrival(stamp, Request(name, 10, 3)) for stamp, name in arrivals], [])
    starts = {entry[0]: when for _, _, when, entries in reversed(
        [each for each in diary.lines if each[0] == "scheduled"]) for entry in entries}  # fmt: skip
    # The batch of a and b lasts three steps; who came meanwhile begins right after it.
    assert starts == {"a": 0.05, "b": 0.05, "late": pytest.approx(0.08), "alone": pytest.approx(0.55)}
