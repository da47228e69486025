"""BottleneckConditions that several bottlenecks share: who waits, who is preempted, which limit is full.

Thresholds (docs/diagnosis.md, R1-R7): the KV cache is full from 90 %; each condition needs three samples.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from workbench.advice.diagnosis.array_operations import (
    Bools,
    Floats,
    above,
    around,
    at_least,
    recent_sum,
    runs,
)
from workbench.advice.diagnosis.bottleneck import Bottleneck
from workbench.advice.diagnosis.limit_history import limit_over
from workbench.advice.diagnosis.run_view import RunView
from workbench.advice.diagnosis.series import Series

SEQUENCE_LIMITS = ("max_num_active_seqs", "max_num_seqs")
KV_FULL = 0.9
RECENT = 4
"""Samples after a counted event that still belong to it."""
_LEAST_PLATEAU, _LEVEL_SHARE = 5, 0.8
_STEP_REASONS = {
    "seat": Bottleneck.SEQUENCES,
    "budget": Bottleneck.BUDGET,
    "kv": Bottleneck.KV_CACHE,
    "preempted_this_step": Bottleneck.KV_CACHE,
}


def sequence_limit(view: RunView, series: Series) -> tuple[str, float] | None:
    """Return the control that limits running requests, and its value over all engines; None: unknown."""
    limits = [(name, view.limit(name)) for name in SEQUENCE_LIMITS]
    known = [(name, value * series.engines) for name, value in limits if value is not None]
    return min(known, key=lambda limit: limit[1], default=None)


def sequence_limit_over(view: RunView, t: Floats, engines: int = 1) -> Floats:
    """Return the number of requests that may run at each time, over all engines; NaN: unknown."""
    limits = [limit_over(view, name, t) for name in SEQUENCE_LIMITS]
    least: Floats = np.fmin(*limits) * engines
    return least


@dataclass(frozen=True)
class BottleneckConditions:
    """Masks over the samples of one run, computed once when first used."""

    view: RunView
    series: Series

    @cached_property
    def none(self) -> Bools:
        """Mask without any moment."""
        return np.zeros(len(self.series), dtype=np.bool_)

    @cached_property
    def waits(self) -> Bools:
        """Requests wait in the scheduler for capacity, for more than one sample."""
        return _lasting(self.series.waiting - np.nan_to_num(self.series.deferred))

    @cached_property
    def deferred(self) -> Bools:
        """Requests wait for something other than capacity, as the server reports."""
        return _lasting(self.series.deferred)

    @cached_property
    def preempting(self) -> Bools:
        """A preemption was counted within the last few samples."""
        return recent_sum(self.series.preempted, RECENT) > 0

    @cached_property
    def closed_batch(self) -> bool:
        """Static batching: waiting requests wait for the last member of the batch."""
        return self.view.limits.get("static_batching") is True

    @cached_property
    def sequence_limits(self) -> Floats:
        """Requests that may run at each moment, over all engines; NaN: unknown."""
        return sequence_limit_over(self.view, self.series.t, self.series.engines)

    @cached_property
    def sequences_full(self) -> Bools:
        """As many requests run as may at that moment, and others wait."""
        full = around(self.series.running, largest=True)
        if np.isnan(self.sequence_limits).all():
            return self._plateau(full)
        return self.waits & at_least(full, self.sequence_limits)

    def _plateau(self, full: Floats) -> Bools:
        """Guess an unknown limit: running stays at one value while others wait and memory is free."""
        waiting = self.waits & ~at_least(self.series.kv, KV_FULL)
        running = self.series.running[waiting]
        if len(running) < _LEAST_PLATEAU or np.isnan(running).all():
            return self.none
        most = float(np.nanmax(running))
        level = waiting & at_least(full, most)
        steady = most > 1 and np.count_nonzero(level) >= _LEVEL_SHARE * np.count_nonzero(waiting)
        return level if steady else self.none

    @cached_property
    def kv_short(self) -> Bools:
        """The pool is full while requests wait, preempts running ones, or can't hold the next prompt."""
        full = self.waits & at_least(self.series.kv, KV_FULL)
        return self.preempting | full | self._prompt_gate()

    def _prompt_gate(self) -> Bools:
        """The head of the queue needs more blocks than are free: vLLM admits a prompt only as a whole."""
        view, series = self.view, self.series
        # With several engines the one that the head waits for is unknown.
        if view.kv_cache_tokens is None or not len(view.requests) or series.engines > 1:
            return self.none
        asked = self.waits & ~at_least(series.kv, KV_FULL)
        asked &= ~at_least(around(series.running, largest=True), self.sequence_limits)
        free = (1 - series.kv) * view.kv_cache_tokens
        return above(self._head_prompts(asked) - free, 0)

    def _head_prompts(self, asked: Bools) -> Floats:
        """Return the prompt tokens of the queue's head under first come, first served; NaN: unknown.

        The newest requests without a first token wait; the older ones are in prefill.
        """
        requests, series = self.view.requests, self.series
        order = np.argsort(requests.sent, kind="stable")
        order = order[~np.isnan(requests.sent[order])]
        starts = requests.sent[order] * self.view.time_scale
        answered = np.where(np.isnan(requests.first_token), requests.done, requests.first_token)[order]
        ends = np.where(np.isnan(answered), np.inf, answered * self.view.time_scale)
        heads = np.full(len(series), np.nan)
        oldest = 0
        for index in np.flatnonzero(asked):
            t, waiting = series.t[index], int(series.waiting[index])
            while oldest < len(ends) and ends[oldest] <= t:
                oldest += 1
            newest = int(np.searchsorted(starts, t, side="right"))
            pending = oldest + np.flatnonzero(ends[oldest:newest] > t)
            if 0 < waiting <= len(pending):
                heads[index] = requests.input_tokens[order[pending[-waiting]]]
        return heads

    @cached_property
    def one_request(self) -> Bools:
        """One request runs, holds half of the pool or more, and others wait."""
        one_allowed = ~above(self.sequence_limits, 1) & ~np.isnan(self.sequence_limits)
        running = self.series.running
        alone = above(running, 0) & ~above(around(running, largest=True), 1)
        return self.waits & alone & at_least(self.series.kv, 0.5) & ~one_allowed

    @cached_property
    def capacity_free(self) -> Bools:
        """Moments without a full sequence limit, a short KV cache or a single owner of the pool."""
        return ~self.one_request & ~self.sequences_full & ~self.kv_short

    @cached_property
    def prefill_flows(self) -> tuple[Bools, Bools]:
        """Moments at which requests wait though capacity is free: with prefill, and without any.

        With prefill the step's tokens are spent on it; without, something holds the head of the queue back.
        """
        flowing, still = self.none.copy(), self.none.copy()
        for first, last in runs(self.waits & self.capacity_free):
            moved = np.nan_to_num(self.series.prompt_rate[first : min(last + RECENT, len(self.series))])
            (flowing if moved.max() > 0 else still)[first:last] = True
        return flowing, still

    @cached_property
    def step_reasons(self) -> Mapping[Bottleneck, Bools] | None:
        """Limits that kept the head of the queue waiting in half of a sample's steps; None: not recorded."""
        waits, series = self.view.step_waits, self.series
        if not waits:
            return None
        times = np.asarray([step.t for step in waits], dtype=np.float64) * self.view.time_scale
        place = np.searchsorted(series.t, times, side="left")
        inside = place < len(series)
        steps = np.bincount(place[inside], minlength=len(series))
        found: dict[Bottleneck, Bools] = {}
        for limit in (Bottleneck.SEQUENCES, Bottleneck.BUDGET, Bottleneck.KV_CACHE):
            names = [_STEP_REASONS.get(step.reason or "") is limit for step in waits]
            count = np.bincount(place[inside & np.asarray(names)], minlength=len(series))
            found[limit] = np.asarray((count > 0) & (2 * count >= steps), dtype=np.bool_)
        return found


def _lasting(count: Floats) -> Bools:
    smallest = around(count, largest=False)
    return above(count, 0) & (above(smallest, 0) | above(around(count, largest=True), 1))
