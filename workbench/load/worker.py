"""A load worker: `python -m workbench.load.worker`, its job on stdin, records on stdout.

Stdin is its life line too: when it closes, whoever reads the records is gone, and the worker ends.
"""

import asyncio
import contextlib
import gc
import os
import queue
import signal
import sys
import threading
import time
from collections.abc import Callable
from typing import Any, BinaryIO

from workbench.base import WorkbenchError, now
from workbench.load.body import BodyBuilder
from workbench.load.dispatcher import Dispatcher
from workbench.load.messages import (
    Ended,
    FromWorker,
    Job,
    Ready,
    Start,
    Stop,
    ToWorker,
    Trouble,
    frame,
    read_to_worker,
)
from workbench.load.reporter import Reporter

_TICK_S = 0.05
_TICKS_A_SNAPSHOT = 4
_TICKS_A_YOUNG_COLLECTION = 20
_TICKS_AN_OLDER_COLLECTION = 400


class Replay:
    """One job from its first body to its last record."""

    def __init__(self, job: Job, say: Callable[[FromWorker], None]) -> None:
        self._job = job
        self._say = say
        self._reporter = Reporter(say)
        self._dispatcher = Dispatcher(
            job, BodyBuilder(job.target, job.options, job.prompts, job.run_id), self._reporter
        )
        self._orders: asyncio.Queue[Start | Stop] = asyncio.Queue()

    def order(self, message: ToWorker | None) -> None:
        """A message from the conductor's side; None: it is gone."""
        if isinstance(message, Start):
            self._dispatcher.start(message.zero)
        elif not isinstance(message, Job):
            self._dispatcher.stop("stopped")

    async def run(self) -> None:
        """Carry out the job.

        Raises:
            OSError: the target's name can't be resolved.
        """
        dispatcher = self._dispatcher
        await dispatcher.pool.resolve()
        dispatcher.prepare()
        await dispatcher.bodies.settle()
        gc.collect()
        gc.freeze()
        gc.disable()
        self._say(Ready())
        ticks = 0
        while not (dispatcher.idle or (dispatcher.stopped and not dispatcher.open)):
            await asyncio.sleep(_TICK_S)
            ticks += 1
            self._tick(ticks)
        self._finish()

    def _tick(self, ticks: int) -> None:
        dispatcher = self._dispatcher
        if not dispatcher.stopped:
            dispatcher.prepare()
            if now() > dispatcher.end_at():
                self._end()
        self._reporter.flush()
        if ticks % _TICKS_A_SNAPSHOT == 0:
            dispatcher.digest.sweep(dispatcher.open.values())
            self._reporter.snapshot(dispatcher.open.values(), dispatcher.zero)
        if ticks % _TICKS_AN_OLDER_COLLECTION == 0:
            gc.collect(1)
        elif ticks % _TICKS_A_YOUNG_COLLECTION == 0:
            gc.collect(0)

    def _end(self) -> None:
        """The drain is over."""
        dispatcher = self._dispatcher
        dispatcher.stop("still open at the end of the drain")
        dispatcher.never_due(dispatcher.agenda.remaining(), "never due: the turn before it had not ended")

    def _finish(self) -> None:
        dispatcher = self._dispatcher
        dispatcher.close()
        self._reporter.flush()
        self._reporter.snapshot((), dispatcher.zero)
        self._say(Ended(not_due=len(dispatcher.agenda.remaining()), cpu_s=time.process_time()))


class _Writer:
    """Writes frames in a thread of its own, so that a full pipe delays no request."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        self._queue: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._write, name="records", daemon=True)
        self._thread.start()

    def say(self, message: FromWorker) -> None:
        """Queue one message."""
        self._queue.put(frame(message))

    def close(self) -> None:
        """Wait until all is written."""
        self._queue.put(None)
        self._thread.join(timeout=10)

    def _write(self) -> None:
        with contextlib.suppress(OSError):  # nobody reads any more; stdin tells the rest of us
            while (data := self._queue.get()) is not None:
                view = memoryview(data)
                while view:
                    view = view[self._stream.write(view) :]


async def _carry_out(job: Job, stdin: BinaryIO, say: Callable[[FromWorker], None]) -> None:
    loop = asyncio.get_running_loop()
    replay = Replay(job, say)
    task = loop.create_task(replay.run())

    def fail(_: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        error = context.get("exception")
        say(Trouble(text=f"{type(error).__name__}: {error}" if error else str(context.get("message"))))
        task.cancel()

    def listen() -> None:
        message: ToWorker | None = Stop()
        while message is not None:
            message = read_to_worker(stdin)
            with contextlib.suppress(RuntimeError):  # the loop has ended
                loop.call_soon_threadsafe(replay.order, message)

    loop.set_exception_handler(fail)
    threading.Thread(target=listen, name="orders", daemon=True).start()
    with contextlib.suppress(asyncio.CancelledError):
        await task


def _loop_factory() -> Callable[[], asyncio.AbstractEventLoop] | None:
    try:
        import uvloop  # noqa: PLC0415 - not on every platform
    except ImportError:
        return None
    factory: Callable[[], asyncio.AbstractEventLoop] = uvloop.new_event_loop
    return factory


def main() -> int:
    """Work until the job is done or stdin closes."""
    with contextlib.suppress(ValueError):
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the conductor's to handle
    out = os.fdopen(os.dup(sys.stdout.fileno()), "wb", buffering=0)
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())  # a stray print must not break a frame
    stdin = os.fdopen(sys.stdin.fileno(), "rb", buffering=0, closefd=False)
    writer = _Writer(out)
    job = read_to_worker(stdin)
    if not isinstance(job, Job):
        return 1
    try:
        with asyncio.Runner(loop_factory=_loop_factory()) as runner:
            runner.run(_carry_out(job, stdin, writer.say))
    except (OSError, WorkbenchError) as error:
        writer.say(Trouble(text=str(error)))
        return 1
    finally:
        writer.close()
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
