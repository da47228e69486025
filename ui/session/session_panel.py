"""The session panel: the graph, the next experiment, undo and redo."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QLabel, QPushButton, QScrollArea, QSplitter, QVBoxLayout

from ui.experiment import Editor
from ui.language.number_text import plain
from ui.language.texts import said
from ui.live import Changed, LiveState
from ui.look.theme import Theme
from ui.session.graph import SessionGraph, in_scroll_area
from ui.session.next_form import NextForm
from ui.session.session_history import SessionHistory
from ui.tuning.tune_strip import TuneStrip
from ui.window.panel import Panel
from workbench.base import WorkbenchError

if TYPE_CHECKING:
    from workbench.experiments import Experiment


class SessionPanel(Panel):
    """Shows the session; measured plans are attached to their step."""

    bench_wanted = Signal(Path)
    """The bench file of a step to show."""
    said = Signal(str)
    """A text for the message bar."""

    def __init__(self, theme: Theme, editor: Editor, path: Path) -> None:
        super().__init__()
        self.editor = editor
        self._state = LiveState()
        self.chosen: int | None = None
        self.history = SessionHistory(path, self)
        self.graph = SessionGraph(theme)
        self.form = NextForm(theme)
        self.strip = TuneStrip()
        self._buttons = {
            name: QPushButton(text)
            for name, text in {
                "begin": self.tr("Begin with this experiment"),
                "edit": self.tr("Edit"),
                "results": self.tr("Show results"),
                "undo": self.tr("Undo"),
                "redo": self.tr("Redo"),
            }.items()
        }
        for name, button in self._buttons.items():
            button.setObjectName(name)
        self._about = QLabel()
        self._lay_out()
        self._wire()

    def _lay_out(self) -> None:
        bar = QHBoxLayout()
        bar.setContentsMargins(8, 4, 8, 4)
        bar.setSpacing(8)
        for name in ("begin", "edit", "results"):
            bar.addWidget(self._buttons[name])
        bar.addWidget(self._about, 1)
        bar.addWidget(self.strip, 1)
        for name in ("undo", "redo"):
            bar.addWidget(self._buttons[name])
        self._buttons["begin"].setToolTip(
            self.tr("Add the form's experiment as a first step, with its results if they are shown")
        )
        self._buttons["edit"].setToolTip(
            self.tr("Put the step's experiment into the form, to run or change it")
        )
        form = QScrollArea()
        form.setWidget(self.form)
        form.setWidgetResizable(True)
        form.setFrameShape(form.Shape.NoFrame)
        form.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        form.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        form.setMinimumWidth(self.form.minimumSizeHint().width() + 20)
        split = QSplitter(Qt.Orientation.Horizontal)
        split.addWidget(in_scroll_area(self.graph))
        split.addWidget(form)
        split.setChildrenCollapsible(False)
        split.setStretchFactor(0, 3)
        split.setStretchFactor(1, 2)
        split.setSizes([600, 400])
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addLayout(bar)
        layout.addWidget(split, 1)

    def _wire(self) -> None:
        calls: dict[str, Callable[[], object]] = {
            "begin": self.begin,
            "edit": self.edit,
            "results": self.show_results,
            "undo": self.undo,
            "redo": self.redo,
        }
        for name, call in calls.items():
            self._buttons[name].clicked.connect(lambda _checked=False, go=call: go())
        self.graph.chosen.connect(self.choose)
        self.graph.opened.connect(self._open)
        self.form.go_wanted.connect(self._go_on)
        self.form.note_edited.connect(self._note)
        self.history.changed.connect(self._show)
        self.history.refused.connect(self.said)

    def on_visible(self) -> None:
        """Read the session when it is first visible."""
        self._show()

    def show_state(self, state: LiveState) -> None:
        """Show another plan or a bench file."""
        self._state = state

    def on_change(self, changed: Changed) -> None:
        """Attach a finished plan to its step."""
        if changed & Changed.END and self._state.phase in {"finished", "stopped"}:
            self._attach()

    def choose(self, step_id: int | None) -> None:
        """Choose a step."""
        self.chosen = step_id
        self._show()

    def begin(self) -> None:
        """Add the form's experiment as a first step, with its results if they are shown."""
        experiment = self._of_editor()
        if experiment is not None:
            self.choose(self.history.add_first(experiment))
            self._attach()

    def edit(self) -> None:
        """Put the chosen step's experiment into the form."""
        from ui.experiment.draft_file import draft_of  # noqa: PLC0415 - the core room loads when first needed

        step = self._step()
        if step is not None:
            self.editor.replace(draft_of(step.experiment), self.tr("step {0} of the session").format(step.id))

    def _open(self, step_id: int) -> None:
        self.choose(step_id)
        self.edit()

    def undo(self) -> None:
        """Revert the session's last change."""
        self.history.undo()

    def redo(self) -> None:
        """Repeat the change that was undone last."""
        self.history.redo()

    def show_results(self) -> None:
        """Open the chosen step's bench file."""
        step = self._step()
        if step is None or step.bench is None:
            return
        if Path(step.bench).is_file():
            self.bench_wanted.emit(Path(step.bench))
        else:
            self.said.emit(
                self.tr("The results of step {0} are gone: {1} does not exist").format(step.id, step.bench)
            )

    def _step(self) -> Any:
        return next((step for step in self.history.session.steps if step.id == self.chosen), None)

    def _go_on(self, adopted: object, control: str, values: tuple[object, ...]) -> None:
        step = self._step()
        if step is None:
            return
        name = f"{control}: {', '.join(plain(value) for value in values)}"
        if adopted is None:
            made = self.history.branch(step.id, control, values, name)
        else:
            made = self.history.adopt(step.id, adopted, control, values, name)
        if made is not None:
            self.choose(made)
            self.edit()

    def _note(self, text: str) -> None:
        step = self._step()
        if step is not None and step.note != text:
            self.history.annotate(step.id, text)

    def _of_editor(self) -> "Experiment | None":
        from workbench.experiments import Experiment  # noqa: PLC0415 - as above

        try:
            return Experiment.from_toml(self.editor.text(), where=self.editor.draft.name)
        except WorkbenchError as error:
            self.said.emit(said(error))
            return None

    def _attach(self) -> None:
        """Attach the shown bench file to the step of one of its experiments."""
        if not self._state.bench:
            return
        try:
            step = next(filter(None, map(self.history.step_of, self._measured())), None)
        except (WorkbenchError, OSError, ValueError):
            # An unreadable file belongs to no step.
            return
        if step is not None and step.bench != self._state.bench:
            self.history.attach(step.id, self._state.bench)

    def _measured(self) -> "Iterator[Experiment]":
        """Yield the experiments of the shown bench file, from the file or from the files beside it.

        Each also as the form writes it, with the defaults filled in.
        """
        from ui.experiment.draft_file import checked_text, draft_of  # noqa: PLC0415 - as above
        from workbench.experiments import Experiment  # noqa: PLC0415 - as above

        folder = Path(self._state.bench).parent
        beside = (path.read_text(encoding="utf-8") for path in sorted(folder.glob("*.toml")))
        for text in self._state.experiments or beside:
            experiment = Experiment.from_toml(text, where=self._state.bench)
            yield experiment
            written = checked_text(draft_of(experiment), text)
            yield Experiment.from_toml(written, where=self._state.bench)

    def recommended(self) -> Any:
        """Return the value that the shown scorecard recommends, if it is the chosen step's."""
        step, ranking = self._step(), self._state.ranking
        if step is None or ranking is None or ranking.recommended is None or step.bench != self._state.bench:
            return None
        best, control = ranking.recommended.run, step.experiment.control.name
        runs = (run for run in self._state.runs.values() if run.control == control)
        return next((run.value for run in runs if run.row.get("run") == best), None)

    def _show(self) -> None:
        if not self.is_on_screen():
            return
        session, history = self.history.session, self.history.history
        if self._step() is None:
            self.chosen = session.steps[-1].id if session.steps else None
        step = self._step()
        self.graph.show_steps(session.steps, self.chosen)
        self.form.show_step(step, self.recommended())
        self._about.setText("" if step is None else self.graph.sentence(step))
        self._buttons["edit"].setEnabled(step is not None)
        self._buttons["results"].setEnabled(step is not None and step.bench is not None)
        for name, label in (("undo", history.undo_label()), ("redo", history.redo_label())):
            self._buttons[name].setEnabled(label is not None)
            self._buttons[name].setToolTip(label or "")
