"""Steps that change a trace, carried out from above to below; each can be edited, moved and taken away."""

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QLabel, QLineEdit, QPushButton, QToolButton, QVBoxLayout, QWidget

from ui.forms import Choice
from ui.workload.preview import Steps


class StepsForm(QWidget):
    """`changed` after each edit."""

    changed = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.rows: list[_StepRow] = []
        self.add_button = QPushButton(self.tr("Add a step"))
        self.add_button.clicked.connect(lambda _checked=False: self.add())
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.setSpacing(4)
        self._column.addWidget(self.add_button)
        self._column.addStretch(1)

    def add(self, name: str = "speedup", value: str = "") -> None:
        """A further step, at the end."""
        row = _StepRow(name, value)
        self.rows.append(row)
        self._column.insertWidget(len(self.rows) - 1, row)
        row.changed.connect(self.changed)
        row.removed.connect(lambda: self._remove(row))
        row.raised.connect(lambda: self._raise(row))
        self.changed.emit()

    def steps(self) -> Steps:
        """Name and value of each step that is complete, in order."""
        return tuple(row.step() for row in self.rows if row.complete())

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

    def __init__(self, name: str, value: str) -> None:
        super().__init__()
        from workbench.traces import STEPS  # noqa: PLC0415 - numpy; only the dialog needs it

        self._known = STEPS
        self.kind = Choice([(key, key.replace("-", " ")) for key in STEPS])
        self.kind.setAccessibleName(self.tr("Step"))
        self.value = QLineEdit(value)
        self.value.setAccessibleName(self.tr("Value of the step"))
        self._help = QLabel()
        self._help.setWordWrap(True)
        row = QHBoxLayout()
        row.addWidget(self.kind, 1)
        row.addWidget(self.value, 1)
        for text, tip, signal in (
            ("↑", self.tr("Carry this step out earlier"), self.raised),
            ("✕", self.tr("Take this step away"), self.removed),
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
        column.addWidget(self._help)
        self.kind.show_value(name)
        self.kind.chosen.connect(lambda _name: self._fit())
        self.value.editingFinished.connect(self.changed)
        self._fit()

    def _fit(self) -> None:
        step = self._known[self.kind.currentData()]
        self.value.setVisible(step.value is not None)
        self.value.setPlaceholderText(step.value or "")
        self._help.setText(step.help)
        self.changed.emit()

    def complete(self) -> bool:
        """Whether its value was given, where it takes one."""
        return self._known[self.kind.currentData()].value is None or bool(self.value.text().strip())

    def step(self) -> tuple[str, str]:
        """Name and value."""
        return str(self.kind.currentData()), self.value.text().strip()
