"""A load worker: `python -m workbench.load.worker`, its job on stdin, records on stdout.

When stdin closes, the reader of the records is gone, and the worker ends.
"""

import asyncio
import contextlib
import gc
import itertools
import os
import queue
import signal
import sys
import threading
from collections.abc import Callable
from typing import Any, BinaryIO

from workbench.base import Message, Refusal, WorkbenchError, WorkFailure, message, now, raise_open_files
from workbench.load.messages import (
    ClockPing,
    ClockPong,
    FromWorker,
    StopLoad,
    ToWorker,
    WorkerFailed,
    WorkerJob,
    frame,
    read_to_worker,
)
from workbench.load.worker_run import WorkerRun

_COLLECT_EVERY_S = 0.1
"""At 400 requests/s the garbage of a second takes 2 ms to collect, that of a tenth 0.2 ms."""
_YOUNG_AN_OLDER = 200


class _Writer:
    """Writes frames in its own thread, so that a full pipe delays no request."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        self._queue: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._write, name="records", daemon=True)
        self._thread.start()

    def say(self, message: FromWorker) -> None:
        """Queue a message."""
        self._queue.put(frame(message))

    def close(self) -> None:
        """Wait until all is written."""
        self._queue.put(None)
        self._thread.join(timeout=10)

    def _write(self) -> None:
        with contextlib.suppress(OSError):  # the reader is gone; stdin closes too
            while (data := self._queue.get()) is not None:
                view = memoryview(data)
                while view:
                    view = view[self._stream.write(view) :]


def _put_aside() -> None:
    """Exclude the job's objects from garbage collections."""
    gc.collect()
    gc.freeze()
    gc.disable()


async def _collect_in_pieces(ready: asyncio.Event) -> None:
    """Collect the run's garbage often, so that each collection is short."""
    await ready.wait()
    for number in itertools.count(1):
        await asyncio.sleep(_COLLECT_EVERY_S)
        gc.collect(1 if number % _YOUNG_AN_OLDER == 0 else 0)


async def _carry_out(job: WorkerJob, stdin: BinaryIO, say: Callable[[FromWorker], None]) -> None:
    loop = asyncio.get_running_loop()
    replay = WorkerRun(job, say, _put_aside)
    task = loop.create_task(replay.run())

    def fail(_: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        error = context.get("exception")
        cause = f"{type(error).__name__}: {error}" if error else str(context.get("message"))
        say(WorkerFailed(why=message("load.worker_broke", cause=cause)))
        task.cancel()

    def listen() -> None:
        order: ToWorker | None = StopLoad()
        while order is not None:
            order = read_to_worker(stdin)
            if isinstance(order, ClockPing):
                say(ClockPong(sent=order.sent, at=now()))
                continue
            with contextlib.suppress(RuntimeError):  # the loop has ended
                loop.call_soon_threadsafe(replay.order, order)

    loop.set_exception_handler(fail)
    threading.Thread(target=listen, name="orders", daemon=True).start()
    collector = loop.create_task(_collect_in_pieces(replay.ready))
    with contextlib.suppress(asyncio.CancelledError):
        await task
    collector.cancel()


def _loop_factory() -> Callable[[], asyncio.AbstractEventLoop] | None:
    try:
        import uvloop  # noqa: PLC0415 - not on every platform
    except ImportError:
        return None
    factory: Callable[[], asyncio.AbstractEventLoop] = uvloop.new_event_loop
    return factory


def _said(error: OSError | WorkbenchError) -> Message:
    if isinstance(error, Refusal | WorkFailure):
        return error.message
    return message("load.worker_broke", cause=str(error))


def main() -> int:
    """Run the job until it is done or stdin closes."""
    with contextlib.suppress(ValueError):
        # The conductor handles Ctrl-C and a SIGTERM to the group: this process ends with its stdin.
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
    raise_open_files()
    out = os.fdopen(os.dup(sys.stdout.fileno()), "wb", buffering=0)
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())  # a stray print must not break a frame
    stdin = os.fdopen(sys.stdin.fileno(), "rb", buffering=0, closefd=False)
    writer = _Writer(out)
    job = read_to_worker(stdin)
    if not isinstance(job, WorkerJob):
        return 1
    try:
        with asyncio.Runner(loop_factory=_loop_factory()) as runner:
            runner.run(_carry_out(job, stdin, writer.say))
    except (OSError, WorkbenchError) as error:
        writer.say(WorkerFailed(why=_said(error)))
        return 1
    finally:
        writer.close()
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
