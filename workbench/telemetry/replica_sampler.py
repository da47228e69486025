"""Sample several servers of one service as one: each replica's engines under its name, at common times."""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Protocol

import msgspec

from workbench.base import Message, message, now
from workbench.results import Histogram, Sample, ServerDelta
from workbench.telemetry.counter_deltas import server_delta
from workbench.telemetry.metrics_page import MetricsPage
from workbench.telemetry.sampler import Sampler

_FRESH_INTERVALS = 3
"""A replica whose last page is older than this many intervals is unknown at that moment."""
_SUMMED = (
    *("preemptions", "prompt_tokens", "generation_tokens", "succeeded", "rejected"),
    *("prefix_queries", "prefix_hits"),
)
OnSamples = Callable[[list[Sample]], None]


class Scraper(Protocol):
    """The pages of a service during one run."""

    zero: float
    """The clock's value at t = 0."""

    @property
    def gaps(self) -> int:
        """Ticks at which no page came in time."""

    async def run(self, on_samples: OnSamples, stop: asyncio.Event) -> None:
        """Sample until `stop` is set."""

    async def mark(self) -> None:
        """Read the whole pages now: the first call is the run's start, the last one its end."""

    def delta(self) -> ServerDelta | None:
        """Return what was counted between the first and the last `mark`; None: a page is missing."""

    async def close(self) -> None:
        """Close the connections."""


class ServerScraper:
    """A `Scraper` of one server."""

    def __init__(self, sampler: Sampler) -> None:
        self._sampler = sampler
        self._pages: list[MetricsPage | None] = []
        self.zero = sampler.zero

    @property
    def gaps(self) -> int:
        """Ticks at which no page came in time."""
        return self._sampler.gaps

    async def run(self, on_samples: OnSamples, stop: asyncio.Event) -> None:
        """Sample until `stop` is set."""
        self._sampler.zero = self.zero
        await self._sampler.run(on_samples, stop)

    async def mark(self) -> None:
        """Read the whole page now."""
        self._pages.append(await self._sampler.page())

    def delta(self) -> ServerDelta | None:
        """Return what the server counted between the first and the last `mark`."""
        if len(self._pages) < 2:
            return None
        first, last = self._pages[0], self._pages[-1]
        return None if first is None or last is None else server_delta(first, last, self._sampler.origin)

    async def close(self) -> None:
        """Close the connection."""
        await self._sampler.close()


class ReplicaScraper:
    """A `Scraper` of several servers: their latest pages become one scrape, some times a second.

    A replica without a fresh page is unknown at that moment, so no sum leaves it out silently.
    """

    def __init__(self, samplers: Mapping[str, Sampler], interval_s: float = 0.25) -> None:
        self._scrapers = {name: ServerScraper(sampler) for name, sampler in samplers.items()}
        self._interval_s = interval_s
        self._latest: dict[str, list[Sample]] = {}
        self._engines: dict[str, tuple[str, ...]] = {name: (name,) for name in samplers}
        self._new = False
        self.zero = 0.0

    @property
    def gaps(self) -> int:
        """Ticks at which no page came in time, of all replicas."""
        return sum(scraper.gaps for scraper in self._scrapers.values())

    async def run(self, on_samples: OnSamples, stop: asyncio.Event) -> None:
        """Sample until `stop` is set."""
        for scraper in self._scrapers.values():
            scraper.zero = self.zero
        await asyncio.gather(
            *(scraper.run(partial(self._keep, name), stop) for name, scraper in self._scrapers.items()),
            self._emit_until(on_samples, stop),
        )

    async def mark(self) -> None:
        """Read every replica's whole page now."""
        await asyncio.gather(*(scraper.mark() for scraper in self._scrapers.values()))

    def delta(self) -> ServerDelta | None:
        """Return what all replicas counted between the first and the last `mark`; None: a page is missing."""
        return sum_deltas({name: scraper.delta() for name, scraper in self._scrapers.items()})

    async def close(self) -> None:
        """Close the connections."""
        await asyncio.gather(*(scraper.close() for scraper in self._scrapers.values()))

    def _keep(self, replica: str, samples: list[Sample]) -> None:
        several = len(samples) > 1
        named = [
            msgspec.structs.replace(each, engine=f"{replica}/{each.engine}" if several else replica)
            for each in samples
        ]
        self._latest[replica] = named
        self._engines[replica] = tuple(each.engine for each in named)
        self._new = True

    async def _emit_until(self, on_samples: OnSamples, stop: asyncio.Event) -> None:
        stopped = asyncio.create_task(stop.wait())
        try:
            # Half an interval after the pages were asked for, so that those of one tick come together.
            await asyncio.wait({stopped}, timeout=self._interval_s / 2)
            while not stop.is_set():
                if self._new:
                    self._new = False
                    on_samples(self._scrape())
                await asyncio.wait({stopped}, timeout=self._interval_s)
        finally:
            stopped.cancel()

    def _scrape(self) -> list[Sample]:
        """Return the latest samples of all replicas at the time of the newest page."""
        t = max(samples[0].t for samples in self._latest.values())
        oldest = now() - self.zero - _FRESH_INTERVALS * self._interval_s
        found: list[Sample] = []
        for replica, engines in self._engines.items():
            samples = self._latest.get(replica)
            if samples is None or samples[0].t < oldest:
                found += [Sample(t=t, engine=engine) for engine in engines]
            else:
                found += [msgspec.structs.replace(each, t=t) for each in samples]
        return found


def sum_deltas(deltas: Mapping[str, ServerDelta | None]) -> ServerDelta | None:
    """Return the sum of the replicas' counts; None: one is unknown. A sign of a restart names its replica."""
    known = {name: each for name, each in deltas.items() if each is not None}
    if not known or len(known) < len(deltas):
        return None
    parts = list(known.values())
    missing = tuple(dict.fromkeys(name for each in parts for name in each.missing))
    for name, each in known.items():
        if each.mixed is not None:
            return ServerDelta(mixed=_of_replica(name, each.mixed), missing=missing)
    for name, each in known.items():
        if each.restarted:
            sign = each.restart_sign or message("results.counter_shrank")
            return ServerDelta(restarted=True, restart_sign=_of_replica(name, sign), missing=missing)
    histograms = {
        family: whole
        for family in parts[0].histograms
        if (whole := _sum_histograms([each.histograms.get(family) for each in parts])) is not None
    }
    total = ServerDelta(
        queue=_sum_histograms([each.queue for each in parts]), histograms=histograms, missing=missing
    )
    for field in _SUMMED:
        setattr(total, field, _sum([getattr(each, field) for each in parts]))
    return total


def _of_replica(name: str, sign: Message | str) -> Message:
    return message("results.of_replica", replica=name, found=sign)


def _sum(values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return sum(known) if len(known) == len(values) else None


def _sum_histograms(parts: Sequence[Histogram | None]) -> Histogram | None:
    known = [each for each in parts if each is not None]
    if not known or len(known) < len(parts):
        return None
    if any(each.edges != known[0].edges for each in known):
        return None
    whole = known[0]
    for part in known[1:]:
        whole = whole.plus(part)
    return whole
