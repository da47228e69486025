r"""A child process and the lines of its output, which may be very long or end in \r."""

import asyncio
import codecs
import os
import subprocess
import sys
import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import Protocol

from workbench.base import Place, Refusal
from workbench.servers import processes
from workbench.servers.processes import ProcessIdentity

MAX_LINE = 32_000
"""Characters kept of one line; the rest of it is dropped."""


class LineSplitter:
    """Cuts bytes into lines at newline or carriage return; never holds more than `MAX_LINE` characters."""

    def __init__(self) -> None:
        self._decode = codecs.getincrementaldecoder("utf-8")(errors="replace").decode
        self._rest = ""
        self._skipping = False
        """The current line was cut; the rest of it is dropped."""

    def feed(self, data: bytes) -> list[str]:
        """Return the lines that `data` completes, without line ends; skip empty ones."""
        *lines, self._rest = (self._rest + self._decode(data)).replace("\r", "\n").split("\n")
        if self._skipping and lines:
            lines, self._skipping = lines[1:], False
        if self._skipping:
            self._rest = ""
        elif len(self._rest) > MAX_LINE:
            lines.append(self._rest)
            self._rest, self._skipping = "", True
        return [line[:MAX_LINE] for line in lines if line.strip()]

    def end(self) -> list[str]:
        """Return the text after the last line end."""
        return self.feed(b"\n")


# A server process of ours: started in its own session, read line by line, ended with all its descendants.

_CHUNK = 65_536
_POLL_S = 0.05
_TAIL_S = 1.0
"""Longest wait for the output of an ended process: a grandchild may hold the pipe open."""
_FAREWELL_S = 3.0
"""Children of a parent that ended in order end by themselves within this time."""
if sys.platform == "win32":
    _NEW_GROUP = subprocess.CREATE_NEW_PROCESS_GROUP
else:
    _NEW_GROUP = 0


class ServerProcess(Protocol):
    """A running server process, on this machine or another."""

    pid: int

    @property
    def exit_code(self) -> int | None:
        """The exit code; None while it lives."""

    async def ended(self) -> int:
        """Wait until it has ended and its output is read; return the exit code."""

    async def track_descendants(self) -> None:
        """Remember all descendants that live now."""

    async def listens(self, url: str) -> bool:
        """Return whether this process, and no other, answers at `url`."""

    async def end(self, *, patience_s: float) -> list[ProcessIdentity]:
        """Ask it to end, wait, then end every remaining descendant; return those that still live."""


class Child:
    """One process with its merged output. `identities` are it and every descendant seen so far.

    asyncio's own subprocesses wait for the end of the pipe, which vLLM's workers may hold; hence the thread.
    """

    def __init__(self, process: "subprocess.Popen[bytes]", on_line: Callable[[str], None]) -> None:
        self.pid = process.pid
        self.identities: dict[int, ProcessIdentity] = {}
        self._process = process
        self._on_line = on_line
        self._splitter = LineSplitter()
        self._drained = asyncio.Event()
        reading = threading.Thread(
            target=self._read, args=(asyncio.get_running_loop(),), name=f"output of {self.pid}", daemon=True
        )
        reading.start()

    @classmethod
    def spawn(
        cls,
        command: Sequence[str],
        environment: Mapping[str, str],
        on_line: Callable[[str], None],
        *,
        with_stdin: bool,
    ) -> "Child":
        """Start `command`; `on_line` gets stdout and stderr in the loop's thread, in order.

        Raises:
            Refusal: the command can't be executed.
        """
        try:
            process = subprocess.Popen(
                list(command),
                stdin=subprocess.PIPE if with_stdin else subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                env={**os.environ, **environment},
                bufsize=0,
                start_new_session=True,
                creationflags=_NEW_GROUP,
            )
        except OSError as error:
            raise Refusal("servers.not_executable", Place(file=command[0]), cause=error.strerror) from error
        return cls(process, on_line)

    @property
    def exit_code(self) -> int | None:
        """The exit code; None while it lives, negative for the signal that ended it."""
        return self._process.poll()

    async def ended(self) -> int:
        """Wait until it has ended and its output is read; return the exit code."""
        while (code := self.exit_code) is None:  # noqa: ASYNC110  # the end of a process can only be polled
            await asyncio.sleep(_POLL_S)
        with suppress(TimeoutError):
            await asyncio.wait_for(self._drained.wait(), _TAIL_S)
        return code

    async def track_descendants(self) -> None:
        """Remember all descendants that live now, also those of descendants that outlived it."""
        roots = [self.pid]
        if self.exit_code is not None:
            roots = [one.pid for one in self.identities.values() if processes.find(one) is not None]
        found = await asyncio.to_thread(_descendants_of, roots)
        own = processes.identify_process(self.pid) if self.exit_code is None else None
        self.identities |= {one.pid: one for one in (*found, *([own] if own else []))}

    async def listens(self, url: str) -> bool:
        """Return whether it or a descendant listens on the URL's port."""
        return await asyncio.to_thread(processes.listens, self.pid, int(url.rpartition(":")[2]))

    async def end(self, *, patience_s: float) -> list[ProcessIdentity]:
        """Ask it to end, wait, then end every remaining descendant; return those that still live.

        Only the parent is asked: vLLM's parent ends its children in order. Those left are ended by pid and
        start time.
        """
        await self.track_descendants()
        if self._process.stdin is not None:
            self._process.stdin.close()
        if self.exit_code is None:
            self._process.terminate()
            with suppress(TimeoutError):
                await asyncio.wait_for(self.ended(), patience_s)
        rest = list(self.identities.values())
        if self.exit_code is None or not await processes.vanished(rest, _FAREWELL_S):
            rest = list(self.identities.values())  # one that was still starting may have started more
            await processes.end(rest, patience_s=_FAREWELL_S)
        with suppress(TimeoutError):
            await asyncio.wait_for(self.ended(), _FAREWELL_S)
        return [one for one in rest if processes.find(one) is not None]

    def _read(self, loop: asyncio.AbstractEventLoop) -> None:
        stream = self._process.stdout
        assert stream is not None
        # RuntimeError: the loop has been closed.
        with stream, suppress(RuntimeError):
            while data := os.read(stream.fileno(), _CHUNK):
                loop.call_soon_threadsafe(self._split, data)
            loop.call_soon_threadsafe(self._finish)

    def _split(self, data: bytes) -> None:
        for line in self._splitter.feed(data):
            self._on_line(line)

    def _finish(self) -> None:
        for line in self._splitter.end():
            self._on_line(line)
        self._drained.set()


def _descendants_of(roots: Sequence[int]) -> list[ProcessIdentity]:
    return [one for root in roots for one in processes.descendants(root)]
