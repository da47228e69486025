"""Replay of a workload through the scheduler in virtual time: no sockets, no waiting."""

import heapq
import random
from collections.abc import Callable, Iterable
from typing import NamedTuple

from workbench.base import Refusal, now
from workbench.engine.ideal_timeline import Arrival, Timeline
from workbench.engine.replay.replay_figures import ReplayFigures
from workbench.engine.replay.request_tally import ReplayTally
from workbench.engine.scheduler import EngineCoreOutputs, Request, Scheduler, SchedulerConfig, SchedulerOutput
from workbench.profiles import StepModel


class ReplayJob(NamedTuple):
    """A request of a workload.

    `after` is the index of the job that must end before this one is due `delay_s` later; -1: none, and
    `due_s` counts from the start. Cancels are by received tokens or by time since due.
    """

    due_s: float
    request: Request
    after: int = -1
    delay_s: float = 0.0
    cancel_after_tokens: int | None = None
    cancel_after_s: float | None = None


class Replay:
    """A replay; `run()` plays it to the end.

    Args:
        jobs: in order of their due times, if they have one.
        config: the scheduler's settings.
        step_model: gives the time of a step.
        max_num_queued_reqs: vLLM's limit on unfinished requests, running ones included; more are rejected.
        request_overhead_s: time from a request's due time to the scheduler, for the front and the way in both
            directions. It delays the request, not the engine.
        step_noise: standard deviation of the logarithm of a step's time, which is drawn; 0: none.
        seed: of these draws.
    """

    def __init__(
        self,
        jobs: Iterable[ReplayJob],
        config: SchedulerConfig,
        step_model: StepModel,
        *,
        max_num_queued_reqs: int | None = None,
        request_overhead_s: float = 0.0,
        step_noise: float = 0.0,
        seed: int = 0,
    ) -> None:
        self.tally = ReplayTally()
        self.rejected: list[ReplayJob] = []
        self._jobs = list(jobs)
        self._config = config
        self._limit = max_num_queued_reqs
        self._overhead_s = request_overhead_s
        self._alive = 0
        self._scheduler = Scheduler(config)
        self._timeline = Timeline(self._scheduler, _durations(step_model, step_noise, seed), self)
        self._calendar: list[tuple[float, int, bool]] = []
        self._number: dict[Request, int] = {job.request: i for i, job in enumerate(self._jobs)}
        self._followers: dict[int, list[int]] = {}
        self._cancel_after: dict[Request, int] = {}

    def run(self) -> ReplayFigures:
        """Replay the workload.

        Raises:
            Refusal: a request never fits the settings.
        """
        began = now()
        for number, job in enumerate(self._jobs):
            if job.after < 0:
                self._enter(number, job.due_s)
            else:
                self._followers.setdefault(job.after, []).append(number)
        while self._play_one():
            pass
        if self._scheduler.has_requests():
            raise Refusal("engine.replay_stuck")
        return self.tally.figures(self._config, rejected=len(self.rejected), wall_s=now() - began)

    def _play_one(self) -> bool:
        """Hand in arrivals due by the next event, then run it; False when nothing is left."""
        calendar, timeline = self._calendar, self._timeline
        moment = timeline.next_event()
        while calendar and (moment is None or calendar[0][0] <= moment):
            self._hand_in(*heapq.heappop(calendar))
            moment = timeline.next_event()
        if moment is None:
            return False
        timeline.run_one()
        return True

    def _enter(self, number: int, due: float) -> None:
        heapq.heappush(self._calendar, (due + self._overhead_s, number, False))

    def _hand_in(self, moment: float, number: int, cancel: bool) -> None:  # noqa: FBT001 - a calendar entry's fields
        job = self._jobs[number]
        if cancel:
            self._timeline.hand_in(Arrival(moment, job.request, abort=True))
            return
        if self._limit is not None and self._alive >= self._limit:
            self.rejected.append(job)
            self._ended(number, moment)
            return
        due = moment - self._overhead_s
        self._alive += 1
        self.tally.due(job.request, due)
        if job.cancel_after_s is not None:
            cancelled = max(moment, due + job.cancel_after_s)
            heapq.heappush(self._calendar, (cancelled, number, True))
        if job.cancel_after_tokens is not None:
            self._cancel_after[job.request] = job.cancel_after_tokens
        self._timeline.hand_in(Arrival(moment, job.request))

    def _ended(self, number: int, at: float) -> None:
        for follower in self._followers.get(number, ()):
            self._enter(follower, at + self._jobs[follower].delay_s)

    # Callbacks of the timeline.

    def added(self, request: Request, now: float) -> None:
        """Note an admission to the waiting queue."""
        self.tally.added(request, now)

    def scheduled(self, step: SchedulerOutput, now: float) -> None:
        """Note a scheduled step."""
        self.tally.scheduled(step, now)

    def updated(self, step: SchedulerOutput, update: EngineCoreOutputs, now: float) -> None:
        """Note a step's output and make followers due."""
        self.tally.updated(step, update, now)
        for request, _ in update.finished_requests:
            self._alive -= 1
            self._ended(self._number[request], now)
        if self._cancel_after:
            self._cancel(now)

    def _cancel(self, now: float) -> None:
        """Abort requests whose clients leave at this token, before the engine's next step."""
        over = [
            request for request, count in self._cancel_after.items() if request.num_output_tokens >= count
        ]
        for request in over:
            del self._cancel_after[request]
            self._timeline.hand_in(Arrival(now, request, abort=True))

    def aborted(self, request: Request) -> None:
        """Note the end of a cancelled request."""
        self._alive -= 1
        self.tally.aborted(request)
        self._ended(self._number[request], self._timeline.now)


def _durations(model: StepModel, noise: float, seed: int) -> Callable[[SchedulerOutput], float]:
    """Return the step model in seconds, with its coefficients in local variables for speed."""
    a, b, c, d, e = (value / 1e6 for value in (model.a, model.b, model.c, model.d, model.e))

    def seconds(step: SchedulerOutput) -> float:
        return a + b * step.P + c * step.D + d * step.K + e * step.Q

    if not noise:
        return seconds
    draw = random.Random(seed).lognormvariate  # noqa: S311 - a simulation, no secret
    return lambda step: seconds(step) * draw(0.0, noise)
