"""A replay that writes a step record, as a server would; a limit may change on the way."""

import io
from collections.abc import Callable, Sequence

from workbench.engine import Replay, ReplayJob, Request, SchedulerConfig
from workbench.engine.fork import Recording
from workbench.engine.parity.golden_case import KeyMaker
from workbench.engine.scheduler import EngineCoreOutputs, Scheduler, SchedulerOutput
from workbench.engine.server.recorder import StepRecorder
from workbench.profiles import StepModel
from workbench.vllm_dialect import read_steps

MODEL = StepModel(a=5000, b=12, c=40, d=0.05, e=0.001)


class RecordedReplay(Replay):
    """Replays jobs and records every event.

    Args:
        jobs: each with a request of unique tokens.
        config: the scheduler's settings.
        change: called on the scheduler after the output of step `at`.
        at: a step.
    """

    def __init__(
        self,
        jobs: Sequence[ReplayJob],
        config: SchedulerConfig,
        change: Callable[[Scheduler], None] | None = None,
        at: int = -1,
    ) -> None:
        super().__init__(jobs, config, MODEL)
        self._file = io.BytesIO()
        self._recorder = StepRecorder(self._file, config, 0.0)
        self._change, self._at = change, at
        self._numbers = {job.request: number for number, job in enumerate(jobs)}

    def recording(self, **more: object) -> Recording:
        """Play to the end and return the record."""
        self.run()
        lines = list(read_steps(self._file.getvalue().splitlines(), where="test"))
        return Recording(lines, "test", **more)  # type: ignore[arg-type]  # fields by name

    def added(self, request: Request, now: float) -> None:
        prompt = tokens(self._numbers[request], request.num_prompt_tokens)
        self._recorder.added(request, prompt, self.tally.lives[request].due)
        super().added(request, now)

    def aborted(self, request: Request) -> None:
        self._recorder.aborted(request)
        super().aborted(request)

    def scheduled(self, step: SchedulerOutput, now: float) -> None:
        self._recorder.scheduled(step, self._scheduler, now)
        super().scheduled(step, now)

    def updated(self, step: SchedulerOutput, update: EngineCoreOutputs, now: float) -> None:
        sampled = {one.request_id: 0 for one in step.sampling_reqs}
        self._recorder.updated(step, update, self._scheduler, now, sampled)
        super().updated(step, update, now)
        if self._change is not None and step.step_index == self._at:
            self._change(self._scheduler)


def tokens(number: int, length: int) -> list[int]:
    """Return a prompt like no other."""
    return [number + 1] * length


def job(
    number: int,
    due_s: float,
    prompt: int,
    output: int,
    *,
    after: int = -1,
    delay_s: float = 0.0,
    leave_after: int | None = None,
) -> ReplayJob:
    """Return a job whose cache keys are those of its tokens."""
    keys = KeyMaker(16).keys(tokens(number, prompt))
    keyed = [(number, key) for key in keys]
    request = Request(f"r{number}", prompt, output, arrival_time=float(number), block_hashes=keyed)
    return ReplayJob(due_s, request, after, delay_s, leave_after)
