"""The step record as steps in time: what each step computed for whom, and why the queue's head waited."""

from collections.abc import Iterable
from dataclasses import dataclass, field

from workbench.vllm_dialect import (
    AnyStepLine,
    RequestAdded,
    RequestsFinished,
    StepHeader,
    StepLimitChanged,
    StepScheduled,
    StepUpdated,
)


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
    entries: list[Entry] = field(default_factory=list)
    running: list[str] = field(default_factory=list)
    """The running requests after the call."""
    preempted: list[str] = field(default_factory=list)
    why: str | None = None
    """Why the head of the queue was not admitted."""
    waiting: int = 0
    free: int = 0
    """Free KV blocks after the call."""

    @property
    def tokens(self) -> int:
        """Tokens of the step."""
        return sum(entry.prefill + entry.recompute + entry.decode for entry in self.entries)


@dataclass(slots=True)
class Life:
    """One request in the step record."""

    id: str
    prompt: int
    first_call: int
    """The call that could have scheduled it first."""
    arrived: float | None = None
    """Time at which the front end received it; None if unknown."""
    computed: int = 0
    peak: int = 0
    """Most tokens computed before a preemption."""
    finished: int | None = None
    """The step that ended it."""


@dataclass(slots=True)
class StepTrace:
    """A record, in order."""

    header: StepHeader
    steps: list[Step] = field(default_factory=list)
    lives: dict[str, Life] = field(default_factory=dict)
    budget_changes: list[tuple[int, int]] = field(default_factory=list)
    """(first call with it, token budget)."""

    def budget_at(self, call: int) -> int:
        """Return the token budget in force at a call."""
        budget = self.header.max_num_scheduled_tokens or self.header.max_num_batched_tokens
        for since, value in self.budget_changes:
            if since <= call:
                budget = value
        return budget


def read_step_trace(lines: Iterable[AnyStepLine]) -> StepTrace:
    """Follow a record line by line.

    Args:
        lines: the header, then the record; lines of requests that were added before it are skipped.
    """
    iterator = iter(lines)
    header = next(iterator)
    assert isinstance(header, StepHeader)
    trace = StepTrace(header)
    open_calls: dict[int, Step] = {}
    for line in iterator:
        match line:
            case RequestAdded():
                trace.lives[line.id] = Life(line.id, len(line.prompt), line.t_next, line.arrived)
            case StepScheduled():
                step = _step(trace, line)
                trace.steps.append(step)
                open_calls[step.number] = step
            case StepUpdated():
                if line.t in open_calls:
                    open_calls.pop(line.t).ended = line.mono
                for name in line.fin:
                    if name in trace.lives:
                        trace.lives[name].finished = line.t
            case StepLimitChanged() if line.name == "max_num_batched_tokens" and line.t_next is not None:
                trace.budget_changes.append((line.t_next, line.new))
            case RequestsFinished():
                pass
    return trace


def _step(trace: StepTrace, line: StepScheduled) -> Step:
    step = Step(line.t, line.mono - line.us / 1e6, running=list(line.run), why=line.why)
    step.waiting, step.free = line.wait, line.free
    for name, _ in line.pre:
        step.preempted.append(name)
        if life := trace.lives.get(name):
            life.peak, life.computed = max(life.peak, life.computed), 0
    for name in (*line.new, *line.res):
        if life := trace.lives.get(name):
            life.computed = line.hit.get(name, 0)
    for name, tokens in line.sched:
        if life := trace.lives.get(name):
            step.entries.append(_entry(life, tokens))
    return step


def _entry(life: Life, tokens: int) -> Entry:
    before = life.computed
    life.computed += tokens
    if before >= max(life.prompt, life.peak):
        return Entry(life.id, decode=tokens, context=life.computed)
    attention = tokens * (before + tokens / 2)
    again = max(0, min(life.peak, life.computed) - before)
    return Entry(life.id, prefill=tokens - again, recompute=again, context=life.computed, attention=attention)
