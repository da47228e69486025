"""The question of a fork: which control, and which value from this moment on."""

from collections.abc import Mapping
from typing import Any

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QDialog, QFormLayout, QHBoxLayout, QLabel, QPushButton, QVBoxLayout, QWidget

from ui.forms import Choice, WholeField
from ui.language.number_text import plain
from ui.language.translation import translate_control
from workbench.controls import CONTROLS

_OFFERED = (
    "max_num_seqs",
    "max_num_batched_tokens",
    "long_prefill_token_threshold",
    "num_gpu_blocks_override",
)


class ForkDialog(QDialog):
    """Asks for one control and its value."""

    wanted = Signal(str, int)
    """Control and value."""

    def __init__(self, parent: QWidget, moment: str, limits: Mapping[str, Any]) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(self.tr("What if…"))
        self._limits = limits
        self._control = Choice([(name, translate_control(CONTROLS[name].title)) for name in _OFFERED])
        self._control.setObjectName("control")
        self._value = WholeField(0)
        self._value.setObjectName("value")
        self._now = QLabel()
        self._play = QPushButton(self.tr("Play both futures"))
        self._play.setObjectName("play")
        self._play.setDefault(True)
        self._play.clicked.connect(self._accept)
        self._control.chosen.connect(lambda _name: self._suggest())
        self._lay_out(moment)
        self._suggest()

    def _lay_out(self, moment: str) -> None:
        about = QLabel(self.tr("What if one limit had changed at {0}?").format(moment))
        form = QFormLayout()
        form.addRow(self.tr("&Control"), self._control)
        form.addRow(self.tr("&Value"), self._value)
        form.addRow(self.tr("In this run"), self._now)
        cancel = QPushButton(self.tr("Cancel"))
        cancel.clicked.connect(self.reject)
        buttons = QHBoxLayout()
        buttons.addStretch(1)
        buttons.addWidget(self._play)
        buttons.addWidget(cancel)
        column = QVBoxLayout(self)
        column.addWidget(about)
        column.addLayout(form)
        column.addLayout(buttons)

    def _suggest(self) -> None:
        """Suggest twice the run's value."""
        held = self._limits.get(self._control.currentData())
        known = isinstance(held, int) and not isinstance(held, bool)
        self._now.setText(plain(held) if known else self.tr("unknown"))
        self._value.setValue(2 * held if known and held else 32)

    def _accept(self) -> None:
        self.wanted.emit(self._control.currentData(), self._value.value())
        self.accept()
