"""A run's part of the scheduler's step record, and the figures from it.

The record lies in a folder beside the bench file; the run's facts name its part. It holds the scheduler's
calls or, with `record_steps = "stats"`, the figures that vLLM reports after each step.
"""

import asyncio
import contextlib
import math
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

import msgspec

from workbench.advice import StepWait
from workbench.base import UNREADABLE, Message, WorkbenchError, message
from workbench.results import Outcome, QueueSource, RequestRecord, RunFrame, enough_queue_times, plausible_ms
from workbench.servers import Server, step_record_files

_MOST_WAITS = 400_000
"""Steps kept; beyond that every other one is left out, since a soak has millions."""
_DECISIONS = ".steps.jsonl"
_NUMBERED = re.compile(r"-([0-9a-f]{8}-([0-9]+))(?:-|$)")
Announce = Callable[[Mapping[Path, int], float], None]


class _StepsHeader(msgspec.Struct, tag_field="ev", tag="header"):
    unseen: list[str] = []
    zero: float = 0.0
    time_scale: Annotated[float, msgspec.Meta(ge=1e-6, le=1e6)] = 1.0


class _Call(msgspec.Struct, tag_field="ev", tag="sched"):
    """The fields of a scheduler call that we use; others are skipped."""

    t: int
    mono: float
    us: float
    """Microseconds from its begin to `mono`."""
    sched: list[tuple[str, Annotated[int, msgspec.Meta(ge=0, le=1 << 40)]]]
    pre: list[tuple[str, int]]
    new: list[str]
    res: list[str]
    unseen: int = 0
    why: str | None = None


_headers = msgspec.json.Decoder(_StepsHeader)


class _Added(msgspec.Struct, tag_field="ev", tag="add"):
    id: str
    t_next: int


class _Ended(msgspec.Struct):
    id: str | None = None
    queue_s: float | None = None
    prefill_s: float | None = None


class _Stats(msgspec.Struct, tag_field="ev", tag="stats"):
    """The finished requests of a step; other fields are skipped."""

    finished: list[_Ended] = []


_Line = _Call | _Added | _Stats
_lines = msgspec.json.Decoder(_Line)
_BEGINNINGS = (b'{"ev":"sched"', b'{"ev":"add"', b'{"ev":"stats"')


class RecordPart(msgspec.Struct, frozen=True):
    """A run's part of one engine's record: first byte, and the one after its last."""

    file: Path
    begin: int
    end: int


class RunSteps(msgspec.Struct, kw_only=True):
    """Figures of the record for a run, all engines together."""

    file: Path
    begin: int
    """First byte of the run's part."""
    end: int
    more: list[RecordPart] = []
    """Parts of engines of higher data-parallel rank."""
    waits: list[StepWait] = []
    """In wall seconds since the schedule's start."""
    tokens_max: int | None = None
    """Most tokens in one step of one engine."""
    requeue_s: dict[str, float] = {}
    """Server seconds waited again after preemptions, by the engine's request id."""
    queue_s: dict[str, float] = {}
    """Server seconds from the first call that could schedule it to its scheduling, by the engine's id."""
    prefill_s: dict[str, float] = {}
    """Server seconds from there to the first token, by the engine's id; only from vLLM's figures."""
    unseen: list[str] = []
    """Data that the server's vLLM doesn't expose, such as `preemptions`."""
    zero: float | None = None
    """The schedule's start on the engines' clock; None if unknown."""
    queue_taken: bool = False
    """True if the run's queue times come from this record."""

    @property
    def source(self) -> QueueSource:
        """Kind of record."""
        return "stat_logger" if self.file.name.endswith(".stats.jsonl") else "recorder"

    def facts(self, bench: Path) -> dict[str, Any]:
        """Return the place of the run's part, relative to the bench file's folder."""
        # A record of figures has no steps to replay, so it gets other names.
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
    """Watches the record of one run; does nothing without one.

    Args:
        server: of the run.
        engines: the server's number of them.
        announce: called at the run's begin with the records that are written on this machine, the first byte
            of the run in each, and the schedule's start on the engines' clock.
    """

    def __init__(self, server: Server, engines: int = 1, announce: Announce | None = None) -> None:
        self.found: RunSteps | None = None
        self.missing: Message | None = None
        """The message on what the record lacks; None if it is complete."""
        self._server = server
        self._engines = engines
        self._announce = announce
        self._zero = 0.0
        self._ahead_s: float | None = None
        self._beginning: asyncio.Task[dict[Path, int]] | None = None

    def begin(self, zero: float) -> None:
        """Note the record's size; the schedule starts at `zero` of the run's clock."""
        self._zero = zero
        if self._server.steps_file is not None:
            self._beginning = asyncio.create_task(self._read_sizes())

    async def end(self) -> None:
        """Read the record's new lines; a missing record doesn't end the run."""
        if self._beginning is None:
            return
        begun = await self._beginning
        await asyncio.sleep(await self._server.flush_steps())
        ended = await self._sizes()
        parts = [RecordPart(file, begun.get(file, 0), end) for file, end in ended.items()]
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

    async def _read_sizes(self) -> dict[Path, int]:
        sizes = await self._sizes()
        self._ahead_s = await self._server.clock_ahead_s()
        first = next(iter(sizes), None)
        here = first is not None and first.name.endswith(_DECISIONS) and self._server.remote_host is None
        if self._announce is not None and here and self._ahead_s is not None:
            self._announce(sizes, self._zero + self._ahead_s)
        return sizes

    async def _sizes(self) -> dict[Path, int]:
        """Return the bytes written so far to each engine's local record."""
        try:
            first = await self._server.steps_here()
            return (
                {file: file.stat().st_size for file in step_record_files(first)} if first is not None else {}
            )
        except (OSError, WorkbenchError):
            return {}


