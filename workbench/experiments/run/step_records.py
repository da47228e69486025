"""The steps of the scheduler during one run, where the target has them recorded: what they say of the run.

A server's record stands in a folder beside the bench file; a run's part of it is named in the run's facts. It
has the scheduler's calls, or (`record_steps = "stats"`) the figures that vLLM tells after each.
"""

import asyncio
import contextlib
import math
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

import msgspec

from workbench.advice import StepWait
from workbench.base import UNREADABLE, Message, WorkbenchError, message
from workbench.results import Outcome, QueueSource, RequestRecord, RunFrame, enough_queue_times, plausible_ms
from workbench.servers import Server, step_record_files

_MOST_WAITS = 400_000
"""Beyond that every other step is left out: a share of them says the same, and a soak has millions."""
_DECISIONS = ".steps.jsonl"
_WRITTEN_S = 1.2
"""Recorders bring their lines to the file at least once a second."""


class _Header(msgspec.Struct, tag_field="ev", tag="header"):
    unseen: list[str] = []
    zero: float = 0.0
    time_scale: Annotated[float, msgspec.Meta(ge=1e-6, le=1e6)] = 1.0


class _Call(msgspec.Struct, tag_field="ev", tag="sched"):
    """Of a call of the scheduler only what is used here: the rest isn't decoded."""

    t: int
    mono: float
    us: float
    """It began so long before `mono`."""
    sched: list[tuple[str, Annotated[int, msgspec.Meta(ge=0, le=1 << 40)]]]
    pre: list[tuple[str, int]]
    new: list[str]
    res: list[str]
    unseen: int = 0
    why: str | None = None


_headers = msgspec.json.Decoder(_Header)


class _Added(msgspec.Struct, tag_field="ev", tag="add"):
    id: str
    t_next: int


class _Ended(msgspec.Struct):
    id: str | None = None
    queue_s: float | None = None
    prefill_s: float | None = None


class _Stats(msgspec.Struct, tag_field="ev", tag="stats"):
    """Of the figures of a step only who ended."""

    finished: list[_Ended] = []


_Line = _Call | _Added | _Stats
_lines = msgspec.json.Decoder(_Line)
_BEGINNINGS = (b'{"ev":"sched"', b'{"ev":"add"', b'{"ev":"stats"')


class Part(msgspec.Struct, frozen=True):
    """A run's part of one engine's record: first byte, and the one after its last."""

    file: Path
    begin: int
    end: int


class RunSteps(msgspec.Struct, kw_only=True):
    """What the record says of a run, of all engines together."""

    file: Path
    begin: int
    """First byte of the run's part."""
    end: int
    more: list[Part] = []
    """Of engines of higher data-parallel rank."""
    waits: list[StepWait] = []
    """Wall seconds since the schedule's start."""
    tokens_max: int | None = None
    """Most tokens in one step of one engine."""
    requeue_s: dict[str, float] = {}
    """By the engine's request id: server seconds waited again after preemptions."""
    queue_s: dict[str, float] = {}
    """Likewise up to the first scheduling; it begins with the call that could have scheduled it first."""
    prefill_s: dict[str, float] = {}
    """Likewise from there to the first token; a record of calls doesn't tell it."""
    unseen: list[str] = []
    """What the server's vLLM doesn't let be seen, such as `preemptions`."""
    zero: float | None = None
    """The schedule's start on the engines' clock; None: unknown."""
    queue_taken: bool = False
    """Whether requests of the run have their queue times from here."""

    @property
    def source(self) -> QueueSource:
        """What kind of record this is."""
        return "stat_logger" if self.file.name.endswith(".stats.jsonl") else "recorder"

    def facts(self, bench: Path) -> dict[str, Any]:
        """Where the run's part of the record is, from the bench file's folder."""
        # Whoever replays steps or counts preemptions in them finds neither among figures.
        kind = "stats" if self.source == "stat_logger" else "steps"
        facts: dict[str, Any] = {
            f"{kind}_file": _below(self.file, bench.parent),
            f"{kind}_bytes": [self.begin, self.end],
        }
        if self.zero is not None and kind == "steps":
            facts["steps_zero"] = self.zero
        if self.more:
            facts[f"{kind}_more"] = [
                [_below(part.file, bench.parent), part.begin, part.end] for part in self.more
            ]
        return facts


