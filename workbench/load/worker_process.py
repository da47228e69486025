"""Worker processes, seen from the conductor's side."""

import asyncio
import contextlib
from asyncio.subprocess import PIPE, Process
from typing import Self

from workbench.base import Message, message, own_module, start_process
from workbench.load.messages import FromWorker, ToWorker, WorkerJob, frame, read_from_worker

_LONGEST_SILENCE_S = 60.0
"""Running workers report five times a second; one that is silent this long hangs."""
_GRACE_S = 2.0
_STDERR_KEPT = 2000


class WorkerProcess:
    """A `python -m workbench.load.worker`, which ends when its stdin closes."""

    def __init__(self, process: Process) -> None:
        self._process = process
        self._complaints = asyncio.create_task(_tail(process))

    @classmethod
    async def start(cls, job: WorkerJob) -> Self:
        """Start a worker and give it its job."""
        process = await start_process(
            *own_module("workbench.load.worker"), stdin=PIPE, stdout=PIPE, stderr=PIPE
        )
        worker = cls(process)
        await worker.say(job)
        return worker

    async def say(self, order: ToWorker) -> None:
        """Send an order, unless the worker is gone."""
        assert self._process.stdin is not None
        with contextlib.suppress(ConnectionError):
            self._process.stdin.write(frame(order))
            await self._process.stdin.drain()

    async def hear(self) -> FromWorker | None:
        """Return the next message; None: the worker ended, or was killed after too long a silence."""
        assert self._process.stdout is not None
        try:
            async with asyncio.timeout(_LONGEST_SILENCE_S):
                return await read_from_worker(self._process.stdout)
        except asyncio.IncompleteReadError:
            return None
        except TimeoutError:
            self._process.kill()
            return None

    async def close(self) -> Message:
        """Wait until it ends, kill it if it does not; returns its exit code and the last line it wrote."""
        assert self._process.stdin is not None
        self._process.stdin.close()
        try:
            async with asyncio.timeout(_GRACE_S):
                code = await self._process.wait()
        except TimeoutError:
            with contextlib.suppress(ProcessLookupError):
                self._process.kill()
            code = await self._process.wait()
        words = (await self._complaints).strip().splitlines()
        if not words:
            return message("load.exit_code", code=code)
        return message("load.exit_words", code=code, words=words[-1])


async def _tail(process: Process) -> str:
    """Return the end of its stderr."""
    assert process.stderr is not None
    kept = b""
    while part := await process.stderr.read(4096):
        kept = (kept + part)[-_STDERR_KEPT:]
    return kept.decode(errors="replace")
