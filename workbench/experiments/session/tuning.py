"""Tuning by itself: one control at a time, each step an experiment of kind `search` in a session.

A step measures the baseline and asks which control is expected to gain most. It searches that one, and the
better value becomes the next baseline. Tuning ends when no control is expected to gain enough or the time is
used up. It pauses when a result contradicts what was expected, so that a person can look.
"""

from collections.abc import Callable, Sequence
from pathlib import Path

import msgspec

from workbench.advice import RunChoice
from workbench.base import Message, Place, Record, Refusal, message
from workbench.controls import Value, candidate_values
from workbench.experiments.findings.search import searched
from workbench.experiments.plan.judged_steps import JudgedStep, judge_steps
from workbench.experiments.plan.plan import make_plan
from workbench.experiments.plan.search import (
    Predicted,
    choose_next,
    spent_s,
    stored_predictions,
    tried_values,
)
from workbench.experiments.session.chain import Session, annotate, attach, extend
from workbench.experiments.spec.experiment import Experiment
from workbench.experiments.spec.tables import ControlUnderTest, Repeats, Search
from workbench.experiments.spec.validate import check_experiment
from workbench.results import BenchFile

OF_SERVER = ("max_num_seqs", "max_num_batched_tokens")
"""Controls of a server that tuning changes: sequence slots and tokens of a step."""
OF_CLIENT = ("max_in_flight",)
"""The control of an attached server, which can't be restarted."""
_SURPRISE = 0.25
"""A measured figure that is further from what was expected, as a share, is a surprise."""

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


