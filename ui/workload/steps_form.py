"""The steps that transform a trace, in order; each can be edited, moved and removed."""

from PySide6.QtCore import Signal
from PySide6.QtGui import QPalette
from PySide6.QtWidgets import QHBoxLayout, QLabel, QLineEdit, QPushButton, QToolButton, QVBoxLayout, QWidget

from ui.forms import Choice
from ui.language.texts import said
from ui.look.theme import Theme
from ui.workload.preview import Steps


class StepsForm(QWidget):
    """`changed` after each edit."""

    changed = Signal()

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self.rows: list[_StepRow] = []
        self.add_button = QPushButton(self.tr("Add a step"))
        self.add_button.clicked.connect(lambda _checked=False: self.add())
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.setSpacing(4)
        self._column.addWidget(self.add_button)
        self._column.addStretch(1)

    def add(self, name: str = "speedup", value: str = "") -> None:
        """Add a step at the end."""
        row = _StepRow(self._theme, name, value)
        self.rows.append(row)
        self._column.insertWidget(len(self.rows) - 1, row)
        row.changed.connect(self.changed)
        row.removed.connect(lambda: self._remove(row))
        row.raised.connect(lambda: self._raise(row))
        self.changed.emit()

    def steps(self) -> Steps:
        """Return name and value of each step, in order."""
        return tuple(row.step() for row in self.rows)

    def complete(self) -> bool:
        """Return True if every step has its value; ask for missing ones."""
        looked = [row.look() for row in self.rows]
        return all(looked)

    def show_problem(self, number: int, text: str) -> None:
        """Show a problem under a step (from 1); 0 clears all."""
        for place, row in enumerate(self.rows, 1):
            row.show_problem(text if place == number else "")

    def _remove(self, row: "_StepRow") -> None:
        self.rows.remove(row)
        self._column.removeWidget(row)
        row.hide()
        row.deleteLater()
        self.changed.emit()

    def _raise(self, row: "_StepRow") -> None:
        place = self.rows.index(row)
        if place:
            self.rows.insert(place - 1, self.rows.pop(place))
            self._column.removeWidget(row)
            self._column.insertWidget(place - 1, row)
            self.changed.emit()


class _StepRow(QWidget):
    changed = Signal()
    removed = Signal()
    raised = Signal()

    def __init__(self, theme: Theme, name: str, value: str) -> None:
        super().__init__()
        from workbench.traces import STEPS  # noqa: PLC0415 - numpy; only the dialog needs it

        self._known = STEPS
        self.kind = Choice([(key, key.replace("-", " ")) for key in STEPS])
        self.kind.setAccessibleName(self.tr("Step"))
        self.value = QLineEdit(value)
        self.value.setAccessibleName(self.tr("Value of the step"))
        self._help = QLabel()
        self._help.setWordWrap(True)
        self._problem = QLabel()
        self._problem.setObjectName("problem")
        self._problem.setWordWrap(True)
        self._problem.setVisible(False)
        self._theme = theme
        theme.changed.connect(self._tint)
        self._tint()
        self._lay_out()
        self.kind.show_value(name)
        self.kind.chosen.connect(lambda _name: self._fit())
        self.value.editingFinished.connect(self.changed)
        self._fit()

    def _lay_out(self) -> None:
        row = QHBoxLayout()
        row.addWidget(self.kind, 1)
        row.addWidget(self.value, 1)
        for text, tip, signal in (
            ("↑", self.tr("Move this step up"), self.raised),
            ("✕", self.tr("Remove this step"), self.removed),
        ):
            button = QToolButton()
            button.setText(text)
            button.setToolTip(tip)
            button.setAccessibleName(tip)
            button.setAutoRaise(True)
            button.clicked.connect(signal)
            row.addWidget(button)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(1)
        column.addLayout(row)
        column.addWidget(self._problem)
        column.addWidget(self._help)

    def _fit(self) -> None:
        step = self._known[self.kind.currentData()]
        self.value.setVisible(step.value is not None)
        self.value.setPlaceholderText(step.value or "")
        self._help.setText(said(step.help))
        self.changed.emit()

    def look(self) -> bool:
        """Return True if the step has its value, or needs none; else ask for it."""
        step = self._known[self.kind.currentData()]
        given = step.value is None or bool(self.value.text().strip())
        self.show_problem("" if given else self.tr("Enter its value: {0}.").format(step.value))
        return given

    def show_problem(self, text: str) -> None:
        """Show a problem under the value, also for screen readers."""
        self._problem.setText(text)
        self._problem.setVisible(bool(text))
        self.value.setAccessibleDescription(text)

    def _tint(self) -> None:
        palette = QPalette()
        palette.setColor(QPalette.ColorRole.WindowText, self._theme.ink("fail"))
        self._problem.setPalette(palette)

    def step(self) -> tuple[str, str]:
        """Return name and value."""
        return str(self.kind.currentData()), self.value.text().strip()
