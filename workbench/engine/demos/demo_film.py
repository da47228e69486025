"""A demo variant as a film: the scheduler's state at each step, to show at any speed."""

import io
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from workbench.engine.demos.demo import Demo, Played, Variant, prepare
from workbench.engine.replay import Replay
from workbench.engine.scheduler import EngineCoreOutputs, Request, SchedulerConfig, SchedulerOutput
from workbench.engine.server.recorder import StepRecorder

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class LongPrompt:
    """A prompt of several steps: points of (simulated seconds, tokens scheduled by then)."""

    name: str
    tokens: int
    points: tuple[tuple[float, int], ...]


@dataclass(frozen=True)
class Film:
    """Arrays over the steps, shape (n,); simulated seconds from the demo's start."""

    played: Played
    step_tokens: int
    """Most tokens of one prompt in a step; longer prompts are long."""
    prompts: tuple[LongPrompt, ...]
    """Long prompts in the order of their first step."""
    record: bytes
    """The step record, on the demo's time."""
    classes: Mapping[str, str]
    """Class of each request by its id, in the order of the trace."""
    t: Floats
    """Time of each step's decision; ascending."""
    running: Floats
    waiting: Floats
    kv_usage: Floats
    """0 to 1."""
    prompt_tokens: Floats
    """Computed so far, including recomputation."""
    output_tokens: Floats
    preemptions: Floats
    """So far."""
    token_t: Floats
    """Times of tokens after each request's first one, shape (m,); ascending."""
    token_gap_s: Floats
    """Time since the same request's previous token, shape (m,)."""
    token_count: Floats
    """Requests with that gap at that time, shape (m,)."""

    @property
    def end(self) -> float:
        """Seconds until the last token."""
        return self.played.figures.virtual_s


class _Filming(Replay):
    """A replay that keeps every step."""

    def film(self, config: SchedulerConfig) -> None:
        """Start to keep steps."""
        self.record = io.BytesIO()
        self._recorder = StepRecorder(self.record, config, zero=0.0)
        self._usable = config.num_gpu_blocks - 1
        """Usable KV blocks."""
        spans = (config.max_num_batched_tokens, config.long_prefill_token_threshold)
        self.step_tokens = min(span for span in spans if span > 0)
        self.steps: list[tuple[float, float, float, float, float, float, float]] = []
        self.tokens: list[tuple[float, float, float]] = []
        self.prompts: dict[Request, list[tuple[float, int]]] = {}
        self._last_parts: dict[int, list[Request]] = {}
        """Long prompts by the index of the step that computes their end."""
        self._sums = [0.0, 0.0, 0.0]

    def added(self, request: Request, now: float) -> None:
        super().added(request, now)
        self._recorder.added(request, [0] * request.num_prompt_tokens, now)

    def aborted(self, request: Request) -> None:
        super().aborted(request)
        self._recorder.aborted(request)

    def scheduled(self, step: SchedulerOutput, now: float) -> None:
        super().scheduled(step, now)
        self._recorder.scheduled(step, self._scheduler, now)
        for place, more in enumerate((step.P, step.D, len(step.preempted_reqs))):
            self._sums[place] += more
        self._note(now, step.num_running_reqs, step.num_waiting_reqs, step.num_free_blocks)
        if step.P:
            self._follow(step, now)

    def _follow(self, step: SchedulerOutput, now: float) -> None:
        """Note the progress of long prompts before this step; prefix-cache hits don't count."""
        hits = dict(step.scheduled_new_reqs)
        for request, count in step.num_scheduled_tokens:
            before, whole = request.num_context_tokens - count, request.num_prompt_tokens
            if request in hits and whole - hits[request] > self.step_tokens:
                self.prompts[request] = []
            points = self.prompts.get(request)
            if points is None or before >= whole or (points and points[-1][1] == whole):
                continue
            points.append((now, before))
            if before + count >= whole:
                self._last_parts.setdefault(step.step_index, []).append(request)

    def updated(self, step: SchedulerOutput, update: EngineCoreOutputs, now: float) -> None:
        known = len(self.tally.gaps)
        super().updated(step, update, now)
        self._recorder.updated(step, update, self._scheduler, now, {})
        # The tally's new entries are the gaps of this step's tokens.
        self.tokens += [
            (now, gap, count)
            for gap, count in zip(self.tally.gaps[known:], self.tally.gap_counts[known:], strict=True)
        ]
        for request in self._last_parts.pop(step.step_index, ()):
            self.prompts[request].append((now, request.num_prompt_tokens))
        if update.finished_requests:
            running = step.num_running_reqs - len(update.finished_requests)
            free = step.num_free_blocks if running else self._usable
            self._note(now, running, step.num_waiting_reqs, free)

    def _note(self, now: float, running: int, waiting: int, free: int) -> None:
        usage = 1.0 - free / self._usable
        prompt, output, preemptions = self._sums
        self.steps.append((now, running, waiting, usage, prompt, output, preemptions))


def film(demo: Demo, variant: Variant) -> Film:
    """Replay a variant and keep all its steps.

    Raises:
        Refusal: vLLM would refuse its settings.
    """
    prepared = prepare(demo, variant)
    filming = _Filming(
        prepared.jobs,
        prepared.config,
        prepared.step_model,
        max_num_queued_reqs=prepared.max_num_queued_reqs,
        request_overhead_s=prepared.request_overhead_s,
    )
    filming.film(prepared.config)
    played = prepared.played(filming, filming.run())
    steps = np.array(filming.steps, dtype=np.float64).reshape(-1, 7).T
    tokens = np.array(filming.tokens, dtype=np.float64).reshape(-1, 3).T
    prompts = tuple(
        LongPrompt(request.request_id, request.num_prompt_tokens, tuple(points))
        for request, points in filming.prompts.items()
    )
    ids = [job.request.request_id for job in prepared.jobs]
    classes = dict(zip(ids, prepared.classes, strict=True))
    return Film(played, filming.step_tokens, prompts, filming.record.getvalue(), classes, *steps, *tokens)
