"""The order of schedule() and update_from_output() in the engine's loop (rule 1.8)."""

from collections import deque
from collections.abc import Iterable
from typing import NamedTuple

from workbench.engine.scheduler.output import SchedulerOutput
from workbench.engine.scheduler.scheduler import Scheduler


class EngineIteration(NamedTuple):
    """The step that an iteration scheduled, and the one whose output it awaits; None: no such step."""

    scheduled: SchedulerOutput | None
    awaited: SchedulerOutput | None


class BatchQueue:
    """Steps in flight: at most one under sync scheduling, at most two under async.

    This is vLLM's `EngineCore.step()` and `step_with_batch_queue()` without the model: call `step()`; if it
    names a step to await, wait until that ends, apply the aborts that came meanwhile, and call
    `scheduler.update_from_output()`.
    """

    def __init__(self, scheduler: Scheduler) -> None:
        self._scheduler = scheduler
        self._size = 2 if scheduler.config.async_scheduling else 1
        self._queue: deque[SchedulerOutput] = deque()

    def __len__(self) -> int:
        """Return the number of steps scheduled and not yet awaited, empty ones included."""
        return len(self._queue)

    def resume(self, steps: Iterable[SchedulerOutput]) -> SchedulerOutput | None:
        """Go on with these steps in flight, oldest first, the newest just scheduled.

        Returns:
            The step to await; None if another one is scheduled first.
        """
        self._queue = deque(steps)
        return self._queue.popleft() if len(self._queue) >= self._size else None

    def has_work(self) -> bool:
        """Return whether another iteration is needed before anything new arrives."""
        return bool(self._queue) or self._scheduler.has_requests()

    def step(self) -> EngineIteration:
        """Schedule if there are requests; await the oldest step once the queue is full or no work is left."""
        scheduled: SchedulerOutput | None = None
        if self._scheduler.has_requests():
            scheduled = self._scheduler.schedule()
            self._queue.append(scheduled)
            more = bool(scheduled.num_scheduled_tokens) or self._scheduler.has_requests()
            if len(self._queue) < self._size and more:
                return EngineIteration(scheduled, None)
        return EngineIteration(scheduled, self._queue.popleft() if self._queue else None)
