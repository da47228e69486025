"""The events after a step of a record: arrivals, clients that leave, changed limits, cache resets."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from workbench.engine.fork.recording import Recording
from workbench.vllm_dialect import (
    AnyStepLine,
    PrefixCacheReset,
    RequestAdded,
    RequestsFinished,
    StepLimitChanged,
    StepScheduled,
    StepUpdated,
)


@dataclass(frozen=True, slots=True)
class Trigger:
    """The end that sends a request: that of one request, or the n-th end of the run."""

    after: str | int
    delay_s: float


class Sent(NamedTuple):
    """A request, and the times at which it reaches the front and the scheduler."""

    due: float
    at: float
    line: RequestAdded


@dataclass(slots=True)
class Ahead:
    """Events after a line, in record time."""

    adds: list[Sent] = field(default_factory=list)
    triggers: dict[str, Trigger] = field(default_factory=dict)
    """Requests that aren't sent at a time but after an end."""
    limits: list[tuple[float, StepLimitChanged | PrefixCacheReset]] = field(default_factory=list)
    leave_after_tokens: dict[str, int] = field(default_factory=dict)
    leave_after_s: dict[str, float] = field(default_factory=dict)
    """Requests that their clients leave, by received tokens or, without any, by time since arrival."""
    ends: int = 0
    """Ends of the run's requests before the line."""


class RunEvents:
    """Times of a record's requests, from one pass over its lines."""

    def __init__(self, recording: Recording) -> None:
        self._recording = recording
        self.arrived: dict[str, float] = {}
        self.ended: dict[str, float] = {}
        self.ended_line: dict[str, int] = {}
        self.updated: dict[int, float] = {}
        """Time of each call's output."""
        self._tokens: dict[str, int] = {}
        self.left: dict[str, float] = {}
        """Times of the requests that their clients left."""
        self._earliest: dict[str, float] = {}
        """Time of the last call that didn't see a request yet."""
        self.front_s = math.inf
        """Time from a request's arrival at the front to the scheduler: the least delay seen."""
        self._times = self._read(recording.lines)
        if math.isinf(self.front_s):
            self.front_s = 0.0

    def _read(self, lines: Sequence[AnyStepLine]) -> list[float]:
        """Return the time of each line: its own, or that of the next call."""
        times = [0.0] * len(lines)
        waiting: list[int] = []
        before = -math.inf
        for number, line in enumerate(lines):
            match line:
                case StepScheduled():
                    called = line.mono - line.us / 1e6
                    for earlier in waiting:
                        times[earlier] = called
                        self._note(earlier, lines[earlier], before, called)
                    waiting.clear()
                    before = called
                    times[number] = called
                case StepUpdated():
                    self._end_all(number, line)
                    times[number] = line.mono
                case RequestAdded() | RequestsFinished() | StepLimitChanged() | PrefixCacheReset():
                    waiting.append(number)
                case _:
                    pass
        return times

    def _note(self, number: int, line: AnyStepLine, before: float, called: float) -> None:
        if isinstance(line, RequestAdded):
            self.arrived[line.id], self._earliest[line.id] = called, before
            if line.arrived is not None:
                self.arrived[line.id] = min(line.arrived, called)
                self.front_s = min(self.front_s, called - self.arrived[line.id])
        elif isinstance(line, RequestsFinished):
            for name in line.ids:
                if name not in self.ended:
                    self.ended[name], self.ended_line[name] = called, number
                    self.left[name] = called

    def _end_all(self, number: int, line: StepUpdated) -> None:
        self.updated[line.t] = line.mono
        for name, tokens in line.tok.items():
            self._tokens[name] = self._tokens.get(name, 0) + len(tokens)
        for name in line.fin:
            self.ended[name], self.ended_line[name] = line.mono, number

    def time_of(self, number: int) -> float:
        """Return the time of a line."""
        return self._times[number]

    def ahead(self, number: int) -> Ahead:
        """Return what comes after a line."""
        recording, found = self._recording, Ahead()
        begin = recording.begin
        found.ends = sum(begin <= at <= number for at in self.ended_line.values())
        for place in range(number + 1, len(recording.lines)):
            line = recording.lines[place]
            if isinstance(line, RequestAdded) and line.id in self.arrived:
                due = self.arrived[line.id]
                found.adds.append(Sent(due, max(due + self.front_s, self._earliest[line.id]), line))
            elif isinstance(line, StepLimitChanged | PrefixCacheReset):
                found.limits.append((self._times[place], line))
        for name, at in self.left.items():
            if self.ended_line[name] > number:
                if tokens := self._tokens.get(name, 0):
                    found.leave_after_tokens[name] = tokens
                else:
                    found.leave_after_s[name] = max(0.0, at - self.arrived.get(name, at))
        self._find_triggers(found, number)
        return found

    def _find_triggers(self, found: Ahead, number: int) -> None:
        """Note the requests that wait for an end after the line: of their session, or of any request."""
        recording = self._recording
        for at, _, line in found.adds:
            before = recording.follows.get(line.id)
            if before is not None and self.ended_line.get(before, -1) > number:
                found.triggers[line.id] = Trigger(before, max(0.0, at - self.ended[before]))
        if recording.concurrency is None or recording.follows:
            return
        order = sorted(at for name, at in self.ended.items() if self.ended_line[name] >= recording.begin)
        begun = [line.id for line in recording.lines[recording.begin :] if isinstance(line, RequestAdded)]
        place = {name: index for index, name in enumerate(begun)}
        for at, _, line in found.adds:
            end = place[line.id] - recording.concurrency
            if found.ends <= end < len(order):
                found.triggers[line.id] = Trigger(end, max(0.0, at - order[end]))
