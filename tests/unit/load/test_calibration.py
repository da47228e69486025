import asyncio
import contextlib
import signal
import sys
from pathlib import Path

import psutil
import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.base import WorkbenchError
from workbench.load import CalibrationRate, calibrate
from workbench.load.calibration import calibrate as calibration
from workbench.load.calibration import rates as levels
from workbench.load.calibration.calibrate import _OwnServer
from workbench.load.calibration.null_server import Events
from workbench.load.calibration.rates import (
    Truth,
    better_of,
    level_of,
    limit_of,
    limited_by,
    path_of,
    rate_spans,
    shaky,
)
from workbench.load.response import Response
from workbench.results import Outcome, RequestRecord


@pytest.fixture
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """No rate is given up, however late a busy machine is."""
    monkeypatch.setattr(levels, "MOST_ERROR_MS", 1e9)
    monkeypatch.setattr(calibration, "_HOPELESS_DELAY_MS", 1e9)
    monkeypatch.setattr(calibration, "_DRAIN_S", 60.0)


async def test_that_a_calibration_tells_the_floor_and_the_limit_of_this_machine(patient: None) -> None:
    found = await calibrate(levels=(10_000, 40_000), seconds=0.1)
    assert [level.tokens_per_s for level in found.levels] == [10_000, 40_000]
    low = found.levels[0]
    assert low.requests == 409
    assert found.cpu_us_per_token is None or found.cpu_us_per_token > 0
    assert low.client_delay_p99_ms is not None
    assert low.ttft_error_p99_ms is not None
    assert 0 < low.client_delay_p50_ms <= low.client_delay_p99_ms == found.client_delay_p99_ms
    assert 0 <= low.ttft_error_p50_ms <= low.ttft_error_p99_ms == found.ttft_floor_ms
    assert found.limited_by in {"client", "null server", "nothing"}
    assert not found.remote


@pytest.mark.parametrize("said", [b"hi", b'[{"last":1}]', b'[{"id":[],"last":1}]', b"[" * 100_000, b"\xff"])
async def test_that_a_server_that_is_no_null_server_is_named(said: bytes) -> None:
    async def deaf(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read(10)
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % len(said) + said)
        writer.close()

    server = await asyncio.start_server(deaf, "127.0.0.1", 0)
    url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
    with pytest.raises(WorkbenchError, match="null server"):
        await calibrate(url=url, levels=(500,), seconds=0.3)
    server.close()


def _level(holds: bool, late: float, rate: float = 1.0) -> CalibrationRate:
    return CalibrationRate(
        tokens_per_s=rate,
        requests=1,
        client_delay_p50_ms=0.1,
        client_delay_p99_ms=0.1,
        ttft_error_p50_ms=0.1,
        ttft_error_p99_ms=0.1,
        itl_error_p50_ms=0.1,
        itl_error_p99_ms=0.1,
        server_late_p99_ms=late,
        holds=holds,
    )


