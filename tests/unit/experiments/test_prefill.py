"""Progress of long prompts, from the record of a scheduler's steps."""

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from tests.unit.experiments.test_steps import Recorded, line
from workbench.experiments import Event, PrefillTracked, decode_event
from workbench.experiments.run.prefill_progress import (
    MOST_POINTS,
    MOST_PROMPTS,
    PrefillMonitor,
    PrefillTracker,
    RecordHeader,
)

HEADER = RecordHeader(max_num_batched_tokens=2048, long_prefill_token_threshold=0)


def added(name: str, tokens: int) -> str:
    return line("add", id=name, t_next=0, prompt=list(range(tokens)), max_tokens=9, priority=0)


def step(number: int, mono: float, **shares: int) -> str:
    return resumed(number, mono, {}, **shares)


def resumed(number: int, mono: float, hit: dict[str, int], pre: Any = (), **shares: int) -> str:
    told = {"sched": list(shares.items()), "pre": list(pre), "new": [], "res": [], "hit": hit, "run": []}
    return line("sched", t=number, mono=mono, us=1.0, **told, wait=0, free=9)


def done(number: int, mono: float) -> str:
    return line("update", t=number, mono=mono, tok={}, fin=[])


def fed(*lines: str, header: RecordHeader = HEADER, **more: Any) -> PrefillTracker:
    tracks = PrefillTracker(header, zero=100.0, scale=1.0, **more)
    for each in lines:
        tracks.feed(each.encode())
    return tracks


LONG = (
    added("long", 5000), added("short", 2048),
    step(0, 101.0, long=2048), done(0, 101.5), step(1, 101.5, long=2000, short=48), done(1, 102.0),
    step(2, 102.0, long=952, short=1000), done(2, 102.5), step(3, 102.5, long=1, short=1), done(3, 102.6),
)  # fmt: skip


def test_that_a_long_prompt_is_followed_from_its_first_step_to_its_last() -> None:
    (told,) = fed(*LONG).all_points()
    assert told.id == "long"
    assert told.tokens == 5000
    assert told.points == [(1.0, 0), (1.5, 2048), (2.0, 4048), (2.5, 5000)]


def test_that_what_the_prefix_cache_has_is_no_work_and_makes_a_prompt_short() -> None:
    cached = fed(added("a", 5000), resumed(0, 101.0, {"a": 3008}, a=1992), done(0, 101.5))
    assert cached.all_points() == []
    partly = fed(added("a", 9000), resumed(0, 101.0, {"a": 4000}, a=2048), step(1, 102.0, a=2048))
    assert partly.all_points()[0].points == [(1.0, 4000), (2.0, 6048)]


def test_that_a_preempted_prompt_begins_again() -> None:
    lines = (
        step(0, 101.0, a=2048),
        resumed(1, 102.0, {}, [("a", 2048)], b=1),
        resumed(2, 103.0, {"a": 16}, a=9),
    )
    assert fed(added("a", 5000), *lines).all_points()[0].points == [(1.0, 0), (3.0, 16)]


def test_that_the_limits_in_force_say_what_is_long() -> None:
    lines = (added("a", 1500), step(0, 101.0, a=1024), step(1, 102.0, a=476), done(1, 103.0))
    assert fed(*lines).all_points() == []
    assert fed(*lines, limits={"long_prefill_token_threshold": 1024}).span == 1024
    assert len(fed(*lines, limits={"long_prefill_token_threshold": 1024}).all_points()) == 1
    changed = line("limit", name="max_num_batched_tokens", old=2048, new=1024, t_next=0)
    assert len(fed(changed, *lines).all_points()) == 1


def test_that_news_are_told_once_and_cut_or_foreign_lines_are_passed_over() -> None:
    tracks = fed(*LONG[:4], LONG[4][:30], "rubbish", line("stats", mono=1.0))
    assert [told.points for told in tracks.new_points()] == [[(1.0, 0)]]
    assert tracks.new_points() == []
    for each in LONG[4:]:
        tracks.feed(each.encode())
    assert [told.points for told in tracks.new_points()] == [[(1.5, 2048), (2.0, 4048), (2.5, 5000)]]


def test_that_a_caller_who_left_ends_the_line() -> None:
    tracks = fed(added("a", 5000), step(0, 101.0, a=2048), line("finish", t_next=1, ids=["a"], status="X"))
    tracks.feed(step(1, 102.0, a=2048).encode())
    assert tracks.all_points()[0].points == [(1.0, 0)]


