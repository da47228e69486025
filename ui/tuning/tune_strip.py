"""A tuning in the row of buttons of the session panel: its step, the time used, and Stop."""

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QProgressBar, QPushButton, QWidget

from ui.look.elided_label import ElidedLabel

_BAR_CHARACTERS = 16


class TuneStrip(QWidget):
    """Offers to tune; while tuning, shows how far it is."""

    tune_wanted = Signal()
    stop_wanted = Signal()

    def __init__(self) -> None:
        super().__init__()
        self._tune = QPushButton(self.tr("Tune for me…"))
        self._tune.setObjectName("tune")
        self._tune.setToolTip(
            self.tr("Change one control at a time by itself, until none is expected to gain more")
        )
        self._stop = QPushButton(self.tr("Stop tuning"))
        self._stop.setObjectName("stop_tuning")
        self._stop.setToolTip(self.tr("Stop the present run; finished steps are kept"))
        self._bar = QProgressBar()
        self._bar.setObjectName("budget")
        self._bar.setRange(0, 1000)
        self._bar.setTextVisible(False)
        self._bar.setFixedWidth(self.fontMetrics().averageCharWidth() * _BAR_CHARACTERS)
        self._bar.setAccessibleName(self.tr("Share of the time budget used"))
        self._said = ElidedLabel()
        self._said.setObjectName("tuning")
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(8)
        for part in (self._tune, self._stop, self._bar):
            row.addWidget(part)
        row.addWidget(self._said, 1)
        self._tune.clicked.connect(self.tune_wanted)
        self._stop.clicked.connect(self.stop_wanted)
        self.show_idle()

    def show_idle(self, text: str = "") -> None:
        """Offer to tune; `text` says how the last tuning ended."""
        self._show(text, tuning=False)

    def show_progress(self, text: str, share: float) -> None:
        """Show a tuning's step and the share of its time budget that is used."""
        self._bar.setValue(round(1000 * min(1.0, share)))
        self._show(text, tuning=True)

    def set_idle(self, *, idle: bool) -> None:
        """Allow to start only while nothing runs."""
        self._tune.setEnabled(idle)

    def _show(self, text: str, *, tuning: bool) -> None:
        self._tune.setVisible(not tuning)
        self._stop.setVisible(tuning)
        self._bar.setVisible(tuning)
        self._said.show_text(text, text)
