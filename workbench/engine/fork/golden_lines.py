"""The step record of a golden case, which has steps but no clock: each step takes a millisecond."""

import io
from collections import Counter
from collections.abc import Iterable

from workbench.base import Refusal
from workbench.engine.parity.golden_case import EOS, Case, CaseRequest, prompt_of, tokens_of
from workbench.engine.parity.play_golden import GoldenPlayer, check_case
from workbench.engine.scheduler import EngineCoreOutputs, Request, SchedulerOutput
from workbench.engine.server.recorder import StepRecorder
from workbench.vllm_dialect import AnyStepLine, read_steps

STEP_S = 1e-3
"""Time of a golden case's step."""


def golden_lines(case: Case) -> list[AnyStepLine]:
    """Return the case as a step record.

    Raises:
        Refusal: our scheduler decides otherwise than vLLM did.
    """
    difference = check_case(case).difference
    if difference is not None:
        raise Refusal("engine.decides_otherwise", call=difference.t, field=difference.field)
    recorder = _GoldenRecorder(case)
    for _ in recorder.rows():
        pass
    return list(read_steps(recorder.file.getvalue().splitlines(), where=case.case))


class _GoldenRecorder(GoldenPlayer):
    """Plays a case and writes its events in their order."""

    def __init__(self, case: Case) -> None:
        super().__init__(case)
        self.file = io.BytesIO()
        self._steps = StepRecorder(self.file, case.config.scheduler(case.vllm_version), 0.0)
        self._tokens: dict[str, tuple[int, list[int]]] = {}
        self._sampled: Counter[str] = Counter()

    def _limit(self, name: str, value: int) -> None:
        self._steps.limit(name, 0, value)
        super()._limit(name, value)

    def _add(self, request: CaseRequest, t: int) -> Request:
        added = super()._add(request, t)
        self._tokens[request.id] = tokens_of(self._case, request)
        eos = None if request.eos_at is None else EOS
        self._steps.added(added, prompt_of(request), request.arrival_step * STEP_S, eos=eos)
        return added

    def _abort(self, ids: Iterable[str]) -> list[str]:
        aborted = super()._abort(ids)
        for name in aborted:
            self._steps.aborted(Request(name, 1, 1))
        return aborted

    def _scheduled(self, step: SchedulerOutput, t: int) -> None:
        super()._scheduled(step, t)
        self._steps.scheduled(step, self._scheduler, t * STEP_S)

    def _updated(self, step: SchedulerOutput, t: int) -> EngineCoreOutputs:
        sampled = {request.request_id: self._next_token(request.request_id) for request in step.sampling_reqs}
        update = super()._updated(step, t)
        self._steps.updated(step, update, self._scheduler, (t + 1) * STEP_S, sampled)
        return update

    def _next_token(self, name: str) -> int:
        prompt, tokens = self._tokens[name]
        place = prompt + self._sampled[name]
        self._sampled[name] += 1
        return tokens[place] if place < len(tokens) else 0
