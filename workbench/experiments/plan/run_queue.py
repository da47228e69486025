"""The queue of runs: the plan's order, changed by the results of finished runs if the file allows it.

An adaptive ladder climbs until a rate is too much, and then halves the step between. With `[repeat]
drop_dominated`, a value that is clearly out is not repeated. A search runs the value next that may gain most.
The same results lead to the same decisions, so that a resumed plan continues as before.
"""

from collections.abc import Callable, Mapping, Sequence

import msgspec

from workbench.advice import RunChoice
from workbench.base import Message, message
from workbench.experiments.plan.judged_steps import JudgedStep
from workbench.experiments.plan.plan import Configuration, Plan, Run, make_run
from workbench.experiments.plan.search import Predicted, choose_next, left_out, settings_of, tried_values
from workbench.experiments.spec.experiment import Experiment
from workbench.experiments.spec.tables import round_rate

_CLOSE = 1.02
"""A run can't distinguish rates nearer than 2 %."""


class _LadderProgress(msgspec.Struct, kw_only=True):
    """Progress of one configuration's ladder."""

    sustained: float | None = None
    too_much: float | None = None
    bisections_left: int
    blind: bool = False
    """A rate could not be measured, so the step below it is not halved."""


class RunQueue:
    """The queue of runs that are left."""

    def __init__(self, plan: Plan) -> None:
        self._plan = plan
        self._experiment = plan.experiments[0]
        self.left: list[Run] = list(plan.runs)
        self.started = 0
        self.last: Run | None = None
        self._progress: dict[str, _LadderProgress] = {}

    def __len__(self) -> int:
        return self.started + len(self.left)

    def next(self) -> Run | None:
        """Take the next run from the queue; None if none is left."""
        if not self.left:
            return None
        self.last = self.left.pop(0)
        self.started += 1
        return self.last

    def drop(self, which: Callable[[Run], bool]) -> list[Run]:
        """Drop the waiting runs for which `which` is true, and return them."""
        dropped = [run for run in self.left if which(run)]
        self.left = [run for run in self.left if not which(run)]
        return dropped

    def update(
        self,
        run: Run,
        judged: Sequence[JudgedStep],
        predicted: Mapping[str, Predicted] | None = None,
        advised: Sequence[str] = (),
    ) -> list[Message]:
        """Change the queue after a finished run; return notes on it.

        Args:
            run: the finished run.
            judged: all judged steps so far.
            predicted: of a search: the twin's predictions by control.
            advised: of a search of one control: those whose limits cost most, the costliest first.
        """
        if self._experiment.kind == "search":
            return self._search(judged, predicted or {}, advised)
        notes = []
        ladder = self._experiment.load.ladder
        own = next((step for step in judged if step.run == run.row), None)
        if ladder is not None and ladder.adaptive and run.repeat == 1 and own is not None:
            notes += self._advance_ladder(run, own)
        if self._experiment.repeat.drop_dominated:
            notes += self._drop(judged)
        return notes

    def _search(
        self, judged: Sequence[JudgedStep], predicted: Mapping[str, Predicted], advised: Sequence[str]
    ) -> list[Message]:
        """Put the run first that may gain most; leave out the rest of a control once none may gain enough."""
        notes: list[Message] = []
        if any(run.configuration.control is None for run in self.left):
            return notes
        if settings_of(self._experiment).one_control and not _has_baseline(self._experiment, judged):
            # Nothing could be compared with it.
            self.left = []
        for experiment, own, choice in self._choices(judged, predicted, advised):
            chosen = next((run for run in own if run.configuration.value == choice.value), None)
            if chosen is not None:
                self.left.remove(chosen)
                self.left.insert(0, chosen)
                if choice.expected_gain is not None:
                    notes.append(message("experiments.search_next", run=chosen.row, why=choice.reason))
                return notes
            self.left = [run for run in self.left if run not in own]
            notes += left_out(experiment, choice)
        return notes

    def _choices(
        self, judged: Sequence[JudgedStep], predicted: Mapping[str, Predicted], advised: Sequence[str]
    ) -> list[tuple[Experiment, list[Run], RunChoice]]:
        """Return each experiment that has runs left, with them and its choice, in the order of the search.

        With `one_control` the control under search goes first, else the first advised one with a value
        that is worth a run, else the one with the highest expected gain; the others are left out.
        """
        found = []
        for index, experiment in enumerate(self._plan.experiments):
            own = [run for run in self.left if run.configuration.experiment == index]
            if own:
                choice = choose_next(self._plan, experiment, judged, predicted.get(experiment.tested.name))
                found.append((experiment, own, choice))
        if not settings_of(self._experiment).one_control or len(found) < 2:
            return found
        begun = {step.control for step in judged}
        rank = {name: len(advised) - place for place, name in enumerate(advised)}

        def preference(each: tuple[Experiment, list[Run], RunChoice]) -> tuple[bool, int, float]:
            name, choice = each[0].tested.name, each[2]
            worth = choice.value is not None
            return name in begun, rank.get(name, 0) if worth else -1, choice.expected_gain or 0.0

        first = max(found, key=preference)
        if first[2].value is None:
            return found
        self.left = [run for run in self.left if run in first[1]]
        return [first]

    def _advance_ladder(self, run: Run, step: JudgedStep) -> list[Message]:
        ladder = self._experiment.load.ladder
        assert ladder is not None
        assert run.rate is not None
        progress = self._progress.setdefault(
            run.configuration.label, _LadderProgress(bisections_left=ladder.bisections)
        )
        if step.sustained or (step.sustained is None and step.cells.get("valid")):
            # Valid and stable with too few requests for a percentile: a higher rate may be tried.
            progress.sustained = max(progress.sustained or 0.0, run.rate)
        elif step.sustained is False or step.cells.get("valid") is False:
            progress.too_much = min(progress.too_much or run.rate, run.rate)
            progress.blind |= step.sustained is None
        if progress.too_much is None:
            return []
        before = len(self.left)
        self.left = [each for each in self.left if not _above(each, run.configuration, progress.too_much)]
        notes: list[Message] = []
        if len(self.left) < before:
            notes.append(message("experiments.higher_rates_left_out", run=run.row, why=step.why))
        self._halve(run, progress, ladder.factor)
        return notes

    def _halve(self, run: Run, progress: _LadderProgress, factor: float) -> None:
        """Insert the rate midway, in proportion, between the highest sustained and the lowest too high."""
        assert progress.too_much is not None
        pending = any(each.configuration == run.configuration and each.repeat == 1 for each in self.left)
        if progress.blind or pending or progress.bisections_left < 1:
            return
        lower = progress.sustained if progress.sustained is not None else progress.too_much / factor**2
        middle = round_rate((lower * progress.too_much) ** 0.5)
        if middle < lower * _CLOSE or progress.too_much < middle * _CLOSE:
            return
        progress.bisections_left -= 1
        for repeat in range(self._experiment.repeat.n, 0, -1):
            self._insert(make_run(self._experiment, run.configuration, repeat, middle), run)

    def _insert(self, new: Run, after: Run) -> None:
        """Insert a run of this repeat next; one of a later repeat after the configuration's other rates."""
        if new.repeat == after.repeat:
            self.left.insert(0, new)
            return
        places = [
            place
            for place, each in enumerate(self.left)
            if each.configuration == new.configuration and each.repeat == new.repeat
        ]
        self.left.insert(places[-1] + 1 if places else len(self.left), new)

    def _drop(self, judged: Sequence[JudgedStep]) -> list[Message]:
        """Drop repeats of values that are clearly out at every rate, if others sustain these rates."""
        notes = []
        borne = {(step.rate, step.concurrency) for step in judged if step.sustained}
        for configuration in {each.configuration.label: each.configuration for each in self.left}.values():
            own = [step for step in judged if _is_of(step, configuration)]
            waits = any(each.configuration == configuration and each.repeat == 1 for each in self.left)
            if configuration.control is None or waits or not own:
                continue
            if all(step.clearly_out and (step.rate, step.concurrency) in borne for step in own):
                self.left = [each for each in self.left if each.configuration != configuration]
                notes.append(
                    message("experiments.not_repeated", configuration=configuration.label, why=own[0].why)
                )
        return notes


def _has_baseline(experiment: Experiment, judged: Sequence[JudgedStep]) -> bool:
    """Return True if the baseline has a valid run."""
    baseline = [step for step in judged if step.control is None]
    return any(each.objective is not None for each in tried_values(experiment, baseline))


def _above(run: Run, configuration: Configuration, rate: float) -> bool:
    return run.configuration == configuration and run.rate is not None and run.rate > rate


def _is_of(step: JudgedStep, configuration: Configuration) -> bool:
    return step.control == configuration.control and step.value == configuration.value
