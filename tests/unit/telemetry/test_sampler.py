"""Sampling asks one question at a time, keeps its pace, and leaves gaps where there was no answer."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress

import pytest

from workbench.base import now
from workbench.results import Sample
from workbench.telemetry import Sampler

PAGE = 'vllm:num_requests_running{engine="0"} 3.0\n'
Answer = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]


def reply(writer: asyncio.StreamWriter, body: str, status: str = "200 OK", length: int | None = None) -> None:
    size = len(body) if length is None else length
    writer.write(f"HTTP/1.1 {status}\r\nContent-Length: {size}\r\n\r\n{body}".encode())


@asynccontextmanager
async def server(answer: Answer) -> AsyncIterator[str]:
    handlers: set[asyncio.Task[object]] = set()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        handlers.add(asyncio.current_task())
        # Cancelled is a way to end here: 3.11's streams log a handler that is cancelled.
        with suppress(asyncio.IncompleteReadError, ConnectionError, asyncio.CancelledError):
            while await reader.readuntil(b"\r\n\r\n"):
                await answer(reader, writer)
        writer.close()

    listening = await asyncio.start_server(serve, "127.0.0.1", 0)
    port = listening.sockets[0].getsockname()[1]
    try:
        yield f"http://127.0.0.1:{port}"
    finally:
        listening.close()
        for handler in handlers:
            handler.cancel()
        await asyncio.gather(*handlers)


async def sample_for(seconds: float, sampler: Sampler) -> list[Sample]:
    taken: list[Sample] = []
    stop = asyncio.Event()
    running = asyncio.create_task(sampler.run(taken.extend, stop))
    await asyncio.sleep(seconds)
    stop.set()
    await asyncio.wait_for(running, 30.0)
    await sampler.close()
    return taken


async def test_that_it_keeps_its_pace_on_a_quick_server() -> None:
    async def answer(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        reply(writer, PAGE)

    async with server(answer) as url:
        sampler = Sampler(url, interval_s=0.05)
        # Making the client takes a tenth of a second on a busy machine.
        begin = sampler.zero = now()
        taken = await sample_for(0.55, sampler)
        ticks = (now() - begin) / 0.05
    assert taken
    # Each tick brought a page, or was missed by a machine that is busy with something else.
    assert len(taken) + sampler.gaps <= ticks + 1
    assert taken[-1].t / 0.05 < len(taken) + sampler.gaps
    assert all(sample.running == 3.0 for sample in taken)
    assert all(0 <= sample.t < 10 for sample in taken)


async def test_that_a_slow_server_is_asked_once_at_a_time_and_leaves_gaps() -> None:
    busy, most = 0, 0

    async def answer(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        nonlocal busy, most
        busy += 1
        most = max(most, busy)
        await asyncio.sleep(0.2)
        reply(writer, PAGE)
        busy -= 1

    async with server(answer) as url:
        sampler = Sampler(url, interval_s=0.02, zero=now())
        begin = now()
        taken = await sample_for(0.7, sampler)
        took = now() - begin
    assert most == 1
    assert 1 <= len(taken) <= took / 0.2
    assert sampler.gaps >= 10


async def test_that_stopping_does_not_wait_for_a_server_that_never_answers() -> None:
    async def answer(_: asyncio.StreamReader, __: asyncio.StreamWriter) -> None:
        await asyncio.sleep(30)

    async with server(answer) as url:
        begin = now()
        assert await sample_for(0.1, Sampler(url, interval_s=0.05)) == []
    assert now() - begin < 20.0


async def test_that_an_answer_after_the_timeout_is_a_gap() -> None:
    async def answer(_: asyncio.StreamReader, __: asyncio.StreamWriter) -> None:
        await asyncio.sleep(30)

    async with server(answer) as url:
        sampler = Sampler(url, interval_s=0.02, timeout_s=0.05)
        assert await sample_for(0.2, sampler) == []
    assert sampler.gaps >= 2
    assert sampler.last_error is not None
    assert url in str(sampler.last_error)


@pytest.mark.parametrize(
    ("body", "status", "length", "words"),
    [
        ("gone", "404 Not Found", None, "answered 404"),
        ("<html>nginx</html>", "200 OK", None, "no series of vLLM"),
        (PAGE.strip(), "200 OK", None, "cut off"),
        (PAGE, "200 OK", 5000, "peer closed|incomplete"),
    ],
)
async def test_that_no_sample_is_made_of_a_bad_answer(
    body: str, status: str, length: int | None, words: str
) -> None:
    async def answer(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        reply(writer, body, status, length)
        if length is not None:
            raise ConnectionError

    async with server(answer) as url:
        sampler = Sampler(url, interval_s=0.05)
        assert await sampler.page() is None
        assert sampler.last_error is not None
        assert any(word in str(sampler.last_error) for word in words.split("|"))
        assert await sample_for(0.12, sampler) == []


async def test_that_nobody_listening_is_a_gap_too() -> None:
    async with server(lambda _, __: asyncio.sleep(0)) as url:
        pass
    sampler = Sampler(url, interval_s=0.05)
    assert await sample_for(0.12, sampler) == []
    assert sampler.gaps >= 2


async def test_that_the_key_is_sent_and_compression_declined() -> None:
    asked: list[bytes] = []

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        asked.append(await reader.readuntil(b"\r\n\r\n"))
        reply(writer, PAGE)
        writer.close()

    listening = await asyncio.start_server(serve, "127.0.0.1", 0)
    async with listening:
        sampler = Sampler(f"http://127.0.0.1:{listening.sockets[0].getsockname()[1]}/", api_key="k")
        page = await sampler.page()
        await sampler.close()
    assert page is not None
    assert b"GET /metrics HTTP" in asked[0]
    assert b"Bearer k" in asked[0]
    assert b"Accept-Encoding: identity" in asked[0]
