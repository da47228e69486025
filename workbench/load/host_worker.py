"""A load worker on another machine: its clock is read all the while, and its silence is noticed."""

import asyncio
import contextlib
from collections.abc import Callable
from typing import Any

from workbench.base import Message, message, now
from workbench.load.host_clock import HostClock
from workbench.load.messages import (
    ClockPing,
    ClockPong,
    FromWorker,
    Records,
    StartLoad,
    ToWorker,
    WorkerDone,
    WorkerStarted,
    read_from_worker,
)
from workbench.load.worker_process import WorkerProcess

_PING_S, _FIRST_PING_S = 0.25, 0.02
_SETTLE_S = 1.4
"""Longest wait before the start for the clock to be known well."""
_SILENCE_S, _AGAIN_S = 1.5, 0.3
"""A worker that is silent this long is lost. The second look finds what came while we were held up."""
_PREPARES_S = 60.0
"""Longest silence while a worker builds its first requests."""
_END_S = 2.0

OnLost = Callable[[Message], None]


class HostWorker(WorkerProcess):
    """A worker behind a connection.

    Args:
        process: like an asyncio process with pipes.
        on_lost: called at once when it is gone before its last message.
    """

    def __init__(self, process: Any, on_lost: OnLost) -> None:
        super().__init__(process)
        self.clock = HostClock()
        self.start_late_s: float | None = None
        self._on_lost = on_lost
        self._started = self._over = False
        self._settled = asyncio.Event()
        self._reading: asyncio.Task[FromWorker] | None = None
        self._pinging = asyncio.create_task(self._ping())

    async def say(self, order: ToWorker) -> None:
        """Send an order; the start in the time of the worker's own clock."""
        if isinstance(order, StartLoad):
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._settled.wait(), _SETTLE_S)
            order = StartLoad(zero=order.zero + self.clock.start())
            self._started = True
        with contextlib.suppress(OSError):
            await super().say(order)

    async def hear(self) -> FromWorker | None:
        """Return the next message about the load; None: the worker ended or is lost."""
        while True:
            heard = await self._next()
            match heard:
                case ClockPong(sent=sent, at=at):
                    self.clock.add(sent, at)
                    if self.clock.settled:
                        self._settled.set()
                    continue
                case Records(records=records):
                    self.clock.correct(records)
                case WorkerStarted(late_s=late_s) if late_s > 0:
                    self.start_late_s = late_s
                case WorkerDone():
                    self._over = True
                case None if not self._over:
                    self._lose(message("load.host_gone"))
            return heard

    async def close(self) -> Message:
        """End it, as far as it can be reached; return how it ended."""
        for task in (self._pinging, self._reading):
            if task is not None:
                task.cancel()
        self._process.stdin.close()  # type: ignore[union-attr]  # made with pipes
        for _ in range(2):
            try:
                await asyncio.wait_for(self._process.wait(), _END_S)
                break
            except TimeoutError:
                self._kill()
            except asyncio.CancelledError:
                raise
            except Exception as error:  # noqa: BLE001  # the connection's library is optional, its errors too
                return message("load.connection_dropped", cause=str(error))
        self._complaints.cancel()
        return message("load.host_gone")

    async def _next(self) -> FromWorker | None:
        if self._reading is None:
            self._reading = asyncio.create_task(read_from_worker(self._process.stdout))
        for patience_s in (_SILENCE_S if self._started else _PREPARES_S, _AGAIN_S):
            await asyncio.wait({self._reading}, timeout=patience_s)
            if self._reading.done():
                break
        else:
            self._lose(message("load.host_silent", seconds=_SILENCE_S + _AGAIN_S))
            self._kill()
            return None
        reading, self._reading = self._reading, None
        try:
            return reading.result()
        except asyncio.CancelledError:
            raise
        except Exception:  # noqa: BLE001  # as above
            return None

    def _lose(self, why: Message) -> None:
        self._over = True
        self._on_lost(why)

    def _kill(self) -> None:
        with contextlib.suppress(Exception):  # a connection that is gone raises errors of its library
            self._process.kill()

    async def _ping(self) -> None:
        while True:
            with contextlib.suppress(OSError):
                await super().say(ClockPing(sent=now()))
            await asyncio.sleep(_PING_S if self._started or self._settled.is_set() else _FIRST_PING_S)
