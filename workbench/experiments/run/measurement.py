"""One run: replay a schedule against a server that is ready, watch it, and take down what was seen."""

import asyncio
import time
from collections.abc import Callable, Mapping, Sequence

import msgspec

from workbench.base import now
from workbench.experiments.run.live_sample import SampleBuilder
from workbench.load import HIRE_HERE, Hire, LoadOptions, LoadOutcome, Target, run_load
from workbench.results import RequestRecord, Sample, ServerDelta
from workbench.telemetry import MetricsPage, Sampler, server_delta
from workbench.traces import Schedule, Trace

TICK_S = 0.25
SETTLE_S = 0.3
"""Wait before the last scrape: vLLM's front end may count a step after its client has the bytes."""


class Hooks(msgspec.Struct, kw_only=True):
    """Who is told while a run goes on."""

    on_records: Callable[[Sequence[RequestRecord]], None]
    on_samples: Callable[[Sequence[Sample]], None]
    on_tick: Callable[[SampleBuilder, float], None]
    """Four times a second, with the wall seconds since the schedule's start."""
    on_begin: Callable[[float], None] = lambda _: None
    """Once, with the schedule's start on the run's clock, a little before it comes."""


class Measurement(msgspec.Struct, kw_only=True):
    """Everything that one run saw. Stamps are wall seconds from the schedule's start."""

    records: list[RequestRecord]
    samples: list[Sample]
    server: ServerDelta | None
    """None: the server has no metrics page."""
    outcome: LoadOutcome
    stopped: bool
    ended: float
    """Wall seconds since the schedule's start at which watching ended."""
    clock_step_s: float
    """How far wall time and the run's clock drifted apart."""
    scrape_gaps: int


class _Measuring:
    """The parts that go on side by side during a run: load, scrapes, ticks."""

    def __init__(self, name: str, target: Target, scale: float, hooks: Hooks, end: asyncio.Event) -> None:
        self._hooks = hooks
        self._end = end
        self._builder = SampleBuilder(name, scale)
        self._sampler = Sampler(
            target.url, api_key=target.api_key, headers=target.headers, ca_file=target.ca_file
        )
        self._over = asyncio.Event()
        self._watchers: list[asyncio.Task[None]] = []
        self._first: asyncio.Task[MetricsPage | None] | None = None
        self.records: list[RequestRecord] = []
        self.samples: list[Sample] = []

    async def run(
        self,
        target: Target,
        trace: Trace,
        schedule: Schedule,
        options: LoadOptions,
        texts: Mapping[int, str] | None,
        hire: Hire,
    ) -> Measurement:
        clocks = _Clocks()
        try:
            outcome = await run_load(
                target, trace, schedule, options,
                on_records=self._on_records, on_snapshot=self._builder.add_snapshot,
                stop=self._end, on_start=self._begin, texts=texts, hire=hire,
            )  # fmt: skip
            await asyncio.sleep(SETTLE_S)
            last = await self._sampler.page()
            first = await self._first if self._first is not None else None
        finally:
            await self._stop_watching()
        return Measurement(
            records=self.records,
            samples=self.samples,
            server=server_delta(first, last, self._sampler.origin)
            if first is not None and last is not None
            else None,
            outcome=outcome,
            stopped=self._end.is_set(),
            ended=outcome.ended - outcome.zero,
            clock_step_s=clocks.step_s(),
            scrape_gaps=self._sampler.gaps,
        )

    def _begin(self, zero: float) -> None:
        """The schedule's start is fixed, a little in the future: begin to watch."""
        self._sampler.zero = zero
        self._hooks.on_begin(zero)
        self._first = asyncio.create_task(self._first_page(zero))
        self._watchers = [
            asyncio.create_task(self._sampler.run(self._on_samples, self._over)),
            asyncio.create_task(self._tick(zero)),
        ]

    async def _first_page(self, zero: float) -> MetricsPage | None:
        """The server's counters just before the first measured request."""
        await asyncio.sleep(max(0.0, zero - now() - TICK_S))
        return await self._sampler.page()

    async def _stop_watching(self) -> None:
        self._over.set()
        tasks = [*self._watchers, *([self._first] if self._first is not None else [])]
        await asyncio.gather(*self._watchers, return_exceptions=True)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await self._sampler.close()

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


class _Clocks:
    """Whether wall time stepped, or the machine slept, while the run's own clock went on."""

    def __init__(self) -> None:
        self._wall, self._own = time.time(), now()

    def step_s(self) -> float:
        """How far the two have drifted apart since."""
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
    hire: Hire = HIRE_HERE,
) -> Measurement:
    """Replay `schedule` and return what was seen; setting `end` stops the load and keeps what there is.

    `texts` are real prompts by trace row, `hire` starts the load workers (see `run_load`).
    """
    measuring = _Measuring(name, target, options.time_scale, hooks, end)
    return await measuring.run(target, trace, schedule, options, texts, hire)
