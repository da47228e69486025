"""A tuning of the form's experiment, step by step. No Qt; it works in the background's thread."""

from collections.abc import Sequence
from pathlib import Path

from workbench.base import Message, message
from workbench.controls import Value
from workbench.experiments import Experiment, expected_after, make_plan, prepare, to_toml
from workbench.experiments.session import (
    SessionStep,
    TuneEnd,
    TuneSettings,
    Tuning,
    tuned_controls,
    tuning_start,
)
from workbench.traces import Trace


class TunedPlan:
    """The tuning of one experiment.

    Args:
        text: the experiment's file.
        name: its name.
        folder: base of relative paths.

    Raises:
        InputError: it can't be tuned.
    """

    def __init__(self, text: str, name: str, folder: Path) -> None:
        self.start = tuning_start(Experiment.from_toml(text, where=name))
        self.controls = tuned_controls(self.start, ())
        self.minutes = 0.0
        self._folder = folder
        self._trace: Trace | None = None
        self._tuning = Tuning(self.start, TuneSettings())

    def begin(self, minutes: float, gain: float) -> None:
        """Set the time budget and the smallest gain that is worth a run."""
        self.minutes = minutes
        self._tuning = Tuning(self.start, TuneSettings(minutes=minutes, gain=gain), self._expected)

    def next(self) -> list[Experiment] | TuneEnd:
        """Return the experiments of the next step, or the end."""
        return self._tuning.next()

    def finish(self, experiments: Sequence[Experiment], bench: Path, status: str) -> TuneEnd | None:
        """Take over a measured step; return the end if it is the last one."""
        return self._tuning.finish(experiments, bench, status)

    def go_on(self) -> TuneEnd | None:
        """Take over a surprising result; return the end if it is the last one."""
        return self._tuning.go_on()

    def stopped(self) -> TuneEnd:
        """Return the end of a tuning that was stopped between two steps."""
        reason: Message = message("experiments.tune_step_ended", status="stopped")
        return self._tuning.end("stopped", reason)

    @property
    def surprised(self) -> bool:
        """True while a surprising result waits for `go_on`."""
        return self._tuning.surprised

    @property
    def last_step(self) -> SessionStep:
        """The step that was measured last."""
        return self._tuning.session.steps[-1]

    @property
    def step_number(self) -> int:
        """Number of the step that is measured now."""
        return len(self._tuning.session.steps) + 1

    @property
    def step_name(self) -> str:
        """Name of the plan that is measured next."""
        return f"{self.start.name} tuning {self.step_number}"

    def files(self, experiments: Sequence[Experiment]) -> list[tuple[str, str]]:
        """Return the step's experiment files: name and text."""
        return [(f"{each.tested.name}.toml", to_toml(each)) for each in experiments]

    def share_used(self, present_s: float) -> float:
        """Return the share of the time budget that is used, with the seconds of the present plan."""
        return (self._tuning.minutes + present_s / 60) / self.minutes if self.minutes else 0.0

    def _expected(
        self, experiments: Sequence[Experiment], bench: Path, name: str, value: Value
    ) -> float | None:
        if self._trace is None:
            self._trace, _ = prepare(make_plan([self.start]), self._folder)
        return expected_after(experiments, bench, self._trace, name, value)
