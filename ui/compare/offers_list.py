"""The user's offers: read from a file, edited in a form, written to a file."""

from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QListWidget, QListWidgetItem, QPushButton, QVBoxLayout, QWidget

from ui.compare.comparison import keep_offers, load_offers
from ui.compare.offer_dialog import OfferDialog
from ui.conductor.background import Background
from ui.forms import beside
from ui.look.elided_label import ElidedLabel
from ui.look.empty_text import EmptyText
from ui.look.theme import Theme
from ui.window.dialogs import ask_open, ask_save

if TYPE_CHECKING:
    from workbench.advice import Offer

KINDS = "TOML (*.toml)"


class OffersList(QWidget):
    """The list of offers; `changed` with every change, `failed` with an error."""

    changed = Signal()
    failed = Signal(object)
    """The error (`Sayable`)."""

    def __init__(self, theme: Theme, folder: Path) -> None:
        super().__init__()
        self._theme, self._folder = theme, folder
        self._file: Path | None = None
        self.unsaved = False
        self.offers: list[Offer] = []
        self._background = Background(self)
        self.list = QListWidget()
        self.list.setAccessibleName(self.tr("Offers"))
        # The cost is at the line's end and must stay visible.
        self.list.setTextElideMode(Qt.TextElideMode.ElideMiddle)
        self.list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        EmptyText(self.list, theme, self.tr("Without an offer there is no cost"))
        self._where = ElidedLabel()
        self.add = QPushButton(self.tr("&New…"))
        self.edit = QPushButton(self.tr("&Edit…"))
        self.remove = QPushButton(self.tr("Re&move"))
        self.open = QPushButton(self.tr("&Open…"))
        self.save = QPushButton(self.tr("&Save…"))
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(4)
        column.addWidget(self.list, 1)
        column.addWidget(self._where)
        column.addWidget(beside(self.add, self.edit, self.remove))
        column.addWidget(beside(self.open, self.save))
        self.add.clicked.connect(self.begin_offer)
        self.edit.clicked.connect(self.edit_offer)
        self.remove.clicked.connect(self.remove_offer)
        self.open.clicked.connect(self._ask_open)
        self.save.clicked.connect(self.ask_save)
        self.list.itemActivated.connect(self.edit_offer)
        self.list.currentRowChanged.connect(self._show_enabled)
        self._show()

    def names(self) -> list[str]:
        """Return the offers' names in the list's order."""
        return [offer.name for offer in self.offers]

    def load(self, path: Path) -> None:
        """Replace the offers with those of a file."""

        def show(offers: "list[Offer]") -> None:
            self._file, self.offers, self.unsaved = path, offers, False
            self._show()
            self.changed.emit()

        self._background.run(lambda: load_offers(path), show, self.failed.emit)

    def begin_offer(self) -> None:
        """Open the form for a new offer."""
        self._open_form(None)

    def edit_offer(self) -> None:
        """Open the form for the chosen offer."""
        row = self.list.currentRow()
        if row >= 0:
            self._open_form(row)

    def _open_form(self, place: int | None) -> None:
        dialog = OfferDialog(self, self._theme, None if place is None else self.offers[place])
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.made.connect(lambda offer: self.put(place, offer))
        dialog.open()

    def put(self, place: int | None, offer: "Offer") -> None:
        """Replace the offer at this place, or add it; a second offer of the same name is rejected."""
        others = [held.name for at, held in enumerate(self.offers) if at != place]
        if offer.name in others:
            self.failed.emit(
                self.tr("Several offers are called {0}: give each a name of its own.").format(offer.name)
            )
            return
        if place is None:
            self.offers.append(offer)
        else:
            self.offers[place] = offer
        self._changed(len(self.offers) - 1 if place is None else place)

    def remove_offer(self) -> None:
        """Remove the chosen offer from the list; its file keeps it until the list is saved."""
        row = self.list.currentRow()
        if row >= 0:
            del self.offers[row]
            self._changed(min(row, len(self.offers) - 1))

    def _changed(self, row: int) -> None:
        self.unsaved = True
        self._show()
        self.list.setCurrentRow(row)
        self.changed.emit()

    def _ask_open(self) -> None:
        ask_open(self, self.tr("Open offers"), str(self._folder), KINDS, self.load)

    def ask_save(self) -> None:
        """Choose a file and write the offers."""
        suggestion = self._file or self._folder / "offers.toml"
        ask_save(self, self.tr("Save offers"), suggestion, KINDS, self.save_to)

    def save_to(self, path: Path) -> None:
        """Write the offers."""

        def done(written: Path) -> None:
            self._file, self.unsaved = written, False
            self._show()

        offers = tuple(self.offers)
        self._background.run(lambda: keep_offers(path, offers), done, self.failed.emit)

    def _show(self) -> None:
        row = self.list.currentRow()
        self.list.clear()
        for offer in self.offers:
            price = f"{offer.price:g} {offer.currency}"
            asked = price if offer.basis == "purchase" else self.tr("{0} an hour").format(price)
            item = QListWidgetItem(f"{offer.name} · {offer.count} × {offer.gpu} · {asked}", self.list)
            item.setToolTip(item.text())
        self.list.setCurrentRow(min(row, len(self.offers) - 1))
        name = self._file.name if self._file else ""
        said = self.tr("{0}, changed").format(name or self.tr("not saved")) if self.unsaved else name
        self._where.show_text(said, str(self._file or ""))
        self._show_enabled()

    def _show_enabled(self) -> None:
        chosen = self.list.currentRow() >= 0
        self.edit.setEnabled(chosen)
        self.remove.setEnabled(chosen)
        self.save.setEnabled(bool(self.offers))
