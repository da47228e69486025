"""A fork: the recorded run and its other future from a step on."""

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

import msgspec
import numpy as np

from workbench.base import Place, Record, Refusal
from workbench.engine.calibrate.robust_fit import StepFit, fit_rows
from workbench.engine.fork.ahead import RunEvents
from workbench.engine.fork.changes import Changes
from workbench.engine.fork.figures import FutureFigures, Mark, future_figures
from workbench.engine.fork.future import Future, durations
from workbench.engine.fork.golden_lines import STEP_S
from workbench.engine.fork.playback import EngineState, Playback, require_same
from workbench.engine.fork.recording import Recording
from workbench.engine.replay.request_tally import ReplayTally
from workbench.profiles import StepModel
from workbench.vllm_dialect import StepScheduled

_LINES_A_REPORT = 1000
_SHARE_OF_RECORD = 0.3
"""Progress when the record has been replayed; draws take the rest."""
_NAMED = 5
"""Requests named of those who gain and of those who lose."""


class ForkOrder(Record, frozen=True, kw_only=True):
    """The moment of a fork and its changes."""

    step: int | None = None
    """Number of the scheduler's call."""
    at_s: float | None = None
    """Instead: seconds of the run."""
    changes: Mapping[str, int | bool | str] = msgspec.field(default_factory=dict)
    draws: int = 5
    seed: int = 1


class Estimate(Record, frozen=True, kw_only=True):
    """A figure as recorded, and with the change: the middle, and the band of its error."""

    recorded: float
    changed: float
    low: float
    high: float

    @property
    def certain(self) -> bool:
        """The band excludes the recorded value."""
        rounding = 1e-9 * abs(self.recorded)
        return self.low > self.recorded + rounding or self.high < self.recorded - rounding


class ClassChange(Record, frozen=True, kw_only=True):
    """Figures of one class of requests."""

    cls: str = msgspec.field(name="class")
    requests: int
    figures: dict[str, Estimate]


class RequestChange(Record, frozen=True, kw_only=True):
    """A request's time from its arrival to its last token."""

    request: str
    cls: str = msgspec.field(name="class")
    recorded_ms: float
    changed_ms: float


class ForkResult(Record, frozen=True, kw_only=True):
    """Both futures of a fork. Times are of the engine alone."""

    step: int
    at_s: float
    decisions: int
    """Calls of the scheduler from the fork to the end of the record."""
    same: int
    """Those of them before the first with another batch: their recorded durations hold."""
    differs_at: int | None
    """Number of the first call with another batch; None: the change alters no decision."""
    differs_at_s: float | None
    draws: int
    model: StepModel
    model_error_pct: float
    """Mean error of a single step's modelled time."""
    replay_error: dict[str, float]
    """Relative error of each figure if the recorded future itself is modelled; empty if nothing differs."""
    figures: dict[str, Estimate]
    classes: list[ClassChange]
    gain: list[RequestChange]
    lose: list[RequestChange]
    unfinished: int
    """Requests that end in the record but never with the change."""


class _Split(NamedTuple):
    """The first call with another batch, and both states there, with that call's step in flight."""

    line: int
    recorded: bytes
    changed: bytes


Progress = Callable[[float], None]
"""Takes the share of the work that is done, now and then. An exception from it stops the work."""


def play_fork(recording: Recording, order: ForkOrder, progress: Progress = lambda _share: None) -> ForkResult:
    """Play both futures of a record.

    Args:
        recording: the record.
        order: the moment and the changes.
        progress: takes the share of the work that is done.

    Raises:
        Refusal: our scheduler doesn't reproduce the record, the step isn't in it, or a change is impossible.
    """
    return _Fork(recording, order, progress).result()


