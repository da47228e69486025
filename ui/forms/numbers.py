"""Numbers with their unit: one that can't be is refused in words, and what stood there before stays."""

from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QCoreApplication, Qt, Signal, SignalInstance
from PySide6.QtGui import QValidator, QWheelEvent
from PySide6.QtWidgets import QAbstractSpinBox, QDoubleSpinBox, QSpinBox, QWidget

_WIDEST = 2_000_000_000
_BOUNDLESS = 1e9
"""A highest value from here on is no limit that anybody would be told."""


def _t(text: str) -> str:
    """A sentence about a number in the user's language."""
    return QCoreApplication.translate("numbers", text)


if TYPE_CHECKING:
    _Box = QAbstractSpinBox
else:
    # Qt's own class comes from the field; two of them can't be joined.
    _Box = object


class _Plain(_Box):
    """What both fields do alike."""

    refused: SignalInstance

    def _be_plain(self, unit: str) -> None:
        """Say the unit, take the wheel only with the focus, and take a refusal back once all is well."""
        box: Any = self
        box.setSuffix(f" {unit}" if unit else "")
        prepare(box)
        box.valueChanged.connect(box.edited)
        box.valueChanged.connect(self._resume)
        box.lineEdit().textEdited.connect(self._resume)

    def _resume(self, _new: object) -> None:
        self.refused.emit("")

    def show_value(self, value: float) -> None:
        """Show without `edited`."""
        box: Any = self
        if value != box.value():
            blocked = self.blockSignals(True)  # noqa: FBT003 - Qt's own signature
            box.setValue(value)
            self.blockSignals(blocked)

    def validate(self, text: str, place: int) -> Any:
        """Qt: anything may be typed; what can't be is said once the field is left."""
        return lenient(super().validate(text, place))

    def fixup(self, text: str) -> str:
        """Qt: what was typed can't be."""
        box: Any = self
        self.refused.emit(refusal(text.removesuffix(box.suffix()), box, whole=isinstance(box, QSpinBox)))
        return text

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Qt: only a focused field takes the wheel."""
        pass_wheel(self, event, super().wheelEvent)


class WholeField(_Plain, QSpinBox):
    """A whole number with its unit; `edited` when the user changed it."""

    edited = Signal(int)
    refused = Signal(str)
    """Why what was typed can't be; empty once something else is typed."""

    def __init__(self, least: int, most: int = _WIDEST, unit: str = "") -> None:
        super().__init__()
        self.setRange(least, most)
        self.setGroupSeparatorShown(False)
        self._be_plain(unit)


class DecimalField(_Plain, QDoubleSpinBox):
    """A number with its unit and no needless zeros; `edited` when the user changed it."""

    edited = Signal(float)
    refused = Signal(str)
    """As of `WholeField`."""

    def __init__(self, least: float, most: float = _BOUNDLESS, unit: str = "") -> None:
        super().__init__()
        self.setDecimals(4)
        self.setRange(least, most)
        self._be_plain(unit)

    def textFromValue(self, value: float) -> str:
        """Qt: without needless zeros."""
        return self.locale().toString(value, "g", 9)


def lenient(found: Any) -> Any:
    """What a box thinks of a text, with nothing so wrong that it could not be typed."""
    state, *rest = found
    return (QValidator.State.Intermediate if state == QValidator.State.Invalid else state, *rest)


def refusal(text: str, box: WholeField | DecimalField, *, whole: bool) -> str:
    """Why a text can't be the box's value, and what is left there."""
    least, most = plain_number(box.minimum()), plain_number(box.maximum())
    if box.maximum() >= _BOUNDLESS:
        asked = _t("Give a whole number, {0} or more.") if whole else _t("Give a number, {0} or more.")
    else:
        asked = _t("Give a whole number, {0} to {1}.") if whole else _t("Give a number, {0} to {1}.")
    typed = text.strip()
    said = _t("“{0}” can't be.").format(typed) + " " if typed else ""
    if isinstance(box, QDoubleSpinBox) and _is_number(typed, box.minimum(), box.maximum()):
        asked = _t("It takes {0} decimals.").format(box.decimals())
    return said + asked.format(least, most) + " " + _t("It stays {0}.").format(plain_number(box.value()))


def _is_number(text: str, least: float, most: float) -> bool:
    try:
        return least <= float(text) <= most
    except ValueError:
        return False


def plain_number(value: float) -> str:
    """Without needless zeros and powers of ten."""
    return f"{value:.9g}" if abs(value) < _BOUNDLESS else str(int(value))


def prepare(box: QAbstractSpinBox) -> None:
    """What all boxes have in common."""
    box.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
    box.setKeyboardTracking(False)
    box.setCorrectionMode(QAbstractSpinBox.CorrectionMode.CorrectToPreviousValue)
    if isinstance(box, (QSpinBox, QDoubleSpinBox)):
        box.setStepType(QAbstractSpinBox.StepType.AdaptiveDecimalStepType)


def pass_wheel(widget: QWidget, event: QWheelEvent, handle: object) -> None:
    """Scrolling past a field must not change it: only a focused one takes the wheel."""
    if widget.hasFocus():
        assert callable(handle)
        handle(event)
    else:
        event.ignore()
