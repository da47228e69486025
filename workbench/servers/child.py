"""A server process of ours: started in a session of its own, read line by line, ended with all it started."""

import asyncio
import os
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress

from workbench.base import InputError
from workbench.servers import processes
from workbench.servers.lines import LineSplitter
from workbench.servers.processes import ProcessMark

_CHUNK = 65_536
if sys.platform == "win32":
    _NEW_GROUP = subprocess.CREATE_NEW_PROCESS_GROUP
else:
    _NEW_GROUP = 0
_TAIL_S = 2.0
"""After a process has ended, its last words are still in the pipe for no longer than this."""


class Child:
    """One process with its merged output. `marks` are it and every descendant seen so far."""

    def __init__(self, process: asyncio.subprocess.Process, on_line: Callable[[str], None]) -> None:
        self.pid = process.pid
        self.marks: dict[int, ProcessMark] = {}
        self._process = process
        self._on_line = on_line
        self._reading = asyncio.create_task(self._read())

    @classmethod
    async def spawn(
        cls,
        command: Sequence[str],
        environment: Mapping[str, str],
        on_line: Callable[[str], None],
        *,
        with_stdin: bool,
    ) -> "Child":
        """Start `command`; `on_line` gets stdout and stderr, in the order in which they came.

        Raises:
            InputError: the command can't be executed.
        """
        try:
            process = await asyncio.create_subprocess_exec(
                *command,
                stdin=asyncio.subprocess.PIPE if with_stdin else asyncio.subprocess.DEVNULL,
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.STDOUT,
                env={**os.environ, **environment},
                start_new_session=True,
                creationflags=_NEW_GROUP,
            )
        except OSError as error:
            raise InputError(f"{command[0]}: can't be executed: {error.strerror}") from error
        return cls(process, on_line)

    @property
    def exit_code(self) -> int | None:
        """None while it lives; negative: the signal that ended it."""
        return self._process.returncode

    async def ended(self) -> int:
        """Wait until it has ended and its last words are read; returns the exit code."""
        code = await self._process.wait()
        # A grandchild may keep the pipe open; its words are not waited for.
        await asyncio.wait({self._reading}, timeout=_TAIL_S)
        return code

    async def look_around(self) -> bool:
        """Remember all descendants; whether any is new."""
        found = await asyncio.to_thread(processes.descendants, self.pid)
        own = processes.mark_of(self.pid) if self.exit_code is None else None
        known = set(self.marks)
        self.marks |= {one.pid: one for one in (*found, *([own] if own else []))}
        return set(self.marks) != known

    async def end(self, *, patience_s: float) -> list[ProcessMark]:
        """Ask it to end, wait, then end every descendant that is left; returns what lives even so.

        Only the parent is asked: vLLM's ends its children in order. What it leaves behind is ended by pid and
        start time.
        """
        await self.look_around()
        if self._process.stdin is not None:
            self._process.stdin.close()
        if self.exit_code is None:
            with suppress(ProcessLookupError):
                self._process.terminate()
            with suppress(TimeoutError):
                await asyncio.wait_for(self._process.wait(), patience_s)
        rest = [one for one in self.marks.values() if one.pid != self.pid or self.exit_code is None]
        if not await processes.vanished(rest, min(patience_s, 3.0)):
            rest = await processes.end(rest, patience_s=5.0)
        await self._close()
        return [one for one in rest if processes.find(one) is not None]

    async def _close(self) -> None:
        if self.exit_code is not None:
            await self.ended()
        self._reading.cancel()
        with suppress(asyncio.CancelledError):
            await self._reading

    async def _read(self) -> None:
        stream = self._process.stdout
        assert stream is not None
        splitter = LineSplitter()
        while data := await stream.read(_CHUNK):
            for line in splitter.feed(data):
                self._on_line(line)
        for line in splitter.end():
            self._on_line(line)
