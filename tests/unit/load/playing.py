"""A server that does what a test says, and a worker's job carried out against it in the same process."""

import asyncio
import json
import ssl
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Self

import numpy as np

from tests.unit.load.answers import DONE, HEAD, TAIL, chunk, completion, event, plain, usage
from workbench.base import now
from workbench.load import LoadOptions, Target
from workbench.load.messages import (
    FromWorker,
    LoadRequest,
    Records,
    StartLoad,
    StopLoad,
    WorkerJob,
    WorkerSnapshot,
)
from workbench.load.request_body import columns_of
from workbench.load.split_work import requests_of
from workbench.load.worker_run import WorkerRun
from workbench.results.run_records import RequestRecord
from workbench.traces import Schedule, Trace, TraceRow


@dataclass
class Request:
    """One request as the server saw it."""

    path: str
    headers: dict[str, str]
    body: dict[str, Any]
    at: float
    """`workbench.base.now` when its last byte had been read."""
    writer: asyncio.StreamWriter
    number: int

    async def say(self, *parts: bytes) -> None:
        """Write bytes."""
        for part in parts:
            self.writer.write(part)
        await self.writer.drain()

    async def answer(self, tokens: int | None = None, first_s: float = 0.0, gap_s: float = 0.0) -> None:
        """A whole good answer, token by token."""
        count = tokens or self.body["max_tokens"]
        await self.say(HEAD)
        for i in range(1, count + 1):
            await asyncio.sleep(first_s if i == 1 else gap_s)
            await self.say(chunk(event(completion(f" {i}", i, "length" if i == count else None))))
        await self.say(chunk(event(usage(count))), chunk(DONE), TAIL)


Handler = Callable[[Request], Awaitable[None]]