def _read(parts: Sequence[RecordPart], zero: float | None) -> RunSteps:
    """Read the parts; `zero` is the schedule's start on the engines' clock, None if unknown."""
    first, *more = parts
    found = RunSteps(file=first.file, begin=first.begin, end=first.end, more=more, zero=zero)
    waits = [_read_part(part, zero, found, _MOST_WAITS // len(parts)) for part in parts]
    # Leave out as many steps of each engine, so that all have the same weight.
    every = max(thinned for _, thinned in waits)
    found.waits = [wait for kept, thinned in waits for wait in kept[:: every // thinned]]
    if more:
        found.waits.sort(key=lambda wait: wait.t)
    return found


def _read_part(
    part: RecordPart, zero: float | None, found: RunSteps, most: int
) -> tuple[list[StepWait], int]:
    """Return one engine's waits and their stride; put the other figures into `found`."""
    waits: list[StepWait] = []
    with part.file.open("rb") as lines:
        header = _header(lines.readline())
        if header is None:
            zero, header = None, _StepsHeader()
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


def _header(line: bytes) -> _StepsHeader | None:
    """Return the header; None if the record's clock is unknown."""
    try:
        return _headers.decode(line)
    except UNREADABLE:
        return None


def _lines_of(lines: Iterable[bytes], length: int) -> Iterator[_Line]:
    """Yield the known lines of the next `length` bytes; skip lines that are cut at either end."""
    for line in lines:
        length -= len(line)
        if line.startswith(_BEGINNINGS):
            with contextlib.suppress(*UNREADABLE):
                yield _lines.decode(line)
        if length <= 0:
            return


class _WaitTimes:
    """Computes waiting times line by line."""

    def __init__(self, found: RunSteps) -> None:
        self._found = found
        self._arrived: dict[str, int] = {}
        """By request id: the first call that can schedule it."""
        self._since: dict[str, float] = {}
        self._preempted: dict[str, float] = {}

    def add(self, line: _Line) -> None:
        """Read the next line."""
        if isinstance(line, _Call):
            self._on_call(line)
        elif isinstance(line, _Added):
            self._arrived[line.id] = line.t_next
        else:
            self._ended(line.finished)

    def _on_call(self, call: _Call) -> None:
        found, begun = self._found, call.mono - call.us / 1e6
        if call.unseen and "preemptions" not in found.unseen:
            found.unseen = [*found.unseen, "preemptions"]
        found.tokens_max = max(found.tokens_max or 0, sum(count for _, count in call.sched))
        # With lines missing, the start of their wait is unknown.
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
    """Fill in times that the server didn't report; return the changed records."""
    changed = _fill_field(records, "requeue_wait_ms", found.requeue_s)
    completed = [record for record in records if record.outcome is Outcome.COMPLETED]
    known = sum(record.queue_ms is not None for record in completed)
    if not known or not enough_queue_times(known, len(completed)):
        queued = _fill_field(records, "queue_ms", found.queue_s)
        found.queue_taken = bool(queued)
        changed |= queued | _fill_field(records, "prefill_ms", found.prefill_s)
    return list(changed.values())


def with_queue_source(found: RunSteps | None, frame: RunFrame) -> RunFrame:
    """Return the run's frame with the source of its queue times."""
    if found is None or not found.queue_taken:
        return frame
    return msgspec.structs.replace(frame, queue_source=found.source)


def _fill_field(
    records: Sequence[RequestRecord], field: str, seconds: Mapping[str, float]
) -> dict[str, RequestRecord]:
    """Put `seconds`, by the engine's ids, into requests without the field; return these by our ids."""
    if not seconds:
        return {}
    known = {record.request_id: record for record in records if getattr(record, field) is None}
    changed = {}
    for engine_id, value in seconds.items():
        name = sent_request_id(engine_id, known)
        milliseconds = plausible_ms(value * 1000)
        if name is not None and milliseconds is not None:
            record = changed[name] = known[name]
            setattr(record, field, round(milliseconds, 3))
    return changed


def sent_request_id(engine_id: str, known: Collection[str]) -> str | None:
    """Return the request id that was sent, from an engine's id such as `cmpl-ID-0-1f2e3d4c`."""
    _, _, left = engine_id.partition("-")
    while left:
        if left in known:
            return left
        left = left.rpartition("-")[0]
    return None


def sent_request_number(engine_id: str) -> tuple[str, int] | None:
    """Return the sent request id and the request's index in the schedule; None for a warm-up request."""
    found = _NUMBERED.search(engine_id)
    return (found[1], int(found[2])) if found else None
