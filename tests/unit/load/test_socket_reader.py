"""Reads stamped by the kernel: when they came, whatever the worker did meanwhile; nothing is left unread."""

import asyncio
import socket
import struct
import sys
import time
from collections.abc import AsyncIterator, Callable
from itertools import pairwise

import pytest

from tests.unit.load.playing import Request, Server, job_for, play, rows, schedule_at
from workbench.base import now
from workbench.load import LoadOptions, dispatcher, socket_reader
from workbench.load.attempt import Attempt
from workbench.load.messages import LoadRequest
from workbench.load.parse_reads import late_p99_ms
from workbench.load.socket_reader import PAUSE_S, SocketReader, make_socket_reader
from workbench.results.run_records import Outcome

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="Linux stamps what comes in")


class Kept:
    """What one connection was told."""

    def __init__(self) -> None:
        self.reads: list[tuple[float, bytes]] = []
        self.ends: list[OSError | None] = []

    def arrived(self, stamp: float, data: bytes) -> None:
        self.reads.append((stamp, data))

    def ended(self, error: OSError | None) -> None:
        self.ends.append(error)


async def until(holds: Callable[[], object]) -> None:
    async with asyncio.timeout(60):
        while True:
            if holds():
                return
            await asyncio.sleep(0.001)


class Line:
    """A connection to this process: what `far` sends is read by the socket_reader."""

    def __init__(self, into: SocketReader) -> None:
        with socket.create_server(("127.0.0.1", 0)) as listening:
            self.near = socket.create_connection(listening.getsockname())
            self.far, _ = listening.accept()
        self.near.settimeout(0)
        self.far.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.kept = Kept()
        self.into = into
        into.add(self.near, self.kept)

    def close(self) -> None:
        self.into.remove(self.near)
        self.near.close()
        self.far.close()

    async def warm(self) -> None:
        """Until the kernel stamps: it begins some time after it was asked first."""
        while not self.into._stamped:
            self.far.send(b"w")
            await self.read(len(self.kept.reads) + 1)
        self.kept.reads.clear()

    async def read(self, count: int) -> list[tuple[float, bytes]]:
        await until(lambda: len(self.kept.reads) >= count)
        return self.kept.reads


@pytest.fixture
async def into() -> AsyncIterator[SocketReader]:
    made = make_socket_reader(asyncio.get_running_loop(), PAUSE_S)
    assert made is not None
    yield made
    made.close()


async def test_that_a_read_is_stamped_when_it_came_and_not_when_it_was_looked_at(into: SocketReader) -> None:
    line = Line(into)
    await line.warm()
    before = now()
    line.far.send(b"token")
    after = now()
    time.sleep(0.2)  # noqa: ASYNC251 - the worker is busy with something else
    ((stamp, data),) = await line.read(1)
    assert data == b"token"
    assert before - 0.001 < stamp < after + 0.001
    line.close()


async def test_that_reads_that_come_fast_are_all_read_in_order_with_rising_stamps(into: SocketReader) -> None:
    lines = [Line(into) for _ in range(80)]
    await lines[0].warm()
    for number in range(30):
        for line in lines:
            line.far.send(bytes([number]))
        await asyncio.sleep(0)
    await until(lambda: all(sum(len(data) for _, data in line.kept.reads) == 30 for line in lines))
    for line in lines:
        assert b"".join(data for _, data in line.kept.reads) == bytes(range(30))
        assert all(later[0] >= earlier[0] - 4e-5 for earlier, later in pairwise(line.kept.reads))
        line.close()


async def test_that_more_than_one_read_holds_is_read_to_its_end(into: SocketReader) -> None:
    line = Line(into)
    line.far.sendall(b"x" * 200_000)
    await until(lambda: sum(len(data) for _, data in line.kept.reads) == 200_000)
    line.close()


class Slow(Kept):
    """Takes a millisecond to hear of a read: a worker that can't keep up."""

    def arrived(self, stamp: float, data: bytes) -> None:
        time.sleep(0.001)
        super().arrived(stamp, data)


@pytest.mark.parametrize(("events", "off"), [(1, False), (2, True)])
async def test_that_late_reads_are_counted_where_a_stamp_may_be_off_by_their_lateness(
    into: SocketReader, events: int, *, off: bool
) -> None:
    lines = [Line(into) for _ in range(80)]
    await lines[0].warm()
    for line in lines:
        into._open[line.near.fileno()] = (line.near.recvmsg, Slow())
        for _ in range(events):
            line.far.send(b"data: {}\n\n")
    looked_at = into.lateness.reads
    await until(lambda: into.lateness.reads >= looked_at + 80)
    # Those of the second turn waited for the 64 of the first.
    late = [ms for ms, reads in into.lateness.late_ms.items() for _ in range(reads)]
    assert (len(late) >= 16) is off
    assert all(ms > 64 for ms in late)
    for line in lines:
        line.close()


