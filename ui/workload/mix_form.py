"""A slider for the weight of each of the three mixes."""

from collections.abc import Mapping

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QGridLayout, QLabel, QSlider, QWidget

from ui.language.number_text import plain

MIXES = ("chat", "long-context", "agent")
"""As in `traces.MIXES`, in this order."""
_MOST = 10


class MixSliders(QWidget):
    """`edited` gives the mix as in the experiment file: `chat:3,agent:1`."""

    edited = Signal(str)
    refused = Signal(str)
    """Why a slider did not move; empty once one moves."""

    def __init__(self) -> None:
        super().__init__()
        self._text = ""
        self._values: dict[str, float] = {}
        grid = QGridLayout(self)
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setVerticalSpacing(2)
        self.sliders: dict[str, QSlider] = {}
        self.figures: dict[str, QLabel] = {}
        titles = {
            "chat": self.tr("Chat"),
            "long-context": self.tr("Long context"),
            "agent": self.tr("Agent"),
        }
        tips = {
            "chat": self.tr("Short in, short out"),
            "long-context": self.tr("Large prompts, moderate answers"),
            "agent": self.tr("Repeated prefixes, many turns, cancellations, bursts"),
        }
        for row, name in enumerate(MIXES):
            slider = QSlider(Qt.Orientation.Horizontal)
            slider.setRange(0, _MOST)
            slider.setPageStep(1)
            slider.setAccessibleName(self.tr("Weight of {0}").format(titles[name]))
            slider.setToolTip(tips[name])
            slider.valueChanged.connect(lambda value, key=name: self._move(key, value))
            self.sliders[name], self.figures[name] = slider, QLabel()
            label = QLabel(titles[name])
            label.setBuddy(slider)
            label.setToolTip(tips[name])
            grid.addWidget(label, row, 0)
            grid.addWidget(slider, row, 1)
            grid.addWidget(self.figures[name], row, 2)
            self.figures[name].setMinimumWidth(self.fontMetrics().horizontalAdvance("100 %"))
        grid.setColumnStretch(1, 1)
        self.setFocusProxy(self.sliders[MIXES[0]])

    def show_mix(self, text: str) -> None:
        """Show a mix; weights beyond the sliders' range stay until a slider is moved."""
        if text == self._text:
            return
        self._text, self._values = text, weights_of(text)
        for name, slider in self.sliders.items():
            blocked = slider.blockSignals(True)  # noqa: FBT003 - Qt's own signature
            slider.setValue(round(self._values.get(name, 0.0)))
            slider.blockSignals(blocked)
        self._show_shares()

    def _show_shares(self) -> None:
        total = sum(self._values.values()) or 1.0
        for name, label in self.figures.items():
            label.setText(f"{self._values.get(name, 0.0) / total:.0%}".replace("%", " %"))

    def _move(self, name: str, value: int) -> None:
        values = {**self._values, name: float(value)}
        if not any(values.values()):
            # At least one mix must remain.
            self.sliders[name].setValue(1)
            self.refused.emit(self.tr("At least one kind of request is needed: raise another one first."))
            return
        if values != self._values:
            self.refused.emit("")
        self._values = values
        self._text = mix_text(values)
        self._show_shares()
        self.edited.emit(self._text)


def weights_of(text: str) -> dict[str, float]:
    """Return the weights of `chat` or `chat:3,agent:1`; 0 for an invalid one."""
    weights: dict[str, float] = {}
    for part in text.split(","):
        name, colon, weight = part.strip().partition(":")
        try:
            weights[name] = float(weight) if colon else 1.0
        except ValueError:
            weights[name] = 0.0
    return weights


def mix_text(weights: Mapping[str, float]) -> str:
    """Return the mix as in the experiment file."""
    parts = [(name, weights.get(name, 0.0)) for name in MIXES if weights.get(name, 0.0) > 0]
    return parts[0][0] if len(parts) == 1 else ",".join(f"{name}:{plain(weight)}" for name, weight in parts)
