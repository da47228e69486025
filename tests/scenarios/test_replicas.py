"""Four real engines behind routers: bad ones are named with the replica, good ones raise no alarm."""

import asyncio
import json
import threading
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Self
from urllib.parse import urlsplit

import pytest

from tests.scenarios.engine_server import Server
from workbench.experiments import read_experiments, run_experiments
from workbench.experiments.run.events import Event, RunDiagnosed, RunFinished
from workbench.results import BenchFile

pytestmark = pytest.mark.slow

STEP = ("--step-model", "a=30000,b=1,c=10,d=0,e=0", "--max-model-len", "4096", "--max-num-seqs", "4")
SLOW_STEP = ("--step-model", "a=120000,b=1,c=10,d=0,e=0", *STEP[2:])
Choose = Callable[[int, Sequence[int]], int]
"""A request's number and the open requests of each replica to the replica's place."""


class Router:
    """A reverse proxy in a thread: one connection a request, to the replica that `choose` names."""

    def __init__(self, urls: Sequence[str], choose: Choose) -> None:
        self._addresses = [(urlsplit(url).hostname, urlsplit(url).port) for url in urls]
        self._choose = choose
        self._open = [0] * len(urls)
        self._count = 0
        self._ready, self._over = threading.Event(), asyncio.Event()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread = threading.Thread(target=lambda: asyncio.run(self._serve()))
        self.url = ""

    def __enter__(self) -> Self:
        self._thread.start()
        assert self._ready.wait(30)
        return self

    def __exit__(self, *_: object) -> None:
        assert self._loop is not None
        self._loop.call_soon_threadsafe(self._over.set)
        self._thread.join(30)

    async def _serve(self) -> None:
        self._loop = asyncio.get_running_loop()
        listening = await asyncio.start_server(self._pass, "127.0.0.1", 0)
        self.url = f"http://127.0.0.1:{listening.sockets[0].getsockname()[1]}"
        self._ready.set()
        await self._over.wait()
        listening.close()

    async def _pass(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        place = 0
        try:
            head = await reader.readuntil(b"\r\n\r\n")
            generates = head.startswith(b"POST")
            length = next(
                (
                    int(line.split(b":")[1])
                    for line in head.lower().split(b"\r\n")
                    if line.startswith(b"content-length:")
                ),
                0,
            )
            body = await reader.readexactly(length)
            if generates:
                place = self._choose(self._count, self._open)
                self._count += 1
            self._open[place] += generates
            try:
                await self._answer(place, head, body, writer)
            finally:
                self._open[place] -= generates
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        finally:
            writer.close()

    async def _answer(self, place: int, head: bytes, body: bytes, writer: asyncio.StreamWriter) -> None:
        behind, to = await asyncio.open_connection(*self._addresses[place])
        lines = [line for line in head.split(b"\r\n") if not line.lower().startswith(b"connection:")]
        lines.insert(1, b"Connection: close")
        to.write(b"\r\n".join(lines) + body)
        while data := await behind.read(65536):
            writer.write(data)
            await writer.drain()
        to.close()


def in_turn(number: int, open_requests: Sequence[int]) -> int:
    return number % len(open_requests)


def sticky(number: int, open_requests: Sequence[int]) -> int:
    return number % len(open_requests) if number % 3 == 0 else 2


def least_open(number: int, open_requests: Sequence[int]) -> int:
    least = min(open_requests)
    return next(
        place
        for step in range(len(open_requests))
        if open_requests[place := (number + step) % len(open_requests)] == least
    )


@pytest.fixture(scope="module")
def replicas() -> Iterator[list[Server]]:
    """Four alike engines and one that is four times as slow."""
    servers = [Server(*STEP) for _ in range(4)] + [Server(*SLOW_STEP)]
    yield servers
    for server in servers:
        server.end()


def trace(folder: Path, outputs: Sequence[int]) -> Path:
    path = folder / "trace.jsonl"
    rows = [
        {"timestamp": index * 100, "input_length": 50, "output_length": outputs[index % len(outputs)]}
        for index in range(400)
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def measured(
    folder: Path, servers: Sequence[Server], choose: Choose, outputs: Sequence[int], rate: float
) -> list[Event]:
    urls = [server.url for server in servers]
    with Router(urls, choose) as router:
        path = folder / "replicas.toml"
        path.write_text(f"""
name = "Replicas"
[target]
kind = "attached"
url = "{router.url}"
urls = {json.dumps(urls)}
[trace]
file = "{trace(folder, outputs)}"
[load]
rates = [{rate}]
duration_s = 8
arrivals = "constant"
""")
        events: list[Event] = []
        run_experiments(read_experiments([path]), folder / "replicas.bench", events.append)
    return events


def finding(events: Sequence[Event]) -> dict[str, object] | None:
    (diagnosed,) = [event for event in events if isinstance(event, RunDiagnosed)]
    found = [dict(each) for each in diagnosed.findings if each["rule"] == "R22"]
    return found[0] if found else None


@pytest.mark.parametrize(
    ("places", "choose", "outputs", "rate", "worst", "words"),
    [
        ((0, 1, 2, 3), in_turn, (80, 10, 10, 10), 12.0, 0, "but longer ones"),
        ((0, 1, 2, 3), sticky, (20,), 12.0, 2, "of the requests; an even share is 25%"),
        ((0, 1, 2, 4), in_turn, (20,), 12.0, 3, "it is slower"),
    ],
)
def test_that_a_bad_router_or_a_slow_replica_is_named(
    tmp_path: Path,
    replicas: list[Server],
    places: Sequence[int],
    choose: Choose,
    outputs: Sequence[int],
    rate: float,
    worst: int,
    words: str,
) -> None:
    servers = [replicas[place] for place in places]
    events = measured(tmp_path, servers, choose, outputs, rate)
    found = finding(events)
    assert found is not None, events[-3:]
    name = servers[worst].url.removeprefix("http://")
    assert f"Requests wait at {name}" in str(found["verdict"])
    assert words in str(found["evidence"])
    (row,) = [event.row for event in events if isinstance(event, RunFinished)]
    assert row["engines"] == 4
    assert row["waiting_imbalance"] > 1.5
    with BenchFile.open(tmp_path / "replicas.bench") as bench:
        samples = bench.samples(bench.runs()[0].id)
    assert {sample.engine for sample in samples} == {server.url.removeprefix("http://") for server in servers}


@pytest.mark.parametrize(("outputs", "rate"), [((20,), 12.0), ((80, 10, 10, 10), 10.0)])
def test_that_a_balanced_service_raises_no_alarm(
    tmp_path: Path, replicas: list[Server], outputs: Sequence[int], rate: float
) -> None:
    events = measured(tmp_path, replicas[:4], least_open, outputs, rate)
    assert finding(events) is None


def test_that_a_replica_that_dies_during_the_run_makes_it_invalid(tmp_path: Path) -> None:
    servers = [Server(*STEP) for _ in range(2)]
    timer = threading.Timer(4.0, servers[1].process.kill)

    def begin_to_end(number: int, open_requests: Sequence[int]) -> int:
        if number == 0:
            timer.start()
        return 0

    try:
        events = measured(tmp_path, servers, begin_to_end, (10,), 2.0)
    finally:
        timer.cancel()
        for server in servers:
            server.end()
    (row,) = [event.row for event in events if isinstance(event, RunFinished)]
    name = servers[1].url.removeprefix("http://")
    assert row["valid"] is False
    assert f"replica changed: replica {name} doesn't answer" in row["reasons"]
