"""A variant of a demo as a film: what the scheduler saw at each step, to be shown at any speed."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from workbench.engine.demos.demo import Demo, Variant
from workbench.engine.demos.play import Played, prepare
from workbench.engine.replay import Replay
from workbench.engine.scheduler import Step, Update

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Film:
    """Arrays over the steps, shape (n,); simulated seconds from the demo's start."""

    played: Played
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
    """When tokens came out, shape (m,); ascends."""
    token_gap_s: Floats
    """Time since the tokens before, shape (m,)."""
    token_count: Floats
    """How many requests got one, shape (m,)."""

    @property
    def end(self) -> float:
        """Seconds until the last token."""
        return self.played.figures.virtual_s


class _Filming(Replay):
    """A replay that notes every step."""

    def film(self, usable_blocks: int) -> None:
        """Begin to note; `usable_blocks` are all KV blocks that can be had."""
        self._usable = usable_blocks
        self.steps: list[tuple[float, float, float, float, float, float, float]] = []
        self.tokens: list[tuple[float, float, float]] = []
        self._sums = [0.0, 0.0, 0.0]

    def scheduled(self, step: Step, now: float) -> None:
        super().scheduled(step, now)
        for place, more in enumerate((step.P, step.D, len(step.preempted))):
            self._sums[place] += more
        self._note(now, step.running_count, step.waiting_count, step.free_blocks)

    def updated(self, step: Step, update: Update, now: float) -> None:
        super().updated(step, update, now)
        if update.emitted:
            before = self.tokens[-1][0] if self.tokens else now
            self.tokens.append((now, now - before, len(update.emitted)))
        if update.finished:
            free = self._usable if step.running_count == len(update.finished) else step.free_blocks
            self._note(now, step.running_count - len(update.finished), step.waiting_count, free)

    def _note(self, now: float, running: int, waiting: int, free: int) -> None:
        usage = 1.0 - free / self._usable
        prompt, output, preemptions = self._sums
        self.steps.append((now, running, waiting, usage, prompt, output, preemptions))


def film(demo: Demo, variant: Variant) -> Film:
    """Replay one variant and keep its course.

    Raises:
        InputError: its settings are not possible.
    """
    prepared = prepare(demo, variant)
    filming = _Filming(
        prepared.jobs,
        prepared.config,
        prepared.step_model,
        max_num_queued_reqs=prepared.max_num_queued_reqs,
        request_overhead_s=prepared.request_overhead_s,
    )
    filming.film(prepared.config.num_gpu_blocks - 1)
    played = prepared.played(filming, filming.run())
    steps = np.array(filming.steps, dtype=np.float64).reshape(-1, 7).T
    tokens = np.array(filming.tokens, dtype=np.float64).reshape(-1, 3).T
    return Film(played, *steps, *tokens)
