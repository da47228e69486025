"""Alarms, the parser of answers, and bodies built ahead."""

import asyncio
from collections.abc import Callable, Iterator

import pytest

from tests.unit.load.answers import completion, stream, usage
from workbench.base import now
from workbench.load.alarm import Alarm, make_alarm
from workbench.load.attempt import Attempt
from workbench.load.messages import LoadRequest
from workbench.load.parse_reads import ReadParser
from workbench.load.request_body import Bodies, BodyBuilder

ASK = LoadRequest(index=0, row=0, cycle=0, due_s=0.0, input_tokens=8, output_tokens=3, cls="")


@pytest.mark.parametrize("make", [make_alarm, Alarm])
async def test_that_an_alarm_rings_at_its_time_and_never_before(make: Callable[..., Alarm]) -> None:
    rung: list[float] = []
    done = asyncio.Event()

    def ring() -> None:
        rung.append(now())
        if len(rung) < 5:
            times.append(now() + 0.0123)
            alarm.set(times[-1])
        else:
            done.set()

    alarm = make(asyncio.get_running_loop(), ring)
    times = [now() + 0.02]
    alarm.set(times[0])
    await asyncio.wait_for(done.wait(), 30)
    alarm.close()
    lateness = [real - time for real, time in zip(rung, times, strict=True)]
    assert all(late >= 0 for late in lateness)


@pytest.mark.parametrize("make", [make_alarm, Alarm])
async def test_that_a_new_time_replaces_the_old_one(make: Callable[..., Alarm]) -> None:
    rung: list[float] = []
    alarm = make(asyncio.get_running_loop(), lambda: rung.append(now()))
    alarm.set(now() + 10)
    time = now() + 0.01
    alarm.set(time)
    await asyncio.sleep(0.1)
    assert len(rung) == 1
    alarm.set(now() - 1)
    await asyncio.sleep(0.05)
    assert len(rung) == 2
    alarm.close()


def _flight(tokens: int) -> Attempt:
    attempt = Attempt(ASK, 0.0)
    data = stream(
        *(completion(" a", i) for i in range(1, tokens)), completion(" a", tokens, "length"), usage(tokens)
    )
    for place in range(0, len(data), 100):
        attempt.reads += [float(place), data[place : place + 100]]
    return attempt


async def test_that_long_answers_are_looked_at_in_slices_that_let_the_sockets_in() -> None:
    loop = asyncio.get_running_loop()
    done = asyncio.Event()
    attempt = _flight(3000)

    def seen(looked_at: Attempt) -> None:
        if looked_at.reply.complete and not looked_at.reads:
            done.set()

    turns = 0

    def count_turns() -> None:
        nonlocal turns
        turns += 1
        if not done.is_set():
            loop.call_soon(count_turns)

    parser = ReadParser(loop, seen)
    parser.parse_soon(attempt)
    loop.call_soon(count_turns)
    await asyncio.wait_for(done.wait(), 5)
    assert turns > 10
    assert attempt.reply.tokens.total == 3000


async def test_that_ended_answers_come_before_those_that_stream() -> None:
    order: list[Attempt] = []
    done = asyncio.Event()
    streaming, ended = _flight(200), _flight(3)

    def seen(attempt: Attempt) -> None:
        if not order or order[-1] is not attempt:
            order.append(attempt)
        if not streaming.reads and not ended.reads:
            done.set()

    parser = ReadParser(asyncio.get_running_loop(), seen)
    parser.parse_streaming([streaming])
    parser.parse_soon(ended)
    parser.parse_soon(streaming)
    await asyncio.wait_for(done.wait(), 5)
    assert order[0] is ended


class _SlowBuilder:
    """Counts what it builds."""

    def __init__(self) -> None:
        self.built: list[int] = []

    def pieces(self, request: LoadRequest) -> Iterator[bytes]:
        yield b""
        self.built.append(request.index)
        yield b"x" * 100

    whole = BodyBuilder.whole


def _ask(index: int) -> LoadRequest:
    return LoadRequest(index=index, row=0, cycle=0, due_s=0.0, input_tokens=8, output_tokens=3, cls="")


async def test_that_bodies_are_built_in_order_within_their_memory() -> None:
    builder = _SlowBuilder()
    parser = ReadParser(asyncio.get_running_loop(), lambda _: None)
    bodies = Bodies(builder, parser, 250)  # type: ignore[arg-type] # stands in for the builder
    for index in range(6):
        bodies.build_ahead(_ask(index))
    await asyncio.wait_for(bodies.settle(), 5)
    assert builder.built == [0, 1, 2]
    assert bodies.pop(_ask(0)) == b"x" * 100
    await asyncio.wait_for(bodies.settle(), 5)
    assert builder.built == [0, 1, 2, 3]


async def test_that_a_body_wanted_too_late_is_built_at_once_and_only_once() -> None:
    builder = _SlowBuilder()
    parser = ReadParser(asyncio.get_running_loop(), lambda _: None)
    bodies = Bodies(builder, parser, 1000)  # type: ignore[arg-type] # stands in for the builder
    bodies.build_ahead(_ask(0))
    bodies.build_ahead(_ask(1))
    assert bodies.pop(_ask(1)) == b"x" * 100
    await asyncio.wait_for(bodies.settle(), 5)
    assert builder.built == [1, 0]
