"""Baseline, control under test, and its values."""

import asyncio
from functools import partial

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QCheckBox, QHBoxLayout, QLabel, QPushButton, QVBoxLayout, QWidget

from ui.conductor.background import Background
from ui.experiment.baseline_model import BaselineModel, limits_of, parse
from ui.experiment.baseline_view import BaselineView
from ui.experiment.draft import Draft, suggested_values
from ui.experiment.editor import Editor
from ui.forms import ChipsEditor, Form
from ui.language.number_text import plain
from ui.language.translation import translate_control
from ui.look.theme import Theme
from workbench.base import Refusal
from workbench.controls import CONTROLS, Control

_ABOUT_LINES = 5
"""Lines of most explanations at the panel's first width."""


class ControlForm(QWidget):
    """The table of the baseline, with the values of the control under test as chips."""

    def __init__(self, editor: Editor, theme: Theme) -> None:
        super().__init__()
        self.editor = editor
        self.model = BaselineModel(self)
        self.view = BaselineView(self.model, theme)
        self.chips = ChipsEditor(theme, self.tr("Values of the control under test"), under_test=True)
        self._all = QCheckBox(self.tr("Show all {0} controls").format(len(CONTROLS)))
        self._about = QLabel()
        self._explained = ""
        self.form = Form(theme)
        self.offer = QPushButton()
        """After a change of the baseline: test the new value instead of putting it into all runs."""
        self._offered: tuple[Draft, str, object] | None = None
        self._asking = Background(self)
        self._asked: tuple[str, str] | None = None
        """The target whose missing controls were requested last."""
        self._looked_at: Control | None = None
        self._lay_out()
        self._wire()

    def _lay_out(self) -> None:
        self._about.setWordWrap(True)
        self._about.setTextFormat(Qt.TextFormat.PlainText)
        self._about.setContentsMargins(8, 2, 8, 2)
        self._about.setAlignment(Qt.AlignmentFlag.AlignTop)
        # Another control's text must not move what follows.
        self._about.setMinimumHeight(_ABOUT_LINES * self.fontMetrics().height() + 4)
        self.form.add("values", self.tr("&Values"), self.chips)
        for id_ in ("control", "baseline"):
            # Problems without a single field have their own row.
            self.form.add(id_, "", QWidget())
            self.form.set_row_visible(id_, on=False)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(2)
        row = QHBoxLayout()
        row.setContentsMargins(8, 2, 8, 0)
        row.addWidget(self._all)
        layout.addWidget(self.view)
        layout.addLayout(row)
        layout.addWidget(self._about)
        layout.addWidget(self.form)
        self.offer.setVisible(False)
        layout.insertWidget(1, self.offer)

    def _wire(self) -> None:
        self.model.value_wanted.connect(self._set_baseline)
        self.model.test_wanted.connect(self._set_control)
        self.view.control_selected.connect(self._explain)
        self.chips.edited.connect(self._set_values)
        self._all.toggled.connect(lambda on: self.view.show_all(on=on))
        self.chips.suggest.clicked.connect(self._use_suggestion)
        self.offer.clicked.connect(self._test_instead)

    def show_draft(self) -> bool:
        """Show the editor's draft; return True if a field here has a problem."""
        draft, problems = self.editor.draft, self.editor.problems
        self.offer.setVisible(False)
        own = {key: text for key, text in problems.items() if key.startswith("baseline.")}
        attached = draft.target_kind == "attached"
        self.model.show_content(
            draft.baseline, draft.control, own, attached=attached, in_force=self.editor.in_force
        )
        self._ask_for_lacking(draft)
        control = CONTROLS.get(draft.control)
        if control:
            self.chips.set_parser(lambda text: parse(control, text))
            if control.name != self._explained:
                # Another experiment or control is shown: explain the new control.
                self._explained = control.name
                self._explain(control)
        self.chips.show_values(draft.values)
        suggestion = suggested_values(draft.control, draft.baseline.get(draft.control))
        self.chips.suggest.setVisible(bool(suggestion) and suggestion != draft.values)
        for id_ in ("control", "baseline"):
            self.form.set_row_visible(id_, on=id_ in problems)
        return self.form.show_problems(problems) or bool(own)

    def focus(self, id_: str) -> bool:
        """Give a field of this form the keyboard focus."""
        if id_.startswith("baseline."):
            self._all.setChecked(True)
            self.view.look_at(id_.removeprefix("baseline."))
            self.view.setFocus()
            return True
        if id_ in {"control", "baseline"}:
            self.view.setFocus()
            return True
        return self.form.focus(id_)

    def _ask_for_lacking(self, draft: Draft) -> None:
        """Find out which controls the chosen server lacks, and disable them."""
        target = (draft.target_kind, draft.executable if draft.target_kind == "local" else "")
        if target == self._asked:
            return
        self._asked = target
        self._asking.forget()
        self._show_lacking({})
        if draft.target_kind == "attached":
            own = [each.name for each in CONTROLS.values() if not each.of_server]
            fixed = [each.name for each in CONTROLS.values() if each.of_server]
            self._show_lacking(
                {name: Refusal("experiments.not_ours_to_restart", name=name, ours=own) for name in fixed}
            )
        elif draft.target_kind in {"embedded", "local"}:
            self._asking.run(partial(_lacking, *target), self._show_lacking, lambda _problem: None)

    def _show_lacking(self, reasons: "dict[str, Refusal]") -> None:
        self.model.show_lacking(reasons)
        if self._looked_at is not None:
            self._explain(self._looked_at)

    def _explain(self, control: Control) -> None:
        self._looked_at = control
        self._about.setText(self.model.lacking(control.name) or limits_of(control))

    def _set_baseline(self, name: str, value: object) -> None:
        before = self.editor.draft
        title = translate_control(CONTROLS[name].title).lower()
        said = self.tr("default") if value is None else plain(value)
        self.editor.replace(
            before.with_baseline(name, value), self.tr("baseline {0} {1}").format(title, said)
        )
        if name != before.control and value is not None and f"baseline.{name}" not in self.editor.problems:
            self._offered = (before, name, value)
            self.offer.setText(self.tr("Set for all runs. Test {0} {1} instead").format(title, said))
            self.offer.setVisible(True)

    def _test_instead(self) -> None:
        if self._offered is None:
            return
        before, name, value = self._offered
        label = self.tr("test {0} {1}").format(translate_control(CONTROLS[name].title).lower(), plain(value))
        self.editor.replace(before.with_fields(control=name, values=(value,)), label)

    def _set_control(self, name: str) -> None:
        title = translate_control(CONTROLS[name].title).lower()
        self.editor.replace(self.editor.draft.with_control(name), self.tr("test {0}").format(title))

    def _set_values(self, values: tuple[object, ...]) -> None:
        said = ", ".join(plain(value) for value in values) or self.tr("none")
        self.editor.edit(self.tr("values {0}").format(said), values=values)

    def _use_suggestion(self) -> None:
        draft = self.editor.draft
        self._set_values(suggested_values(draft.control, draft.baseline.get(draft.control)))


def _lacking(kind: str, executable: str) -> "dict[str, Refusal]":
    from workbench.servers import find_missing_controls  # noqa: PLC0415 - the core room loads when first needed

    return asyncio.run(find_missing_controls(kind, executable or None))
