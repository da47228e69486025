"""A step record as arrays: what the stage draws. No Qt.

Times are seconds since the schedule's start; for a simulated server they are simulated seconds.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from workbench.advice.blame import StepTrace

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Shorts = npt.NDArray[np.int32]
Bytes = npt.NDArray[np.uint8]
Bools = npt.NDArray[np.bool_]

DECODE, PREFILL, RECOMPUTE = 0, 1, 2
"""Kinds of an entry, by what most of its tokens are."""
REASONS = (None, "seat", "budget", "kv", "preempted_this_step")
"""Why the head of the queue was not admitted, by code."""


@dataclass(frozen=True, slots=True)
class StepColumns:
    """One row a step, in order."""

    number: Ints
    begin: Floats
    """Its own time begins: its call, or the end of the step before if that is later."""
    end: Floats
    budget: Shorts
    waiting: Shorts
    running: Shorts
    free: Shorts
    """Free KV blocks after the call."""
    why: Bytes
    """Index of `REASONS`."""

    def __len__(self) -> int:
        return len(self.begin)


@dataclass(frozen=True, slots=True)
class EntryColumns:
    """One row a request in a step, ordered by step, then as scheduled."""

    first: Ints
    """Shape (steps + 1,): the entries of step s are `first[s]:first[s + 1]`."""
    request: Shorts
    kind: Bytes
    tokens: Shorts
    again: Shorts
    """Tokens of these that were computed before a preemption."""
    context: Shorts
    """Tokens of its context after the step."""


@dataclass(frozen=True, slots=True)
class RequestColumns:
    """One row a request of the record."""

    ids: Sequence[str]
    """As sent by the client; the engine's id if the run doesn't know it."""
    number: Shorts
    """Index in the schedule; -1 if the run doesn't know it."""
    cls: Bytes
    """Index of `StepArrays.classes`."""
    prompt: Shorts
    first_call: Ints
    """The step that could have scheduled it first."""
    finished: Ints
    """The step that ended it; -1: none."""


@dataclass(frozen=True, slots=True)
class StepArrays:
    """A record of one engine."""

    steps: StepColumns
    entries: EntryColumns
    requests: RequestColumns
    classes: Sequence[str]
    """Names; requests that aren't in the run are of the last, "", if there are any."""
    preempted: Ints
    """Shape (preemptions, 2): step, request."""
    block_size: int
    blocks: int
    """KV blocks of the server, without the null block."""

    @property
    def begin(self) -> float:
        """Begin of the first step."""
        return float(self.steps.begin[0]) if len(self.steps) else 0.0

    @property
    def end(self) -> float:
        """End of the last step."""
        return float(self.steps.end[-1]) if len(self.steps) else 1.0

    def entries_of(self, step: int) -> slice:
        """Return the entries of a step."""
        return slice(int(self.entries.first[step]), int(self.entries.first[step + 1]))

    def step_at(self, t: float) -> int:
        """Return the step under way at `t`, or the last before it; -1 before the first."""
        return int(np.searchsorted(self.steps.begin, t, side="right")) - 1


@dataclass(frozen=True, slots=True)
class KnownRequest:
    """What the run knows of a request in the record."""

    id: str
    number: int
    cls: str


def arrays_of(trace: StepTrace, zero: float, known: Mapping[str, KnownRequest]) -> StepArrays:
    """Return a trace as arrays.

    Args:
        trace: steps in order.
        zero: the schedule's start on the record's clock.
        known: the run's requests by the engine's id.
    """
    classes = sorted({one.cls for one in known.values()} - {""})
    if not classes or any(not (name in known and known[name].cls) for name in trace.lives):
        classes = [*classes, ""]
    place = {name: at for at, name in enumerate(trace.lives)}
    at_step = {step.number: at for at, step in enumerate(trace.steps)}
    return StepArrays(
        steps=_steps(trace, zero),
        entries=_entries(trace, place),
        requests=_requests(trace, known, classes, at_step),
        classes=classes,
        preempted=np.array(
            [
                (at, place[name])
                for at, step in enumerate(trace.steps)
                for name in step.preempted
                if name in place
            ],
            dtype=np.int64,
        ).reshape(-1, 2),
        block_size=trace.header.block_size,
        blocks=trace.header.num_gpu_blocks - 1,
    )


def _steps(trace: StepTrace, zero: float) -> StepColumns:
    steps = trace.steps
    called = np.array([step.called for step in steps], dtype=np.float64) - zero
    ended = np.array([step.ended or np.nan for step in steps], dtype=np.float64) - zero
    # Without an end, a step lasts until the next call.
    following = np.append(called[1:], called[-1:])
    ended = np.maximum.accumulate(np.maximum(np.where(np.isnan(ended), following, ended), called))
    begin = np.maximum(called, np.concatenate(([-np.inf], ended[:-1])))
    return StepColumns(
        number=_column([step.number for step in steps], np.int64),
        begin=begin,
        end=np.maximum(ended, begin),
        budget=_column(_budgets(trace), np.int32),
        waiting=_column([step.waiting for step in steps], np.int32),
        running=_column([len(step.running) for step in steps], np.int32),
        free=_column([step.free for step in steps], np.int32),
        why=_column([REASONS.index(step.why) if step.why in REASONS else 0 for step in steps], np.uint8),
    )


def _budgets(trace: StepTrace) -> list[int]:
    if not trace.budget_changes:
        return [trace.budget_at(0)] * len(trace.steps)
    return [trace.budget_at(step.number) for step in trace.steps]


def _entries(trace: StepTrace, place: Mapping[str, int]) -> EntryColumns:
    rows = [
        (
            place[entry.id],
            RECOMPUTE if entry.recompute else PREFILL if entry.prefill else DECODE,
            entry.prefill + entry.recompute + entry.decode,
            entry.recompute,
            entry.context,
        )
        for step in trace.steps
        for entry in step.entries
    ]
    table = np.array(rows, dtype=np.int32).reshape(-1, 5)
    counts = [len(step.entries) for step in trace.steps]
    return EntryColumns(
        first=np.concatenate(([0], np.cumsum(counts, dtype=np.int64))).astype(np.int64),
        request=table[:, 0].copy(),
        kind=table[:, 1].astype(np.uint8),
        tokens=table[:, 2].copy(),
        again=table[:, 3].copy(),
        context=table[:, 4].copy(),
    )


def _requests(
    trace: StepTrace, known: Mapping[str, KnownRequest], classes: Sequence[str], at_step: Mapping[int, int]
) -> RequestColumns:
    lives = trace.lives.values()
    found = [known.get(life.id) for life in lives]
    return RequestColumns(
        ids=[one.id if one else life.id for one, life in zip(found, lives, strict=True)],
        number=_column([one.number if one else -1 for one in found], np.int32),
        cls=_column([classes.index(one.cls if one else "") for one in found], np.uint8),
        prompt=_column([life.prompt for life in lives], np.int32),
        first_call=_column([at_step.get(life.first_call, len(trace.steps)) for life in lives], np.int64),
        finished=_column(
            [at_step.get(life.finished, -1) if life.finished is not None else -1 for life in lives], np.int64
        ),
    )


def _column(values: Sequence[int], kind: Any) -> Any:
    return np.array(values, dtype=kind)
