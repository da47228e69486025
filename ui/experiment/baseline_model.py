"""The baseline as a table: one row for each control, with its value and the mark of the tested one."""

from enum import IntEnum
from typing import Any

from PySide6.QtCore import (
    QAbstractTableModel,
    QCoreApplication,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    Qt,
    Signal,
)

from ui.forms.fields import number_in
from ui.language.number_text import plain
from ui.language.texts import said
from ui.language.translation import translate_control
from workbench.base import Refusal
from workbench.controls import CONTROLS, Control

Index = QModelIndex | QPersistentModelIndex
_NOWHERE = QModelIndex()

UNDER_TEST = "◉"
NOT_UNDER_TEST = "○"
DEFAULT_WORDS = "default"
"""The typed word for the version's own default, in any language."""


class BaselineColumn(IntEnum):
    """The table's columns."""

    TEST = 0
    CONTROL = 1
    VALUE = 2


class BaselineRole(IntEnum):
    """Roles for delegate and filter."""

    CONTROL = Qt.ItemDataRole.UserRole
    """The `Control`."""
    UNDER_TEST = Qt.ItemDataRole.UserRole + 1
    PROBLEM = Qt.ItemDataRole.UserRole + 2
    CHANGED = Qt.ItemDataRole.UserRole + 3
    """True if the value is set, not vLLM's default."""
    USUAL = Qt.ItemDataRole.UserRole + 4
    """True if the row shows in the short list."""
    LACKING = Qt.ItemDataRole.UserRole + 5
    """The reason why the server lacks this control; empty if it has it or nothing is known."""


class BaselineModel(QAbstractTableModel):
    """Shows values and emits the user's changes."""

    value_wanted = Signal(str, object)
    """Control and value; None for vLLM's default."""
    test_wanted = Signal(str)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._controls = list(CONTROLS.values())
        self._baseline: dict[str, Any] = {}
        self._tested = ""
        self._problems: dict[str, str] = {}
        self._attached = False
        self._in_force: dict[str, Any] = {}
        """Values that a running server uses."""
        self._lacking: dict[str, Refusal] = {}

    def show_lacking(self, reasons: dict[str, Refusal]) -> None:
        """Disable controls that the server lacks, with their reasons; a value can still be removed."""
        if reasons != self._lacking:
            self._lacking = dict(reasons)
            last = self.index(len(self._controls) - 1, len(BaselineColumn) - 1)
            self.dataChanged.emit(self.index(0, 0), last)

    def lacking(self, name: str) -> str:
        """Return why the server lacks this control, in the user's language; empty if it has it."""
        reason = self._lacking.get(name)
        return "" if reason is None else said(reason)

    def show_content(
        self,
        baseline: dict[str, Any],
        tested: str,
        problems: dict[str, str],
        *,
        attached: bool = False,
        in_force: dict[str, Any] | None = None,
    ) -> None:
        """Show these values, the control under test and the problems (by `baseline.NAME`).

        For an attached server the short list holds the client's own controls: no others can be changed. The
        others show what it uses (`in_force`).
        """
        used = in_force or {}
        shown = (self._baseline, self._tested, self._problems, self._attached, self._in_force)
        if (baseline, tested, problems, attached, used) == shown:
            return
        self._in_force = dict(used)
        if attached != self._attached:
            self._order(attached=attached)
        self._baseline, self._tested, self._problems = dict(baseline), tested, dict(problems)
        self._attached = attached
        self.dataChanged.emit(self.index(0, 0), self.index(len(self._controls) - 1, len(BaselineColumn) - 1))

    def _order(self, *, attached: bool) -> None:
        """Put the caller's own controls first for a server that can't be restarted."""
        self.beginResetModel()
        self._controls = sorted(CONTROLS.values(), key=lambda each: attached and each.of_server)
        self.endResetModel()

    def row_of(self, name: str) -> int:
        """Return the row of a control."""
        return next(row for row, control in enumerate(self._controls) if control.name == name)

    def rowCount(self, parent: Index = _NOWHERE) -> int:
        """Qt: return the number of rows."""
        return 0 if parent.isValid() else len(self._controls)

    def columnCount(self, parent: Index = _NOWHERE) -> int:
        """Qt: return the number of columns."""
        return 0 if parent.isValid() else len(BaselineColumn)

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> Any:
        """Qt: return a header's data."""
        if orientation != Qt.Orientation.Horizontal or not 0 <= section < len(BaselineColumn):
            return None
        if role == Qt.ItemDataRole.DisplayRole:
            return (self.tr("Test"), self.tr("Control"), self.tr("Baseline"))[section]
        if role == Qt.ItemDataRole.ToolTipRole and section == BaselineColumn.TEST:
            return self.tr("Click to put this control under test; only one is tested at a time")
        return None

    def flags(self, index: Index) -> Qt.ItemFlag:
        """Qt: make values editable."""
        flags = super().flags(index)
        name = self._controls[index.row()].name if index.isValid() else ""
        if name in self._lacking and name not in self._baseline:
            return flags
        return flags | Qt.ItemFlag.ItemIsEditable if index.column() == BaselineColumn.VALUE else flags

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Qt: return a cell's data."""
        if not index.isValid():
            return None
        control, column = self._controls[index.row()], index.column()
        match role:
            case Qt.ItemDataRole.DisplayRole | Qt.ItemDataRole.AccessibleTextRole:
                return self._words(control, column, spoken=role == Qt.ItemDataRole.AccessibleTextRole)
            case Qt.ItemDataRole.EditRole:
                return self._baseline.get(control.name)
            case Qt.ItemDataRole.ToolTipRole:
                problem = self._problems.get(f"baseline.{control.name}")
                return problem or self.lacking(control.name) or explained(control)
            case Qt.ItemDataRole.AccessibleDescriptionRole:
                return self.lacking(control.name)
            case Qt.ItemDataRole.TextAlignmentRole:
                side = {0: Qt.AlignmentFlag.AlignHCenter, 2: Qt.AlignmentFlag.AlignRight}.get(
                    column, Qt.AlignmentFlag.AlignLeft
                )
                return int((side | Qt.AlignmentFlag.AlignVCenter).value)
        return self._own_role(control, role)

    def _own_role(self, control: Control, role: int) -> Any:
        match role:
            case BaselineRole.CONTROL:
                return control
            case BaselineRole.UNDER_TEST:
                return control.name == self._tested
            case BaselineRole.PROBLEM:
                return self._problems.get(f"baseline.{control.name}", "")
            case BaselineRole.CHANGED:
                return control.name in self._baseline
            case BaselineRole.LACKING:
                return self.lacking(control.name)
            case BaselineRole.USUAL:
                own = not control.of_server or control.name in self._in_force
                usual = own if self._attached else bool(control.ladder)
                return usual or control.name in self._baseline or control.name == self._tested
        return None

    def _words(self, control: Control, column: int, *, spoken: bool) -> str:
        tested = control.name == self._tested
        if column == BaselineColumn.TEST:
            if spoken:
                return self.tr("under test") if tested else self.tr("not under test")
            return UNDER_TEST if tested else NOT_UNDER_TEST
        if column == BaselineColumn.CONTROL:
            return translate_control(control.title)
        value = self._baseline.get(control.name, self._in_force.get(control.name))
        if value is None and self._attached and control.of_server:
            return self.tr("unknown")
        return self.tr("default") if value is None else plain(value)

    def setData(self, index: Index, value: Any, role: int = Qt.ItemDataRole.EditRole) -> bool:
        """Qt: emit the change; the editor makes it."""
        if role != Qt.ItemDataRole.EditRole or index.column() != BaselineColumn.VALUE:
            return False
        control = self._controls[index.row()]
        parsed = parse(control, value) if isinstance(value, str) else value
        if parsed != self._baseline.get(control.name) or isinstance(parsed, bool):
            self.value_wanted.emit(control.name, parsed)
        return True

    def test(self, index: Index) -> None:
        """Put this row's control under test."""
        name = self._controls[index.row()].name if index.isValid() else ""
        if name and name not in self._lacking:
            self.test_wanted.emit(name)


