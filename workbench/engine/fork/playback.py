"""Playback of a record that keeps its requests' times, and whose state can be saved and taken up again."""

import pickle
from dataclasses import dataclass

from workbench.base import Place, Refusal
from workbench.engine.calibrate.step_rows import Row, StepBegins
from workbench.engine.fork.changes import Changes
from workbench.engine.fork.recording import Recording
from workbench.engine.live_limits import ATTRIBUTES
from workbench.engine.parity.play_recording import RecordingPlayer, recorded_config
from workbench.engine.parity.verdict import FirstDifference
from workbench.engine.replay.request_tally import ReplayTally
from workbench.engine.scheduler import EngineCoreOutputs, Scheduler, SchedulerOutput
from workbench.vllm_dialect import (
    RequestAdded,
    RequestsFinished,
    StepLimitChanged,
    StepScheduled,
    StepUpdated,
)


@dataclass(slots=True)
class EngineState:
    """Everything that changes while steps are played."""

    scheduler: Scheduler
    in_flight: dict[int, SchedulerOutput]
    tally: ReplayTally
    clock: StepBegins

    def save(self) -> bytes:
        """Return a copy, with its requests, blocks and their owners."""
        return pickle.dumps(self, protocol=pickle.HIGHEST_PROTOCOL)

    @staticmethod
    def load(saved: bytes) -> "EngineState":
        """Return a state of its own from a copy."""
        state = pickle.loads(saved)  # noqa: S301 - made by `save` in this process
        assert isinstance(state, EngineState)
        return state


class Playback(RecordingPlayer):
    """Plays a record's lines; a step's time is the recorded one.

    Args:
        recording: the record.
        changes: the fork's changes, for which the scheduler leaves room; they don't hold yet.
    """

    def __init__(self, recording: Recording, changes: Changes) -> None:
        header = recording.header
        config = changes.with_room(recorded_config(header, recording.where))
        super().__init__(recording.lines, recording.where, config)
        scheduler = self._scheduler
        scheduler.max_num_scheduled_tokens = header.max_num_scheduled_tokens or header.max_num_batched_tokens
        scheduler.kv_cache_manager.watermark_blocks = int(header.watermark * header.num_gpu_blocks)
        scheduler.num_reserved_blocks = self._withheld = changes.extra_blocks
        self._recorded_blocks = header.num_gpu_blocks
        self._tally, self._clock = ReplayTally(), StepBegins()
        self._now = recording.zero
        self._held: frozenset[str] = frozenset()
        self._batches_only = False
        self.rows: list[Row] = []
        """Content and time of each step so far."""

    @property
    def state(self) -> EngineState:
        """The present state; not a copy."""
        return EngineState(self._scheduler, self._in_flight, self._tally, self._clock)

    def take_up(self, saved: bytes, changes: Changes | None) -> None:
        """Go back to a saved state; let the changes hold from the next call on."""
        state = EngineState.load(saved)
        self._scheduler, self._in_flight = state.scheduler, state.in_flight
        self._tally, self._clock = state.tally, state.clock
        self._batches_only = True
        self.hold(changes)
        if changes is not None:
            changes.apply(self._scheduler)

    def hold(self, changes: Changes | None) -> None:
        """Ignore what the record later does to the changed limits."""
        self._held = frozenset(changes.limits if changes is not None else ())
        blocks = changes.blocks if changes is not None else None
        self._withheld = self._scheduler.config.num_gpu_blocks - (blocks or self._recorded_blocks)

    # The lines.

    def _add(self, line: RequestAdded) -> None:
        request = self.request(line)
        self._tally.due(request, line.arrived if line.arrived is not None else self._now)
        self._scheduler.add_request(request)

    def _finish(self, line: RequestsFinished) -> None:
        for request in self._scheduler.finish_requests(line.ids):
            self._tally.aborted(request)

    def _change(self, line: StepLimitChanged) -> None:
        if line.name not in ATTRIBUTES:
            super()._change(line)
        self.set_limit(self._scheduler, line)

    def set_limit(self, scheduler: Scheduler, line: StepLimitChanged) -> None:
        """Set a limit that the record changed, unless the fork holds it."""
        if line.name not in self._held:
            more = self._withheld if line.name == "parked_kv_blocks" else 0
            setattr(scheduler, ATTRIBUTES[line.name], line.new + more)

    def _schedule(self, line: StepScheduled) -> FirstDifference | None:
        self._clock.scheduled(line)
        if not self._batches_only:
            difference = super()._schedule(line)
        else:
            self._in_flight[line.t] = self._scheduler.schedule()
            difference = _batch_difference(line, self._in_flight[line.t])
        if difference is None:
            self._tally.scheduled(self._in_flight[line.t], line.mono - line.us / 1e6)
        return difference

    def schedule_only(self, line: StepScheduled) -> None:
        """Make the call of a line; the tally hears of it later."""
        self._clock.scheduled(line)
        self._in_flight[line.t] = self._scheduler.schedule()

    def _update(self, line: StepUpdated) -> FirstDifference | None:
        us = self._clock.updated(line) if line.t in self._in_flight else 0.0
        self._now = line.mono
        if not self._batches_only:
            difference = super()._update(line)
            step = self.played
            if step is not None and step.num_scheduled_tokens and us > 0:
                self.rows.append(Row.of(step, us))
            return difference
        step = self._in_flight.pop(line.t)
        self._process(step)
        return None

    def _process(self, step: SchedulerOutput) -> EngineCoreOutputs:
        update = self._scheduler.update_from_output(step)
        self._tally.updated(step, update, self._now)
        return update


def _batch_difference(line: StepScheduled, step: SchedulerOutput) -> FirstDifference | None:
    ours = [(request.request_id, tokens) for request, tokens in step.num_scheduled_tokens]
    if ours != line.sched:
        return FirstDifference(line.t, "sched", ours, line.sched)
    lost = [(request.request_id, tokens) for request, tokens in step.preempted_reqs]
    return FirstDifference(line.t, "pre", lost, line.pre) if lost != line.pre else None


def require_same(difference: FirstDifference | None, where: str) -> None:
    """Refuse a record that our scheduler doesn't reproduce.

    Raises:
        Refusal: there is a difference.
    """
    if difference is not None:
        place = Place(file=where)
        raise Refusal("engine.decides_otherwise", place, call=difference.t, field=difference.field)
