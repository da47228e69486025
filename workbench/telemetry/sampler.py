"""Sample a server's `/metrics` during a run: four times a second, one scrape at a time."""

import asyncio
from collections.abc import Callable, Mapping
from contextlib import suppress

import httpx

from workbench.base import Message, Place, WorkbenchError, WorkFailure, message, now
from workbench.results import Sample
from workbench.telemetry.http_get import open_client, read_page
from workbench.telemetry.metrics_page import MetricsPage
from workbench.telemetry.scrape_origin import ScrapeOrigin

SCRAPE_TIMEOUT_S = 5.0
"""A slower answer leaves a gap in the plots; no second request is sent meanwhile."""


class Sampler:
    """Scrapes one server. A failed or late scrape leaves a gap, never an invented value."""

    def __init__(
        self,
        url: str,
        *,
        api_key: str | None = None,
        headers: Mapping[str, str] | None = None,
        ca_file: str | None = None,
        interval_s: float = 0.25,
        zero: float = 0.0,
        timeout_s: float = SCRAPE_TIMEOUT_S,
    ) -> None:
        self.zero = zero
        """The clock's value at t = 0; may be set when the schedule's start is known."""
        self.scrapes = 0
        self.gaps = 0
        """Ticks at which no page came in time."""
        self.last_error: WorkbenchError | None = None
        """Why the last page didn't come; None: all came."""
        self.origin = ScrapeOrigin()
        """The processes that gave the pages."""
        self._fed = 0.0
        self._url = url.rstrip("/")
        self._interval_s = interval_s
        self._timeout_s = timeout_s
        self._client = open_client(
            url, api_key=api_key, headers=headers, ca_file=ca_file, timeout_s=timeout_s
        )

    async def run(self, on_samples: Callable[[list[Sample]], None], stop: asyncio.Event) -> None:
        """Sample until `stop` is set; then drop the scrape under way."""
        begin, tick = now(), 0
        stopped = asyncio.create_task(stop.wait())
        try:
            while not stop.is_set():
                scrape = asyncio.create_task(self._scrape(on_samples))
                await asyncio.wait({scrape, stopped}, return_when=asyncio.FIRST_COMPLETED)
                if not scrape.done():
                    await _drop(scrape)
                    break
                scrape.result()
                late = int((now() - begin) / self._interval_s)
                self.gaps += max(0, late - tick)
                tick = max(tick, late) + 1
                left = begin + tick * self._interval_s - now()
                await asyncio.wait({stopped}, timeout=max(0.0, left))
        finally:
            await _drop(stopped)

    async def page(self) -> MetricsPage | None:
        """Read a whole page now; None: it didn't come (`last_error`)."""
        asked = now()
        text = await self._fetch()
        try:
            page = None if text is None else MetricsPage.parse(text, where=f"{self._url}/metrics")
        except WorkbenchError as error:
            self.last_error = error
            return None
        if page is not None:
            self._feed_origin(page, asked)
        return page

    async def close(self) -> None:
        """Close the connection."""
        await self._client.aclose()

    async def _scrape(self, on_samples: Callable[[list[Sample]], None]) -> None:
        asked = now()
        text = await self._fetch()
        received = now()
        if text is None:
            self.gaps += 1
            return
        try:
            page = MetricsPage.parse_sampled(text, where=f"{self._url}/metrics")
        except WorkbenchError as error:
            self.gaps += 1
            self.last_error = error
            return
        self.scrapes += 1
        self._feed_origin(page, asked)
        on_samples(page.samples(received - self.zero))

    def _feed_origin(self, page: MetricsPage, asked: float) -> None:
        """Feed the page, unless it was requested before the last one came: its counters may be older."""
        if asked >= self._fed:
            self._fed = now()
            self.origin.feed(page)

    def _no_page(self, why: Message) -> WorkFailure:
        return WorkFailure("telemetry.no_page", Place(file=f"{self._url}/metrics"), why=why)

    async def _fetch(self) -> str | None:
        try:
            async with asyncio.timeout(self._timeout_s):
                response = await read_page(self._client, "/metrics")
        except WorkbenchError as error:
            self.last_error = error
            return None
        except (httpx.HTTPError, TimeoutError) as error:
            self.last_error = self._no_page(
                message("telemetry.no_answer", cause=str(error) or type(error).__name__)
            )
            return None
        if response.status_code != httpx.codes.OK:
            self.last_error = self._no_page(message("telemetry.answered", status=response.status_code))
            return None
        return response.text


async def _drop(task: asyncio.Task[object]) -> None:
    task.cancel()
    with suppress(asyncio.CancelledError):
        await task
