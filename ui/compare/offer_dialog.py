"""One offer as a form without prefilled values; the core's refusals appear beside the fields."""

import re
from typing import TYPE_CHECKING, Any

import msgspec
from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtWidgets import QDialog, QDialogButtonBox, QLabel, QLineEdit, QScrollArea, QVBoxLayout, QWidget

from ui.forms import Choice, Form, OptionalNumber, TextField
from ui.forms.fields import number_in
from ui.language.number_text import sentence
from ui.language.texts import said
from ui.look.theme import Theme
from workbench.base import InputError

if TYPE_CHECKING:
    from workbench.advice import Offer

_PURCHASE = (
    *("amortisation_months", "residual_pct", "discount_rate_pct", "hosting_per_month", "support_per_year"),
)
"""Rows for a purchase only."""
_MOST_OF_WINDOW = 0.9


class OfferDialog(QDialog):
    """Edits an offer; emits it with `made`."""

    made = Signal(object)

    def __init__(self, parent: QWidget, theme: Theme, offer: "Offer | None" = None) -> None:
        super().__init__(parent)
        self.setWindowTitle(self.tr("Offer"))
        self.form = Form(theme)
        self._texts: dict[str, QLineEdit] = {}
        self._numbers: set[str] = set()
        self._needed: set[str] = set()
        self.gpu = Choice([("", self.tr("choose a card"))])
        self.basis = Choice(
            [
                ("", self.tr("choose")),
                ("on_demand", self.tr("rented on demand, per hour")),
                ("reserved", self.tr("reserved, per hour")),
                ("spot", self.tr("spot, per hour")),
                ("rental", self.tr("rented for long, per hour")),
                ("purchase", self.tr("bought")),
            ]
        )
        self._said = QLabel()
        self._said.setWordWrap(True)
        self.buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Cancel)
        self.use = self.buttons.addButton(self.tr("Use the offer"), QDialogButtonBox.ButtonRole.AcceptRole)
        self._add_rows()
        self._lay_out()
        self.basis.chosen.connect(self._show_basis)
        self.use.clicked.connect(self.use_offer)
        self.buttons.rejected.connect(self.reject)
        if offer is not None:
            self._show(offer)
        self._show_basis(self.basis.currentData())

    def _add_rows(self) -> None:
        from workbench.advice import Offer  # noqa: PLC0415 - the core room loads when first needed
        from workbench.profiles import load_cards  # noqa: PLC0415 - as above

        self._needed = {each.name for each in msgspec.structs.fields(Offer) if each.required}
        self._needed.add("amortisation_months")
        for card in load_cards():
            self.gpu.addItem(card.title, card.name)
        tr, text, number = self.tr, self._add_text, self._add_number
        text("name", tr("&Name"))
        text("supplier", tr("&Supplier"))
        self._add("gpu", tr("&GPU"), self.gpu)
        number("count", tr("GPUs in the s&ystem"), "")
        text("configuration", tr("Con&figuration"))
        text("region", tr("&Region"))
        text("availability", tr("A&vailability"))
        self._add("basis", tr("&Basis"), self.basis)
        number("price", tr("&Price"), "", tr("Price of the whole system: per hour, or to buy it"))
        text("currency", tr("&Currency"), "EUR, USD, CNY", tr("Three capital letters"))
        text("date", tr("&Date"), "2026-11-01", tr("Date of the price"))
        text("source", tr("S&ource"), "", tr("Who gave the price, or where it is published"))
        text("verified_on", tr("Veri&fied on"), "2026-11-01")
        text("expires_on", tr("E&xpires on"), "2026-12-01")
        number("amortisation_months", tr("Paid off &in"), tr("months"))
        number("residual_pct", tr("Residual value a&t the end"), "%")
        number("discount_rate_pct", tr("&Interest a year"), "%")
        number("hosting_per_month", tr("&Hosting a month"), "")
        number("support_per_year", tr("S&upport a year"), "")
        number("power_w", tr("Po&wer under load"), "W", tr("Energy is counted only with power and tariff"))
        number("pue", tr("PU&E"), "", tr("Facility power over system power"))
        number("tariff_per_kwh", tr("Tari&ff per kWh"), "")

    def _add(self, id_: str, label: str, field: QWidget, tip: str = "") -> None:
        """Add a row; a required one is marked, also for screen readers."""
        if id_ in self._needed:
            target = field.focusProxy() or field
            target.setAccessibleName(self.tr("{0}, required").format(label.replace("&", "")))
            label = f"{label} *"
        self.form.add(id_, label, field, tip)

    def _add_text(self, id_: str, label: str, placeholder: str = "", tip: str = "") -> None:
        field = TextField(placeholder)
        self._add(id_, label, field, tip)
        self._texts[id_] = field

    def _add_number(self, id_: str, label: str, unit: str, tip: str = "") -> None:
        field = OptionalNumber(unit, "")
        self._add(id_, label, field, tip)
        self._texts[id_] = field.field
        self._numbers.add(id_)

    def _lay_out(self) -> None:
        area = QScrollArea()
        area.setWidget(self.form)
        area.setWidgetResizable(True)
        area.setFrameShape(area.Shape.NoFrame)
        area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        layout = QVBoxLayout(self)
        layout.addWidget(area, 1)
        layout.addWidget(QLabel(self.tr("* required")))
        layout.addWidget(self._said)
        layout.addWidget(self.buttons)
        em, parent = self.fontMetrics().height(), self.parentWidget()
        wanted = QSize(28 * em, 40 * em)
        self.resize(wanted.boundedTo(parent.window().size() * _MOST_OF_WINDOW) if parent else wanted)

    def _show(self, offer: "Offer") -> None:
        defaults = {field.name: field.default for field in msgspec.structs.fields(offer)}
        for id_, field in self._texts.items():
            value = getattr(offer, id_)
            shown = f"{value:.15g}" if isinstance(value, float) else str(value)
            field.setText("" if value is None or value == defaults[id_] else shown)
        self.gpu.show_value(offer.gpu)
        self.basis.show_value(offer.basis)

    def _show_basis(self, basis: object) -> None:
        for id_ in _PURCHASE:
            self.form.set_row_visible(id_, on=basis == "purchase")

    def values(self) -> dict[str, Any]:
        """Return the stated values by the offer's fields."""
        bought = self.basis.currentData() == "purchase"
        texts = {id_: field.text().strip() for id_, field in self._texts.items()}
        stated = {
            id_: number_in(text) if id_ in self._numbers else text
            for id_, text in texts.items()
            if text and (bought or id_ not in _PURCHASE)
        }
        chosen = {"gpu": self.gpu.currentData(), "basis": self.basis.currentData()}
        return stated | {id_: value for id_, value in chosen.items() if value}

    def use_offer(self) -> None:
        """Emit the offer and close, or show why it is refused."""
        from workbench.advice import offer_of  # noqa: PLC0415 - loaded by now

        try:
            offer = offer_of(self.values())
        except InputError as error:
            self._complain(str(error))
            return
        self.made.emit(offer)
        self.accept()

    def _complain(self, text: str) -> None:
        """Show the error under the fields it is about."""
        _, _, lacking = text.partition("missing ")
        about = [id_ for id_ in self.form.ids() if re.search(rf"\b{id_}\b", lacking or _after_name(text))]
        if not lacking:
            about = about[:1]
        words = _after_name(said(sentence(text)))
        self.form.show_problems({id_: self.tr("This is required.") if lacking else words for id_ in about})
        self._said.setText("" if about else words)
        if about:
            self.form.focus(about[0])


def _after_name(text: str) -> str:
    """Return an error's text without the offer's name."""
    return re.sub(r"^(?:[Oo]ffer|报价) .*?(?:: |：)", "", text, count=1)
