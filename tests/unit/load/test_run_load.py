"""Worker processes from the conductor's side; what a worker does within is in test_replay."""

import asyncio
import os
import signal
import ssl
import sys
from contextlib import suppress
from pathlib import Path

import psutil
import pytest

from tests.unit.load.answers import plain
from tests.unit.load.certificate import make_certificate
from tests.unit.load.playing import Request, Server, rows, schedule_at
from workbench.base import InputError, now
from workbench.load import LoadOptions, LoadOutcome, Target, run_load
from workbench.results import RunFrame, summarize_run
from workbench.results.run_records import LoadSnapshot, Outcome, RequestRecord
from workbench.traces import Schedule, Trace, TraceRow, closed_loop


class _Heard:
    """What the callbacks were told."""

    def __init__(self) -> None:
        self.records: list[RequestRecord] = []
        self.snapshots: list[LoadSnapshot] = []
        self.zero = 0.0
        self.first = asyncio.Event()
        """Set with the first record."""

    def take(self, records: list[RequestRecord]) -> None:
        self.records += records
        self.first.set()

    def start(self, zero: float) -> None:
        self.zero = zero


async def _run(
    server: Server,
    schedule: Schedule,
    trace_rows: list[TraceRow],
    heard: _Heard,
    options: LoadOptions = LoadOptions(continuous_usage=True),  # noqa: B008 - immutable
    stop: asyncio.Event | None = None,
    **target: str,
) -> LoadOutcome:
    return await run_load(
        Target(url=server.url, model="m", **target),
        Trace.from_rows(trace_rows),
        schedule,
        options,
        on_records=heard.take,
        on_snapshot=heard.snapshots.append,
        on_start=heard.start,
        stop=stop,
    )


async def _good(request: Request) -> None:
    await request.answer(first_s=0.01, gap_s=0.002)


def _workers() -> list[psutil.Process]:
    found = []
    for child in psutil.Process().children(recursive=True):
        with suppress(psutil.Error):  # it has ended meanwhile
            if "workbench.load.worker" in " ".join(child.cmdline()):
                found.append(child)
    return found


async def test_that_two_workers_share_one_schedule_and_one_zero() -> None:
    heard = _Heard()
    due = [i * 0.03 for i in range(20)]

    async def last_waits(request: Request) -> None:
        if request.number == len(due) - 1:
            await heard.first.wait()
        await _good(request)

    async with Server(last_waits) as server:
        options = LoadOptions(workers=2, continuous_usage=True, max_in_flight=20)
        outcome = await _run(server, schedule_at(*due), rows(20), heard, options)
    assert outcome.workers == 2
    assert outcome.zero == heard.zero
    assert not outcome.worker_deaths
    assert sorted(record.index for record in heard.records) == list(range(20))
    assert {record.outcome for record in heard.records} == {Outcome.COMPLETED}
    by_id = {request.headers["x-request-id"]: request.at - outcome.zero for request in server.requests}
    for record in heard.records:
        assert record.due == pytest.approx(due[record.index], abs=1e-6)
        assert by_id[record.request_id] - record.due > -0.0005
    last = heard.snapshots[-1]
    assert (last.due, last.sent, last.completed, last.in_flight) == (20, 20, 20, 0)
    assert outcome.cpu_s > 0


async def test_that_a_workers_death_loses_only_its_own_requests_and_blames_no_server() -> None:
    async def slow(request: Request) -> None:
        await request.answer(first_s=0.3, gap_s=0.01)

    async def kill_one() -> None:
        await server.reached(4)
        workers = _workers()
        assert len(workers) == 2
        workers[0].kill()

    heard = _Heard()
    async with Server(slow) as server:
        options = LoadOptions(workers=2, continuous_usage=True, drain_s=2)
        killer = asyncio.create_task(kill_one())
        due = [i * 0.05 for i in range(10)]
        outcome = await _run(server, schedule_at(*due), rows(10), heard, options)
        await killer
    assert len(outcome.worker_deaths) == 1
    assert "died (exit code" in str(outcome.worker_deaths[0])
    assert sorted(record.index for record in heard.records) == list(range(10))
    lost = {record.index for record in heard.records if record.outcome == Outcome.UNFINISHED}
    assert lost
    assert len({index % 2 for index in lost}) == 1
    assert all("died" in str(record.error) for record in heard.records if record.index in lost)
    others = [record.outcome for record in heard.records if record.index not in lost]
    assert set(others) == {Outcome.COMPLETED}
    summary = summarize_run(heard.records, RunFrame(length_s=0.5))
    assert summary.error_rate == 0
    assert summary.reasons[0].startswith(f"off schedule: {len(lost)} of 10 requests were due and never sent")


