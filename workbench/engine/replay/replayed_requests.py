"""A replay whose requests are kept as a load generator would have recorded them."""

from collections import defaultdict
from collections.abc import Iterable, Sequence

import numpy as np

from workbench.engine.replay.replay_run import Replay, ReplayJob
from workbench.engine.scheduler import EngineCoreOutputs, Request, SchedulerConfig, SchedulerOutput
from workbench.profiles import StepModel
from workbench.results import Outcome, RequestRecord


class PerRequestReplay(Replay):
    """Keeps the time of each token; `records()` gives the requests after `run()`.

    Args:
        jobs: in order of their due times.
        config: the scheduler's settings.
        step_model: gives the time of a step.
        classes: class of each job, in their order.
        request_overhead_s: time of a request outside the engine.
        step_noise: standard deviation of the logarithm of a step's time.
        seed: of these draws.
    """

    def __init__(
        self,
        jobs: Iterable[ReplayJob],
        config: SchedulerConfig,
        step_model: StepModel,
        *,
        classes: Sequence[str] = (),
        request_overhead_s: float = 0.0,
        step_noise: float = 0.0,
        seed: int = 0,
    ) -> None:
        jobs = list(jobs)
        super().__init__(
            jobs,
            config,
            step_model,
            request_overhead_s=request_overhead_s,
            step_noise=step_noise,
            seed=seed,
        )
        self._requests = [job.request for job in jobs]
        self._classes = classes
        self._emitted: list[tuple[Sequence[Request], list[float]]] = []
        """Requests that got tokens together, and the times of these tokens."""

    def updated(self, step: SchedulerOutput, update: EngineCoreOutputs, now: float) -> None:
        """Note the step's tokens."""
        super().updated(step, update, now)
        if not update.outputs:
            return
        if self._emitted and self._emitted[-1][0] is update.outputs:
            self._emitted[-1][1].append(now)
        else:
            self._emitted.append((update.outputs, [now]))

    def records(self) -> list[RequestRecord]:
        """Return one record for each job, in their order."""
        times: defaultdict[Request, list[float]] = defaultdict(list)
        for requests, moments in self._emitted:
            for request in requests:
                times[request] += moments
        return [
            self._record(number, request, times.get(request, []))
            for number, request in enumerate(self._requests)
        ]

    def _record(self, number: int, request: Request, times: list[float]) -> RequestRecord:
        life = self.tally.lives.get(request)
        due = 0.0 if life is None else life.due
        completed = life is not None and life.completed
        cancelled = life is not None and life.cancelled
        return RequestRecord(
            index=number,
            row=number,
            request_id=request.request_id,
            cls=self._classes[number] if number < len(self._classes) else "",
            input_tokens=request.num_prompt_tokens,
            output_tokens=request.max_tokens,
            due=due,
            released=due,
            sent=due,
            first_token=times[0] if times else None,
            last_token=times[-1] if times else None,
            done=times[-1] if times and completed else None,
            outcome=(
                Outcome.COMPLETED if completed else Outcome.CANCELLED if cancelled else Outcome.UNFINISHED
            ),
            prompt_tokens=request.num_prompt_tokens,
            completion_tokens=len(times),
            tokens=len(times),
            gaps_ms=(1000 * np.diff(times)).astype("<f4").tobytes(),
        )
