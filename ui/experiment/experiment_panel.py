"""The experiment's panel: sections that fold, and the plan's cost below them."""

from collections.abc import Callable
from typing import Protocol

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtWidgets import (
    QDockWidget,
    QFrame,
    QHBoxLayout,
    QMainWindow,
    QPushButton,
    QScrollArea,
    QStyle,
    QVBoxLayout,
    QWidget,
)

from ui.experiment.control_form import ControlForm
from ui.experiment.cost_form import CostForm
from ui.experiment.editor import Editor
from ui.experiment.estimate import Estimate
from ui.experiment.objectives_form import ObjectivesForm
from ui.experiment.plan_label import PlanLabel
from ui.forms import Form, Section, TextField
from ui.language import number_text
from ui.language.translation import translate_control
from ui.look.theme import Theme
from ui.server import ServerForm
from ui.workload import LoadForm, WorkloadForm
from workbench.controls import CONTROLS


class Part(Protocol):
    """Body of a section."""

    def show_draft(self) -> bool:
        """Show the draft; return True if a field has a problem."""

    def focus(self, id_: str) -> bool:
        """Give a field the keyboard focus; return False if it is not here."""


class ExperimentPanel(QWidget):
    """Shows the editor's draft; `run_wanted` from its button."""

    run_wanted = Signal()

    def __init__(self, editor: Editor, theme: Theme) -> None:
        super().__init__()
        self.editor = editor
        self.server = ServerForm(editor, theme)
        self.workload = WorkloadForm(editor, theme)
        self.control = ControlForm(editor, theme)
        self.load = LoadForm(editor, theme)
        self.objectives = ObjectivesForm(editor, theme)
        self.cost = CostForm(editor, theme)
        self._name = TextField()
        self.name_form = Form(theme)
        self._plan = PlanLabel(editor)
        self._problem = QPushButton()
        self._problem.setObjectName("problem")
        self._run = QPushButton(self.tr("Run plan"))
        self._run.setObjectName("run")
        self._free_width = 0
        """The panel's own width while a section makes it wider; 0 if none does."""
        self.sections: list[tuple[Section, Part, Callable[[], str]]] = []
        self._lay_out(theme)
        self._name.edited.connect(lambda text: editor.edit(self.tr("name {0}").format(text), name=text))
        self._problem.clicked.connect(self.show_first_problem)
        self._run.clicked.connect(self.run_wanted)
        self._plan.estimated.connect(self._show_estimate)
        self.workload.previewed.connect(self._summarise_workload)
        editor.changed.connect(self.show_draft)
        self.show_draft()

    def _lay_out(self, theme: Theme) -> None:
        content = QWidget()
        column = QVBoxLayout(content)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(1)
        self.name_form.add("name", self.tr("&Name"), self._name)
        column.addWidget(self.name_form)
        for title, body, said, unfolded in (
            (self.tr("Server"), self.server, self.server.summary, False),
            (self.tr("Workload"), self.workload, self.workload.summary, False),
            (self.tr("Control under test"), self.control, self._control_summary, True),
            (self.tr("Load"), self.load, self.load.summary, False),
            (self.tr("Objectives"), self.objectives, self.objectives.summary, False),
            (self.tr("Cost"), self.cost, self.cost.summary, False),
        ):
            section = Section(title, body, theme, unfolded=unfolded)
            self.sections.append((section, body, said))
            section.header.toggled.connect(self._fit_width_soon)
            column.addWidget(section)
        column.addStretch(1)
        area = QScrollArea()
        area.setWidget(content)
        area.setWidgetResizable(True)
        area.setFrameShape(QFrame.Shape.NoFrame)
        area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        # One that comes and goes would move all fields.
        area.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOn)
        area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._area, self._content, self._column = area, content, column
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(area, 1)
        layout.addWidget(self._footer())

    def _footer(self) -> QWidget:
        footer = QWidget()
        row = QHBoxLayout(footer)
        row.setContentsMargins(8, 6, 8, 6)
        self._problem.setFlat(True)
        self._problem.setToolTip(self.tr("Go to the field"))
        self._run.setDefault(True)
        row.addWidget(self._plan, 1)
        row.addWidget(self._problem, 1)
        row.addWidget(self._run)
        # A longer plan moves nothing: room for three lines.
        footer.setMinimumHeight(3 * self.fontMetrics().height() + 16)
        return footer

    def show_draft(self) -> None:
        """Show the editor's draft in all sections."""
        self._name.show_value(self.editor.draft.name)
        self.name_form.show_problems(self.editor.problems)
        for section, body, said in self.sections:
            wrong = body.show_draft()
            # A plan that is measured again takes everything from its bench file.
            section.setEnabled(self.editor.draft.kind != "reproduce" or body is self.load)
            section.set_summary(said(), problem=wrong)
        self._fit_width()
        self._show_plan()

    def _fit_width_soon(self) -> None:
        """Fit the width now, and again after the inner layouts have changed."""
        self._fit_width()
        QTimer.singleShot(0, self, self._fit_width)

    def _fit_width(self) -> None:
        """Make the panel as wide as its widest open section needs, so that nothing is cut off."""
        bar = self.style().pixelMetric(QStyle.PixelMetric.PM_ScrollBarExtent)
        self._column.activate()
        wanted, before = self._content.minimumSizeHint().width() + bar, self._area.minimumWidth()
        self._area.setMinimumWidth(wanted)
        if wanted > self.width() and not self._free_width:
            self._free_width = self.width()
        elif wanted < before and self._free_width:
            # Wait until the layout knows the smaller minimum width.
            QTimer.singleShot(0, self, self._shrink)

    def _shrink(self) -> None:
        """Make the panel narrow again after a wide section was folded."""
        dock, window = self.parentWidget(), self.window()
        width = max(self._area.minimumWidth(), self._free_width)
        if isinstance(window, QMainWindow) and isinstance(dock, QDockWidget) and width < self.width():
            for layout in (self.layout(), dock.layout()):
                if layout is not None:
                    layout.activate()
            window.resizeDocks([dock], [width], Qt.Orientation.Horizontal)
        if width <= self._free_width:
            self._free_width = 0

    def set_idle(self, *, idle: bool) -> None:
        """Disable the start while a plan runs; the draft can still be edited."""
        self._run.setEnabled(idle and not self.editor.problems)

    def _show_plan(self) -> None:
        problems = self.editor.problems
        self._plan.show_draft()
        draft = self.editor.draft
        if problems or draft.target_kind != "embedded" or draft.kind == "reproduce":
            # The shown saturation is of another draft, and this draft gets none.
            self.workload.show_saturation(())
        self._plan.setVisible(not problems)
        self._problem.setVisible(bool(problems))
        count = len(problems)
        self._problem.setText(
            self.tr("⚠ 1 problem") if count == 1 else self.tr("⚠ {0} problems").format(count)
        )

    def _show_estimate(self, found: Estimate | None) -> None:
        if found is not None:
            self.objectives.set_classes(found.classes)
        sentences, too_few = ((), ()) if found is None else (found.saturation, found.too_few)
        self.workload.show_saturation(sentences, too_few)

    def _summarise_workload(self) -> None:
        """Mark the folded section if its trace was read with a warning."""
        section, _, said = self.sections[1]
        wrong = any(self.workload.problem(id_) for id_ in self.workload.ids())
        section.set_summary(said(), problem=wrong)

    def _control_summary(self) -> str:
        draft = self.editor.draft
        if draft.kind == "reproduce":
            return self.tr("from the bench file")
        if not draft.control:
            return self.tr("none, the baseline alone")
        control = CONTROLS.get(draft.control)
        title = translate_control(control.title) if control else draft.control
        return f"{title}: {', '.join(number_text.plain(value) for value in draft.values)}"

    def show_control(self, name: str = "") -> None:
        """Open the section of the control under test, at its values or at a control of the baseline."""
        section, body, _ = self.sections[2]
        section.unfold()
        body.focus(f"baseline.{name}" if name else "values")

    def show_first_problem(self) -> None:
        """Open the section with the first problem and focus its field."""
        for id_ in self.editor.problems:
            for section, body, _ in self.sections:
                section_open = section.header.isChecked()
                section.unfold()
                if body.focus(id_):
                    return
                section.header.setChecked(section_open)
        self._name.setFocus()
