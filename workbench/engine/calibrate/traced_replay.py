"""A replay that keeps the content of every step, and the step of each request's first and last token."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from workbench.engine.replay import Replay, ReplayJob
from workbench.engine.scheduler import EngineCoreOutputs, Request, SchedulerConfig, SchedulerOutput
from workbench.profiles import StepModel

Floats = NDArray[np.float64]


class TracedReplay(Replay):
    """Replays jobs to the end.

    Args:
        jobs: in the order of their due times.
        config: the scheduler's settings.
        model: gives the time of a step.
    """

    def __init__(self, jobs: Sequence[ReplayJob], config: SchedulerConfig, model: StepModel) -> None:
        super().__init__(jobs, config, model)
        self.first: dict[Request, int] = {}
        """Step of each first token."""
        self.last: dict[Request, int] = {}
        """Step of each last token."""
        self.waited: set[Request] = set()
        """Requests that a step left in the queue."""
        self._model = model
        self._place: dict[int, int] = {}
        self._contents: list[tuple[int, int, int, int, float]] = []
        self._idle_s: list[float] = []
        self._end = 0.0
        self._arrived: dict[Request, int] = {}
        self.run()

    def contents(self) -> Floats:
        """Return sums of steps, P, D, K and Q before each step, shape (steps + 1, 5)."""
        return np.vstack([np.zeros(5), np.cumsum(np.array(self._contents, dtype=np.float64), axis=0)])

    def idle_s(self) -> Floats:
        """Return the seconds without a step before the begin of each step."""
        return np.cumsum(np.array(self._idle_s))

    def added(self, request: Request, now: float) -> None:
        """Note the step that can schedule a request."""
        self._arrived[request] = len(self._contents)
        super().added(request, now)

    def scheduled(self, step: SchedulerOutput, now: float) -> None:
        """Note a step's content and the idle time before it."""
        super().scheduled(step, now)
        number = self._place[step.step_index] = len(self._contents)
        computes = bool(step.num_scheduled_tokens)
        self._contents.append((int(computes), step.P, step.D, step.K, step.Q))
        self._idle_s.append(max(0.0, now - self._end) if computes else 0.0)
        if computes:
            seconds = self._model.step_us(step.P, step.D, step.K, step.Q) / 1e6
            self._end = max(now, self._end) + seconds
        for request, _ in step.scheduled_new_reqs:
            if self._arrived.pop(request, number) < number:
                self.waited.add(request)

    def updated(self, step: SchedulerOutput, update: EngineCoreOutputs, now: float) -> None:
        """Note first and last tokens."""
        super().updated(step, update, now)
        number = self._place.pop(step.step_index)
        if len(self.first) < len(self.tally.lives):
            for request in update.outputs:
                self.first.setdefault(request, number)
        for request, _ in update.finished_requests:
            self.last[request] = number
