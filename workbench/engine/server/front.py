"""The front process: engine and HTTP server run until a stop or the engine's end."""

import asyncio
import contextlib
import gc
import os
import signal
import socket
import sys
import threading
from collections.abc import Callable

from workbench.base import raise_open_files
from workbench.engine.server import log_lines
from workbench.engine.server.admission import Admission
from workbench.engine.server.app import App
from workbench.engine.server.control import control_socket
from workbench.engine.server.endpoints import Endpoints
from workbench.engine.server.generate import Generator
from workbench.engine.server.httpmetrics import HttpMetrics
from workbench.engine.server.httpserver import http_server, url_of
from workbench.engine.server.launch import EngineChild
from workbench.engine.server.link import EngineGone, EngineLink
from workbench.engine.server.settings import Settings
from workbench.vllm_dialect import log

_ENGINE_PATIENCE_S = 2.0
_DEAD_ENGINE_GRACE_S = 1.0
"""Time for which a front without an engine still answers, as with vLLM's watchdog."""


def run_front(settings: Settings, keys: tuple[str, ...], listener: socket.socket, child: EngineChild) -> None:
    """Serve until stopped; returns once the engine ended too. Uses uvloop if it is installed."""
    raise_open_files()
    with asyncio.Runner(loop_factory=_loop_factory()) as runner:
        runner.run(_Front(settings, keys, listener, child).serve())


def _loop_factory() -> Callable[[], asyncio.AbstractEventLoop] | None:
    try:
        import uvloop  # noqa: PLC0415 - not on every system
    except ImportError:
        return None
    factory: Callable[[], asyncio.AbstractEventLoop] = uvloop.new_event_loop
    return factory


class _Front:
    def __init__(
        self, settings: Settings, keys: tuple[str, ...], listener: socket.socket, child: EngineChild
    ) -> None:
        self._settings = settings
        self._listener = listener
        self._child = child
        self._stop = asyncio.Event()
        self._link = EngineLink(child.job)
        admission = Admission(self._link, settings.max_num_queued_reqs, settings.max_num_queued_tokens)
        http = HttpMetrics()
        endpoints = Endpoints(settings, self._link, admission, http)
        generator = Generator(settings, child.job, self._link, admission)
        self._server = http_server(App(endpoints, generator, http, keys), access_log=settings.access_log)

    async def serve(self) -> None:
        """Serve until the end."""
        loop = asyncio.get_running_loop()
        await loop.create_connection(lambda: self._link, sock=self._child.link)
        url = url_of(self._listener, self._settings.host)
        async with control_socket(self._settings.control_socket, self._link):
            self._listen_for_stop(loop)
            reporting = asyncio.ensure_future(report_stats(self._settings, self._link))
            log_lines.serving(url)
            serving = asyncio.ensure_future(self._server.serve(sockets=[self._listener]))
            up = asyncio.ensure_future(self._server.up.wait())
            await asyncio.wait({up, serving}, return_when=asyncio.FIRST_COMPLETED)
            gc.freeze()  # as vLLM's front: full collections would delay streams
            log_lines.listening(url)
            await self._until_over(serving)
            reporting.cancel()

    async def _until_over(self, serving: asyncio.Task[None]) -> None:
        """Wait for a stop or the engine's death, then close in vLLM's order."""
        stopped = asyncio.ensure_future(self._stop.wait())
        died = asyncio.ensure_future(self._link.died.wait())
        await asyncio.wait({stopped, died, serving}, return_when=asyncio.FIRST_COMPLETED)
        if stopped.done():
            log_lines.shutdown_begins()
            self._link.stop()
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(asyncio.shield(died), _ENGINE_PATIENCE_S)
            log_lines.shutdown_http()
        elif died.done():
            log_lines.engine_dead()
            await asyncio.sleep(_DEAD_ENGINE_GRACE_S)
        for waiting in (stopped, died):
            waiting.cancel()
        self._server.should_exit = True
        await serving

    def _listen_for_stop(self, loop: asyncio.AbstractEventLoop) -> None:
        """Stop on signals, and on the end of standard input if that was requested."""
        for number in (signal.SIGINT, signal.SIGTERM):
            try:
                loop.add_signal_handler(number, self._stop.set)
            except NotImplementedError:  # Windows
                signal.signal(number, lambda *_: loop.call_soon_threadsafe(self._stop.set))
        if self._settings.exit_with_stdin:
            _watch_stdin(loop, self._stop.set)


def _watch_stdin(loop: asyncio.AbstractEventLoop, ended: Callable[[], None]) -> None:
    """Call `ended` when standard input closes. A thread waits: event loops can't for all kinds of input."""

    def read() -> None:
        with contextlib.suppress(OSError, ValueError):
            while os.read(sys.stdin.fileno(), 4096):
                pass
        with contextlib.suppress(RuntimeError):  # the loop has closed by itself
            loop.call_soon_threadsafe(ended)

    threading.Thread(target=read, name="stdin", daemon=True).start()


# The periodic line of vLLM's log: throughput since the last one, gauges of the last step.

_DEFAULT_INTERVAL_S = 10.0


def _interval() -> float:
    """Return `VLLM_LOG_STATS_INTERVAL` in wall seconds, as in vLLM."""
    with contextlib.suppress(ValueError):
        return max(0.1, float(os.environ.get("VLLM_LOG_STATS_INTERVAL", _DEFAULT_INTERVAL_S)))
    return _DEFAULT_INTERVAL_S


async def report_stats(settings: Settings, link: EngineLink) -> None:
    """Print the line every interval while requests run, and once after them.

    Rates are tokens in a simulated second.
    """
    if not settings.log_stats:
        return
    interval = _interval()
    last, was_busy = (0, 0), False
    while True:
        await asyncio.sleep(interval)
        try:
            counts = await link.query("metrics")
        except EngineGone:
            return
        totals = (counts["prompt_tokens"], counts["generation_tokens"])
        seconds = interval * settings.time_scale
        prompt_rate, generation_rate = (
            (now - before) / seconds for now, before in zip(totals, last, strict=True)
        )
        busy = bool(prompt_rate or generation_rate)
        if busy or was_busy:
            log_lines.say(
                log.stats_line(
                    prompt_tok_s=prompt_rate,
                    generation_tok_s=generation_rate,
                    running=counts["running"],
                    waiting=counts["waiting"],
                    kv_usage=counts["kv_usage"],
                    hit_rate=counts["prefix_hits"] / counts["prefix_queries"]
                    if counts["prefix_queries"]
                    else 0.0,
                )
            )
        last, was_busy = totals, busy
