"""Tuning by itself: one control at a time, each step an experiment of kind `search` in a session.

A step measures the baseline and asks the ledger which limit cost the requests most. It searches the control
of that limit, and the better value becomes the next baseline. Tuning ends when no control is expected to gain
enough or the time is used up. It pauses when a result contradicts what was expected.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import msgspec

from workbench.advice import RunChoice
from workbench.base import Message, Place, Record, Refusal, message
from workbench.controls import Value, candidate_values
from workbench.experiments.findings.search import searched
from workbench.experiments.plan.control_choice import choice_of
from workbench.experiments.plan.judged_steps import judge_steps
from workbench.experiments.plan.plan import make_plan
from workbench.experiments.plan.search import (
    Predicted,
    choose_next,
    spent_s,
    stored_expected,
    stored_predictions,
    tried_values,
)
from workbench.experiments.session.chain import Session, SessionStep, annotate, extend
from workbench.experiments.spec.experiment import Experiment
from workbench.experiments.spec.tables import ControlUnderTest, Repeats, Search
from workbench.experiments.spec.validate import check_experiment
from workbench.results import BenchFile

OF_SERVER = ("max_num_seqs", "max_num_batched_tokens")
"""Controls of a server that tuning changes: sequence slots and tokens of a step."""
OF_CLIENT = ("max_in_flight",)
"""The control of an attached server, which can't be restarted."""
_SURPRISE = 0.25
"""A measured figure that falls this much below what was expected, as a share, is a surprise."""

Measure = Callable[[Sequence[Experiment], Path], str]
"""Runs experiments with a common baseline into a bench file; returns done, stopped or failed."""
Predict = Callable[[Sequence[Experiment], Path, str, Value], float | None]
"""Gain that the twin expects of any of the experiments once the control has the value; None: unknown."""


class TuneSettings(Record, frozen=True, kw_only=True):
    """Controls that tuning may change, and its end."""

    gain: float = 0.02
    """Smallest expected gain that is worth a run."""
    minutes: float | None = None
    """Wall time of all runs with their server starts; None: no limit."""
    controls: tuple[str, ...] = ()
    """Controls that may change; empty: those of the target."""


class TuneEnd(Record, frozen=True, kw_only=True):
    """The end of a tuning."""

    state: str
    """done, paused, stopped or failed."""
    reason: Message
    session: Session
    baseline: dict[str, Value]
    """The configuration found."""
    accepted_rps: float | None
    minutes: float
    """Wall time of all runs, with the estimate of each server's start."""
    runs: int


def tuning_start(experiment: Experiment) -> Experiment:
    """Return the experiment as tuning starts it: its baseline at its highest load, run once.

    Raises:
        Refusal: it is of a kind with its own baseline, or a closed loop.
    """
    load = experiment.load
    rates = load.offered_rates()
    if not rates:
        raise Refusal("experiments.tune_needs_rate", Place(table="load", key="rates"))
    load = msgspec.structs.replace(load, rates=[max(rates)], ladder=None)
    target = experiment.target
    if target.kind != "attached" and not target.record_steps:
        target = msgspec.structs.replace(target, record_steps=True)
    return msgspec.structs.replace(
        experiment, kind="search", target=target, load=load, control=None, burst=None, second=None,
        switchback=None, reproduces=None, repeat=Repeats(disturbed=experiment.repeat.disturbed),
    )  # fmt: skip


def tuned_controls(start: Experiment, wanted: Sequence[str]) -> tuple[str, ...]:
    """Return the controls that tuning may change: the wanted ones, else those of the target."""
    return tuple(wanted) or (OF_CLIENT if start.target.kind == "attached" else OF_SERVER)


