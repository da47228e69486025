"""The order in which an engine loop schedules and updates (rule 1.8)."""

from collections import deque
from typing import NamedTuple

from workbench.engine.scheduler.output import Step
from workbench.engine.scheduler.scheduler import Scheduler


class Turn(NamedTuple):
    """One engine iteration: what was scheduled (None: nothing to do), and whose output is to be awaited."""

    launched: Step | None
    due: Step | None


class Pipeline:
    """Steps in flight: at most one under sync scheduling, at most two under async.

    One engine iteration is `turn()`; then, if it names a `due` step: wait until that step ends, apply the
    aborts that came meanwhile, `scheduler.update(due)`.
    """

    def __init__(self, scheduler: Scheduler) -> None:
        self._scheduler = scheduler
        self._depth = 2 if scheduler.config.async_scheduling else 1
        self._in_flight: deque[Step] = deque()

    @property
    def in_flight(self) -> int:
        """Steps launched and not yet due, empty ones included."""
        return len(self._in_flight)

    def has_work(self) -> bool:
        """Whether another turn is needed before anything new arrives."""
        return bool(self._in_flight) or self._scheduler.has_work()

    def turn(self) -> Turn:
        """Schedule if there is anything to; name the oldest step if the queue is full or work ran out."""
        launched: Step | None = None
        if self._scheduler.has_work():
            launched = self._scheduler.schedule()
            self._in_flight.append(launched)
            more = bool(launched.entries) or self._scheduler.has_work()
            if len(self._in_flight) < self._depth and more:
                return Turn(launched, None)
        return Turn(launched, self._in_flight.popleft() if self._in_flight else None)