def _below(file: Path, folder: Path) -> str:
    return (file.relative_to(folder) if file.is_relative_to(folder) else file).as_posix()


class StepRecordMonitor:
    """Watches the record of one run; without a record it does nothing. `engines`: that the server has."""

    def __init__(self, server: Server, engines: int = 1) -> None:
        self.found: RunSteps | None = None
        self.missing: Message | None = None
        """What the record lacks, in words; empty: nothing."""
        self._server = server
        self._engines = engines
        self._zero = 0.0
        self._ahead_s: float | None = None
        self._beginning: asyncio.Task[dict[Path, int]] | None = None

    def begin(self, zero: float) -> None:
        """The schedule starts at `zero` of the run's clock."""
        self._zero = zero
        if self._server.steps_file is not None:
            self._beginning = asyncio.create_task(self._look())

    async def end(self) -> None:
        """Read what was recorded since; a record that can't be had is no reason to lose the run."""
        if self._beginning is None:
            return
        begun = await self._beginning
        await asyncio.sleep(_WRITTEN_S)
        ended = await self._sizes()
        parts = [Part(file, begun.get(file, 0), end) for file, end in ended.items()]
        parts = [part for part in parts if part.end > part.begin]
        if not parts:
            return
        # The stat logger sits above all engines and writes one record.
        whole = self._engines if parts[0].file.name.endswith(_DECISIONS) else 1
        if len(ended) < whole:
            self.missing = message(
                "experiments.record_of_few_engines", found=len(ended), engines=self._engines
            )
            return
        zero = None if self._ahead_s is None else self._zero + self._ahead_s
        self.found = await asyncio.to_thread(_read, parts, zero)
        if self.found.unseen:
            self.missing = message("experiments.record_incomplete", what=self.found.unseen)

    async def _look(self) -> dict[Path, int]:
        sizes = await self._sizes()
        self._ahead_s = await self._server.clock_ahead_s()
        return sizes

    async def _sizes(self) -> dict[Path, int]:
        """Bytes that are written and here, of each engine's record."""
        try:
            first = await self._server.steps_here()
            return (
                {file: file.stat().st_size for file in step_record_files(first)} if first is not None else {}
            )
        except (OSError, WorkbenchError):
            return {}