def tune(
    start: Experiment,
    folder: Path,
    measure: Measure,
    settings: TuneSettings,
    *,
    keep: Callable[[Session], None] = lambda _session: None,
    say: Callable[[Message], None] = lambda _said: None,
    predict: Predict = lambda *_: None,
    go_on: Callable[[Message], bool] = lambda _reason: False,
) -> TuneEnd:
    """Tune one control after the other.

    Args:
        start: from `tuning_start`.
        folder: gets the bench file of each step.
        measure: runs a step's experiments.
        settings: what may change, and when to end.
        keep: takes the session after each step.
        say: takes what is decided.
        predict: asks the twin whether another step is worth it.
        go_on: asks whether to go on after a surprise.

    Raises:
        InputError: the experiment can't be run.
    """
    tuning = Tuning(start, settings, predict)
    while True:
        experiments = tuning.next()
        if isinstance(experiments, TuneEnd):
            return experiments
        path = folder / f"step-{len(tuning.session.steps) + 1}.bench"
        end = tuning.finish(experiments, path, measure(experiments, path))
        if end is not None and tuning.surprised and go_on(end.reason):
            end = tuning.go_on()
        say(tuning.said)
        keep(tuning.session)
        if end is not None:
            return end


@dataclass(frozen=True, slots=True)
class _Result:
    """A measured step before its value is taken over."""

    tested: Experiment
    experiments: Sequence[Experiment]
    path: Path
    best: Value | None
    accepted_rps: float
    baseline_rps: float


