"""The plans that run on this machine without this window: follow or stop one."""

from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QLabel, QLayout, QPushButton, QVBoxLayout, QWidget

from ui.conductor.background import Background
from ui.look.elided_label import ElidedLabel

if TYPE_CHECKING:
    from workbench.experiments import RunningPlan


class RunningPlans(QWidget):
    """One line for each plan; hidden without any."""

    follow_wanted = Signal(object)
    """A `RunningPlan`."""
    stop_wanted = Signal(object)

    def __init__(self) -> None:
        super().__init__()
        self._title = QLabel(self.tr("Running now"))
        self._rows = QVBoxLayout()
        self._rows.setSpacing(4)
        self._background = Background(self)
        self._shown: tuple[str, ...] = ()
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(self._title)
        column.addLayout(self._rows)
        self.setVisible(False)

    def refresh(self) -> None:
        """Look for running plans in the background."""
        self._background.run(_running, self.show_plans, lambda _error: None)

    def show_plans(self, plans: "list[RunningPlan]") -> None:
        """Show these plans; keep the buttons of plans that are shown already."""
        benches = tuple(plan.bench for plan in plans)
        if benches != self._shown:
            self._shown = benches
            clear(self._rows)
            for plan in plans:
                self._rows.addWidget(self._row(plan))
        self.setVisible(bool(plans))

    def _row(self, plan: "RunningPlan") -> QWidget:
        row = QWidget()
        line = QHBoxLayout(row)
        line.setContentsMargins(0, 0, 0, 0)
        name = ElidedLabel()
        name.show_text(Path(plan.bench).stem, plan.bench)
        line.addWidget(name, 1)
        for text, name_, signal in (
            (self.tr("Follow"), "follow", self.follow_wanted),
            (self.tr("Stop"), "stop", self.stop_wanted),
        ):
            button = QPushButton(text)
            button.setObjectName(name_)
            button.setAccessibleName(f"{text}: {Path(plan.bench).stem}")
            button.clicked.connect(lambda _checked=False, send=signal, of=plan: send.emit(of))
            line.addWidget(button)
        return row


def clear(layout: QLayout) -> None:
    """Remove and delete the widgets of a layout."""
    while (item := layout.takeAt(0)) is not None:
        widget = item.widget()
        if widget is not None:
            widget.setParent(None)
            widget.deleteLater()


def _running() -> "list[RunningPlan]":
    from workbench.experiments import running_plans  # noqa: PLC0415 - the core loads when first needed

    return running_plans()