class _Fork:
    def __init__(self, recording: Recording, order: ForkOrder, progress: Progress) -> None:
        self._recording, self._order, self._progress = recording, order, progress
        self._changes = Changes(order.changes, recording.header)
        self._events = RunEvents(recording)
        self._fork_line = _fork_line(recording, order)
        self._playback = Playback(recording, self._changes)
        self._saved, self._recorded = self._play_recorded()
        self._fit = self._fitted()

    def result(self) -> ForkResult:
        lines, number = self._recording.lines, self._fork_line
        calls = [place for place in range(number, len(lines)) if isinstance(lines[place], StepScheduled)]
        split = self._find_split()
        at = lines[number]
        assert isinstance(at, StepScheduled)
        result = ForkResult(
            step=at.t,
            at_s=self._mark.at - self._recording.zero,
            decisions=len(calls),
            same=len(calls) if split is None else calls.index(split.line),
            differs_at=None,
            differs_at_s=None,
            draws=self._order.draws,
            model=self._fit.model,
            model_error_pct=self._fit.error_pct,
            replay_error={},
            figures={},
            classes=[],
            gain=[],
            lose=[],
            unfinished=0,
        )
        if split is None:
            return self._compared(result, [], [], 0)
        return self._modelled(result, split)

    def _play_recorded(self) -> tuple[bytes, EngineState]:
        """Play the whole record as it was; return the state at the fork and that at the end."""
        playback, saved = self._playback, b""
        share = _SHARE_OF_RECORD / max(1, len(self._recording.lines))
        for number, line in enumerate(self._recording.lines[1:], start=1):
            if number % _LINES_A_REPORT == 0:
                self._progress(number * share)
            if number == self._fork_line:
                saved = playback.state.save()
                self._mark = Mark.of(playback.state.tally, self._events.time_of(number))
            require_same(playback.play(line), self._recording.where)
        return saved, playback.state

    def _fitted(self) -> StepFit:
        if self._recording.timed:
            return fit_rows(self._playback.rows)
        model = StepModel(a=STEP_S * 1e6, b=0, c=0, d=0, e=0)
        return StepFit(model, {"decode": [1.0], "prefill": [1.0], "mixed": [1.0]}, 0.0)

    def _find_split(self) -> _Split | None:
        """Play the change on as long as its batches are the recorded ones."""
        playback, lines = self._playback, self._recording.lines
        if not self._order.changes:
            return None
        playback.take_up(self._saved, self._changes)
        for number in range(self._fork_line, len(lines)):
            if number % _LINES_A_REPORT == 0:
                self._progress(_SHARE_OF_RECORD)
            if playback.play(lines[number]) is not None:
                changed = playback.state.save()
                return _Split(number, self._recorded_at(number), changed)
        return None

    def _recorded_at(self, number: int) -> bytes:
        """Return the unchanged state with the call of this line just made."""
        playback, lines = self._playback, self._recording.lines
        playback.take_up(self._saved, None)
        for place in range(self._fork_line, number):
            playback.play(lines[place])
        last = lines[number]
        assert isinstance(last, StepScheduled)
        playback.schedule_only(last)
        return playback.state.save()

    def _modelled(self, result: ForkResult, split: _Split) -> ForkResult:
        at = self._recording.lines[split.line]
        assert isinstance(at, StepScheduled)
        before, after, missing = [], [], 0
        for draw in range(self._order.draws):
            self._progress(_SHARE_OF_RECORD + (1 - _SHARE_OF_RECORD) * draw / self._order.draws)
            seed = self._order.seed * 1000 + draw
            before.append(self._future(split, split.recorded, seed, changed=False)[0])
            figures, left = self._future(split, split.changed, seed, changed=True)
            after.append(figures)
            missing = max(missing, left)
        result = msgspec.structs.replace(
            result,
            differs_at=at.t,
            differs_at_s=self._events.time_of(split.line) - self._recording.zero,
        )
        return self._compared(result, before, after, missing)

    def _future(self, split: _Split, saved: bytes, seed: int, *, changed: bool) -> tuple[FutureFigures, int]:
        at = self._recording.lines[split.line]
        assert isinstance(at, StepScheduled)
        self._playback.hold(self._changes if changed else None)
        ahead = self._events.ahead(split.line)
        expected = {name for name, line in self._events.ended_line.items() if line > split.line}
        state = EngineState.load(saved)
        future = Future(state, self._playback, ahead, expected, durations(self._fit, seed))
        now = self._events.time_of(split.line)
        future.run(at.t, self._events.updated, now, self._events.front_s)
        return self._figures(state.tally), len(future.missing)

    def _figures(self, tally: ReplayTally) -> FutureFigures:
        names = [name for name, line in self._events.ended_line.items() if line >= self._fork_line]
        return future_figures(tally, self._mark, names, self._recording.classes)

    def _compared(
        self,
        result: ForkResult,
        before: Sequence[FutureFigures],
        after: Sequence[FutureFigures],
        missing: int,
    ) -> ForkResult:
        recorded = self._figures(self._recorded.tally)
        errors = _replay_errors(recorded.figures, [one.figures for one in before])
        classes = [
            ClassChange(
                cls=cls,
                requests=sum(self._recording.classes.get(name, "all") == cls for name in recorded.e2e_ms),
                figures=_estimates(
                    figures,
                    [one.classes.get(cls, {}) for one in before],
                    [one.classes.get(cls, {}) for one in after],
                ),
            )
            for cls, figures in recorded.classes.items()
        ]
        moved = self._moved(recorded, before, after)
        return msgspec.structs.replace(
            result,
            replay_error=errors,
            figures=_estimates(
                recorded.figures, [one.figures for one in before], [one.figures for one in after]
            ),
            classes=classes,
            gain=[one for one in moved if one.changed_ms < one.recorded_ms][:_NAMED],
            lose=[one for one in reversed(moved) if one.changed_ms > one.recorded_ms][:_NAMED],
            unfinished=missing,
        )

    def _moved(
        self, recorded: FutureFigures, before: Sequence[FutureFigures], after: Sequence[FutureFigures]
    ) -> list[RequestChange]:
        """Return the requests by their change, the largest gain first."""
        if not after:
            return []
        moved = []
        for name, ms in recorded.e2e_ms.items():
            pairs = [
                (one.e2e_ms[name], two.e2e_ms[name])
                for one, two in zip(before, after, strict=True)
                if name in one.e2e_ms and name in two.e2e_ms
            ]
            if pairs:
                change = float(np.mean([two - one for one, two in pairs]))
                moved.append(
                    RequestChange(
                        request=self._recording.names.get(name, name),
                        cls=self._recording.classes.get(name, "all"),
                        recorded_ms=ms,
                        changed_ms=ms + change,
                    )
                )
        return sorted(moved, key=lambda one: one.changed_ms - one.recorded_ms)