class Tuning:
    """The decisions of a tuning; its caller measures the steps.

    Args:
        start: from `tuning_start`.
        settings: what may change, and when to end.
        predict: asks the twin whether another step is worth it.
    """

    def __init__(self, start: Experiment, settings: TuneSettings, predict: Predict = lambda *_: None) -> None:
        self._start = start
        self._settings = settings
        self._predict = predict
        self.session = Session(name=start.name)
        self.said = message("experiments.tune_no_control_left")
        """Outcome of the last step."""
        self._baseline: dict[str, Value] = dict(start.baseline)
        self._adopted: Value | None = None
        self._parent: int | None = None
        self._best: float | None = None
        self._exhausted: set[str] = set()
        self._spent_s = 0.0
        self._runs = 0
        self._result: _Result | None = None
        self._surprise: Message | None = None

    @property
    def surprised(self) -> bool:
        """True while a surprising result waits for `go_on`."""
        return self._surprise is not None

    def next(self) -> list[Experiment] | TuneEnd:
        """Return the experiments of the next step, which share a plan, or the end."""
        minutes = self._settings.minutes
        left = None if minutes is None else minutes - self._spent_s / 60
        if left is not None and left <= 0:
            return self.end("done", message("advice.search_out_of_time", minutes=minutes or 0.0))
        experiments = self._experiments(left)
        return experiments or self.end("done", message("experiments.tune_no_control_left"))

    def _experiments(self, minutes: float | None) -> list[Experiment]:
        """Return the search of each control that may still gain, from the present baseline."""
        controls = tuned_controls(self._start, self._settings.controls)
        found = []
        for name in controls:
            held = {**self._baseline}
            if name == "max_in_flight" and name not in held and self._start.load.max_in_flight:
                held[name] = self._start.load.max_in_flight
            values = [] if name in self._exhausted else candidate_values(name, held)
            if not values:
                continue
            experiment = msgspec.structs.replace(
                self._start,
                name=f"{self._start.name}: {name}",
                baseline=dict(self._baseline),
                control=ControlUnderTest(name=name, values=values),
                search=Search(gain=self._settings.gain, minutes=minutes, one_control=True),
            )
            check_experiment(experiment, experiment.name)
            found.append(experiment)
        return found

    def finish(self, experiments: Sequence[Experiment], path: Path, status: str) -> TuneEnd | None:
        """Take over a measured step; return the end, or None to go on with `next`.

        Args:
            experiments: from `next`.
            path: the bench file of their plan.
            status: done, stopped or failed.
        """
        with BenchFile.open(path) as bench:
            judged, predicted = judge_steps(bench), stored_predictions(bench)
            tested = searched(experiments, judged)
            name = tested.tested.name
            chosen, expected = choice_of(bench, name), stored_expected(bench).get(name, {})
        self._spent_s += spent_s(experiments[0], judged)
        self._runs += len(judged)
        step = SessionStep(
            id=0, parent=self._parent, experiment=tested, bench=str(path), adopted=self._adopted,
            chosen=chosen,
        )  # fmt: skip
        self.session = extend(self.session, step)
        if status != "done":
            return self._end_step(status, message("experiments.tune_step_ended", status=status))
        choice = choose_next(make_plan([tested]), tested, judged, predicted.get(name))
        baseline = next((each for each in judged if each.control is None), None)
        figure = None if baseline is None else tried_values(tested, [baseline])[0].objective
        if figure is None or choice.best is None or choice.best.objective is None:
            why = "" if baseline is None else baseline.cells.get("reasons") or ""
            return self._end_step("paused", message("experiments.tune_no_valid_baseline", why=why))
        best = choice.best
        self._result = _Result(tested, experiments, path, best.value, choice.best.objective, figure)
        self._surprise = self._surprising(choice, figure, expected)
        if self._surprise is not None:
            return self._end_step("paused", self._surprise)
        return self.go_on()

    def _surprising(self, choice: RunChoice, baseline: float, expected: Predicted) -> Message | None:
        """Return how the step's result contradicts what was known before it; None if it doesn't."""
        best, before = choice.best, self._best
        assert best is not None
        assert best.objective is not None
        noise = 3 * best.noise
        cases = [] if best.value is None else [*expected.get(best.value, ())]
        # A better result than predicted needs no pause: the next step's baseline repeats it.
        if cases and best.objective < min(cases) * (1 - _SURPRISE - noise):
            return message(
                "experiments.tune_surprise",
                measured=best.objective, expected=cases[len(cases) // 2], low=min(cases), high=max(cases),
            )  # fmt: skip
        if before and abs(baseline / before - 1) > max(_SURPRISE / 2, noise):
            return message("experiments.tune_not_repeated", before=before, after=baseline)
        return None

    def go_on(self) -> TuneEnd | None:
        """Take over the last step's value, surprising or not; return the end, or None to go on."""
        result = self._result
        assert result is not None
        name, value = result.tested.tested.name, result.best
        surprise, self._surprise = self._surprise, None
        self._best = result.accepted_rps
        held = result.tested.configuration(None).get(name)
        gained = self._best / result.baseline_rps - 1 if result.baseline_rps else float("inf")
        self._exhausted.add(name)
        self._adopted = None
        if value is not None and value != held and gained >= self._settings.gain:
            self._baseline = {**self._baseline, name: value}
            self._adopted = value
            # A better value of one control can make room for another.
            self._exhausted = {name}
        end = self._worth_another_step(result)
        others = [surprise, None if end is None else end.reason]
        self._annotate(self._decision(name), *(each for each in others if each is not None))
        if end is not None:
            return msgspec.structs.replace(end, session=self.session)
        self._parent = self.session.steps[-1].id
        return None

    def _worth_another_step(self, result: _Result) -> TuneEnd | None:
        """Return the end if no other control is expected to gain enough at the new baseline."""
        name = result.tested.tested.name
        rest = [each for each in result.experiments if each.tested.name not in self._exhausted]
        if not rest:
            return self.end("done", message("experiments.tune_no_control_left"))
        value = self._baseline.get(name)
        expected = None if value is None else self._predict(rest, result.path, name, value)
        if expected is None or expected >= self._settings.gain:
            return None
        threshold = 100 * self._settings.gain
        reason = message("advice.search_no_gain", percent=100 * expected, threshold=threshold)
        return self.end("done", reason)

    def _decision(self, name: str) -> Message:
        if self._adopted is None:
            return message("experiments.tune_kept", name=name, rate=self._best)
        return message("experiments.tune_adopted", name=name, value=str(self._adopted), rate=self._best)

    def _end_step(self, state: str, reason: Message) -> TuneEnd:
        """Return the end with the last step, whose note says why."""
        self._annotate(reason)
        return self.end(state, reason)

    def _annotate(self, *decisions: Message) -> None:
        """Note at the last step why its control was searched, and what followed."""
        step = self.session.steps[-1]
        why = [] if step.chosen is None else [step.chosen.reason]
        self.said = message("experiments.tune_step", parts=[*why, *decisions])
        self.session = annotate(self.session, step.id, str(self.said))

    @property
    def minutes(self) -> float:
        """Wall time of all runs so far, with the estimate of each server's start."""
        return self._spent_s / 60

    def end(self, state: str, reason: Message) -> TuneEnd:
        """Return the end in this state: done, paused, stopped or failed."""
        return TuneEnd(
            state=state,
            reason=reason,
            session=self.session,
            baseline=dict(self._baseline),
            accepted_rps=self._best,
            minutes=self.minutes,
            runs=self._runs,
        )
