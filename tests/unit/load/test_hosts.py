"""A load from several machines: one schedule, clocks translated, a lost machine named at once."""

import asyncio
import contextlib
import signal
from collections.abc import Callable

import pytest

from tests.unit.load.hosts import Machine
from tests.unit.load.playing import Request, Server, rows, schedule_at
from workbench.base import Message, now
from workbench.experiments.run.load_hosts import LoadWorkers
from workbench.load import LoadOptions, LoadOutcome, Target, run_load
from workbench.load.host_clock import HostClock
from workbench.results import Outcome, RequestRecord
from workbench.traces import Trace


def record(**stamps: float) -> RequestRecord:
    return RequestRecord(
        index=0, row=0, request_id="r", cls="", input_tokens=1, output_tokens=1, **{"due": 1.0, **stamps}
    )


def test_that_the_quickest_round_trip_counts_and_bounds_the_error() -> None:
    clock = HostClock()
    clock.add(10.0, 110.9, 11.0)
    clock.add(20.0, 120.002, 20.004)
    assert clock.start() == pytest.approx(100.0)
    assert clock.error_s == pytest.approx(0.002)


def test_that_an_old_round_trip_counts_with_the_drift_since() -> None:
    clock = HostClock()
    clock.add(0.0, 0.001, 0.002)
    clock.start()
    for trip in range(1, 30):
        clock.add(float(trip), trip + 0.015, trip + 0.030)
    assert clock.error_s == pytest.approx(0.001 + 29.028 * 1e-4)
    for trip in range(200, 300):
        clock.add(float(trip), trip + 0.015, trip + 0.030)
    assert clock.error_s == pytest.approx(0.015, abs=1e-3), "after minutes only the slow trips are left"


def test_that_stamps_follow_a_clock_that_is_set_and_stay_within_the_error() -> None:
    clock = HostClock()
    clock.add(0.0, 0.001, 0.002)
    clock.start()
    still = [record(sent=1.5)]
    for trip in range(1, 30):
        clock.add(float(trip), trip + 0.0015, trip + 0.002)
    clock.correct(still)
    assert still[0].sent == 1.5, "half a millisecond is within the error"
    for trip in range(30, 60):
        clock.add(float(trip), trip + 0.251, trip + 0.002)
    moved = [record(sent=50.25, done=51.25)]
    clock.correct(moved)
    assert (moved[0].due, moved[0].sent, moved[0].done) == pytest.approx((0.75, 50.0, 51.0))
    assert moved[0].first_token is None
    assert clock.shift_s == pytest.approx(0.25)


def test_that_stamps_follow_a_clock_that_drifts() -> None:
    clock = HostClock()
    clock.add(0.0, 0.001, 0.002)
    clock.start()
    for trip in range(1, 200):
        clock.add(float(trip), trip + 0.001 + trip * 5e-5, trip + 0.002)
    moved = [record(sent=199.0)]
    clock.correct(moved)
    assert moved[0].sent == pytest.approx(199.0 - 199 * 5e-5, abs=0.002)


def test_that_a_clock_that_was_never_read_has_no_error() -> None:
    clock = HostClock()
    assert (clock.start(), clock.error_s) == (0.0, None)
    untouched = [record(sent=2.0)]
    clock.correct(untouched)
    assert untouched[0].sent == 2.0


async def replay(
    server: Server,
    workers: LoadWorkers,
    records: list[RequestRecord],
    *,
    count: int = 12,
    gap_s: float = 0.03,
    on_start: Callable[[float], None] | None = None,
) -> LoadOutcome:
    return await run_load(
        Target(url=server.url, model="m"),
        Trace.from_rows(rows(count, output_length=2)),
        schedule_at(*(index * gap_s for index in range(count))),
        LoadOptions(continuous_usage=True, drain_s=30.0),
        on_records=records.extend,
        on_snapshot=lambda _: None,
        on_start=on_start,
        worker_host=workers.host,
    )


async def test_that_machines_share_the_schedule_and_their_stamps_are_in_our_time() -> None:
    records: list[RequestRecord] = []
    machines = [Machine("near"), Machine("far", 250.0)]
    workers = LoadWorkers(machines, margin_s=0.3)
    async with Server(Request.answer) as server:
        outcome = await replay(server, workers, records, gap_s=0.01)
    assert (outcome.workers, outcome.worker_deaths) == (2, [])
    assert sorted(each.index for each in records) == list(range(12))
    assert {each.outcome for each in records} == {Outcome.COMPLETED}
    at = {each.headers["x-request-id"]: each.at for each in server.requests}
    for each in records:
        assert each.sent is not None
        # However busy the machine, it can't arrive before it was sent.
        assert at[each.request_id] - outcome.zero - each.sent > -0.1
    found = workers.outcome()
    assert [host.name for host in found.hosts] == ["near", "far"]
    assert found.lost == ()
    assert found.clock_error_ms is not None
    assert all(host.round_trips >= 2 for host in found.hosts)
    assert str(found.facts()["load_hosts"]).startswith("near ±")


@pytest.mark.slow
@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGSTOP])
async def test_that_a_lost_machine_is_named_within_two_seconds_and_what_came_stays(
    how: signal.Signals,
) -> None:
    """Killed, it closes its connection; stopped, it is silent as behind a network that is gone."""
    records: list[RequestRecord] = []
    lost: list[tuple[float, Message]] = []
    machines = [Machine("a"), Machine("b")]
    workers = LoadWorkers(machines, lambda found: lost.append((now(), found)))
    gone: list[float] = []

    async def end(request: Request) -> None:
        await request.answer()
        if request.number == 8:
            machines[1].workers[0].send_signal(how)
            gone.append(now())

    async with Server(end) as server, asyncio.timeout(60):
        outcome = await replay(server, workers, records, count=40, gap_s=0.1)
    ((at, found),) = lost
    assert at - gone[0] < 2.0
    assert found.values["host"] == "b"
    assert workers.outcome().lost == (found,)
    assert len(outcome.worker_deaths) == 1
    assert len(records) == 40
    completed = [each for each in records if each.outcome is Outcome.COMPLETED]
    assert 20 <= len(completed) < 40
    with contextlib.suppress(ProcessLookupError):
        machines[1].workers[0].kill()


@pytest.mark.slow
async def test_that_the_offset_is_found_within_its_stated_error() -> None:
    for ahead_s in (0.25, -3.0, 12345.678):
        records: list[RequestRecord] = []
        workers = LoadWorkers([Machine("other", ahead_s)])
        async with Server(Request.answer) as server:
            await replay(server, workers, records)
        (host,) = workers.outcome().hosts
        assert host.clock_error_ms is not None
        assert abs(host.clock_ahead_s - ahead_s) * 1000 <= host.clock_error_ms