def _read(parts: Sequence[Part], zero: float | None) -> RunSteps:
    """`zero` is the schedule's start on the engines' clock; None: nobody knows."""
    first, *more = parts
    found = RunSteps(file=first.file, begin=first.begin, end=first.end, more=more, zero=zero)
    waits = [_read_part(part, zero, found, _MOST_WAITS // len(parts)) for part in parts]
    # As many steps are left out of each engine's, so that none weighs more than it ran.
    every = max(thinned for _, thinned in waits)
    found.waits = [wait for kept, thinned in waits for wait in kept[:: every // thinned]]
    if more:
        found.waits.sort(key=lambda wait: wait.t)
    return found


def _read_part(part: Part, zero: float | None, found: RunSteps, most: int) -> tuple[list[StepWait], int]:
    """One engine's waits, and every which step they are of; the rest goes into `found`."""
    waits: list[StepWait] = []
    with part.file.open("rb") as lines:
        header = _header(lines.readline())
        if header is None:
            zero, header = None, _Header()
        found.unseen = [*found.unseen, *(each for each in header.unseen if each not in found.unseen)]
        lines.seek(part.begin)
        waiting = _WaitTimes(found)
        number, every = -1, 1
        for call in _lines_of(lines, part.end - part.begin):
            waiting.add(call)
            if not isinstance(call, _Call):
                continue
            number += 1
            if zero is None or number % every:
                continue
            t = header.zero + (call.mono - header.zero) / header.time_scale - zero
            if math.isfinite(t):
                waits.append(StepWait(t, call.why))
            if len(waits) > most:
                waits, every = waits[::2], 2 * every
    return waits, every


def _header(line: bytes) -> _Header | None:
    """None: by which clock the record goes isn't known."""
    try:
        return _headers.decode(line)
    except UNREADABLE:
        return None


def _lines_of(lines: Iterable[bytes], length: int) -> Iterator[_Line]:
    """Those that say something here, of the next `length` bytes; a line cut at either end isn't one."""
    for line in lines:
        length -= len(line)
        if line.startswith(_BEGINNINGS):
            with contextlib.suppress(*UNREADABLE):
                yield _lines.decode(line)
        if length <= 0:
            return


class _WaitTimes:
    """Follows who waits for a step, line by line."""

    def __init__(self, found: RunSteps) -> None:
        self._found = found
        self._arrived: dict[str, int] = {}
        """The call that can first schedule it."""
        self._since: dict[str, float] = {}
        self._preempted: dict[str, float] = {}

    def add(self, line: _Line) -> None:
        """The next line."""
        if isinstance(line, _Call):
            self._called(line)
        elif isinstance(line, _Added):
            self._arrived[line.id] = line.t_next
        else:
            self._ended(line.finished)

    def _called(self, call: _Call) -> None:
        found, begun = self._found, call.mono - call.us / 1e6
        if call.unseen and "preemptions" not in found.unseen:
            found.unseen = [*found.unseen, "preemptions"]
        found.tokens_max = max(found.tokens_max or 0, sum(count for _, count in call.sched))
        # Where lines are missing, since when they wait isn't known.
        self._since.update((name, begun) for name, first in self._arrived.items() if first == call.t)
        self._arrived.clear()
        for name in call.new:
            since = self._since.pop(name, None)
            if since is not None:
                found.queue_s[name] = begun - since
        for name in call.res:
            since = self._preempted.pop(name, None)
            if since is not None:
                found.requeue_s[name] = found.requeue_s.get(name, 0.0) + call.mono - since
        self._preempted.update((name, call.mono) for name, _ in call.pre)

    def _ended(self, ended: Sequence[_Ended]) -> None:
        for one in ended:
            if one.id is not None and one.queue_s is not None:
                self._found.queue_s[one.id] = one.queue_s
            if one.id is not None and one.prefill_s is not None:
                self._found.prefill_s[one.id] = one.prefill_s


def fill_missing_times(found: RunSteps, records: Sequence[RequestRecord]) -> list[RequestRecord]:
    """Fill in what the server didn't say of its requests and the record does; returns those that changed."""
    changed = _fill(records, "requeue_wait_ms", found.requeue_s)
    completed = [record for record in records if record.outcome is Outcome.COMPLETED]
    told = sum(record.queue_ms is not None for record in completed)
    if not told or not enough_queue_times(told, len(completed)):
        queued = _fill(records, "queue_ms", found.queue_s)
        found.queue_taken = bool(queued)
        changed |= queued | _fill(records, "prefill_ms", found.prefill_s)
    return list(changed.values())


def with_queue_source(found: RunSteps | None, frame: RunFrame) -> RunFrame:
    """The frame of a run, with who told the queue times of its requests."""
    if found is None or not found.queue_taken:
        return frame
    return msgspec.structs.replace(frame, queue_source=found.source)


def _fill(
    records: Sequence[RequestRecord], field: str, seconds: Mapping[str, float]
) -> dict[str, RequestRecord]:
    """Put `seconds`, by the engine's ids, into requests that lack the field; returns these by our ids."""
    if not seconds:
        return {}
    known = {record.request_id: record for record in records if getattr(record, field) is None}
    changed = {}
    for engine_id, value in seconds.items():
        name = our_id(engine_id, known)
        told = plausible_ms(value * 1000)
        if name is not None and told is not None:
            record = changed[name] = known[name]
            setattr(record, field, round(told, 3))
    return changed


def our_id(engine_id: str, known: Collection[str]) -> str | None:
    """The request id that was sent, of an engine's id such as `cmpl-ID-0-1f2e3d4c`."""
    _, _, left = engine_id.partition("-")
    while left:
        if left in known:
            return left
        left = left.rpartition("-")[0]
    return None
