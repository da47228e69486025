"""Watching one run: store its records, emit its samples and progress."""

import contextlib
from collections.abc import AsyncIterator, Callable, Sequence
from typing import Protocol

from workbench.base import Message
from workbench.experiments.run.bench_recorder import BenchRecorder
from workbench.experiments.run.channel import Emit
from workbench.experiments.run.events import Progress
from workbench.experiments.run.live_sample import SampleBuilder
from workbench.experiments.run.measurement import Hooks
from workbench.results import RequestRecord, Sample
from workbench.telemetry import StuckWatch

PROGRESS_EVERY = 4
"""Ticks between two progress events, about one a second."""


class RunCompanion(Protocol):
    """Work that runs companions the load of one run."""

    def begin(self, zero: float) -> None:
        """Start; the schedule starts at `zero` of the run's clock, a little in the future."""

    async def end(self) -> None:
        """Stop; the load has ended."""


@contextlib.asynccontextmanager
async def end_afterwards(companions: Sequence[RunCompanion]) -> AsyncIterator[None]:
    """End each companion afterwards, in this order, whatever the load or one of them raises."""
    async with contextlib.AsyncExitStack() as endings:
        for each in reversed(companions):
            endings.push_async_callback(each.end)
        yield


class RunWatch:
    """Passes one run's records to the recorder and its samples to the events."""

    def __init__(
        self,
        name: str,
        wall_length_s: float | None,
        recorder: BenchRecorder,
        emit: Emit,
        plan_left: Callable[[float], float],
        on_state: Callable[[str, Message | str], None],
    ) -> None:
        """Start to watch.

        Args:
            name: the run's name.
            wall_length_s: the length of its load; None: until it is stopped.
            recorder: takes records and samples.
            emit: takes the events.
            plan_left: returns the plan's seconds left from those of the run.
            on_state: takes the server's state and its reason when its figures change.
        """
        self._name = name
        self._wall_length_s = wall_length_s
        self._recorder = recorder
        self._emit = emit
        self._plan_left = plan_left
        self._ticks = 0
        self._watch = StuckWatch()
        self._on_state = on_state
        self._state = "ready"

    def hooks(self, *on_begin: Callable[[float], None]) -> Hooks:
        """Return the callbacks for `measure`; `on_begin` take the schedule's start."""

        def begin(zero: float) -> None:
            for callback in on_begin:
                callback(zero)

        return Hooks(on_records=self._records, on_samples=self._samples, on_tick=self._tick, on_begin=begin)

    def _records(self, records: Sequence[RequestRecord]) -> None:
        self._recorder.records(records)

    def _samples(self, samples: Sequence[Sample]) -> None:
        self._recorder.samples(samples)
        state, why = self._state_from(samples)
        if state != self._state:
            self._state = state
            self._on_state(state, why)

    def _state_from(self, samples: Sequence[Sample]) -> tuple[str, Message | str]:
        """Return the server's state by its own figures, and what is wrong.

        The health check succeeds all the while. The server stays busy through pauses within a run, so that
        the shown state doesn't flicker.
        """
        stuck = self._watch.feed(list(samples))
        if stuck is not None:
            return "degraded", stuck
        if any((sample.running or 0) + (sample.waiting or 0) > 0 for sample in samples):
            return "busy", ""
        return ("ready" if self._state == "degraded" else self._state), ""

    def _tick(self, picture: SampleBuilder, run_t: float) -> None:
        if run_t >= 0:
            self._emit(picture.event(run_t))
        if self._ticks % PROGRESS_EVERY == 0:
            self._emit(self._progress(run_t))
        self._ticks += 1

    def _progress(self, run_t: float) -> Progress:
        endless = self._wall_length_s is None
        left = max(0.0, (self._wall_length_s or 0.0) - run_t)
        phase = "warming up" if run_t < 0 else "measuring" if left > 0 or endless else "draining"
        return Progress(
            run=self._name,
            phase=phase,
            run_elapsed_s=round(max(0.0, run_t), 2),
            run_left_s=round(left, 2),
            plan_left_s=round(self._plan_left(left), 1),
        )
