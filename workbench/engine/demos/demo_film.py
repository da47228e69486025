"""A variant of a demo as a film: what the scheduler saw at each step, to be shown at any speed."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from workbench.engine.demos.demo import Demo, Played, Variant, prepare
from workbench.engine.replay import Replay
from workbench.engine.scheduler import EngineCoreOutputs, Request, SchedulerConfig, SchedulerOutput

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class LongPrompt:
    """A prompt that takes more than one step: (simulated seconds, tokens of it scheduled by then)."""

    name: str
    tokens: int
    points: tuple[tuple[float, int], ...]


@dataclass(frozen=True)
class Film:
    """Arrays over the steps, shape (n,); simulated seconds from the demo's start."""

    played: Played
    step_tokens: int
    """Prompts of more tokens are long: the most that a step takes of one."""
    prompts: tuple[LongPrompt, ...]
    """In the order in which they were first scheduled."""
    t: Floats
    """When each step was decided; ascends."""
    running: Floats
    waiting: Floats
    kv_usage: Floats
    """0 to 1."""
    prompt_tokens: Floats
    """Computed so far, recomputation included."""
    output_tokens: Floats
    preemptions: Floats
    """So far."""
    token_t: Floats
    """When tokens came out that were not a request's first, shape (m,); ascends."""
    token_gap_s: Floats
    """Time since the same request's token before, shape (m,)."""
    token_count: Floats
    """How many requests had that gap then, shape (m,)."""

    @property
    def end(self) -> float:
        """Seconds until the last token."""
        return self.played.figures.virtual_s


class _Filming(Replay):
    """A replay that notes every step."""

    def film(self, config: SchedulerConfig) -> None:
        """Begin to note."""
        self._usable = config.num_gpu_blocks - 1
        """All KV blocks that can be had."""
        spans = (config.max_num_batched_tokens, config.long_prefill_token_threshold)
        self.step_tokens = min(span for span in spans if span > 0)
        self.steps: list[tuple[float, float, float, float, float, float, float]] = []
        self.tokens: list[tuple[float, float, float]] = []
        self.prompts: dict[Request, list[tuple[float, int]]] = {}
        self._last_parts: dict[int, list[Request]] = {}
        """Long prompts by the number of the step that computes their end."""
        self._sums = [0.0, 0.0, 0.0]

    def scheduled(self, step: SchedulerOutput, now: float) -> None:
        super().scheduled(step, now)
        for place, more in enumerate((step.P, step.D, len(step.preempted_reqs))):
            self._sums[place] += more
        self._note(now, step.num_running_reqs, step.num_waiting_reqs, step.num_free_blocks)
        if step.P:
            self._follow(step, now)

    def _follow(self, step: SchedulerOutput, now: float) -> None:
        """How far long prompts had come before this step; what the prefix cache has of one isn't counted."""
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
        # What the tally has noted meanwhile are the gaps of this step's tokens.
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
    """Replay one variant and keep its course.

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
    return Film(played, filming.step_tokens, prompts, *steps, *tokens)
