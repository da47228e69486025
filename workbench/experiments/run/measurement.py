"""One run: replay a schedule against a ready server, watch the server and collect the records."""

import asyncio
import contextlib
import time
from collections.abc import Callable, Mapping, Sequence

import msgspec

from workbench.base import Message, now
from workbench.experiments.run.live_sample import SampleBuilder
from workbench.experiments.run.load_hosts import HostsOutcome
from workbench.load import LOCAL_WORKERS, LoadOptions, LoadOutcome, Target, WorkerHost, run_load
from workbench.results import RequestRecord, Sample, ServerDelta
from workbench.servers import Replica
from workbench.telemetry import ReplicaScraper, Sampler, Scraper, ServerScraper
from workbench.traces import Schedule, Trace

TICK_S = 0.25
SETTLE_S = 0.3
"""Seconds before the last scrape: vLLM's front end may count a step after its client has the bytes."""


class Hooks(msgspec.Struct, kw_only=True):
    """Callbacks during a run."""

    on_records: Callable[[Sequence[RequestRecord]], None]
    on_samples: Callable[[Sequence[Sample]], None]
    on_tick: Callable[[SampleBuilder, float], None]
    """Four times a second, with the wall seconds since the schedule's start."""
    on_begin: Callable[[float], None] = lambda _: None
    """Once, shortly before the schedule starts, with its start on the run's clock."""


class Measurement(msgspec.Struct, kw_only=True):
    """Records and samples of one run. Stamps are wall seconds from the schedule's start."""

    records: list[RequestRecord]
    samples: list[Sample]
    server: ServerDelta | None
    """Change of the server's counters; None without a metrics page."""
    hosts: HostsOutcome = HostsOutcome()
    """The machines of the load, if it came from others."""
    replica_changes: list[Message] = msgspec.field(default_factory=list)
    """Replicas that weren't what they were before the load, once it had ended."""
    outcome: LoadOutcome
    stopped: bool
    ended: float
    """Wall seconds since the schedule's start at which watching ended."""
    clock_step_s: float
    """Drift between wall time and the run's clock."""
    scrape_gaps: int


