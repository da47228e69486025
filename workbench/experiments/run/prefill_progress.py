"""Progress of each long prompt, step by step, from a server's step record.

A prompt is long if it needs more than one step in any case: the part that the prefix cache lacks exceeds the
token budget of a step, or the long-prefill threshold.
"""

import asyncio
import contextlib
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from types import MappingProxyType

import msgspec

from workbench.base import UNREADABLE, now
from workbench.experiments.run.channel import Emit
from workbench.experiments.run.events import PrefillTracked, TrackedPrompt, encode_event
from workbench.servers import Server, step_record_files

POINTS_A_S = 10.0
"""Points kept of a prompt per wall second, besides its first and last."""
MOST_PROMPTS = 400
"""Prompts kept of a run; beyond that every other one is left out, evenly."""
MOST_POINTS = 12
"""Points kept of a finished prompt."""


class RecordHeader(msgspec.Struct, tag_field="ev", tag="header"):
    """The first line of a record; only the fields used here."""

    zero: float = 0.0
    time_scale: float = 1.0
    max_num_batched_tokens: int = 0
    long_prefill_token_threshold: int = 0


class _PrefillCall(msgspec.Struct, tag_field="ev", tag="sched"):
    t: int
    mono: float
    sched: list[tuple[str, int]]
    pre: list[tuple[str, int]]
    hit: dict[str, int]


class _Update(msgspec.Struct, tag_field="ev", tag="update"):
    mono: float


class _AddedPrompt(msgspec.Struct, tag_field="ev", tag="add"):
    id: str


class _FinishedPrompts(msgspec.Struct, tag_field="ev", tag="finish"):
    ids: list[str]


class _Limit(msgspec.Struct, tag_field="ev", tag="limit"):
    name: str
    new: int


_calls = msgspec.json.Decoder(_PrefillCall)
_updates = msgspec.json.Decoder(_Update)
_added = msgspec.json.Decoder(_AddedPrompt)
_ended = msgspec.json.Decoder(_FinishedPrompts)
_limits = msgspec.json.Decoder(_Limit)
_headers = msgspec.json.Decoder(RecordHeader)
_PROMPT = b'"prompt":['


def read_header(line: bytes) -> RecordHeader:
    """Return the header of a record.

    Raises:
        msgspec.DecodeError: the line is no header.
    """
    return _headers.decode(line)


class PromptProgress:
    """One long prompt: its scheduled tokens over time."""

    def __init__(self, name: str, tokens: int) -> None:
        self.name = name
        self.tokens = tokens
        self.points: list[tuple[float, int]] = []
        """Seconds of the run, and tokens."""
        self.computed = 0
        self.reported = 0
        """Number of points that `PrefillTracker.new_points` has returned."""
        self._kept_mono = float("-inf")

    def add(self, t: float, mono: float, *, last: bool = False) -> None:
        """Add a point for the present state; skip points that come too often."""
        if last or mono - self._kept_mono >= 1 / POINTS_A_S:
            self.points.append((t, self.tokens if last else min(self.computed, self.tokens)))
            self._kept_mono = mono

    def shorten(self) -> None:
        """Keep at most `MOST_POINTS` of a finished prompt, its first and last among them."""
        count = len(self.points)
        if count > MOST_POINTS:
            kept = sorted({round(n * (count - 1) / (MOST_POINTS - 1)) for n in range(MOST_POINTS)})
            self.points, self.reported = [self.points[place] for place in kept], MOST_POINTS


