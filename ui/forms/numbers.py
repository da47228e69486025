"""Numbers with their unit: one that can't be is refused in words, and what stood there before stays."""

from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QCoreApplication, Qt, Signal, SignalInstance
from PySide6.QtGui import QValidator, QWheelEvent
from PySide6.QtWidgets import QAbstractSpinBox, QDoubleSpinBox, QSpinBox, QWidget

from ui.forms.typed import typed_number, written_number

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

    def typed(self, text: str) -> int | float | None:
        """Return the value that a text stands for; None: it can't be this field's."""
        box: Any = self
        value = typed_number(self.words(text), self.locale())
        if value is None or not box.minimum() <= value <= box.maximum():
            return None
        return value if self.takes(value) else None

    def words(self, text: str) -> str:
        """Return what was typed, without the unit that Qt keeps there, and without one typed before it."""
        box: Any = self
        words, unit = text.removesuffix(box.suffix()).strip(), box.suffix().strip()
        return words.removesuffix(unit).strip() if unit else words

    def takes(self, value: float) -> bool:
        """Whether the value has a form that this field can hold."""
        raise NotImplementedError

    def validate(self, text: str, place: int) -> Any:
        """Qt: anything may be typed; what can't be is said once the field is left."""
        fine = self.typed(text) is not None
        return (QValidator.State.Acceptable if fine else QValidator.State.Intermediate, text, place)

    def fixup(self, text: str) -> str:
        """Qt: what was typed can't be."""
        box: Any = self
        self.refused.emit(refusal(self.words(text), box, whole=isinstance(box, QSpinBox)))
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
        self._be_plain(unit)

    def takes(self, value: float) -> bool:
        """Whether it was typed as a whole number."""
        return isinstance(value, int)

    def valueFromText(self, text: str) -> int:
        """Qt: the value of a text that `validate` found acceptable."""
        value = self.typed(text)
        return self.value() if value is None else int(value)

    def textFromValue(self, value: int) -> str:
        """Qt: digits alone."""
        return str(value)


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

    def takes(self, value: float) -> bool:
        """Whether it has no more decimals than are kept."""
        return round(value, self.decimals()) == value

    def valueFromText(self, text: str) -> float:
        """Qt: the value of a text that `validate` found acceptable."""
        value = self.typed(text)
        return self.value() if value is None else float(value)

    def textFromValue(self, value: float) -> str:
        """Qt: without needless zeros."""
        return written_number(value, self.locale())


def refusal(text: str, box: WholeField | DecimalField, *, whole: bool) -> str:
    """Why a text can't be the box's value, and what is left there."""
    least, most = plain_number(box.minimum()), plain_number(box.maximum())
    if box.maximum() >= _BOUNDLESS:
        asked = _t("Give a whole number, {0} or more.") if whole else _t("Give a number, {0} or more.")
    else:
        asked = _t("Give a whole number, {0} to {1}.") if whole else _t("Give a number, {0} to {1}.")
    typed = text.strip()
    said = _t("“{0}” can't be.").format(typed) + " " if typed else ""
    value = typed_number(typed, box.locale())
    if isinstance(box, QDoubleSpinBox) and value is not None and box.minimum() <= value <= box.maximum():
        asked = _t("It takes {0} decimals.").format(box.decimals())
    return said + asked.format(least, most) + " " + _t("It stays {0}.").format(plain_number(box.value()))


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
