"""The step index as steps in time: what each step computed for whom, and why the queue's head waited."""

from dataclasses import dataclass, field

import numpy as np

from workbench.advice.blame.step_index import DECODE, PREEMPTED, PREFILL, REASONS, RECOMPUTE, StepIndex
from workbench.vllm_dialect import StepHeader


@dataclass(slots=True)
class Entry:
    """A request's part of one step, in tokens."""

    id: str
    prefill: int = 0
    """Prompt tokens computed for the first time."""
    recompute: int = 0
    """Tokens computed again after a preemption."""
    decode: int = 0
    """1 if the step computed its next output token."""
    context: int = 0
    """Tokens of its context after the step."""
    attention: float = 0.0
    """Prefill attention: tokens * (context before + tokens / 2)."""


@dataclass(slots=True)
class Step:
    """One call of the scheduler and the step that it started. Times are seconds of the record's clock."""

    number: int
    called: float
    """Start of the scheduler's call."""
    ended: float = 0.0
    """Its output was processed; 0: never."""
    budget: int = 0
    """Token budget in force."""
    entries: list[Entry] = field(default_factory=list)
    running: list[str] = field(default_factory=list)
    """The running requests after the call."""
    preempted: list[str] = field(default_factory=list)
    why: str | None = None
    """Why the head of the queue was not admitted."""
    waiting: int = 0

    @property
    def tokens(self) -> int:
        """Tokens of the step."""
        return sum(entry.prefill + entry.recompute + entry.decode for entry in self.entries)


@dataclass(slots=True)
class Life:
    """One request in the step record."""

    id: str
    first_call: int
    """The call that could have scheduled it first."""
    arrived: float | None = None
    """Time at which the front end received it; None if unknown."""
    finished: int | None = None
    """The step that ended it."""


@dataclass(slots=True)
class StepTrace:
    """A record, in order."""

    header: StepHeader
    steps: list[Step]
    lives: dict[str, Life]


def trace_of(index: StepIndex) -> StepTrace:
    """Return the steps of an index as objects."""
    ids = index.requests.ids
    columns = index.steps
    steps = [
        Step(number, called, 0.0 if np.isnan(ended) else ended, budget, why=REASONS[why], waiting=waiting)
        for number, called, ended, budget, why, waiting in zip(
            columns.number.tolist(),
            columns.called.tolist(),
            columns.ended.tolist(),
            columns.budget.tolist(),
            columns.why.tolist(),
            columns.waiting.tolist(),
            strict=True,
        )
    ]
    _add_entries(index, steps)
    for place, request, kind in _rows(index.events.place, index.events.request, index.events.kind):
        if kind == PREEMPTED:
            steps[place].preempted.append(ids[request])
    for request, begin, end in _rows(index.stays.request, index.stays.begin, index.stays.end):
        for step in steps[begin:end]:
            step.running.append(ids[request])
    requests = index.requests
    lives = {
        name: Life(name, first, None if np.isnan(arrived) else arrived, None if finished < 0 else finished)
        for name, first, arrived, finished in zip(
            ids,
            requests.first_call.tolist(),
            requests.arrived.tolist(),
            requests.finished.tolist(),
            strict=True,
        )
    }
    return StepTrace(index.header, steps, lives)


def _rows(*columns: "np.typing.NDArray[np.integer[np.typing.NBitBase]]") -> list[tuple[int, ...]]:
    return list(zip(*(column.tolist() for column in columns), strict=True))


def _add_entries(index: StepIndex, steps: list[Step]) -> None:
    entries, ids = index.entries, index.requests.ids
    rows = _rows(index.entry_place, entries.request, entries.kind, entries.tokens, index.context)
    for place, request, kind, tokens, context in rows:
        step = steps[place]
        name = ids[request]
        if not step.entries or step.entries[-1].id != name:
            step.entries.append(Entry(name))
        entry = step.entries[-1]
        entry.context = context
        if kind == DECODE:
            entry.decode += tokens
            continue
        if kind == PREFILL:
            entry.prefill += tokens
        elif kind == RECOMPUTE:
            entry.recompute += tokens
        entry.attention += tokens * (context - tokens / 2)
