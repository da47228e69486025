"""Worker processes as the conductor's side sees them."""

import asyncio
import contextlib
import sys
from asyncio.subprocess import PIPE, Process
from typing import Self

from workbench.base import Message, message
from workbench.load.messages import FromWorker, ToWorker, WorkerJob, frame, read_from_worker

_LONGEST_SILENCE_S = 60.0
"""Workers say something five times a second once they run; one silent for so long hangs."""
_GRACE_S = 2.0
_STDERR_KEPT = 2000


class WorkerProcess:
    """One `python -m workbench.load.worker`. It ends when its stdin is closed."""

    def __init__(self, process: Process) -> None:
        self._process = process
        self._complaints = asyncio.create_task(_tail(process))

    @classmethod
    async def start(cls, job: WorkerJob) -> Self:
        """Start one and give it its job."""
        process = await asyncio.create_subprocess_exec(
            sys.executable, "-m", "workbench.load.worker", stdin=PIPE, stdout=PIPE, stderr=PIPE
        )
        worker = cls(process)
        await worker.say(job)
        return worker

    async def say(self, order: ToWorker) -> None:
        """Send a message; a worker that is gone doesn't get it."""
        assert self._process.stdin is not None
        with contextlib.suppress(ConnectionError):
            self._process.stdin.write(frame(order))
            await self._process.stdin.drain()

    async def hear(self) -> FromWorker | None:
        """The next message; None: it ended, or has been silent for too long and was ended."""
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
    """The end of what it wrote to stderr."""
    assert process.stderr is not None
    kept = b""
    while part := await process.stderr.read(4096):
        kept = (kept + part)[-_STDERR_KEPT:]
    return kept.decode(errors="replace")