async def test_that_a_server_that_accepts_and_never_answers_is_told_of(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("workbench.load.calibration.calibrate._FIRST_LOOK_S", 0.3)

    async def hang(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(asyncio.CancelledError):
            await asyncio.sleep(600)
        writer.close()

    handling: list[asyncio.Task[None]] = []
    server = await asyncio.start_server(
        lambda reader, writer: handling.append(asyncio.ensure_future(hang(reader, writer))), "127.0.0.1", 0
    )
    url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
    try:
        with pytest.raises(WorkbenchError, match=rf"{url}/truth: no answer within 0\.3 s"):
            await calibrate(url=url, levels=[1_000], seconds=0.1)
    finally:
        server.close()
        for task in handling:
            task.cancel()
        await asyncio.gather(*handling)


def _answers(count: int) -> tuple[list[RequestRecord], dict[str, Truth]]:
    """Requests a second apart that were answered as the null server says, 1 ms later."""
    records = [
        RequestRecord(
            index=index, row=index, request_id=str(index), cls="", phase="measured",
            session_id=None, turn=None, input_tokens=1, output_tokens=2, tokens=2, outcome=Outcome.COMPLETED,
            due=float(index), released=float(index), sent=float(index), first_token=index + 0.021,
            last_token=index + 0.031, done=index + 0.031,
        )
        for index in range(count)
    ]  # fmt: skip
    return records, {str(at): Truth(str(at), 0.0, 0.0, first=0.02, last=0.03) for at in range(count)}


def test_that_a_tail_is_told_from_its_sample_floor_on_and_no_rate_holds_without_one() -> None:
    (stair,) = rate_spans([16.0], 1.0)
    assert len(stair.due_s()) == 409
    short, long = (level_of(stair, *_answers(count)) for count in (367, 368))
    assert short is not None
    assert long is not None
    assert (short.requests, short.ttft_error_p99_ms, short.client_delay_p99_ms, short.holds) == (
        367, None, None, False,
    )  # fmt: skip
    assert (long.ttft_error_p99_ms, long.holds) == (pytest.approx(1.0), False)
    whole = level_of(stair, *_answers(409))
    assert whole is not None
    assert whole.holds


def test_that_what_the_path_adds_is_told_and_only_how_it_varies_is_an_error() -> None:
    (stair,) = rate_spans([16.0], 1.0)
    records, truth = _answers(409)
    for record in records:
        assert record.first_token is not None
        record.first_token += 0.080 + 0.001 * (record.index % 5)
    assert path_of(stair, records, truth) == pytest.approx(83.0)
    plain, beyond = (level_of(stair, records, truth, path_ms) for path_ms in (0.0, 83.0))
    assert plain is not None
    assert beyond is not None
    assert (plain.holds, plain.ttft_error_p50_ms) == (False, pytest.approx(83.0))
    assert (beyond.holds, beyond.ttft_error_p99_ms) == (True, pytest.approx(2.0))
    assert path_of(stair, [], truth) == 0.0


async def test_that_a_long_way_to_a_null_server_is_measured_through_it(patient: None) -> None:
    async with _OwnServer() as near, Distance(near, 0.02) as far:
        found = await calibrate(url=far, levels=(10_000,), seconds=0.1)
    assert found.path_ms is not None
    assert found.path_ms >= 40.0
    assert found.levels[0].requests >= 368
    assert (await calibrate(levels=(10_000,), seconds=0.1)).path_ms is None


class Distance:
    """Leads to an address, and lets every byte take so long on its way there, and back."""

    def __init__(self, url: str, one_way_s: float) -> None:
        self._there = int(url.rpartition(":")[2])
        self._one_way_s = one_way_s
        self._tasks: set[asyncio.Task[None]] = set()

    async def __aenter__(self) -> str:
        self._server = await asyncio.start_server(self._lead, "127.0.0.1", 0)
        return f"http://127.0.0.1:{self._server.sockets[0].getsockname()[1]}"

    async def __aexit__(self, *_: object) -> None:
        self._server.close()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _lead(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        reader_there, writer_there = await asyncio.open_connection("127.0.0.1", self._there)
        for source, sink in ((reader, writer_there), (reader_there, writer)):
            task = asyncio.create_task(self._carry(source, sink))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

    async def _carry(self, source: asyncio.StreamReader, sink: asyncio.StreamWriter) -> None:
        loop = asyncio.get_running_loop()
        try:
            while data := await source.read(65536):
                loop.call_later(self._one_way_s, sink.write, data)
            await asyncio.sleep(2 * self._one_way_s)
        except ConnectionError:
            pass
        finally:
            sink.close()


@given(
    st.lists(st.sampled_from([500.0, 1_000.0, 7_000.0, 80_000.0]), min_size=1, unique=True), st.floats(0.1, 9)
)
def test_that_every_rate_is_tried_long_enough_for_a_tail(rates: list[float], seconds: float) -> None:
    stairs = rate_spans(sorted(rates), seconds)
    assert all(len(stair.due_s()) >= 409 for stair in stairs)
    assert all(stair.end_s - stair.begin_s >= 0.999 * seconds for stair in stairs)
    assert [stair.begin_s for stair in stairs[1:]] == [stair.end_s for stair in stairs[:-1]]
    assert [stair.first for stair in stairs[1:]] == [stair.first + stair.count for stair in stairs[:-1]]
    assert all(stair.begin_s <= due < stair.end_s for stair in stairs for due in stair.due_s())


def test_that_the_limit_is_blamed_on_who_was_late() -> None:
    assert limited_by([_level(True, 0.1)]) == "nothing"
    assert limited_by([_level(True, 0.1), _level(False, 0.1)]) == "client"
    assert limited_by([_level(True, 0.1), _level(False, 50.0)]) == "null server"


RATES = (1_000.0, 5_000.0, 10_000.0, 20_000.0)
Held = st.lists(st.none() | st.booleans(), min_size=len(RATES), max_size=len(RATES))


def _found(held: list[bool | None]) -> list[CalibrationRate]:
    """Levels that held or not; None: nothing was answered there."""
    return [_level(one, 0.1, rate) for rate, one in zip(RATES, held, strict=True) if one is not None]


@given(Held, st.integers(0, len(RATES) - 1))
def test_that_the_limit_never_rises_when_a_rate_gets_worse(held: list[bool | None], which: int) -> None:
    limit = limit_of(RATES, _found(held))
    assert all(one for rate, one in zip(RATES, held, strict=True) if rate <= limit)
    assert limit == RATES[-1] or not held[RATES.index(limit) + 1 if limit else 0]
    worse = [*held[:which], False, *held[which + 1 :]]
    assert limit_of(RATES, _found(worse)) <= limit
    assert limit_of(RATES[::-1], _found(held)[::-1]) == limit


@given(Held)
def test_that_a_climb_is_repeated_exactly_where_a_rate_held_above_the_limit(held: list[bool | None]) -> None:
    first_failure = next((number for number, one in enumerate(held) if not one), len(RATES))
    assert shaky(RATES, _found(held)) is any(held[first_failure:])


@given(Held, Held)
def test_that_two_climbs_together_are_no_worse_than_each(
    one: list[bool | None], two: list[bool | None]
) -> None:
    together = limit_of(RATES, better_of(_found(one), _found(two)))
    assert together >= max(limit_of(RATES, _found(one)), limit_of(RATES, _found(two)))


@pytest.mark.parametrize("chat", [False, True])
def test_that_the_null_servers_stream_is_one_that_we_understand(chat: bool) -> None:
    events = Events(chat=chat)
    reply = Response()
    reply.read(
        0.0, b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"
    )
    for number in range(1, 4):
        reply.read(float(number), events.event(number, last=number == 3))
    reply.settle()
    assert reply.complete
    assert (reply.tokens.total, reply.completion_tokens, reply.counted_by) == (3, 3, "continuous")


async def test_that_the_null_server_needs_nothing_but_python_and_ends_with_its_stdin() -> None:
    source = Path(sys.modules["workbench.load.calibration.null_server"].__file__ or "")
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-S", "-E", str(source), stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE
    )
    assert process.stdin is not None
    assert process.stdout is not None
    assert (await process.stdout.readline()).startswith(b"listening on http://127.0.0.1:")
    process.stdin.close()
    assert await asyncio.wait_for(process.wait(), 5) == 0


@pytest.mark.skipif(sys.platform == "win32", reason="needs SIGSTOP")
async def test_that_a_null_server_that_hangs_is_killed_when_its_calibration_ends(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(calibration, "_END_S", 0.2)
    own = _OwnServer()
    async with own:
        own._process.send_signal(signal.SIGSTOP)
        while psutil.Process(own._process.pid).status() != psutil.STATUS_STOPPED:  # noqa: ASYNC110  # nobody tells
            await asyncio.sleep(0.01)
    assert own._process.returncode == -signal.SIGKILL


async def test_that_a_null_server_that_never_says_where_it_is_is_given_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    silent = tmp_path / "silent.py"
    await asyncio.to_thread(silent.write_text, "import time; time.sleep(600)")
    monkeypatch.setattr(calibration, "_NULL_SERVER_COMMAND", [sys.executable, str(silent)])
    monkeypatch.setattr(calibration, "_START_S", 0.2)
    own = _OwnServer()
    with pytest.raises(WorkbenchError, match="the null server didn't start"):
        await own.__aenter__()
    assert own._process.returncode is not None
