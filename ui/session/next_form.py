"""The next experiment from a step: adopt a value, test another control, add a note."""

from typing import TYPE_CHECKING, Any

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QPlainTextEdit, QPushButton, QWidget

from ui.experiment.baseline_model import parse
from ui.experiment.draft import suggested_values
from ui.forms import ChipsEditor, Choice, Form
from ui.language.number_text import plain
from ui.language.translation import translate_control
from ui.look.theme import Theme
from workbench.base import InputError
from workbench.controls import CONTROLS, check_interplay

if TYPE_CHECKING:
    from workbench.experiments.session import SessionStep

_KEEP = "as it was"
"""The choice of the unchanged baseline, which makes a branch. No control has this value."""


class NextForm(Form):
    """Plans the next experiment from the chosen step; `go_wanted` when it is to be made."""

    go_wanted = Signal(object, str, tuple)
    """Adopted value (None for a branch), control, values."""
    note_edited = Signal(str)

    def __init__(self, theme: Theme) -> None:
        super().__init__(theme)
        self._step: SessionStep | None = None
        self._offered: Any = None
        """The value offered first."""
        self._values: tuple[Any, ...] = ()
        # Without a step there is nothing to continue from.
        self.setEnabled(False)
        self._adopt = Choice([])
        self._adopt.setObjectName("adopt")
        self._control = Choice(
            [(name, translate_control(control.title)) for name, control in CONTROLS.items()]
        )
        self._chips = ChipsEditor(theme, self.tr("Values to test next"), under_test=True)
        self._note = QPlainTextEdit()
        self._note.setPlaceholderText(self.tr("Your notes on this step"))
        self._note.setTabChangesFocus(True)
        self._note.setFixedHeight(self.fontMetrics().height() * 2 + 8)
        self._go = QPushButton(self.tr("Make the next experiment"))
        self._go.setObjectName("go")
        adopt = _in_a_row((self._adopt, 1), (self._go, 0))
        # Side by side and close, since the panel is low and the note must be visible.
        self.set_close()
        test = _in_a_row((self._control, 1), (self._chips, 1))
        self.add("adopt", self.tr("&Baseline"), adopt, self.tr("The result that becomes the next baseline"))
        self.add("control", self.tr("Then &test"), test)
        self.add("note", self.tr("&Note"), self._note)
        self._wire()

    def _wire(self) -> None:
        self._adopt.chosen.connect(lambda _value: self._rebase())
        self._control.chosen.connect(lambda _name: self._suggest())
        self._chips.edited.connect(self._show_values)
        self._go.clicked.connect(self._ask)
        self._note.textChanged.connect(lambda: self.note_edited.emit(self._note.toPlainText()))

    def show_step(self, step: "SessionStep | None", adopted: Any = None) -> None:
        """Show a step; `adopted` is the value to offer first, such as the recommended one."""
        same = self._step is not None and step is not None and self._step.id == step.id
        news = adopted is not None and adopted != self._offered
        self._step, self._offered = step, adopted
        self.setEnabled(step is not None)
        note = step.note if step else ""
        if note != self._note.toPlainText():
            blocked = self._note.blockSignals(True)  # noqa: FBT003 - Qt's own signature
            self._note.setPlainText(note)
            self._note.blockSignals(blocked)
        if step is None or (same and not news):
            return
        tested = step.experiment.tested
        options: list[tuple[object, str]] = [
            (value, self.tr("{0} = {1} from now on").format(tested.name, plain(value)))
            for value in tested.values
        ]
        self._adopt.set_options([*options, (_KEEP, self.tr("unchanged (a branch)"))])
        self._adopt.show_value(adopted if adopted in tested.values else _KEEP)
        self._control.show_value(_next_after(tested.name, self._baseline()))
        self._fit()
        self._suggest()

    def _rebase(self) -> None:
        """Propose values that fit the new baseline; another control if none of this one does."""
        assert self._step is not None
        if not _possible(self._control.currentData(), self._baseline()):
            self._control.show_value(_next_after(self._step.experiment.tested.name, self._baseline()))
        self._fit()
        self._suggest()

    def _fit(self) -> None:
        adopting = self._adopt.currentData() != _KEEP
        self._go.setText(self.tr("Adopt and go on") if adopting else self.tr("Branch"))

    def _baseline(self) -> dict[str, Any]:
        assert self._step is not None
        held, control = dict(self._step.experiment.baseline), self._step.experiment.tested.name
        adopted = self._adopt.currentData()
        return held if adopted == _KEEP else {**held, control: adopted}

    def _suggest(self) -> None:
        name = self._control.currentData()
        self._chips.set_parser(lambda text: parse(CONTROLS[name], text))
        self._show_values(_possible(name, self._baseline()))

    def _show_values(self, values: tuple[Any, ...]) -> None:
        self._values = values
        self._chips.show_values(values)
        self._go.setEnabled(bool(values))

    def _ask(self) -> None:
        adopted = self._adopt.currentData()
        self.go_wanted.emit(None if adopted == _KEEP else adopted, self._control.currentData(), self._values)


def _in_a_row(*parts: tuple[QWidget, int]) -> QWidget:
    """Return widgets in a row with their stretch factors; the first one gets the focus."""
    row = QWidget()
    line = QHBoxLayout(row)
    line.setContentsMargins(0, 0, 0, 0)
    for part, share in parts:
        line.addWidget(part, share)
    row.setFocusProxy(parts[0][0])
    return row


def _possible(name: str, baseline: dict[str, Any]) -> tuple[Any, ...]:
    """Return the suggested values that are valid with the rest of the baseline."""
    return tuple(
        value for value in suggested_values(name, baseline.get(name)) if _fits(name, value, baseline)
    )


def _fits(name: str, value: Any, baseline: dict[str, Any]) -> bool:
    try:
        check_interplay({**baseline, name: value})
    except InputError:
        return False
    return True


def _next_after(name: str, baseline: dict[str, Any]) -> str:
    """Return the next control in the catalogue, whose order is the order to try them."""
    names = list(CONTROLS)
    place = names.index(name) + 1 if name in names else 0
    others = [*names[place:], *names[:place]]
    return next((each for each in others if each != name and _possible(each, baseline)), others[0])