def _fork_line(recording: Recording, order: ForkOrder) -> int:
    """Return the index of the first call at or after the order's step or time."""
    for number in range(max(1, recording.begin), len(recording.lines)):
        line = recording.lines[number]
        if not isinstance(line, StepScheduled):
            continue
        if order.step is not None and line.t >= order.step:
            return number
        if order.at_s is not None and line.mono - line.us / 1e6 - recording.zero >= order.at_s:
            return number
    calls = [line.t for line in recording.lines if isinstance(line, StepScheduled)]
    last = calls[-1] if calls else None
    raise Refusal("engine.fork_after_end", Place(key="at"), last=last)


def _replay_errors(recorded: Mapping[str, float], before: Sequence[Mapping[str, float]]) -> dict[str, float]:
    """Return the relative error of the modelled recorded future."""
    return {
        name: float(np.mean([one[name] for one in before if name in one])) / value - 1
        for name, value in recorded.items()
        if value and any(name in one for one in before)
    }


def _estimates(
    recorded: Mapping[str, float],
    before: Sequence[Mapping[str, float]],
    after: Sequence[Mapping[str, float]],
) -> dict[str, Estimate]:
    """Return the recorded figures with the change that the model predicts for each.

    Both futures are modelled with the same draws, so that the model's bias cancels out of the difference. The
    band holds the differences of all draws, widened by the error of the modelled recorded future.
    """
    errors = _replay_errors(recorded, before)
    estimates = {}
    for name, value in recorded.items():
        changes = [
            two[name] - one[name]
            for one, two in zip(before, after, strict=True)
            if name in one and name in two
        ]
        if after and not changes:
            continue
        middle = float(np.mean(changes)) if changes else 0.0
        wider = abs(middle * errors.get(name, 0.0))
        low, high = (min(changes) - wider, max(changes) + wider) if changes else (0.0, 0.0)
        estimates[name] = Estimate(recorded=value, changed=value + middle, low=value + low, high=value + high)
    return estimates
