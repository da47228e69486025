"""The question before a run never hangs and never drowns."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from workbench.base import InputError, WorkbenchError
from workbench.load import LoadOptions, Target, run_load
from workbench.load import usage_probe as probing
from workbench.load.usage_probe import takes_continuous_usage
from workbench.traces import open_loop, synthetic_trace

ENDLESS = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n"


@asynccontextmanager
async def server(piece: bytes, gap_s: float, *, start: bytes = ENDLESS) -> AsyncIterator[str]:
    """Answers everything with `piece` again and again, without an end."""
    open_ones: set[asyncio.Task[None]] = set()

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        open_ones.add(task)
        try:
            head = await reader.readuntil(b"\r\n\r\n")
            if b"GET /version" in head:
                writer.write(b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
                return
            writer.write(start)
            while True:
                writer.write(piece)
                await writer.drain()
                await asyncio.sleep(gap_s)
        except (ConnectionError, asyncio.CancelledError):
            pass
        finally:
            open_ones.discard(task)
            writer.close()

    listening = await asyncio.start_server(answer, "127.0.0.1", 0)
    try:
        yield f"http://127.0.0.1:{listening.sockets[0].getsockname()[1]}"
    finally:
        listening.close()
        for task in list(open_ones):
            task.cancel()
        await asyncio.gather(*open_ones, return_exceptions=True)


async def test_that_an_answer_without_an_end_is_not_read_to_its_end() -> None:
    async with server(b"x" * 65536, 0.0) as url:
        assert await asyncio.wait_for(takes_continuous_usage(Target(url=url, model="m")), 10)


async def test_that_a_silent_server_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(probing, "_TIMEOUT_S", 0.5)
    async with server(b"", 0.05, start=b"") as url:
        with pytest.raises(InputError, match="no answer"):
            await takes_continuous_usage(Target(url=url, model="m"))


async def test_that_a_stop_ends_the_question_too() -> None:
    stop = asyncio.Event()
    asyncio.get_running_loop().call_later(0.3, stop.set)
    trace = synthetic_trace(10, 2, 3, 1)
    schedule = open_loop(trace, rate=10, arrivals="constant", requests=3)
    async with server(b"", 0.05, start=b"") as url:
        with pytest.raises(WorkbenchError, match="stopped before"):
            await asyncio.wait_for(
                run_load(
                    Target(url=url, model="m"), trace, schedule,
                    LoadOptions(), on_records=lambda _: None, on_snapshot=lambda _: None, stop=stop,
                ),
                10,
            )  # fmt: skip
