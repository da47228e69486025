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
from workbench.servers import Server, records_of

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
        self._records: dict[Path, _Following] = {}
        """Of each engine of the server."""
        self._over = asyncio.Event()
        self._task: asyncio.Task[None] | None = None

    def begin(self, zero: float) -> None:
        """The schedule starts at `zero` of the run's clock."""
        self._zero = zero
        file = self._server.steps_file
        if file is not None and file.name.endswith(_RECORD):
            self._find(file)
            self._task = asyncio.create_task(self._watch())

    def _find(self, first: Path) -> None:
        """Follow records that are there, from their end on."""
        for file in records_of(first):
            if file not in self._records:
                self._records[file] = _Following(file, _size(file))

    async def end(self) -> None:
        """The load has ended and the record's last lines are here: tell and keep all of it."""
        self._over.set()
        file = self._server.steps_file
        if self._task is None or file is None:
            return
        await self._task
        # Records of a server elsewhere may have come meanwhile.
        for late in records_of(file):
            self._records.setdefault(late, _Following(late, 0))
        await self._open()
        for record in self._opened():
            while await asyncio.to_thread(record.read):
                pass
        if self._opened():
            event = self._event(whole=True)
            self._store(encode_event(event).decode().strip())
            self._emit(event)

    def _opened(self) -> "list[_Following]":
        return [record for record in self._records.values() if record.tracks is not None]

    async def _watch(self) -> None:
        # The record of a server elsewhere comes over the network, all of it at the end.
        if self._server.there is not None:
            return
        await self._open()
        while self._opened() and not self._over.is_set():
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._over.wait(), LOOK_S)
            for record in self._opened():
                await asyncio.to_thread(record.read)
            event = self._event()
            if event.prompts and not self._over.is_set():
                self._emit(event)

    async def _open(self) -> None:
        """Read the headers; without one, or without a common clock, nothing can be told."""
        unread = [record for record in self._records.values() if record.tracks is None]
        ahead_s = await self._server.clock_ahead_s() if unread else None
        if ahead_s is None:
            return
        for record in unread:
            record.open(self._zero + ahead_s, self._scale, self._limits)
        if self._opened():
            self._emit(self._event())

    def _event(self, *, whole: bool = False) -> PrefillTracked:
        tracks = [record.tracks for record in self._opened() if record.tracks is not None]
        return PrefillTracked(
            run=self._run,
            run_t=round(max(0.0, now() - self._zero) * self._scale, 3),
            prompts=[told for one in tracks for told in (one.whole() if whole else one.news())],
            step_tokens=tracks[0].span or None,
            whole=whole,
        )


class _Following:
    """The record of one engine, read on from `offset`."""

    def __init__(self, file: Path, offset: int) -> None:
        self.tracks: PromptTracks | None = None
        """None: its header isn't read."""
        self._file, self._offset = file, offset
        self._rest = b""

    def open(self, zero: float, scale: float, limits: Mapping[str, Any]) -> None:
        """Read the header; `zero` is the schedule's start on the engine's clock."""
        with contextlib.suppress(OSError, msgspec.DecodeError), self._file.open("rb") as lines:
            self.tracks = PromptTracks(read_header(lines.readline()), zero, scale, limits)

    def read(self) -> bool:
        """Take what was written since the last look; whether there was any."""
        assert self.tracks is not None
        try:
            with self._file.open("rb") as record:
                record.seek(self._offset)
                data = record.read(MOST_BYTES)
        except OSError:
            return False
        self._offset += len(data)
        *lines, self._rest = (self._rest + data).split(b"\n")
        for line in lines:
            self.tracks.feed(line)
        return bool(data)


def _size(file: Path) -> int:
    try:
        return file.stat().st_size
    except OSError:
        return 0
