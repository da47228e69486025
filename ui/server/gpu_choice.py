"""The GPU for sizing a server: this machine's, a card of the catalogue, or a typed size."""

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QComboBox, QCompleter, QLineEdit

from ui.forms import Choice


class GpuChoice(Choice):
    """`changed` when the user chose or typed another."""

    changed = Signal(str)

    def __init__(self) -> None:
        super().__init__([("", self.tr("this machine's GPU"))])
        self._value = ""
        self._line = QLineEdit()
        self.setEditable(True)
        self.setLineEdit(self._line)
        self.setInsertPolicy(QComboBox.InsertPolicy.NoInsert)
        completer = QCompleter(self.model(), self)
        completer.setFilterMode(Qt.MatchFlag.MatchContains)
        completer.setCaseSensitivity(Qt.CaseSensitivity.CaseInsensitive)
        self.setCompleter(completer)
        self.setAccessibleName(self.tr("GPU to size the server on"))
        self.setToolTip(self.tr("A card, or the memory of one GPU such as 24 GiB"))
        self.chosen.connect(self._choose)
        self._line.editingFinished.connect(self._choose_typed)

    def fill(self) -> None:
        """Add the catalogue's cards once."""
        if self.count() > 1:
            return
        from workbench.profiles import load_cards  # noqa: PLC0415 - the core room loads when first needed

        for card in load_cards():
            self.addItem(card.title, card.name)

    def show_value(self, value: object) -> None:
        """Show a value without emitting `changed`."""
        self._value = str(value or "")
        if self._value:
            self.fill()
        super().show_value(self._value)

    def text(self) -> str:
        """Return a card's name or the typed text; "" for this machine's GPU."""
        return self._value

    def show_detected(self, name: str) -> None:
        """Show this machine's GPU; "" if none is known."""
        if not self._value:
            found = self.tr("this machine's: {0}").format(name or self.tr("none known"))
            self.setItemText(0, found)

    def _choose(self, value: object) -> None:
        if value != self._value:
            self._value = str(value)
            self.changed.emit(self._value)

    def _choose_typed(self) -> None:
        typed = self._line.text().strip()
        place = self.findText(typed, Qt.MatchFlag.MatchFixedString)
        if place < 0:
            place = self.findData(typed)
        if not typed or place >= 0:
            self.setCurrentIndex(max(place, 0))
            self._choose(self.itemData(max(place, 0)))
        else:
            self._choose(typed)
