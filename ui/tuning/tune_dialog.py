"""The question before a tuning: what will change, for how long, and for how much."""

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QDialog, QFormLayout, QHBoxLayout, QLabel, QPushButton, QVBoxLayout, QWidget

from ui.forms import DecimalField

if TYPE_CHECKING:
    from workbench.experiments import Experiment

_MINUTES, _GAIN_PERCENT = 30.0, 2.0
_CHARACTERS = 56


class TuneDialog(QDialog):
    """Asks for the time budget and the smallest gain."""

    wanted = Signal(float, float)
    """Minutes, and the smallest gain that is worth a run, as a share."""

    def __init__(self, parent: QWidget, start: "Experiment", controls: tuple[str, ...]) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(self.tr("Tune for me"))
        self._minutes = DecimalField(1, 10_000, self.tr("min"))
        self._minutes.setObjectName("minutes")
        self._minutes.show_value(_MINUTES)
        self._gain = DecimalField(0.1, 100, "%")
        self._gain.setObjectName("gain")
        self._gain.show_value(_GAIN_PERCENT)
        self._start = QPushButton(self.tr("Start tuning"))
        self._start.setObjectName("start")
        self._start.setDefault(True)
        self._start.clicked.connect(self._accept)
        self._lay_out(self._about(start, controls))

    def _about(self, start: "Experiment", controls: tuple[str, ...]) -> str:
        rates = start.load.offered_rates() or [0.0]
        text = self.tr(
            "Each step measures the present settings, asks which limit costs the requests most, and tries"
            " values of that control. The best one is kept for the next step.\n\nMay change: {0}\n"
            "Load of each run: {1} requests/s for {2} s"
        ).format(", ".join(controls), f"{max(rates):g}", f"{start.load.duration_s or 0:g}")
        if start.target.kind == "attached":
            return text + "\n" + self.tr("The server itself is not changed.")
        return text

    def _lay_out(self, about: str) -> None:
        label = QLabel(about)
        label.setWordWrap(True)
        label.setMinimumWidth(self.fontMetrics().averageCharWidth() * _CHARACTERS)
        form = QFormLayout()
        form.addRow(self.tr("&Time budget"), self._minutes)
        form.addRow(self.tr("&Smallest gain worth a run"), self._gain)
        cancel = QPushButton(self.tr("Cancel"))
        cancel.setObjectName("cancel")
        cancel.clicked.connect(self.reject)
        buttons = QHBoxLayout()
        buttons.addStretch(1)
        buttons.addWidget(self._start)
        buttons.addWidget(cancel)
        column = QVBoxLayout(self)
        column.addWidget(label)
        column.addLayout(form)
        column.addLayout(buttons)

    def _accept(self) -> None:
        self.wanted.emit(self._minutes.value(), self._gain.value() / 100)
        self.accept()