def test_that_simulated_time_is_placed_by_the_run_s_scale() -> None:
    header = RecordHeader(zero=100.0, time_scale=4.0, max_num_batched_tokens=2048)
    tracks = PrefillTracker(header, zero=100.0, scale=4.0)
    for each in (added("a", 5000), step(0, 108.0, a=2048), step(1, 116.0, a=2048)):
        tracks.feed(each.encode())
    assert tracks.all_points()[0].points == [(8.0, 0), (16.0, 2048)]


def test_that_a_long_run_keeps_a_bounded_share_of_its_prompts_and_points() -> None:
    tracks = PrefillTracker(HEADER, zero=0.0, scale=1.0)
    calls = iter(range(10**9))
    for number in range(2 * MOST_PROMPTS):
        tracks.feed(added(f"p{number}", 4000).encode())
        for part in range(20):
            tracks.feed(step(call := next(calls), 1.0 + number + part / 5, **{f"p{number}": 200}).encode())
        tracks.feed(done(call, 5.5 + number).encode())
        if number % 50 == 0:
            tracks.new_points()
    whole = tracks.all_points()
    assert MOST_PROMPTS / 2 <= len(whole) <= MOST_PROMPTS
    assert all(2 <= len(told.points) <= MOST_POINTS for told in whole)
    assert all(told.points[-1][1] == 4000 for told in whole)
    assert int(whole[-1].id[1:]) > 1.9 * MOST_PROMPTS, "the end is told like the beginning"


async def watched(server: Recorded, lines: list[str], file: Path | None) -> tuple[list[Event], list[str]]:
    events: list[Event] = []
    stored: list[str] = []
    watching = PrefillMonitor("r", 1.0, server, {}, stored.append, events.append)
    watching.begin(100.0)
    if file is not None:
        with file.open("a") as record:
            record.writelines(lines)
    await watching.end()
    return events, stored


HEAD = line("header", max_num_batched_tokens=2048, long_prefill_token_threshold=0)


async def test_that_a_run_is_told_at_its_begin_and_all_of_it_at_its_end_and_stored(tmp_path: Path) -> None:
    file = tmp_path / "a.steps.jsonl"
    file.write_text(HEAD + "the middle of a line of the run before\n")
    events, stored = await watched(Recorded(file), list(LONG), file)
    assert all(isinstance(event, PrefillTracked) for event in events)
    last = events[-1]
    assert isinstance(last, PrefillTracked)
    assert (last.whole, last.step_tokens, [told.id for told in last.prompts]) == (True, 2048, ["long"])
    assert [decode_event(text) for text in stored] == [last]


async def test_that_lines_are_told_while_they_are_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("workbench.experiments.run.prefill_progress.LOOK_S", 0.001)
    file = tmp_path / "a.steps.jsonl"
    file.write_text(HEAD)
    told: list[PrefillTracked] = []
    came = asyncio.Event()

    def take(event: Event) -> None:
        assert isinstance(event, PrefillTracked)
        told.append(event)
        if event.prompts:
            came.set()

    watching = PrefillMonitor("r", 1.0, Recorded(file), {}, lambda _: None, take)
    watching.begin(100.0)
    with file.open("a") as record:
        record.writelines(LONG[:6])
    await came.wait()
    assert [(event.prompts, event.step_tokens, event.whole) for event in told[:1]] == [([], 2048, False)]
    assert told[-1].prompts[0].points[0] == (1.0, 0)
    assert not told[-1].whole, "it came before the end"
    await watching.end()


@pytest.mark.parametrize("name", ["a.stats.jsonl", "gone.steps.jsonl", None])
async def test_that_without_a_record_of_steps_nothing_is_told(tmp_path: Path, name: str | None) -> None:
    file = None if name is None else tmp_path / name
    if name == "a.stats.jsonl":
        assert file is not None
        file.write_text(json.dumps({"ev": "header"}) + "\n")
    assert await watched(Recorded(file), [], None) == ([], [])


async def test_that_a_clock_that_nobody_knows_tells_nothing(tmp_path: Path) -> None:
    file = tmp_path / "a.steps.jsonl"
    file.write_text(HEAD)
    assert await watched(Recorded(file, ahead_s=None), list(LONG), file) == ([], [])
