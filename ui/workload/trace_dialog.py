"""Prepares a trace: columns of an unknown file, and steps that transform it, with a sketch."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtWidgets import (
    QDialog,
    QDialogButtonBox,
    QHBoxLayout,
    QLabel,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from ui.conductor.background import Background
from ui.language.remarks import remark
from ui.language.texts import Sayable, said
from ui.look.theme import Theme
from ui.window.dialogs import ask_save
from ui.workload.mapping_form import MappingForm
from ui.workload.preview import TracePreview, prepared
from ui.workload.sketch import TraceSketch, figures_of
from ui.workload.steps_form import StepsForm
from workbench.base import Refusal

if TYPE_CHECKING:
    from workbench.traces import TablePreview, Trace

_MOST_OF_WINDOW = 0.9

TRACES = "Traces (*.jsonl)"


class TraceDialog(QDialog):
    """`made` gives the written file; the source is never changed."""

    made = Signal(Path)

    def __init__(self, parent: QWidget, theme: Theme, path: Path, problem: str = "") -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(self.tr("Prepare {0}").format(path.name))
        self._path = path
        self._trace: Trace | None = None
        self._background = Background(self)
        self._said = QLabel(said(problem) or self.tr("Reading …"))
        self._said.setObjectName("status")
        self._said.setWordWrap(True)
        self.mapping = MappingForm(theme)
        self.mapping.setVisible(False)
        self.steps = StepsForm(theme)
        self.sketch = TraceSketch(theme)
        self.sketch.setVisible(False)
        self.buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Cancel)
        self.use = self.buttons.addButton(self.tr("Save and use it…"), QDialogButtonBox.ButtonRole.AcceptRole)
        self.use.setEnabled(False)
        self._lay_out()
        self.mapping.changed.connect(self._look)
        self.steps.changed.connect(self._look)
        self.use.clicked.connect(self._save)
        self.buttons.rejected.connect(self.reject)
        self._look()

    def _lay_out(self) -> None:
        left = QWidget()
        column = QVBoxLayout(left)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(self.mapping)
        column.addWidget(self.steps, 1)
        area = QScrollArea()
        area.setWidget(left)
        area.setWidgetResizable(True)
        area.setFrameShape(area.Shape.NoFrame)
        area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        right = QVBoxLayout()
        right.addWidget(self.sketch, 1)
        right.addWidget(self._said)
        right.addStretch(0)
        row = QHBoxLayout()
        row.addWidget(area, 1)
        row.addLayout(right, 1)
        layout = QVBoxLayout(self)
        layout.addLayout(row, 1)
        layout.addWidget(self.buttons)
        em = self.fontMetrics().height()
        wanted, parent = QSize(54 * em, 44 * em), self.parentWidget()
        self.resize(wanted.boundedTo(parent.window().size() * _MOST_OF_WINDOW) if parent else wanted)

    def _look(self) -> None:
        """Read and transform the trace in the background."""
        mapped = self.mapping.isVisibleTo(self)
        columns = self.mapping.text() if mapped else None
        self.use.setEnabled(False)
        if mapped and columns is None:
            self._background.forget()
            self._said.setText(self.tr("Choose the columns that hold time, prompt tokens and output tokens."))
            return
        if not self.steps.complete():
            self._background.forget()
            self._said.setText(self.tr("A step needs its value."))
            return
        path, steps = self._path, self.steps.steps()
        self._background.run(lambda: prepared(path, columns, steps), self._show_trace, self._say)

    def _show_trace(self, found: "tuple[Trace, TracePreview]") -> None:
        self._trace, shown = found
        self.sketch.show_preview(shown)
        self.sketch.setVisible(True)
        self._said.setText(" ".join([f"{figures_of(shown)}.", *map(remark, shown.notes)]))
        self.use.setEnabled(True)

    def _say(self, error: Sayable) -> None:
        """Show why it can't be read; ask for its columns, which may be all that it lacks."""
        self._said.setText(said(error))
        number = error.values.get("step") if isinstance(error, Refusal) else None
        self.steps.show_problem(number if isinstance(number, int) else 0, said(error))
        if self.mapping.isVisibleTo(self) or self.steps.steps():
            return
        path = self._path
        self._background.run(lambda: _table(path), self._show_mapping, lambda _error: None)

    def _show_mapping(self, found: "TablePreview") -> None:
        self.mapping.setVisible(True)
        self.mapping.show_table(found)

    def _save(self) -> None:
        suggestion = self._path.with_name(f"{self._path.name.split('.')[0]}.workbench.jsonl")
        ask_save(self, self.tr("Save the trace"), suggestion, TRACES, self.save_to)

    def save_to(self, path: Path) -> None:
        """Write the trace and use it."""
        from workbench.traces import write_trace  # noqa: PLC0415 - loaded by now

        trace = self._trace
        if trace is None:
            return
        self.use.setEnabled(False)
        self._background.run(lambda: write_trace(trace, path), lambda _none: self._done(path), self._refuse)

    def _refuse(self, error: Sayable) -> None:
        self._said.setText(said(error))

    def _done(self, path: Path) -> None:
        self.made.emit(path)
        self.accept()


def _table(path: Path) -> Any:
    from workbench.traces import preview_table  # noqa: PLC0415 - as above

    return preview_table(path)
