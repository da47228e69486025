"""One limit of the running server: a slider and a field, or the reason why it can't change."""

from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication, Qt, QTimer, Signal
from PySide6.QtGui import QFont
from PySide6.QtWidgets import QGridLayout, QLabel, QSlider, QWidget

from ui.forms import WholeField
from ui.language.texts import said
from ui.language.translation import translate_control
from ui.look.theme import Theme
from workbench.base import Message
from workbench.controls import CONTROLS, WITHHELD_BLOCKS

if TYPE_CHECKING:
    from workbench.servers import LiveLimit

SETTLE_MS = 250
"""A slider that rests this long has been set."""
_STEPS = 20
"""Page steps over a slider's range."""
_SMALL = 0.9


class LimitRow(QWidget):
    """`wanted` with the new value, once the slider rests."""

    wanted = Signal(int)

    def __init__(self, name: str, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._held: int | None = None
        self.slider = QSlider(Qt.Orientation.Horizontal)
        self.field = WholeField(0)
        self.why = QLabel()
        self.why.setWordWrap(True)
        self._settled = QTimer(self)
        self._settled.setSingleShot(True)
        self._settled.setInterval(SETTLE_MS)
        self._lay_out(name)
        self.slider.valueChanged.connect(self._moved)
        self.field.valueChanged.connect(self.slider.setValue)
        self.field.refused.connect(self._warn)
        self._settled.timeout.connect(self._say_wanted)
        self.show_limit(None)

    def _lay_out(self, name: str) -> None:
        title = QLabel(title_of(name))
        title.setToolTip(translate_control(CONTROLS[name].limits) if name in CONTROLS else name)
        for part in (self.slider, self.field):
            part.setAccessibleName(title.text())
        small = QFont(self.font())
        small.setPointSizeF(small.pointSizeF() * _SMALL)
        self.why.setFont(small)
        grid = QGridLayout(self)
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setHorizontalSpacing(6)
        grid.setVerticalSpacing(0)
        grid.addWidget(title, 0, 0, 1, 2)
        grid.addWidget(self.slider, 1, 0)
        grid.addWidget(self.field, 1, 1)
        grid.addWidget(self.why, 2, 0, 1, 2)
        grid.setColumnStretch(0, 1)

    def show_limit(self, limit: "LiveLimit | None", reason: str = "") -> None:
        """Show the limit; None shows the reason why nothing can change."""
        open_ = limit is not None and limit.reason is None and limit.value is not None
        for part in (self.slider, self.field):
            part.setEnabled(open_)
            part.setVisible(open_)
        why = reason if limit is None else said(limit.reason_message or limit.reason or "")
        self.why.setText(why)
        self.why.setVisible(bool(why))
        if limit is not None and limit.value is not None and open_:
            least = limit.minimum if limit.minimum is not None else 0
            self._show_value(least, limit.maximum if limit.maximum is not None else limit.value, limit.value)

    def refuse(self, why: Message | str) -> None:
        """Show why the last change was refused, and the present value again."""
        self._warn(said(why))
        if self._held is not None:
            self._show_value(self.slider.minimum(), self.slider.maximum(), self._held)

    def _warn(self, text: str) -> None:
        """Show a warning; "" clears it."""
        self.why.setText(f"⚠ {text}" if text else "")
        self.why.setVisible(bool(text))

    def _show_value(self, least: int, most: int, value: int) -> None:
        if self._settled.isActive() and (least, most) == (self.slider.minimum(), self.slider.maximum()):
            self._held = value
            return
        self._held = value
        for part in (self.slider, self.field):
            part.blockSignals(True)  # noqa: FBT003 - Qt's own signature
            part.setRange(least, most)
            part.setValue(value)
            part.blockSignals(False)  # noqa: FBT003 - as above
        self.slider.setPageStep(max(1, (most - least) // _STEPS))

    def _moved(self, value: int) -> None:
        self.field.blockSignals(True)  # noqa: FBT003 - as above
        self.field.setValue(value)
        self.field.blockSignals(False)  # noqa: FBT003 - as above
        self._settled.start()

    def _say_wanted(self) -> None:
        if self.slider.value() != self._held:
            self.wanted.emit(self.slider.value())


def title_of(name: str) -> str:
    """Return a limit's title in the user's language."""
    if name == WITHHELD_BLOCKS:
        return QCoreApplication.translate("limits", "KV blocks withheld")
    return translate_control(CONTROLS[name].title) if name in CONTROLS else name
