"""Limits of the running server: changed, refused, put back; each told as an event and stored."""

import asyncio
from typing import Any

import pytest

from workbench.base import InputError, now
from workbench.experiments.run.channel import UserRequests
from workbench.experiments.run.events import (
    Command,
    Event,
    LimitsReported,
    LiveLimitChanged,
    decode_event,
    encode_event,
)
from workbench.experiments.run.live_limits import LiveLimits
from workbench.results import LimitChange
from workbench.servers import LiveLimit, Server, ServerFailedError
from workbench.servers.attached import AttachedServer
from workbench.servers.target_spec import TargetSpec

SEATS = "max_num_active_seqs"


class Seats(AttachedServer):
    """A server that takes 1 to 16 seats while it serves."""

    def __init__(self) -> None:
        super().__init__(TargetSpec(kind="attached", url="http://127.0.0.1:1"))
        self.seats = 16
        self.dead = False

    async def live_limits(self) -> list[LiveLimit]:
        if self.dead:
            raise ServerFailedError("servers.engine_without_socket")
        return [LiveLimit(name=SEATS, value=self.seats, minimum=1, maximum=16)]

    async def set_limit(self, name: str, value: int) -> int:
        if self.dead:
            raise ServerFailedError("servers.engine_without_socket")
        if not 1 <= value <= 16:
            raise InputError(f"{name} must be a whole number from 1 to 16, not {value}")
        old, self.seats = self.seats, value
        return old


class Kept:
    def __init__(self) -> None:
        self.stored: list[LimitChange] = []
        self.events: list[Event] = []
        self.limiting = LiveLimits(self.stored.append, self.events.append)

    def last(self) -> LiveLimitChanged:
        event = decode_event(encode_event(self.events[-1]))
        assert isinstance(event, LiveLimitChanged)
        return event


async def running(server: Server) -> Kept:
    kept = Kept()
    await kept.limiting.server_ready(server)
    await kept.limiting.begin_run("baseline", 4.0)
    kept.limiting.schedule_begins(now() - 2.0)
    return kept


async def test_that_what_can_be_changed_is_told_when_a_server_is_ready() -> None:
    kept = await running(Seats())
    assert kept.events == [LimitsReported(limits=[LiveLimit(name=SEATS, value=16, minimum=1, maximum=16)])]
    assert b'"type":"limits"' in encode_event(kept.events[0])


async def test_that_a_change_is_told_in_the_runs_time_stored_and_held_against_the_run() -> None:
    kept = await running(Seats())
    await kept.limiting.change_for_user(SEATS, 3)
    event = kept.last()
    assert (event.run, event.name, event.old, event.new, event.by) == ("baseline", SEATS, 16, 3, "user")
    assert (event.accepted, event.refusal, event.asked) == (True, None, 3)
    (stored,) = kept.stored
    assert stored.t is not None
    assert stored.t >= 2.0
    assert event.run_t == pytest.approx(stored.t * 4.0)
    (words,) = kept.limiting.user_changes
    assert words.startswith(f"{SEATS} 16 → 3 at ")


@pytest.mark.parametrize(
    ("value", "words"),
    [(17, "from 1 to 16, not 17"), ("3", "whole number, not '3'"), (2.5, "not 2.5"), (True, "not True")],
)
async def test_that_a_refusal_is_told_and_stored_and_changes_nothing(value: Any, words: str) -> None:
    server = Seats()
    kept = await running(server)
    await kept.limiting.change_for_user(SEATS, value)
    event = kept.last()
    assert (event.accepted, event.old, event.new, event.asked) == (False, 16, 16, value)
    assert words in (event.refusal or "")
    assert kept.stored[0].refusal == event.refusal
    assert (server.seats, kept.limiting.user_changes) == (16, [])


async def test_that_a_limit_is_put_back_before_the_next_run_begins() -> None:
    server = Seats()
    kept = await running(server)
    await kept.limiting.change_for_user(SEATS, 3)
    kept.limiting.end_run()
    await kept.limiting.begin_run("next", 4.0)
    event = kept.last()
    assert (event.run, event.run_t, event.by, event.new) == ("next", None, "restored", 16)
    assert (server.seats, kept.limiting.user_changes) == (16, [])


async def test_that_a_switchback_is_told_of_a_refusal_and_is_not_held_against_the_run() -> None:
    kept = await running(Seats())
    await kept.limiting.change(SEATS, 4, by="switchback")
    with pytest.raises(InputError, match="from 1 to 16"):
        await kept.limiting.change(SEATS, 99, by="switchback")
    assert [one.by for one in kept.stored] == ["switchback", "switchback"]
    assert kept.limiting.user_changes == []


async def test_that_without_a_server_a_change_is_refused() -> None:
    kept = await running(Seats())
    kept.limiting.server_gone()
    await kept.limiting.change_for_user(SEATS, 3)
    assert kept.last().refusal == f"{SEATS} can't be changed: no server is ready"


async def test_that_an_engine_which_takes_no_orders_is_told_with_its_reason() -> None:
    server = Seats()
    kept = await running(server)
    server.dead = True
    await kept.limiting.change_for_user(SEATS, 3)
    assert kept.last().refusal == "the engine takes no orders: its socket isn't there"
    await kept.limiting.server_ready(server)
    event = kept.events[-1]
    assert isinstance(event, LimitsReported)
    assert {one.reason for one in event.limits} == {"the engine takes no orders: its socket isn't there"}


async def test_that_a_command_line_asks_for_a_change_and_others_stay_as_they_were() -> None:
    requests = UserRequests()
    requests.apply(Command(command="limit", name=SEATS, value=3))
    requests.apply(Command(command="skip"))
    async with asyncio.timeout(60):
        assert await requests.limits.get() == (SEATS, 3)
    assert requests.limits.empty()
    assert requests.skip.is_set()


async def test_that_a_limit_without_a_name_is_refused_by_an_event_that_lists_the_names() -> None:
    requests, kept = UserRequests(), await running(Seats())
    requests.apply(Command(command="limit", value=5))
    await kept.limiting.change_for_user(*requests.limits.get_nowait())
    event = kept.last()
    assert (event.accepted, event.asked, event.name) == (False, 5, "")
    assert event.refusal is not None
    assert event.refusal.startswith("a limit needs its name")
    assert SEATS in event.refusal
    assert kept.limiting.user_changes == []


async def test_that_the_plans_own_limits_are_set_before_a_run_and_say_nothing_against_it() -> None:
    server = Seats()
    kept = await running(server)
    await kept.limiting.begin_run("seats 2", 4.0, {SEATS: 2})
    event = kept.last()
    assert (event.run, event.old, event.new, event.by) == ("seats 2", 16, 2, "plan")
    assert server.seats == 2
    assert kept.limiting.user_changes == []
    await kept.limiting.begin_run("seats 2 #2", 4.0, {SEATS: 2})
    assert len(kept.stored) == 1
    await kept.limiting.begin_run("baseline", 4.0)
    assert (server.seats, kept.last().by) == (16, "restored")
