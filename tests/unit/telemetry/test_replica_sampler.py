"""Several servers are sampled as one: at common times, each under its name, none left out silently."""

import asyncio

from tests.unit.telemetry.test_sampler import reply, server
from workbench.base import Message, message, now
from workbench.results import Histogram, Sample, ServerDelta, over_engines
from workbench.telemetry import ReplicaScraper, Sampler, sum_deltas


def page(running: float, *engines: str) -> str:
    return "".join(f'vllm:num_requests_running{{engine="{engine}"}} {running}\n' for engine in engines)


async def test_that_each_scrape_holds_every_replica_and_a_vanished_one_is_unknown() -> None:
    gone = False

    async def one(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        reply(writer, page(3, "0"))

    async def two(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if gone:
            reply(writer, "", "500 X")
        else:
            reply(writer, page(5, "0", "1"))

    scrapes: list[list[Sample]] = []
    changed = asyncio.Event()

    def keep(samples: list[Sample]) -> None:
        scrapes.append(samples)
        changed.set()

    async def until(running: float | None) -> list[Sample]:
        async with asyncio.timeout(30):
            while not scrapes or over_engines(scrapes[-1], "running") != running:
                changed.clear()
                await changed.wait()
        return scrapes[-1]

    async with server(one) as first, server(two) as second:
        samplers = {"a": Sampler(first, interval_s=0.02), "b": Sampler(second, interval_s=0.02)}
        scraper = ReplicaScraper(samplers, interval_s=0.02)
        scraper.zero = now()
        stop = asyncio.Event()
        running = asyncio.create_task(scraper.run(keep, stop))
        whole = await until(3 + 5 + 5)
        gone = True
        broken = await until(None)
        stop.set()
        await asyncio.wait_for(running, 30.0)
        await scraper.close()
    assert [sample.engine for sample in whole] == ["a", "b/0", "b/1"]
    assert len({sample.t for sample in whole}) == 1
    assert [(sample.engine, sample.running) for sample in broken] == [("a", 3), ("b/0", None), ("b/1", None)]


def delta(preemptions: float, *counts: float) -> ServerDelta:
    queue = Histogram(edges=(0.1,), counts=counts, sum=1.0) if counts else None
    return ServerDelta(preemptions=preemptions, queue=queue, histograms={"h": queue} if queue else {})


def test_that_counts_of_replicas_are_summed() -> None:
    whole = sum_deltas({"a": delta(1, 2, 3), "b": delta(4, 5, 6)})
    assert whole is not None
    assert whole.preemptions == 5
    assert whole.queue is not None
    assert whole.queue.counts == (7, 9)
    assert whole.histograms["h"] == whole.queue
    assert whole.succeeded is None


def test_that_a_missing_replica_makes_the_counts_unknown() -> None:
    assert sum_deltas({"a": delta(1), "b": None}) is None
    half = sum_deltas({"a": delta(1, 2, 3), "b": delta(1)})
    assert half is not None
    assert (half.preemptions, half.queue, half.histograms) == (2, None, {})


def test_that_a_restart_names_its_replica() -> None:
    sign = message("results.counter_shrank")
    whole = sum_deltas({"a": delta(1), "b": ServerDelta(restarted=True, restart_sign=sign)})
    assert whole is not None
    assert whole.restarted
    assert isinstance(whole.restart_sign, Message)
    assert whole.restart_sign.values == {"replica": "b", "found": sign}
