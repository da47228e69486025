"""Follows the record of a server's steps while it is written: long prompts' progress as events of the run."""

import asyncio
import contextlib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import msgspec

from workbench.base import now
from workbench.experiments.channel import Emit
from workbench.experiments.events import PrefillTracked, encode_event
from workbench.experiments.prefill import PromptTracks, read_header
from workbench.servers import Server

LOOK_S = 0.25
"""Between two looks at the record."""
MOST_BYTES = 8 << 20
"""Read at a look; the next one goes on from there."""
_RECORD = ".steps.jsonl"


class PrefillWatching:
    """Follows the record of one run; where there is none it does nothing, and nothing is told.

    `limits` hold when the run begins; `store` takes the last event's line, which has all of the run.
    """

    def __init__(
        self,
        run: str,
        time_scale: float,
        server: Server,
        limits: Mapping[str, Any],
        store: Callable[[str], None],
        emit: Emit,
    ) -> None:
        self._run, self._scale, self._server, self._limits = run, time_scale, server, limits
        self._store, self._emit = store, emit
        self._zero = 0.0
        self._offset = 0
        self._rest = b""
        self._tracks: PromptTracks | None = None
        self._over = asyncio.Event()
        self._task: asyncio.Task[None] | None = None

    def begin(self, zero: float) -> None:
        """The schedule starts at `zero` of the run's clock."""
        self._zero = zero
        file = self._server.steps_file
        if file is not None and file.name.endswith(_RECORD):
            self._offset = _size(file)
            self._task = asyncio.create_task(self._watch(file))

    async def end(self) -> None:
        """The load has ended and the record's last lines are here: tell and keep all of it."""
        self._over.set()
        file = self._server.steps_file
        if self._task is None or file is None:
            return
        await self._task
        if self._tracks is None:
            await self._open(file)
        while self._tracks is not None and await asyncio.to_thread(self._read, file, self._tracks):
            pass
        if self._tracks is not None:
            event = self._event(self._tracks, whole=True)
            self._store(encode_event(event).decode().strip())
            self._emit(event)

    async def _watch(self, file: Path) -> None:
        # The record of a server elsewhere comes over the network, all of it at the end.
        if self._server.there is not None:
            return
        await self._open(file)
        while self._tracks is not None and not self._over.is_set():
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._over.wait(), LOOK_S)
            await asyncio.to_thread(self._read, file, self._tracks)
            event = self._event(self._tracks)
            if event.prompts and not self._over.is_set():
                self._emit(event)

    async def _open(self, file: Path) -> None:
        """Read the header; without one, or without a common clock, nothing can be told."""
        ahead_s = await self._server.clock_ahead_s()
        if ahead_s is None:
            return
        with contextlib.suppress(OSError, msgspec.DecodeError):
            with file.open("rb") as lines:
                header = read_header(lines.readline())
            self._tracks = PromptTracks(header, self._zero + ahead_s, self._scale, self._limits)
            self._emit(self._event(self._tracks))

    def _read(self, file: Path, tracks: PromptTracks) -> bool:
        """Take what was written since the last look; whether there was any."""
        try:
            with file.open("rb") as record:
                record.seek(self._offset)
                data = record.read(MOST_BYTES)
        except OSError:
            return False
        self._offset += len(data)
        *lines, self._rest = (self._rest + data).split(b"\n")
        for line in lines:
            tracks.feed(line)
        return bool(data)

    def _event(self, tracks: PromptTracks, *, whole: bool = False) -> PrefillTracked:
        return PrefillTracked(
            run=self._run,
            run_t=round(max(0.0, now() - self._zero) * self._scale, 3),
            prompts=tracks.whole() if whole else tracks.news(),
            step_tokens=tracks.span or None,
            whole=whole,
        )


def _size(file: Path) -> int:
    try:
        return file.stat().st_size
    except OSError:
        return 0