class PrefillTracker:
    """Tracks long prompts from the lines of a record, fed in order as bytes.

    Args:
        header: of the record.
        zero: the schedule's start on the engine's clock.
        scale: seconds of the run in a wall second.
        limits: limits at the run's begin that differ from the launched ones.
    """

    def __init__(
        self,
        header: RecordHeader,
        zero: float,
        scale: float,
        limits: Mapping[str, object] = MappingProxyType({}),
    ) -> None:
        self._header, self._zero, self._scale = header, zero, scale
        launched = {
            "max_num_batched_tokens": header.max_num_batched_tokens,
            "long_prefill_token_threshold": header.long_prefill_token_threshold,
        }
        at_begin = {name: limits.get(name) for name in launched}
        self._limits = launched | {name: value for name, value in at_begin.items() if isinstance(value, int)}
        self._lengths: dict[str, int] = {}
        """Token counts of added prompts that may be long."""
        self._active: dict[str, PromptProgress] = {}
        self._last_calls: dict[int, list[PromptProgress]] = {}
        """Prompts whose last part is in a call that hasn't been processed yet."""
        self._ended: list[PromptProgress] = []
        self._every = 1
        self._number = 0

    @property
    def span(self) -> int:
        """Most prompt tokens in a step; 0 if unknown."""
        return min((limit for limit in self._limits.values() if limit > 0), default=0)

    def feed(self, line: bytes) -> None:
        """Read one line; skip a cut line or one of another kind."""
        try:
            self._feed(line)
        except UNREADABLE:
            return

    def _feed(self, line: bytes) -> None:
        if line.startswith(b'{"ev":"sched"'):
            if self._active or self._lengths:
                self._scheduled(_calls.decode(line))
        elif line.startswith(b'{"ev":"update"'):
            self._updated(line)
        elif line.startswith(b'{"ev":"add"'):
            self._add(line)
        elif line.startswith(b'{"ev":"finish"'):
            if self._active or self._lengths:
                for name in _ended.decode(line).ids:
                    self._lengths.pop(name, None)
                    self._close(name)
        elif line.startswith(b'{"ev":"limit"'):
            limit = _limits.decode(line)
            if limit.name in self._limits:
                self._limits[limit.name] = limit.new

    def _add(self, line: bytes) -> None:
        begin = line.find(_PROMPT) + len(_PROMPT)
        end = line.find(b"]", begin)
        # Count the tokens of a prompt by its commas: decoding 100,000 tokens takes far longer.
        tokens = line.count(b",", begin, end) + 1
        if begin >= len(_PROMPT) and tokens > self.span > 0:
            self._lengths[_added.decode(line).id] = tokens

    def _scheduled(self, call: _PrefillCall) -> None:
        for name, _ in call.pre:
            if name in self._active:
                self._active[name].computed = 0
        for name, count in call.sched:
            prompt = self._active.get(name) or self._start(name, call)
            if prompt is None:
                continue
            if name in call.hit:
                prompt.computed = call.hit[name]
            prompt.add(self._place(call.mono), self._wall(call.mono))
            prompt.computed += count
            if prompt.computed >= prompt.tokens:
                self._last_calls.setdefault(call.t, []).append(prompt)
                del self._active[name]

    def _start(self, name: str, call: _PrefillCall) -> PromptProgress | None:
        tokens = self._lengths.pop(name, None)
        if tokens is None or tokens - call.hit.get(name, 0) <= self.span:
            return None
        prompt = self._active[name] = PromptProgress(name, tokens)
        return prompt

    def _updated(self, line: bytes) -> None:
        for number in list(self._last_calls):
            if line.startswith(b'{"ev":"update","t":%d,' % number):
                mono = _updates.decode(line).mono
                for prompt in self._last_calls.pop(number):
                    prompt.add(self._place(mono), self._wall(mono), last=True)
                    self._keep(prompt)

    def _close(self, name: str) -> None:
        """Close an aborted prompt, which gets no more tokens."""
        prompt = self._active.pop(name, None)
        if prompt is not None:
            self._keep(prompt)

    def _keep(self, prompt: PromptProgress) -> None:
        self._number += 1
        if self._number % self._every == 0:
            self._ended.append(prompt)
        if len(self._ended) > MOST_PROMPTS:
            self._ended, self._every = self._ended[::2], 2 * self._every

    def _wall(self, mono: float) -> float:
        header = self._header
        return header.zero + (mono - header.zero) / header.time_scale

    def _place(self, mono: float) -> float:
        return round((self._wall(mono) - self._zero) * self._scale, 3)

    def new_points(self) -> list[TrackedPrompt]:
        """Return the points since the last call, by prompt; then thin out the finished prompts."""
        found = [
            prompt_points for prompt in self._all() if (prompt_points := _points_of(prompt, prompt.reported))
        ]
        for prompt in self._all():
            prompt.reported = len(prompt.points)
        for prompt in self._ended:
            prompt.shorten()
        return found

    def all_points(self) -> list[TrackedPrompt]:
        """Return every kept prompt with its points since the schedule's start."""
        for prompt in self._ended:
            prompt.shorten()
        return [prompt_points for prompt in self._all() if (prompt_points := _points_of(prompt, 0))]

    def _all(self) -> Iterator[PromptProgress]:
        yield from self._ended
        for prompts in self._last_calls.values():
            yield from prompts
        yield from self._active.values()


