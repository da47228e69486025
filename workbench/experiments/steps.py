"""The steps of the scheduler during one run, where the target has them recorded: what they say of the run.

A server's record stands in a folder beside the bench file; a run's part of it is named in the run's facts.
"""

import asyncio
import contextlib
from collections.abc import Collection, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import msgspec

from workbench.advice import StepWait
from workbench.base import WorkbenchError
from workbench.results import RequestRecord
from workbench.servers import Server

_MOST_WAITS = 400_000
"""Beyond that every other step is left out: a share of them says the same, and a soak has millions."""
_WRITTEN_S = 1.2
"""Recorders bring their lines to the file at least once a second."""


class _Header(msgspec.Struct, tag_field="ev", tag="header"):
    zero: float = 0.0
    time_scale: float = 1.0


class _Call(msgspec.Struct, tag_field="ev", tag="sched"):
    """Of a call of the scheduler only what is used here: the rest isn't decoded."""

    mono: float
    sched: list[tuple[str, int]]
    pre: list[tuple[str, int]]
    res: list[str]
    why: str | None = None


_headers = msgspec.json.Decoder(_Header)
_calls = msgspec.json.Decoder(_Call)
_CALL_BEGINS = b'{"ev":"sched"'


class RunSteps(msgspec.Struct, kw_only=True):
    """What the record says of a run."""

    file: Path
    begin: int
    """First byte of the run's part."""
    end: int
    waits: list[StepWait] = []
    """Wall seconds since the schedule's start."""
    tokens_max: int | None = None
    """Most tokens in one step."""
    requeue_s: dict[str, float] = {}
    """By the engine's request id: server seconds waited again after preemptions."""

    def facts(self, bench: Path) -> dict[str, Any]:
        """Where the run's part of the record is, from the bench file's folder."""
        file = self.file.relative_to(bench.parent) if self.file.is_relative_to(bench.parent) else self.file
        # Whoever replays steps or counts preemptions in them finds neither among figures.
        kind = "stats" if file.name.endswith(".stats.jsonl") else "steps"
        return {f"{kind}_file": file.as_posix(), f"{kind}_bytes": [self.begin, self.end]}


class StepWatching:
    """Watches the record of one run; without a record it does nothing."""

    def __init__(self, server: Server) -> None:
        self.found: RunSteps | None = None
        self._server = server
        self._zero = 0.0
        self._ahead_s: float | None = None
        self._beginning: asyncio.Task[int] | None = None

    def begin(self, zero: float) -> None:
        """The schedule starts at `zero` of the run's clock."""
        self._zero = zero
        if self._server.steps_file is not None:
            self._beginning = asyncio.create_task(self._look())

    async def end(self) -> None:
        """Read what was recorded since; a record that can't be had is no reason to lose the run."""
        if self._beginning is None:
            return
        begin = await self._beginning
        await asyncio.sleep(_WRITTEN_S)
        end = await self._size()
        file = self._server.steps_file
        if file is not None and end > begin:
            zero = None if self._ahead_s is None else self._zero + self._ahead_s
            self.found = await asyncio.to_thread(_read, file, begin, end, zero)

    async def _look(self) -> int:
        size = await self._size()
        self._ahead_s = await self._server.clock_ahead_s()
        return size

    async def _size(self) -> int:
        """Bytes that are written and here."""
        try:
            file = await self._server.steps_here()
            return file.stat().st_size if file is not None else 0
        except (OSError, WorkbenchError):
            return 0


def _read(file: Path, begin: int, end: int, zero: float | None) -> RunSteps:
    """`zero` is the schedule's start on the engine's clock; None: nobody knows."""
    with file.open("rb") as lines:
        header = _header(lines.readline())
        lines.seek(begin)
        found = RunSteps(file=file, begin=begin, end=end)
        preempted: dict[str, float] = {}
        every = 1
        for number, call in enumerate(_calls_of(lines, end - begin)):
            _take(found, call, preempted)
            if zero is None or number % every:
                continue
            t = header.zero + (call.mono - header.zero) / header.time_scale - zero
            found.waits.append(StepWait(t, call.why))
            if len(found.waits) > _MOST_WAITS:
                found.waits, every = found.waits[::2], 2 * every
    return found


def _header(line: bytes) -> _Header:
    try:
        return _headers.decode(line)
    except msgspec.DecodeError:
        return _Header()


def _calls_of(lines: Iterable[bytes], length: int) -> Iterator[_Call]:
    """Calls among the lines of the next `length` bytes; a line cut at either end isn't one."""
    for line in lines:
        length -= len(line)
        if line.startswith(_CALL_BEGINS):
            with contextlib.suppress(msgspec.DecodeError):
                yield _calls.decode(line)
        if length <= 0:
            return


def _take(found: RunSteps, call: _Call, preempted: dict[str, float]) -> None:
    tokens = sum(count for _, count in call.sched)
    found.tokens_max = max(found.tokens_max or 0, tokens)
    for name in call.res:
        since = preempted.pop(name, None)
        if since is not None:
            found.requeue_s[name] = found.requeue_s.get(name, 0.0) + call.mono - since
    preempted.update((name, call.mono) for name, _ in call.pre)


def requeued(found: RunSteps, records: Sequence[RequestRecord]) -> list[RequestRecord]:
    """Fill in how long preempted requests waited again, where the server didn't say; returns them."""
    if not found.requeue_s:
        return []
    known = {record.request_id: record for record in records if record.requeue_wait_ms is None}
    changed = {}
    for engine_id, seconds in found.requeue_s.items():
        name = our_id(engine_id, known)
        if name is not None:
            record = changed[name] = known[name]
            record.requeue_wait_ms = round((record.requeue_wait_ms or 0.0) + seconds * 1000, 3)
    return list(changed.values())


def our_id(engine_id: str, known: Collection[str]) -> str | None:
    """The request id that was sent, of an engine's id such as `cmpl-ID-0-1f2e3d4c`."""
    _, _, left = engine_id.partition("-")
    while left:
        if left in known:
            return left
        left = left.rpartition("-")[0]
    return None
