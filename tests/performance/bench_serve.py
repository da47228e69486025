"""How fast the served engine streams, and how late its steps start while it does.

`python tests/performance/bench_serve.py`. Promise on two quiet cores, of which the client takes one: at
least 10,000 tokens/s streamed, step starts late by at most 5 ms at p99. The load is N streams at steps of
10 ms; what is counted is the events that the client read, one token each, not tokens that the engine made.
On a busy Linux machine `chrt -r 5 python …` as root gives the three processes their cores.
"""

import asyncio
import json
import sys
import time
from pathlib import Path

import httpx
import msgspec
import psutil
import uvloop

sys.path.insert(0, str(Path(__file__).parents[1] / "scenarios"))
from engine_server import Server

STEP_US = 10_000
SECONDS = 8.0
WARM_UP_S = 1.5


class Case(msgspec.Struct, frozen=True):
    """One line of the table."""

    name: str
    streams: int
    usage: bool
    promised: bool = True


CASES = (
    Case("64 streams", 64, usage=False),
    Case("110 streams", 110, usage=False),
    Case("110 streams, usage in each event", 110, usage=True),
    Case("160 streams", 160, usage=False, promised=False),
    Case("256 streams", 256, usage=False, promised=False),
)
LEAST_TOKENS_S = 10_000
LATENESS_P99_MS = 5.0


class Reader(asyncio.Protocol):
    """Sends one request and counts the events that come back."""

    def __init__(self, request: bytes) -> None:
        self._request = request
        self.events = 0

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert hasattr(transport, "write")
        transport.write(self._request)

    def data_received(self, data: bytes) -> None:
        self.events += data.count(b"data: {")


def _request(number: int, *, usage: bool) -> bytes:
    body: dict[str, object] = {"prompt": [200 + number] * 32, "max_tokens": 100_000, "stream": True}
    if usage:
        body["stream_options"] = {"include_usage": True, "continuous_usage_stats": True}
    payload = json.dumps(body).encode()
    return b"POST /v1/completions HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n%b" % (
        len(payload),
        payload,
    )


async def _drive(url: httpx.URL, case: Case) -> tuple[float, float]:
    """Events a second while all streams run, and the seconds it took the client's own core."""
    loop = asyncio.get_running_loop()
    readers: list[Reader] = []
    transports: list[asyncio.BaseTransport] = []
    for number in range(case.streams):
        transport, reader = await loop.create_connection(
            lambda number=number: Reader(_request(number, usage=case.usage)), url.host, url.port
        )
        readers.append(reader)
        transports.append(transport)
        await asyncio.sleep(0.003)
    await asyncio.sleep(WARM_UP_S)
    started, spent, before = time.perf_counter(), time.process_time(), sum(r.events for r in readers)
    await asyncio.sleep(SECONDS)
    seconds = time.perf_counter() - started
    events, used = sum(r.events for r in readers) - before, time.process_time() - spent
    for transport in transports:
        transport.close()
    return events / seconds, used / seconds


def _measure(case: Case) -> bool:
    server = Server(
        "--step-model", f"a={STEP_US},b=0,c=0,d=0,e=0", "--max-num-seqs", "512", "--no-async-scheduling"
    )
    try:
        processes = {"front": psutil.Process(server.process.pid), "engine": server.engine()}
        for process in processes.values():
            process.cpu_percent()
        with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
            rate, client = runner.run(_drive(httpx.URL(server.url), case))
        load = {name: process.cpu_percent() for name, process in processes.items()}
        late = server.client.get("/server_info").json()["step_start_lateness_ms"]
    finally:
        server.end()
    offered = case.streams * 1e6 / STEP_US
    verdict = _verdict(rate, late["p99"]) if case.promised and offered >= LEAST_TOKENS_S else ""
    print(
        f"{case.name:34} {rate:8.0f} tok/s of {offered:6.0f}   late p50 {late['p50']:.2f} p99 "
        f"{late['p99']:.2f} max {late['max']:.1f} ms   CPU front {load['front']:.0f} % engine "
        f"{load['engine']:.0f} % client {client * 100:.0f} %   {verdict}"
    )
    return verdict != _MISSED


_MISSED = "MISSED"


def _verdict(rate: float, late_p99_ms: float) -> str:
    return "ok" if rate >= LEAST_TOKENS_S and late_p99_ms <= LATENESS_P99_MS else _MISSED


def main() -> int:
    """Print the table; 1 if a promise was missed."""
    load = psutil.getloadavg()[0]
    print(f"{psutil.cpu_count()} cores, load average {load:.1f}; figures hold on a quiet machine")
    kept = [_measure(case) for case in CASES]
    return 0 if all(kept) else 1


if __name__ == "__main__":
    sys.exit(main())