def _points_of(prompt: PromptProgress, since: int) -> TrackedPrompt | None:
    points = [point for point in prompt.points[since:] if point[0] >= 0]
    return TrackedPrompt(id=prompt.name, tokens=prompt.tokens, points=points) if points else None


# Follow the step record while it is written, and emit the progress of long prompts.

LOOK_S = 0.25
"""Seconds between two reads of the record."""
MOST_BYTES = 8 << 20
"""Bytes of one read; the next one continues there."""
_RECORD = ".steps.jsonl"


class PrefillMonitor:
    """Follows the step record of one run; without a record it emits nothing.

    `limits` are in force when the run begins; `store` takes the line of the last event, which has the whole
    run.
    """

    def __init__(
        self,
        run: str,
        time_scale: float,
        server: Server,
        limits: Mapping[str, object],
        store: Callable[[str], None],
        emit: Emit,
    ) -> None:
        self._run, self._scale, self._server, self._limits = run, time_scale, server, limits
        self._store, self._emit = store, emit
        self._zero = 0.0
        self._records: dict[Path, _RecordReader] = {}
        """By the record's file, one for each engine."""
        self._over = asyncio.Event()
        self._task: asyncio.Task[None] | None = None

    def begin(self, zero: float) -> None:
        """Start following; the schedule starts at `zero` of the run's clock."""
        self._zero = zero
        file = self._server.steps_file
        if file is not None and file.name.endswith(_RECORD):
            self._find(file)
            self._task = asyncio.create_task(self._watch())

    def _find(self, first: Path) -> None:
        """Follow existing records from their present end."""
        for file in step_record_files(first):
            if file not in self._records:
                self._records[file] = _RecordReader(file, _size(file))

    async def end(self) -> None:
        """Emit and store the whole run; the load has ended and the record's last lines are there."""
        self._over.set()
        file = self._server.steps_file
        if self._task is None or file is None:
            return
        await self._task
        # Records of a remote server may have arrived meanwhile.
        for late in step_record_files(file):
            self._records.setdefault(late, _RecordReader(late, 0))
        await self._open()
        for record in self._opened():
            while await asyncio.to_thread(record.read):
                pass
        if self._opened():
            event = self._event(whole=True)
            self._store(encode_event(event).decode().strip())
            self._emit(event)

    def _opened(self) -> "list[_RecordReader]":
        return [record for record in self._records.values() if record.tracks is not None]

    async def _watch(self) -> None:
        # A remote server's record comes over the network at the run's end.
        if self._server.remote_host is not None:
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
        """Read the headers; without one, or without a common clock, nothing is emitted."""
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
            prompts=[
                prompt_points
                for one in tracks
                for prompt_points in (one.all_points() if whole else one.new_points())
            ],
            step_tokens=tracks[0].span or None,
            whole=whole,
        )


class _RecordReader:
    """The record of one engine, read from `offset` on."""

    def __init__(self, file: Path, offset: int) -> None:
        self.tracks: PrefillTracker | None = None
        """None until the header is read."""
        self._file, self._offset = file, offset
        self._rest = b""

    def open(self, zero: float, scale: float, limits: Mapping[str, object]) -> None:
        """Read the header; `zero` is the schedule's start on the engine's clock."""
        with contextlib.suppress(OSError, msgspec.DecodeError), self._file.open("rb") as lines:
            self.tracks = PrefillTracker(read_header(lines.readline()), zero, scale, limits)

    def read(self) -> bool:
        """Read the lines written since the last read; return whether there were any."""
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