def tune(
    start: Experiment,
    folder: Path,
    measure: Measure,
    settings: TuneSettings,
    *,
    keep: Callable[[Session], None] = lambda _session: None,
    say: Callable[[Message], None] = lambda _said: None,
    predict: Predict = lambda *_: None,
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

    Raises:
        InputError: the experiment can't be run.
    """
    return _Tuning(start, folder, measure, settings, keep, say, predict).run()


class _Tuning:
    def __init__(
        self,
        start: Experiment,
        folder: Path,
        measure: Measure,
        settings: TuneSettings,
        keep: Callable[[Session], None],
        say: Callable[[Message], None],
        predict: Predict,
    ) -> None:
        self._start = start
        self._folder = folder
        self._measure = measure
        self._settings = settings
        self._keep, self._say, self._predict = keep, say, predict
        self._session = Session(name=start.name)
        self._baseline: dict[str, Value] = dict(start.baseline)
        self._adopted: Value | None = None
        self._parent: int | None = None
        self._best: float | None = None
        self._exhausted: set[str] = set()
        self._spent_s = 0.0
        self._runs = 0

    def run(self) -> TuneEnd:
        """Do one step after the other."""
        while True:
            left = self._minutes_left()
            if left is not None and left <= 0:
                assert self._settings.minutes is not None
                return self._end("done", message("advice.search_out_of_time", minutes=self._settings.minutes))
            experiments = self._experiments(left)
            if not experiments:
                return self._end("done", message("experiments.tune_no_control_left"))
            end = self._step(experiments)
            if end is not None:
                return end

    def _minutes_left(self) -> float | None:
        minutes = self._settings.minutes
        return None if minutes is None else minutes - self._spent_s / 60

    def _experiments(self, minutes: float | None) -> list[Experiment]:
        """Return the search of each control that may still gain, from the present baseline."""
        attached = self._start.target.kind == "attached"
        controls = self._settings.controls or (OF_CLIENT if attached else OF_SERVER)
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

    def _step(self, experiments: Sequence[Experiment]) -> TuneEnd | None:
        """Measure one step; return the end, or None to go on."""
        path = self._folder / f"step-{len(self._session.steps) + 1}.bench"
        status = self._measure(experiments, path)
        with BenchFile.open(path) as bench:
            judged, predicted = judge_steps(bench), stored_predictions(bench)
        self._spent_s += spent_s(experiments[0], judged)
        self._runs += len(judged)
        tested = searched(experiments, judged)
        self._session = extend(self._session, self._parent, tested, self._adopted)
        step = self._session.steps[-1].id
        self._session = attach(self._session, step, str(path))
        choice = choose_next(make_plan([tested]), tested, judged, predicted.get(tested.tested.name))
        end = self._judge(status, tested, judged, choice, predicted.get(tested.tested.name, {}))
        end = end or self._worth_another_step(tested, experiments, path)
        said = self._decision(tested) if end is None else end.reason
        self._say(said)
        self._session = annotate(self._session, step, str(said))
        self._keep(self._session)
        if end is not None:
            return msgspec.structs.replace(end, session=self._session)
        self._parent = step
        return None

    def _judge(
        self,
        status: str,
        tested: Experiment,
        judged: Sequence[JudgedStep],
        choice: RunChoice,
        predicted: Predicted,
    ) -> TuneEnd | None:
        """Take over the step's result; return the end if tuning ends with it."""
        name, before = tested.tested.name, self._best
        baseline = next((each for each in judged if each.control is None), None)
        figure = None if baseline is None else tried_values(tested, [baseline])[0].objective
        if status != "done":
            return self._end(status, message("experiments.tune_step_ended", status=status))
        if figure is None or choice.best is None or choice.best.objective is None:
            why = "" if baseline is None else baseline.cells.get("reasons") or ""
            return self._end("paused", message("experiments.tune_no_valid_baseline", why=why))
        noise = 3 * choice.best.noise
        expected = [] if choice.best.value is None else [*predicted.get(choice.best.value, ())]
        if expected and not _within(choice.best.objective, expected, _SURPRISE + noise):
            return self._end(
                "paused",
                message("experiments.tune_surprise", measured=choice.best.objective, expected=expected[1]),
            )
        if before and abs(figure / before - 1) > max(_SURPRISE / 2, noise):
            return self._end("paused", message("experiments.tune_not_repeated", before=before, after=figure))
        self._best = choice.best.objective
        held = tested.configuration(None).get(name)
        gained = self._best / figure - 1 if figure else float("inf")
        self._exhausted.add(name)
        if choice.best.value is not None and choice.best.value != held and gained >= self._settings.gain:
            self._baseline = {**self._baseline, name: choice.best.value}
            self._adopted = choice.best.value
            # A better value of one control can make room for another.
            self._exhausted = {name}
        else:
            self._adopted = None
        return None

    def _worth_another_step(
        self, tested: Experiment, experiments: Sequence[Experiment], path: Path
    ) -> TuneEnd | None:
        """Return the end if no other control is expected to gain enough at the new baseline."""
        name = tested.tested.name
        rest = [each for each in experiments if each.tested.name not in self._exhausted]
        if not rest:
            return self._end("done", message("experiments.tune_no_control_left"))
        value = self._baseline.get(name)
        expected = None if value is None else self._predict(rest, path, name, value)
        if expected is not None and expected < self._settings.gain:
            return self._end(
                "done",
                message(
                    "advice.search_no_gain",
                    percent=100 * expected,
                    threshold=100 * self._settings.gain,
                ),
            )
        return None

    def _decision(self, tested: Experiment) -> Message:
        name = tested.tested.name
        if self._adopted is None:
            return message("experiments.tune_kept", name=name, rate=self._best)
        return message("experiments.tune_adopted", name=name, value=str(self._adopted), rate=self._best)

    def _end(self, state: str, reason: Message) -> TuneEnd:
        return TuneEnd(
            state=state,
            reason=reason,
            session=self._session,
            baseline=dict(self._baseline),
            accepted_rps=self._best,
            minutes=self._spent_s / 60,
            runs=self._runs,
        )


def _within(measured: float, expected: Sequence[float], share: float) -> bool:
    """Return True if a figure lies between the expected ones, give or take a share."""
    return min(expected) * (1 - share) <= measured <= max(expected) * (1 + share)