class _Measuring:
    """The concurrent parts of a run: load, scrapes, ticks."""

    def __init__(
        self,
        name: str,
        target: Target,
        scale: float,
        hooks: Hooks,
        end: asyncio.Event,
        replicas: Sequence[Replica] = (),
    ) -> None:
        self._hooks = hooks
        self._end = end
        self._builder = SampleBuilder(name, scale)
        self._scraper = _scraper(target, replicas)
        self._over = asyncio.Event()
        self._watchers: list[asyncio.Task[None]] = []
        self._first: asyncio.Task[None] | None = None
        self.records: list[RequestRecord] = []
        self.samples: list[Sample] = []

    async def run(
        self,
        target: Target,
        trace: Trace,
        schedule: Schedule,
        options: LoadOptions,
        texts: Mapping[int, str] | None,
        worker_host: WorkerHost,
    ) -> Measurement:
        clocks = _Clocks()
        try:
            outcome = await run_load(
                target, trace, schedule, options,
                on_records=self._on_records, on_snapshot=self._builder.add_snapshot,
                stop=self._end, on_start=self._begin, texts=texts, worker_host=worker_host,
            )  # fmt: skip
            await asyncio.sleep(SETTLE_S)
            await self._last_page()
        finally:
            await self._stop_watching()
        return self._measurement(outcome, clocks)

    async def observe(self, length_s: float | None) -> Measurement:
        """Watch the server for `length_s` wall seconds, or until `end` is set, and send nothing."""
        clocks, begun = _Clocks(), now()
        try:
            self._begin(begun)
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._end.wait(), length_s)
            await self._last_page()
        finally:
            await self._stop_watching()
        outcome = LoadOutcome(zero=begun, ended=now(), workers=0, continuous_usage=False)
        return self._measurement(outcome, clocks)

    def _measurement(self, outcome: LoadOutcome, clocks: "_Clocks") -> Measurement:
        return Measurement(
            records=self.records,
            samples=self.samples,
            server=self._scraper.delta(),
            outcome=outcome,
            stopped=self._end.is_set(),
            ended=outcome.ended - outcome.zero,
            clock_step_s=clocks.step_s(),
            scrape_gaps=self._scraper.gaps,
        )

    def _begin(self, zero: float) -> None:
        """Begin to watch; the schedule starts at `zero`, a little in the future."""
        self._scraper.zero = zero
        self._hooks.on_begin(zero)
        self._first = asyncio.create_task(self._first_page(zero))
        self._watchers = [
            asyncio.create_task(self._scraper.run(self._on_samples, self._over)),
            asyncio.create_task(self._tick(zero)),
        ]

    async def _first_page(self, zero: float) -> None:
        """Read the server's counters just before the first measured request."""
        await asyncio.sleep(max(0.0, zero - now() - TICK_S))
        await self._scraper.mark()

    async def _last_page(self) -> None:
        """Read the server's counters once more, after the first page."""
        if self._first is not None:
            await self._first
            await self._scraper.mark()

    async def _stop_watching(self) -> None:
        self._over.set()
        tasks = [*self._watchers, *([self._first] if self._first is not None else [])]
        await asyncio.gather(*self._watchers, return_exceptions=True)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await self._scraper.close()

    def _on_records(self, records: Sequence[RequestRecord]) -> None:
        self.records.extend(records)
        self._builder.add_records(records)
        self._hooks.on_records(records)

    def _on_samples(self, samples: Sequence[Sample]) -> None:
        self.samples.extend(samples)
        self._builder.add_samples(samples)
        self._hooks.on_samples(samples)

    async def _tick(self, zero: float) -> None:
        while not self._over.is_set():
            await asyncio.sleep(TICK_S)
            self._hooks.on_tick(self._builder, now() - zero)


def _scraper(target: Target, replicas: Sequence[Replica]) -> Scraper:
    """Return what reads the pages: those of the target, or of the replicas behind it."""

    def sampler(url: str) -> Sampler:
        return Sampler(url, api_key=target.api_key, headers=target.headers, ca_file=target.ca_file)

    if not replicas:
        return ServerScraper(sampler(target.url))
    return ReplicaScraper({replica.name: sampler(replica.url) for replica in replicas})


class _Clocks:
    """Detects steps of wall time, or a sleep of the machine, against the run's own clock."""

    def __init__(self) -> None:
        self._wall, self._own = time.time(), now()

    def step_s(self) -> float:
        """Return the seconds by which the clocks have drifted apart."""
        return (time.time() - self._wall) - (now() - self._own)


async def measure(  # noqa: PLR0913 - what is replayed, then who does it and hears of it
    name: str,
    target: Target,
    trace: Trace,
    schedule: Schedule,
    options: LoadOptions,
    hooks: Hooks,
    end: asyncio.Event,
    *,
    texts: Mapping[int, str] | None = None,
    worker_host: WorkerHost = LOCAL_WORKERS,
    replicas: Sequence[Replica] = (),
) -> Measurement:
    """Replay `schedule` and return the records; setting `end` stops the load and keeps the records so far.

    `texts` are real prompts by trace row, `worker_host` starts the load workers (see `run_load`), `replicas`
    are the servers behind the target, whose pages are read instead of the target's.
    """
    measuring = _Measuring(name, target, options.time_scale, hooks, end, replicas)
    return await measuring.run(target, trace, schedule, options, texts, worker_host)


async def observe(
    name: str,
    target: Target,
    time_scale: float,
    hooks: Hooks,
    end: asyncio.Event,
    length_s: float | None,
) -> Measurement:
    """Watch a server for `length_s` wall seconds, or until `end` is set, and send it nothing.

    `time_scale` is the number of simulated seconds in a wall second.
    """
    return await _Measuring(name, target, time_scale, hooks, end).observe(length_s)
