"""The window's session: the core's chain of experiments with undo, stored after each change."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
from PySide6.QtCore import QObject, Signal

from ui.files.history import History
from ui.language.texts import said
from workbench.base import InputError, WorkbenchError, mask_value

if TYPE_CHECKING:
    from workbench.experiments import Experiment
    from workbench.experiments.session import Session, SessionStep


class SessionHistory(QObject):
    """The session with undo; `changed` after each change, undo and redo."""

    changed = Signal()
    refused = Signal(str)
    """Why a change was refused."""

    def __init__(self, path: Path, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._path = path
        self._history: History[Session] | None = None

    @property
    def history(self) -> "History[Session]":
        """The session with its changes, read from the file on first use.

        An unreadable file is left alone; the session then starts empty in a new file beside it.
        """
        if self._history is None:
            from workbench.experiments.session import (  # noqa: PLC0415 - the core loads when first needed
                Session,
                read_session,
            )

            session = Session(name="session")
            if self._path.exists():
                try:
                    session = read_session(self._path)
                except InputError as error:
                    self._path = _free_beside(self._path)
                    self.refused.emit(
                        self.tr("{0}. A new session starts in {1}.").format(said(error), self._path.name)
                    )
            self._history = History(session)
        return self._history

    @property
    def session(self) -> "Session":
        """The current chain of experiments."""
        return self.history.state

    def undo(self) -> None:
        """Revert the last change."""
        self.history.undo()
        self._store()

    def redo(self) -> None:
        """Repeat the change that was undone last."""
        self.history.redo()
        self._store()

    def _change(self, label: str, session: "Session", merge: str | None = None) -> None:
        if self.history.push(session, label, merge=merge):
            self._store()

    def _store(self) -> None:
        from workbench.experiments.session import write_session  # noqa: PLC0415 - as above

        try:
            write_session(self.session, self._path)
        except WorkbenchError as error:
            self.refused.emit(self.tr("The session could not be saved: {0}").format(said(error)))
        self.changed.emit()

    def step_of(self, experiment: "Experiment") -> "SessionStep | None":
        """Return the step with this experiment, the newest of several; None without one."""
        # Bench files and the files beside them are masked.
        sought = _masked(experiment)
        return next(
            (step for step in reversed(self.session.steps) if _masked(step.experiment) == sought), None
        )

    def add_first(self, experiment: "Experiment") -> int | None:
        """Add a first experiment; return its number."""
        from workbench.experiments.session import add_first  # noqa: PLC0415 - as above

        return self._grow(self.tr("begin with {0}").format(experiment.name), add_first, experiment)

    def adopt(self, step_id: int, value: Any, control: str, values: tuple[Any, ...], name: str) -> int | None:
        """Add an experiment with the step's control at `value` in its baseline and `control` under test."""
        from workbench.experiments import ControlUnderTest  # noqa: PLC0415 - as above
        from workbench.experiments.session import adopt  # noqa: PLC0415 - as above

        tested = ControlUnderTest(name=control, values=list(values))
        return self._grow(self.tr("adopt {0}").format(name), adopt, step_id, value, tested, name)

    def branch(self, step_id: int, control: str, values: tuple[Any, ...], name: str) -> int | None:
        """Add an experiment on another control from the step's own baseline."""
        from workbench.experiments import ControlUnderTest  # noqa: PLC0415 - as above
        from workbench.experiments.session import branch  # noqa: PLC0415 - as above

        tested = ControlUnderTest(name=control, values=list(values))
        return self._grow(self.tr("branch {0}").format(name), branch, step_id, tested, name)

    def add_measured(self, step: "SessionStep") -> int | None:
        """Add a measured step of a tuning after its parent; return its number."""
        from workbench.experiments.session import extend  # noqa: PLC0415 - as above

        return self._grow(self.tr("tuning: {0}").format(step.experiment.tested.name), extend, step)

    def annotate(self, step_id: int, note: str) -> None:
        """Set the note of a step."""
        from workbench.experiments.session import annotate  # noqa: PLC0415 - as above

        label = self.tr("note at {0}").format(step_id)
        self._change(label, annotate(self.session, step_id, note), f"note {step_id}")

    def attach(self, step_id: int, bench: str) -> None:
        """Set the bench file of a step."""
        from workbench.experiments.session import attach  # noqa: PLC0415 - as above

        label = self.tr("results of {0}").format(step_id)
        self._change(label, attach(self.session, step_id, bench))

    def _grow(self, label: str, change: Any, *arguments: Any) -> int | None:
        """Make a change that adds a step; emit a refusal and return None."""
        try:
            self._change(label, change(self.session, *arguments))
        except InputError as error:
            self.refused.emit(said(error))
            return None
        return self.session.steps[-1].id


def _free_beside(path: Path) -> Path:
    """Return a file name beside `path` that is free."""
    stem, suffix = path.name.removesuffix(".session.json"), ".session.json"
    numbers = (path.with_name(f"{stem}-{number}{suffix}") for number in range(2, 10_000))
    return next(candidate for candidate in numbers if not candidate.exists())


def _masked(experiment: "Experiment") -> Any:
    return mask_value(msgspec.to_builtins(experiment))
