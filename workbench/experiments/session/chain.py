"""The chain of experiments: each begins from the baseline that an earlier one's finding gave it."""

from collections.abc import Iterable

import msgspec

from workbench.base import Place, Record, Refusal
from workbench.controls import Value
from workbench.experiments.spec.experiment import Experiment
from workbench.experiments.spec.tables import ControlUnderTest, value_text
from workbench.experiments.spec.validate import check_experiment


class SessionStep(Record, frozen=True, kw_only=True):
    """One experiment of the session."""

    id: int
    parent: int | None
    """The step whose finding it begins from; None: the first."""
    experiment: Experiment
    bench: str | None = None
    """Where it was measured; None: not yet."""
    adopted: Value | None = None
    """Value of the parent's control that became part of the baseline; None: the parent's baseline stayed."""
    note: str = ""


class Session(Record, frozen=True, kw_only=True):
    """All steps, in the order in which they were added."""

    name: str
    steps: tuple[SessionStep, ...] = ()

    def step(self, step_id: int) -> SessionStep:
        """One step.

        Raises:
            Refusal: there is no such step.
        """
        for step in self.steps:
            if step.id == step_id:
                return step
        raise Refusal("experiments.no_such_step", Place(file=self.name), step=step_id)

    def children(self, step_id: int | None) -> list[SessionStep]:
        """The steps that begin from this one; of None the first ones."""
        return [step for step in self.steps if step.parent == step_id]

    def path(self, step_id: int) -> list[SessionStep]:
        """From the first step to this one: what was adopted on the way."""
        found = [self.step(step_id)]
        while found[0].parent is not None:
            found.insert(0, self.step(found[0].parent))
        return found


def add_first(session: Session, experiment: Experiment) -> Session:
    """The session with a first experiment, or another first one beside it."""
    return _with_step(session, None, experiment, None)


def adopt(session: Session, step_id: int, value: Value, control: ControlUnderTest, name: str) -> Session:
    """The next experiment: the step's control at `value` is part of the baseline, `control` is under test.

    Raises:
        InputError: the value was not under test there, or the next experiment can't be.
    """
    before = session.step(step_id).experiment
    if value not in before.tested.values:
        raise Refusal(
            "experiments.value_not_tested",
            experiment=before.name,
            control=before.tested.name,
            tested=[value_text(each) for each in before.tested.values],
            value=value_text(value),
        )
    following = msgspec.structs.replace(
        before, name=name, kind="ladder", baseline=before.configuration(value), control=control,
        second=None, burst=None, switchback=None, reproduces=None,
    )  # fmt: skip
    check_experiment(following, name)
    return _with_step(session, step_id, following, value)


def branch(session: Session, step_id: int, control: ControlUnderTest, name: str) -> Session:
    """Another control from the same baseline: an arm of the same star.

    Raises:
        InputError: no such step, or the experiment can't be.
    """
    beside = session.step(step_id)
    experiment = msgspec.structs.replace(beside.experiment, name=name, control=control)
    check_experiment(experiment, name)
    return _with_step(session, beside.parent, experiment, beside.adopted)


def annotate(session: Session, step_id: int, note: str) -> Session:
    """The session with a note at a step."""
    return _replaced(session, msgspec.structs.replace(session.step(step_id), note=note))


def attach(session: Session, step_id: int, bench: str) -> Session:
    """The session with the bench file in which a step was measured."""
    return _replaced(session, msgspec.structs.replace(session.step(step_id), bench=bench))


def star(session: Session, step_id: int) -> list[SessionStep]:
    """The steps that share this one's baseline and constants: together they make one scorecard."""
    constants = session.step(step_id).experiment.shared_settings()
    return [step for step in session.steps if step.experiment.shared_settings() == constants]


def _with_step(
    session: Session, parent: int | None, experiment: Experiment, adopted: Value | None
) -> Session:
    step = SessionStep(id=_next(session.steps), parent=parent, experiment=experiment, adopted=adopted)
    return msgspec.structs.replace(session, steps=(*session.steps, step))


def _next(steps: Iterable[SessionStep]) -> int:
    return max((step.id for step in steps), default=0) + 1


def _replaced(session: Session, changed: SessionStep) -> Session:
    steps = tuple(changed if step.id == changed.id else step for step in session.steps)
    return msgspec.structs.replace(session, steps=steps)