@dataclass
class Server:
    """Counts what came; use as `async with`."""

    handler: Handler
    host: str = "127.0.0.1"
    tls: ssl.SSLContext | None = None
    version: bool = False
    """Whether it names a version, as vLLM does."""
    models: list[str] = field(default_factory=list)
    """Names at `/v1/models`, with `max_model_len`; none: it has no such page."""
    max_model_len: int | None = None
    requests: list[Request] = field(default_factory=list)
    connected: list[float] = field(default_factory=list)
    """When connections came."""
    lost: list[float] = field(default_factory=list)
    """When clients closed connections in the middle of an answer."""
    active: int = 0
    peak: int = 0
    _serving: set["asyncio.Task[None]"] = field(default_factory=set)

    async def __aenter__(self) -> Self:
        self._more = asyncio.Condition()
        self._server = await asyncio.start_server(self._serve, self.host, 0, ssl=self.tls)
        self.port = self._server.sockets[0].getsockname()[1]
        return self

    async def __aexit__(self, *_: object) -> None:
        self._server.close()
        for request in self.requests:
            request.writer.close()
        for task in self._serving:
            task.cancel()
        if self._serving:
            await asyncio.wait(self._serving, timeout=10)

    @property
    def connections(self) -> int:
        """How many came."""
        return len(self.connected)

    async def reached(self, count: int) -> None:
        """Until so many requests have come."""
        async with self._more:
            await self._more.wait_for(lambda: len(self.requests) >= count)

    @property
    def url(self) -> str:
        """Its address."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{'https' if self.tls else 'http'}://{host}:{self.port}"

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connected.append(now())
        task = asyncio.current_task()
        assert task is not None
        self._serving.add(task)
        task.add_done_callback(self._serving.discard)
        try:
            while True:
                head = (await reader.readuntil(b"\r\n\r\n")).decode()
                first, *lines = head.strip().split("\r\n")
                headers = {name.lower(): value for name, value in (line.split(": ", 1) for line in lines)}
                if first.startswith("GET"):
                    writer.write(self._page(first.split()[1]))
                    continue
                body = json.loads(await reader.readexactly(int(headers["content-length"])))
                request = Request(first.split()[1], headers, body, now(), writer, len(self.requests))
                async with self._more:
                    self.requests.append(request)
                    self._more.notify_all()
                await self._answer(reader, request)
        except (asyncio.IncompleteReadError, ConnectionError, asyncio.CancelledError):
            pass  # Python 3.11's streams log a cancelled connection as an error
        finally:
            writer.close()

    def _page(self, path: str) -> bytes:
        if path == "/v1/models" and self.models:
            cards = [{"id": name, "max_model_len": self.max_model_len} for name in self.models]
            return plain(200, json.dumps({"data": cards}).encode())
        return plain(200, b'{"version":"0.32.0"}') if self.version else plain(404, b"{}")

    async def _answer(self, reader: asyncio.StreamReader, request: Request) -> None:
        """Answer, and notice when the client leaves meanwhile."""
        self.active += 1
        self.peak = max(self.peak, self.active)
        task = asyncio.ensure_future(self.handler(request))
        try:
            while not task.done():
                await asyncio.wait({task}, timeout=0.002)
                if reader.at_eof():
                    self.lost.append(now())
                    task.cancel()
                    raise ConnectionResetError
            task.result()
        finally:
            task.cancel()
            self.active -= 1


@dataclass
class Played:
    """What a job left behind."""

    records: list[RequestRecord]
    snapshots: list[WorkerSnapshot]
    zero: float
    messages: list[FromWorker]

    def by_index(self) -> list[RequestRecord]:
        """Records in the order of the schedule."""
        return sorted(self.records, key=lambda record: record.index)


def rows(count: int, **fields: Any) -> list[TraceRow]:
    """Equal small rows."""
    return [TraceRow(timestamp=0.0, input_length=8, **{"output_length": 3, **fields}) for _ in range(count)]


def schedule_at(*due_s: float, after: Sequence[int] = (), delay_s: Sequence[float] = ()) -> Schedule:
    """A schedule of requests 0, 1, … at these times."""
    return Schedule(
        due_s=np.array(due_s),
        rows=np.arange(len(due_s)),
        length_s=max(due_s) + 0.01,
        trace_rows=len(due_s),
        after=np.array(after, np.int64),
        delay_s=np.array(delay_s, np.float64),
    )


def job_for(
    url: str,
    trace_rows: Sequence[TraceRow],
    schedule: Schedule,
    options: LoadOptions,
    *,
    endpoint: str = "completions",
    **target: Any,
) -> WorkerJob:
    """The job of the only worker."""
    trace = Trace.from_rows(trace_rows)
    requests: list[LoadRequest] = requests_of(trace, schedule, options)
    return WorkerJob(
        worker=0,
        run_id="r",
        target=Target(url=url, model="m", endpoint=endpoint, **target),
        options=options,
        prompts=columns_of(trace),
        requests=requests,
        slots=schedule.concurrency,
        endless=schedule.concurrency is not None and schedule.requests is None,
        max_in_flight=options.max_in_flight,
        length_s=None if schedule.length_s is None else schedule.length_s / options.time_scale,
    )


async def play(
    job: WorkerJob,
    *,
    stop_after_s: float | None = None,
    on_record: Callable[[RequestRecord], None] = lambda _: None,
) -> Played:
    """Carry out the job here."""
    messages: list[FromWorker] = []

    def hear(message: FromWorker) -> None:
        messages.append(message)
        if isinstance(message, Records):
            for record in message.records:
                on_record(record)

    replay = WorkerRun(job, hear)
    task = asyncio.create_task(replay.run())
    waiting = asyncio.create_task(replay.ready.wait())
    await asyncio.wait({task, waiting}, return_when=asyncio.FIRST_COMPLETED)
    waiting.cancel()
    zero = now() + 0.05 + job.options.warmup_s / job.options.time_scale
    replay.order(StartLoad(zero=zero))
    if stop_after_s is not None:
        await asyncio.sleep(stop_after_s)
        replay.order(StopLoad())
    await task
    records = [record for message in messages if isinstance(message, Records) for record in message.records]
    snapshots = [message for message in messages if isinstance(message, WorkerSnapshot)]
    return Played(records, snapshots, zero, messages)
