"""Times of a replay's requests, and sums over its steps."""

from collections.abc import Iterable
from dataclasses import dataclass, field

from workbench.engine.replay.replay_figures import (
    Quantiles,
    ReplayFigures,
    below_floor,
    quantiles,
    repeated_quantiles,
    step_quantiles,
)
from workbench.engine.scheduler import EngineCoreOutputs, Request, SchedulerConfig, SchedulerOutput


@dataclass(slots=True)
class RequestTimes:
    """Times of a request in simulated seconds; None: not reached."""

    due: float
    queue_end: float | None = None
    first_token: float | None = None
    last_token: float | None = None
    tokens: int = 0
    worst_gap: float = 0.0
    completed: bool = False
    cancelled: bool = False
    requeue_wait: float = 0.0
    preempted_at: float | None = None


@dataclass(slots=True)
class StepTally:
    """Sums over steps."""

    steps: int = 0
    tokens: list[int] = field(default_factory=list)
    preemptions: int = 0
    recomputed: int = 0
    prefix_hits: int = 0
    running_max: int = 0
    waiting_max: int = 0
    least_free: int | None = None


class ReplayTally:
    """Observes a timeline and keeps the data of the figures.

    Gaps between tokens are kept as (gap, number of equal ones): in steady decode all requests of a step
    have the same gap, the time since the step before.
    """

    def __init__(self) -> None:
        self.lives: dict[Request, RequestTimes] = {}
        self.steps = StepTally()
        self.gaps: list[float] = []
        self.gap_counts: list[int] = []
        self.end = 0.0
        self._last_emitted: object = None
        self._last_time = 0.0
        self._worst_common_gap = 0.0

    def due(self, request: Request, due: float) -> None:
        """Note a request that will reach the scheduler."""
        self.lives[request] = RequestTimes(due)

    def added(self, request: Request, now: float) -> None:
        """Do nothing: queue time runs from the due time."""

    def aborted(self, request: Request) -> None:
        """Note a cancelled request."""
        self.settle()
        self.lives[request].cancelled = True

    def scheduled(self, step: SchedulerOutput, now: float) -> None:
        """Count a step that was scheduled at `now`."""
        sums = self.steps
        if step.num_scheduled_tokens:
            sums.steps += 1
            sums.tokens.append(step.P + step.D)
        if sums.least_free is None or step.num_free_blocks < sums.least_free:
            sums.least_free = step.num_free_blocks
        sums.running_max = max(sums.running_max, step.num_running_reqs)
        sums.waiting_max = max(sums.waiting_max, step.num_waiting_reqs)
        if step.scheduled_new_reqs or step.scheduled_resumed_reqs or step.preempted_reqs:
            self._note_admissions(step, now)

    def _note_admissions(self, step: SchedulerOutput, now: float) -> None:
        sums = self.steps
        for request, lost in step.preempted_reqs:
            sums.preemptions += 1
            sums.recomputed += lost
            self.lives[request].preempted_at = now
        for request, hit in step.scheduled_new_reqs:
            sums.prefix_hits += hit
            self.lives[request].queue_end = now
        for request, _ in step.scheduled_resumed_reqs:
            life = self.lives[request]
            life.requeue_wait += now - (life.preempted_at or now)

    def updated(self, step: SchedulerOutput, update: EngineCoreOutputs, now: float) -> None:
        """Note the tokens of a step's output, processed at `now`."""
        if step.num_scheduled_tokens:
            self.end = now
        emitted = update.outputs
        if not emitted:
            return
        if emitted is self._last_emitted:
            gap = now - self._last_time
            self.gaps.append(gap)
            self.gap_counts.append(len(emitted))
            self._worst_common_gap = max(self._worst_common_gap, gap)
        else:
            self.settle()
            for request in emitted:
                self._token(self.lives[request], now)
            self._last_emitted = emitted
        self._last_time = now
        for request, _ in update.finished_requests:
            self._finish(request, now)

    def _token(self, life: RequestTimes, now: float) -> None:
        if life.last_token is None:
            life.first_token = now
        else:
            gap = now - life.last_token
            self.gaps.append(gap)
            self.gap_counts.append(1)
            life.worst_gap = max(life.worst_gap, gap)
        life.last_token = now

    def _finish(self, request: Request, now: float) -> None:
        life = self.lives[request]
        life.completed = True
        life.last_token = now
        life.tokens = request.num_output_tokens

    def settle(self) -> None:
        """Write the time of the last common token and the worst common gap to their requests."""
        if isinstance(self._last_emitted, list | tuple):
            worst = self._worst_common_gap
            for request in self._last_emitted:
                life = self.lives[request]
                life.last_token = self._last_time
                life.worst_gap = max(life.worst_gap, worst)
        self._last_emitted, self._worst_common_gap = None, 0.0

    def figures(self, config: SchedulerConfig, *, rejected: int, wall_s: float) -> ReplayFigures:
        """Compute all figures of `engine replay --json`."""
        self.settle()
        sums, lives = self.steps, list(self.lives.values())
        usable = config.num_gpu_blocks - 1
        done = [life for life in lives if life.completed]
        preempted = [life.requeue_wait for life in lives if life.preempted_at is not None]
        return ReplayFigures(
            requests=len(lives) + rejected,
            completed=len(done),
            rejected=rejected,
            cancelled=sum(life.cancelled for life in lives),
            ttft_ms=_since_due(life.first_token - life.due for life in lives if life.first_token is not None),
            tpot_ms=_per_token(done),
            itl_ms=repeated_quantiles([gap * 1000 for gap in self.gaps], self.gap_counts),
            e2e_ms=_since_due(life.last_token - life.due for life in done if life.last_token is not None),
            queue_ms=_since_due(life.queue_end - life.due for life in lives if life.queue_end is not None),
            requeue_wait_ms=_since_due(preempted),
            preemptions=sums.preemptions,
            preempted_requests=len(preempted),
            recomputed_tokens=sums.recomputed,
            prefix_hit_tokens=sums.prefix_hits,
            steps=sums.steps,
            tokens_per_step=step_quantiles(sums.tokens),
            running_max=sums.running_max,
            waiting_max=sums.waiting_max,
            kv_peak=0.0 if sums.least_free is None else 1.0 - sums.least_free / usable,
            output_tok_s=sum(life.tokens for life in done) / self.end if self.end else None,
            virtual_s=self.end,
            wall_s=wall_s,
            below_floor=below_floor(_behind(lives, done)),
        )


def _behind(lives: list[RequestTimes], done: list[RequestTimes]) -> dict[str, int]:
    """Return the number of requests in each distribution."""
    begun = [life for life in lives if life.first_token is not None]
    return {
        "ttft_ms": len(begun),
        "tpot_ms": sum(life.tokens > 1 for life in done),
        "itl_ms": sum(life.last_token != life.first_token for life in begun),
        "e2e_ms": len(done),
        "queue_ms": sum(life.queue_end is not None for life in lives),
    }


def _since_due(seconds: Iterable[float]) -> Quantiles:
    return quantiles([value * 1000 for value in seconds])


def _per_token(done: Iterable[RequestTimes]) -> Quantiles:
    """Return (last - first) / (tokens - 1) of requests with two tokens or more."""
    return quantiles(
        [
            (life.last_token - life.first_token) / (life.tokens - 1) * 1000
            for life in done
            if life.tokens > 1 and life.first_token is not None and life.last_token is not None
        ]
    )
