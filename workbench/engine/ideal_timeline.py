"""The engine's loop on an ideal clock (rule 1.8).

The clock is simulated seconds. A busy engine's next step starts exactly at the end of the step before, and an
idle engine starts at the arrival's own stamp. So a process that wakes late makes the same decisions. Nothing
here waits; the caller moves the clock.
"""

from collections import deque
from collections.abc import Callable, Sequence
from typing import NamedTuple, Protocol

from workbench.engine.scheduler import BatchQueue, EngineCoreOutputs, Request, Scheduler, SchedulerOutput

_STUCK = 3
"""Empty steps in a row after which only an input or a changed limit can help: with chunked prefill off and
the budget below a prompt, vLLM's loop would spin."""


class Arrival(NamedTuple):
    """A request or its abort, and the time at which the front sent it."""

    stamp: float
    request: Request
    abort: bool = False


class Watcher(Protocol):
    """Observer of a timeline; all times are ideal."""

    def added(self, request: Request, now: float) -> None:
        """Note that a request left the input queue for the scheduler."""

    def aborted(self, request: Request) -> None:
        """Note that an unfinished request was aborted."""

    def scheduled(self, step: SchedulerOutput, now: float) -> None:
        """Note a call of schedule()."""

    def updated(self, step: SchedulerOutput, update: EngineCoreOutputs, now: float) -> None:
        """Note that a step's output was processed."""


class Timeline:
    """Drives a scheduler through ideal time.

    Args:
        scheduler: makes the decisions; its settings limit the steps in flight.
        duration: simulated seconds of a non-empty step.
        watcher: observer of all events, in order.
        gather_s: wait of an idle engine after the first arrival, for static batching, whose batch then
            closes; vLLM itself never waits.
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
        """Time of the loop."""
        return self._now

    def resume(self, now: float, in_flight: Sequence[tuple[SchedulerOutput, float]]) -> None:
        """Go on at `now` with steps in flight, oldest first, each with its end; the newest just began."""
        self._now = now
        self._ends = {step.step_index: end for step, end in in_flight}
        self._busy_until = max(self._ends.values(), default=now)
        self._due = self._batch_queue.resume(step for step, _ in in_flight)
        if self._due is None:
            self._launch()

    def hand_in(self, arrival: Arrival) -> None:
        """Put an arrival into the input queue; stamps never decrease."""
        self._inputs.append(arrival)

    def next_event(self) -> float | None:
        """Return the ideal time of the next event; None while idle with an empty input queue."""
        if self._due is not None:
            return self._ends[self._due.step_index]
        return self._first_look() if self._inputs else None

    def run_one(self) -> None:
        """Run the next event: process the awaited step's output, if any, then schedule."""
        if self._due is not None:
            self._land(self._due)
        elif self._inputs:
            self._now = self._first_look()
        self._launch()

    def _first_look(self) -> float:
        """Return the time at which an idle engine reads its input queue."""
        return max(self._now, self._inputs[0].stamp + self._gather_s)

    def nudge(self, now: float) -> None:
        """Try to schedule again: a limit was changed."""
        self._idle_steps = 0
        if self._due is None:
            self._now = max(self._now, now)
            self._launch()

    def _launch(self) -> None:
        """Iterate until a step must be awaited."""
        while self._due is None:
            self._drain()
            if not self._batch_queue.has_work() or self._idle_steps >= _STUCK:
                return
            iteration = self._batch_queue.step()
            if iteration.scheduled is not None:
                self._start(iteration.scheduled)
            self._due = iteration.awaited

    def _start(self, step: SchedulerOutput) -> None:
        """Start a step when the GPU is free."""
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
        """Take the adds and aborts that arrived by now, in their order."""
        while self._inputs and self._inputs[0].stamp <= self._now:
            _, request, abort = self._inputs.popleft()
            self._idle_steps = 0
            if abort:
                self._abort(request)
            else:
                self._scheduler.add_request(request)
                self._watcher.added(request, self._now)

    def _abort_meanwhile(self) -> None:
        """Apply aborts that arrived during the step before its output (rule 1.9-2); adds wait."""
        for stamp, request, abort in self._inputs:
            if stamp > self._now:
                break
            if abort:
                self._abort(request)

    def _abort(self, request: Request) -> None:
        if self._scheduler.finish_requests(request.request_id):
            self._watcher.aborted(request)