def parse(control: Control, text: str) -> Any:
    """Return a typed value as the control takes it; None for nothing or `default`, else the text itself."""
    words = text.strip()
    if not words or words.lower() == DEFAULT_WORDS:
        return None
    if control.kind == "switch":
        return {"on": True, "true": True, "yes": True, "off": False, "false": False, "no": False}.get(
            words.lower(), words
        )
    if control.kind in {"choice", "text"}:
        return words
    return number_in(words)


def _t(text: str) -> str:
    """Return `text` in the user's language."""
    return QCoreApplication.translate("about controls", text)


def span_of(control: Control) -> str:
    """Return the values that a control takes, as text."""
    if control.kind == "switch":
        return _t("on or off")
    if control.kind == "choice":
        return ", ".join(control.choices)
    low, high = control.minimum, control.maximum
    if low is not None and high is not None:
        return _t("{0} to {1} {2}").format(f"{low:g}", f"{high:g}", control.unit).strip()
    return _t("{0} or more {1}").format(f"{low:g}", control.unit).strip() if low is not None else control.unit


def limits_of(control: Control) -> str:
    """Return what a control limits and which figures to watch, as two sentences."""
    what = translate_control(control.limits).removeprefix("the ")
    numeric = control.kind in {"integer", "number"}
    said = _t("{0} limits the {1}.") if numeric else _t("{0} affects the {1}.")
    *others, last = translate_control(control.watch).split(", ")
    watch = _t("{0} and {1}").format(", ".join(others), last) if others else last
    return f"{said.format(control.name, what)} {_t('Watch {0}.').format(watch)}"


def explained(control: Control) -> str:
    """Return some lines on a control: its flag, limits, values and default."""
    lines = [
        f"{translate_control(control.title)}: {control.flag or control.name}",
        limits_of(control),
        _t("Takes {0}. Default: {1}.").format(span_of(control), control.default),
    ]
    if control.since:
        lines.append(_t("Since vLLM {0}.").format(control.since))
    return "\n".join(lines)