async def test_that_a_closed_loop_that_needs_more_files_than_a_process_may_open_is_refused(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("workbench.load.run.raise_open_files", lambda: 128)
    loop = closed_loop(Trace.from_rows(rows(4)), concurrency=100, requests=400)
    async with Server(_good) as server:
        with pytest.raises(InputError, match=r"needs 140 open files and may have 128") as refused:
            await _run(server, loop, rows(4), _Heard(), LoadOptions(workers=1, continuous_usage=True))
        assert not server.requests
    assert "[load] concurrency" in str(refused.value)


async def test_that_stop_ends_the_replay_and_leaves_no_process() -> None:
    async def never(_: Request) -> None:
        await asyncio.sleep(30)

    heard, stop = _Heard(), asyncio.Event()
    async with Server(never) as server:
        task = asyncio.create_task(_run(server, schedule_at(0, 0.01, 60.0), rows(3), heard, stop=stop))
        await server.reached(2)
        begun = now()
        stop.set()
        outcome = await task
    assert now() - begun < 20.0, "it has waited for no answer"
    assert outcome.stopped
    assert outcome.not_due == 1
    assert [record.outcome for record in heard.records] == [Outcome.UNFINISHED] * 2
    assert not _workers()


async def test_that_a_cancelled_replay_leaves_no_process() -> None:
    async with Server(_good) as server:
        task = asyncio.create_task(_run(server, schedule_at(0, 60.0), rows(2), _Heard()))
        await server.reached(1)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
    assert not _workers()


_CONDUCTOR = """
import asyncio, sys
from tests.unit.load.playing import rows, schedule_at
from workbench.load import *
from workbench.traces import Trace
asyncio.run(run_load(Target(url=sys.argv[1], model="m"), Trace.from_rows(rows(2)), schedule_at(0, 60.0),
    LoadOptions(continuous_usage=True), on_records=print, on_snapshot=lambda s: None))
"""


@pytest.mark.skipif(sys.platform == "win32", reason="kills by signal")
async def test_that_workers_end_when_the_conductor_is_killed() -> None:
    async with Server(_good) as server:
        conductor = await asyncio.create_subprocess_exec(sys.executable, "-c", _CONDUCTOR, server.url)
        await server.reached(1)
        workers = _workers()
        assert len(workers) == 1
        os.kill(conductor.pid, signal.SIGKILL)
        await conductor.wait()
        _, alive = await asyncio.to_thread(psutil.wait_procs, workers, timeout=30)
        assert not alive


async def test_that_tls_is_verified_and_a_named_authority_is_trusted(tmp_path: Path) -> None:
    certificate, key = make_certificate(tmp_path)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    heard = _Heard()
    async with Server(_good, tls=context) as server:
        await _run(server, schedule_at(0, 0.05), rows(2), heard, ca_file=str(certificate))
        assert [record.outcome for record in heard.records] == [Outcome.COMPLETED] * 2
        strict = _Heard()
        await _run(server, schedule_at(0), rows(1), strict)
    (record,) = strict.records
    assert record.outcome == Outcome.FAILED
    assert "certificate" in str(record.error).lower()


async def test_that_ipv6_addresses_work() -> None:
    heard = _Heard()
    try:
        async with Server(_good, host="::1") as server:
            await _run(server, schedule_at(0), rows(1), heard)
    except OSError:
        pytest.skip("this machine has no IPv6")
    assert heard.records[0].outcome == Outcome.COMPLETED
    assert server.requests[0].headers["host"].startswith("[::1]:")


async def test_that_nobody_listening_is_one_clear_line() -> None:
    async with Server(_good) as server:
        pass
    with pytest.raises(InputError, match="no answer"):
        await _run(server, schedule_at(0), rows(1), _Heard(), LoadOptions())


@pytest.mark.parametrize("status", [400, 422])
async def test_that_a_server_that_refuses_running_counts_is_asked_without_them(status: int) -> None:
    async def old(request: Request) -> None:
        if "continuous_usage_stats" in request.body["stream_options"]:
            await request.say(plain(status, b'{"error":{"message":"unknown field","code":400}}'))
        else:
            await request.answer()

    heard = _Heard()
    async with Server(old) as server:
        outcome = await _run(server, schedule_at(0), rows(1), heard, LoadOptions())
    assert not outcome.continuous_usage
    assert heard.records[0].outcome == Outcome.COMPLETED
    assert server.requests[-1].body["stream_options"] == {"include_usage": True}


async def test_that_a_server_that_names_its_version_gets_no_request_beyond_the_schedule() -> None:
    heard = _Heard()
    async with Server(_good, version=True) as server:
        outcome = await _run(server, schedule_at(0), rows(1), heard, LoadOptions())
    assert outcome.continuous_usage
    assert len(server.requests) == 1


async def test_that_a_refused_key_is_one_clear_line() -> None:
    async def locked(request: Request) -> None:
        await request.say(plain(401, b'{"error":"Unauthorized"}'))

    async with Server(locked) as server:
        with pytest.raises(InputError, match="API key"):
            await _run(server, schedule_at(0), rows(1), _Heard(), LoadOptions())
