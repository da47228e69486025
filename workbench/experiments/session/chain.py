"""The chain of experiments: each starts from a baseline that an earlier result set."""

from collections.abc import Iterable

import msgspec

from workbench.base import Place, Record, Refusal
from workbench.controls import Value
from workbench.experiments.plan.control_choice import ControlChoice
from workbench.experiments.spec.experiment import Experiment
from workbench.experiments.spec.tables import ControlUnderTest, value_text
from workbench.experiments.spec.validate import check_experiment


class SessionStep(Record, frozen=True, kw_only=True):
    """One experiment of the session."""

    id: int
    parent: int | None
    """The step whose result it continues; None for a first step."""
    experiment: Experiment
    bench: str | None = None
    """The bench file of its measurement; None before it."""
    adopted: Value | None = None
    """Value of the parent's control that was adopted into the baseline; None if none was."""
    note: str = ""
    chosen: ControlChoice | None = None
    """Reason that tuning searched this step's control; None for a step that a person added."""


class Session(Record, frozen=True, kw_only=True):
    """All steps, in the order of their addition."""

    name: str
    steps: tuple[SessionStep, ...] = ()

    def step(self, step_id: int) -> SessionStep:
        """Return a step by its id.

        Raises:
            Refusal: there is no such step.
        """
        for step in self.steps:
            if step.id == step_id:
                return step
        raise Refusal("experiments.no_such_step", Place(file=self.name), step=step_id)

    def children(self, step_id: int | None) -> list[SessionStep]:
        """Return the steps that continue this one; the first steps for None."""
        return [step for step in self.steps if step.parent == step_id]

    def path(self, step_id: int) -> list[SessionStep]:
        """Return the steps from the first one to this one."""
        found = [self.step(step_id)]
        while found[0].parent is not None:
            found.insert(0, self.step(found[0].parent))
        return found


def add_first(session: Session, experiment: Experiment) -> Session:
    """Return the session with a first experiment, or another first one beside it."""
    return _with_step(session, None, experiment, None)


def adopt(session: Session, step_id: int, value: Value, control: ControlUnderTest, name: str) -> Session:
    """Add the next experiment: the step's control at `value` in the baseline, `control` under test.

    Raises:
        InputError: the value was not tested there, or the next experiment is invalid.
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
        second=None, burst=None, switchback=None, search=None, reproduces=None,
    )  # fmt: skip
    check_experiment(following, name)
    return _with_step(session, step_id, following, value)


def extend(session: Session, step: SessionStep) -> Session:
    """Add a measured step after its parent; it gets the next number."""
    numbered = msgspec.structs.replace(step, id=_next(session.steps))
    return msgspec.structs.replace(session, steps=(*session.steps, numbered))


def branch(session: Session, step_id: int, control: ControlUnderTest, name: str) -> Session:
    """Add an experiment of another control from the same baseline.

    Raises:
        InputError: no such step, or the experiment is invalid.
    """
    beside = session.step(step_id)
    experiment = msgspec.structs.replace(beside.experiment, name=name, control=control)
    check_experiment(experiment, name)
    return _with_step(session, beside.parent, experiment, beside.adopted)


def annotate(session: Session, step_id: int, note: str) -> Session:
    """Return the session with a note at a step."""
    return _replaced(session, msgspec.structs.replace(session.step(step_id), note=note))


def attach(session: Session, step_id: int, bench: str) -> Session:
    """Return the session with the bench file of a step."""
    return _replaced(session, msgspec.structs.replace(session.step(step_id), bench=bench))


def star(session: Session, step_id: int) -> list[SessionStep]:
    """Return the steps that share this one's baseline and constants; they make one scorecard."""
    constants = session.step(step_id).experiment.shared_settings()
    return [step for step in session.steps if step.experiment.shared_settings() == constants]


def _with_step(
    session: Session, parent: int | None, experiment: Experiment, adopted: Value | None
) -> Session:
    return extend(session, SessionStep(id=0, parent=parent, experiment=experiment, adopted=adopted))


def _next(steps: Iterable[SessionStep]) -> int:
    return max((step.id for step in steps), default=0) + 1


def _replaced(session: Session, changed: SessionStep) -> Session:
    steps = tuple(changed if step.id == changed.id else step for step in session.steps)
    return msgspec.structs.replace(session, steps=steps)
