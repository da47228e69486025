"""Number fields with a unit; an invalid number is rejected with a sentence and the old value stays."""

from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QCoreApplication, Qt, Signal, SignalInstance
from PySide6.QtGui import QValidator, QWheelEvent
from PySide6.QtWidgets import QAbstractSpinBox, QDoubleSpinBox, QSpinBox, QWidget

from ui.forms.typed import typed_number, written_number

_WIDEST = 2_000_000_000
_BOUNDLESS = 1e9
"""A maximum from here on is not mentioned."""


def _t(text: str) -> str:
    """Return `text` in the user's language."""
    return QCoreApplication.translate("numbers", text)


if TYPE_CHECKING:
    _Box = QAbstractSpinBox
else:
    # The Qt base class comes from the field: two can't be combined.
    _Box = object


class _Plain(_Box):
    """Common part of both fields."""

    refused: SignalInstance

    def _be_plain(self, unit: str) -> None:
        """Set the unit, ignore the wheel without focus, and clear the refusal on new input."""
        box: Any = self
        box.setSuffix(f" {unit}" if unit else "")
        prepare(box)
        box.valueChanged.connect(box.edited)
        box.valueChanged.connect(self._resume)
        box.lineEdit().textEdited.connect(self._resume)

    def _resume(self, _new: object) -> None:
        self.refused.emit("")

    def show_value(self, value: float) -> None:
        """Show a value without emitting `edited`."""
        box: Any = self
        if value != box.value():
            blocked = self.blockSignals(True)  # noqa: FBT003 - Qt's own signature
            box.setValue(value)
            self.blockSignals(blocked)

    def typed(self, text: str) -> int | float | None:
        """Return the value of a text; None if it is invalid here."""
        box: Any = self
        value = typed_number(self.words(text), self.locale())
        if value is None or not box.minimum() <= value <= box.maximum():
            return None
        return value if self.takes(value) else None

    def words(self, text: str) -> str:
        """Return the typed text without the suffix or a unit typed before it."""
        box: Any = self
        words, unit = text.removesuffix(box.suffix()).strip(), box.suffix().strip()
        return words.removesuffix(unit).strip() if unit else words

    def takes(self, value: float) -> bool:
        """Return True if this field can hold the value."""
        raise NotImplementedError

    def validate(self, text: str, place: int) -> Any:
        """Qt: accept any typing; an invalid value is reported once the field is left."""
        fine = self.typed(text) is not None
        return (QValidator.State.Acceptable if fine else QValidator.State.Intermediate, text, place)

    def fixup(self, text: str) -> str:
        """Qt: report an invalid text."""
        box: Any = self
        self.refused.emit(refusal(self.words(text), box, whole=isinstance(box, QSpinBox)))
        return text

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Qt: pass the wheel to a focused field only."""
        pass_wheel(self, event, super().wheelEvent)


class WholeField(_Plain, QSpinBox):
    """A whole number with its unit; `edited` after a change by the user."""

    edited = Signal(int)
    refused = Signal(str)
    """Why the typed text is invalid; empty once something else is typed."""

    def __init__(self, least: int, most: int = _WIDEST, unit: str = "") -> None:
        super().__init__()
        self.setRange(least, most)
        self._be_plain(unit)

    def takes(self, value: float) -> bool:
        """Return True if it was typed as a whole number."""
        return isinstance(value, int)

    def valueFromText(self, text: str) -> int:
        """Qt: return the value of an acceptable text."""
        value = self.typed(text)
        return self.value() if value is None else int(value)

    def textFromValue(self, value: int) -> str:
        """Qt: return digits only."""
        return str(value)


class DecimalField(_Plain, QDoubleSpinBox):
    """A number with its unit, without trailing zeros; `edited` after a change by the user."""

    edited = Signal(float)
    refused = Signal(str)
    """As in `WholeField`."""

    def __init__(self, least: float, most: float = _BOUNDLESS, unit: str = "") -> None:
        super().__init__()
        self.setDecimals(4)
        self.setRange(least, most)
        self._be_plain(unit)

    def takes(self, value: float) -> bool:
        """Return True if it has no more decimals than the field."""
        return round(value, self.decimals()) == value

    def valueFromText(self, text: str) -> float:
        """Qt: return the value of an acceptable text."""
        value = self.typed(text)
        return self.value() if value is None else float(value)

    def textFromValue(self, value: float) -> str:
        """Qt: return the number without trailing zeros."""
        return written_number(value, self.locale())


def refusal(text: str, box: WholeField | DecimalField, *, whole: bool) -> str:
    """Return why a text is invalid for the box, and the value that stays."""
    least, most = plain_number(box.minimum()), plain_number(box.maximum())
    if box.maximum() >= _BOUNDLESS:
        asked = _t("Give a whole number, {0} or more.") if whole else _t("Give a number, {0} or more.")
    else:
        asked = _t("Give a whole number, {0} to {1}.") if whole else _t("Give a number, {0} to {1}.")
    typed = text.strip()
    said = _t("“{0}” is not possible.").format(typed) + " " if typed else ""
    value = typed_number(typed, box.locale())
    if isinstance(box, QDoubleSpinBox) and value is not None and box.minimum() <= value <= box.maximum():
        asked = _t("At most {0} decimals.").format(box.decimals())
    return (
        said + asked.format(least, most) + " " + _t("The value stays {0}.").format(plain_number(box.value()))
    )


def plain_number(value: float) -> str:
    """Return the number without trailing zeros and powers of ten."""
    return f"{value:.9g}" if abs(value) < _BOUNDLESS else str(int(value))


def prepare(box: QAbstractSpinBox) -> None:
    """Set up what all number boxes have in common."""
    box.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
    box.setKeyboardTracking(False)
    box.setCorrectionMode(QAbstractSpinBox.CorrectionMode.CorrectToPreviousValue)
    if isinstance(box, (QSpinBox, QDoubleSpinBox)):
        box.setStepType(QAbstractSpinBox.StepType.AdaptiveDecimalStepType)


def pass_wheel(widget: QWidget, event: QWheelEvent, handle: object) -> None:
    """Give the wheel to a focused widget only, so that scrolling changes no field in passing."""
    if widget.hasFocus():
        assert callable(handle)
        handle(event)
    else:
        event.ignore()