def test_that_the_lateness_of_all_reads_has_its_percentile() -> None:
    assert late_p99_ms(0, {}) is None
    assert late_p99_ms(1000, {}) == 0.0
    assert late_p99_ms(1000, {40: 10}) == 0.0
    assert late_p99_ms(1000, {40: 11}) == 40.0
    assert late_p99_ms(1000, {5: 500, 40: 490, 90: 10}) == 40.0


async def test_that_a_pause_grows_until_it_brings_enough_together_and_ends_with_reads_that_come_alone(
    into: SocketReader,
) -> None:
    def after(reads: int) -> float:
        pauses = [into._pause_s for _ in range(30) if into._worth_it(reads)]
        return pauses[-1] if pauses else 0.0

    assert after(4) == pytest.approx(0.001)
    assert after(30) == pytest.approx(0.001)
    assert after(60) == pytest.approx(0.00025)
    assert after(1) == 0.0


async def test_that_a_closing_and_a_reset_are_told_apart(into: SocketReader) -> None:
    closed, reset = Line(into), Line(into)
    closed.far.send(b"last")
    closed.far.close()
    reset.far.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    reset.far.close()
    await until(lambda: closed.kept.ends and reset.kept.ends)
    assert [data for _, data in closed.kept.reads] == [b"last"]
    assert closed.kept.ends[0] is None
    assert isinstance(reset.kept.ends[0], ConnectionResetError)
    closed.close()
    reset.close()


async def test_that_reads_which_the_kernel_does_not_stamp_have_the_time_of_the_look_and_never_lie(
    into: SocketReader, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(socket_reader, "_SO_TIMESTAMPNS", socket.SO_KEEPALIVE)
    line = Line(into)
    for count in range(1, 6):
        before = now()
        line.far.send(b"t")
        stamp, _ = (await line.read(count))[-1]
        assert before <= stamp <= now()
        assert not into._pausing
    line.close()


def _stamped(into: SocketReader, at: float, kernel_s: float) -> float:
    seconds, part = divmod(kernel_s, 1)
    return into._stamp([(1, 35, struct.pack("@ll", int(seconds), int(part * 1e9)))], at)


async def test_that_a_stamp_of_a_clock_that_was_stepped_is_not_believed(into: SocketReader) -> None:
    at, theirs = now(), time.time()
    assert _stamped(into, at, theirs - 0.5) == pytest.approx(at - 0.5, abs=0.05)
    assert _stamped(into, at, theirs - 3600) == at
    assert at <= _stamped(into, at, theirs + 3600) <= now()


async def test_that_an_interruption_between_two_clocks_is_not_taken_for_their_difference(
    into: SocketReader, monkeypatch: pytest.MonkeyPatch
) -> None:
    known = into._ahead_s
    times = iter((10.0, 10.5))
    monkeypatch.setattr(socket_reader, "now", lambda: next(times))
    assert into._set_clock() == 10.5
    assert into._ahead_s == known


def test_that_what_was_answered_had_been_sent_though_the_sending_was_stamped_late() -> None:
    request = LoadRequest(index=0, row=0, cycle=0, due_s=0.0, input_tokens=8, output_tokens=1, cls="")
    attempt = Attempt(request, 10.0)
    attempt.sent = 10.007  # the worker was interrupted between the write and this stamp
    attempt.reply.tokens.arrive(10.005, 1)
    record = attempt.record(10.0, "id", "ids")
    assert record.sent == record.first_token == pytest.approx(0.005)


async def test_that_a_worker_without_such_stamps_reads_by_its_event_loop(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async def good(request: Request) -> None:
        await request.answer(first_s=0.02, gap_s=0.005)

    monkeypatch.setattr(dispatcher, "make_socket_reader", lambda *_: None)
    async with Server(good) as server:
        played = await play(job_for(server.url, rows(3), schedule_at(0, 0.05, 0.1), LoadOptions(drain_s=1.0)))
    assert [record.outcome for record in played.records] == [Outcome.COMPLETED] * 3
    assert all(record.tokens == 3 for record in played.records)
