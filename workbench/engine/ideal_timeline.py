"""The engine's loop on an ideal clock (rule 1.8: what is drained when, how many steps are in flight).

The clock is simulated seconds. The next step of a busy engine starts exactly where the one before ended,
and an idle engine starts at the arrival's own stamp: so when the process wakes late, it decides what it
would have decided in time. Nothing here waits; the caller says how far the clock has come.
"""

from collections import deque
from collections.abc import Callable
from typing import NamedTuple, Protocol

from workbench.engine.scheduler import BatchQueue, EngineCoreOutputs, Request, Scheduler, SchedulerOutput

_STUCK = 3
"""Empty steps in a row, in no time, after which only an input or a changed limit can help: with chunked
prefill off and the budget lowered below a prompt, vLLM's loop would spin here."""


class Arrival(NamedTuple):
    """A request, or the abort of one, and when the front handed it over."""

    stamp: float
    request: Request
    abort: bool = False


class Watcher(Protocol):
    """Who is told what happened, with its ideal time."""

    def added(self, request: Request, now: float) -> None:
        """The scheduler took it from the input queue."""

    def aborted(self, request: Request) -> None:
        """It was alive and is not any more."""

    def scheduled(self, step: SchedulerOutput, now: float) -> None:
        """schedule() was called."""

    def updated(self, step: SchedulerOutput, update: EngineCoreOutputs, now: float) -> None:
        """The step's output was processed."""


class Timeline:
    """Drives a scheduler through ideal time.

    Args:
        scheduler: what decides; its own settings say how many steps may be in flight.
        duration: simulated seconds that a non-empty step takes.
        watcher: told of everything, in order.
        gather_s: how long an idle engine waits for more after the first arrival. For static batching, where
            who comes a moment later misses the batch; vLLM itself never waits.
    """

    def __init__(
        self,
        scheduler: Scheduler,
        duration: Callable[[SchedulerOutput], float],
        watcher: Watcher,
        *,
        gather_s: float = 0.0,
    ) -> None:
        self._scheduler = scheduler
        self._batch_queue = BatchQueue(scheduler)
        self._duration = duration
        self._watcher = watcher
        self._inputs: deque[Arrival] = deque()
        self._now = 0.0
        self._ends: dict[int, float] = {}
        self._busy_until = 0.0
        self._due: SchedulerOutput | None = None
        self._idle_steps = 0
        self._gather_s = gather_s

    @property
    def now(self) -> float:
        """Where the loop stands."""
        return self._now

    def hand_in(self, arrival: Arrival) -> None:
        """Put something into the input queue; stamps never decrease."""
        self._inputs.append(arrival)

    def next_event(self) -> float | None:
        """Ideal time of the next thing to do; None while idle with an empty input queue."""
        if self._due is not None:
            return self._ends[self._due.step_index]
        return self._first_look() if self._inputs else None

    def run_one(self) -> None:
        """Do what is due at `next_event`: process the awaited step's output if any, then schedule."""
        if self._due is not None:
            self._land(self._due)
        elif self._inputs:
            self._now = self._first_look()
        self._launch()

    def _first_look(self) -> float:
        """When an idle engine looks at its input queue."""
        return max(self._now, self._inputs[0].stamp + self._gather_s)

    def nudge(self, now: float) -> None:
        """Look again whether something can be scheduled: a limit was changed."""
        self._idle_steps = 0
        if self._due is None:
            self._now = max(self._now, now)
            self._launch()

    def _launch(self) -> None:
        """Iterate until there is a step to wait for."""
        while self._due is None:
            self._drain()
            if not self._batch_queue.has_work() or self._idle_steps >= _STUCK:
                return
            iteration = self._batch_queue.step()
            if iteration.scheduled is not None:
                self._start(iteration.scheduled)
            self._due = iteration.awaited

    def _start(self, step: SchedulerOutput) -> None:
        """The GPU takes it up when the step before has left it."""
        begin = max(self._now, self._busy_until)
        self._busy_until = begin + (self._duration(step) if step.num_scheduled_tokens else 0.0)
        self._ends[step.step_index] = self._busy_until
        self._watcher.scheduled(step, self._now)

    def _land(self, step: SchedulerOutput) -> None:
        self._due = None
        self._now = max(self._now, self._ends.pop(step.step_index))
        self._idle_steps = 0 if step.num_scheduled_tokens else self._idle_steps + 1
        self._abort_meanwhile()
        self._watcher.updated(step, self._scheduler.update_from_output(step), self._now)

    def _drain(self) -> None:
        """Take adds and aborts that had come by now, in their order."""
        while self._inputs and self._inputs[0].stamp <= self._now:
            _, request, abort = self._inputs.popleft()
            self._idle_steps = 0
            if abort:
                self._abort(request)
            else:
                self._scheduler.add_request(request)
                self._watcher.added(request, self._now)

    def _abort_meanwhile(self) -> None:
        """Aborts that came while the step ran are applied before its output (rule 1.9-2), adds are not."""
        for stamp, request, abort in self._inputs:
            if stamp > self._now:
                break
            if abort:
                self._abort(request)

    def _abort(self, request: Request) -> None:
        if self._scheduler.finish_requests(request.request_id):
            self._watcher.aborted(request)
