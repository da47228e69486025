"""The server's cost as the user states it."""

from ui.experiment.editor import Editor
from ui.forms import Choice, Form, OptionalNumber, TextField
from ui.language.number_text import plain
from ui.look.theme import Theme


class CostForm(Form):
    """An optional price with its date and source."""

    def __init__(self, editor: Editor, theme: Theme) -> None:
        super().__init__(theme)
        self.editor = editor
        self._price = OptionalNumber(self.tr("an hour"), self.tr("not stated"))
        self._currency = TextField("EUR")
        self._basis = Choice(
            [
                ("on_demand", self.tr("on demand")),
                ("reserved", self.tr("reserved")),
                ("spot", self.tr("spot")),
                ("rental", self.tr("rental")),
                ("purchase", self.tr("purchase")),
            ]
        )
        self._date = TextField("2026-11-01")
        self._source = TextField(self.tr("offer or price list"))
        self.add("cost_per_hour", self.tr("&Price"), self._price, self.tr("Price of the whole server"))
        self.add("cost_currency", self.tr("C&urrency"), self._currency, self.tr("ISO 4217, such as EUR"))
        self.add("cost_basis", self.tr("&Basis"), self._basis)
        self.add("cost_date", self.tr("&Seen on"), self._date, self.tr("Prices change over time"))
        self.add("cost_source", self.tr("S&ource"), self._source, self.tr("Helps others to verify the price"))
        self._wire()

    def _wire(self) -> None:
        edit = self.editor.edit
        self._price.edited.connect(
            lambda value: edit(self.tr("price {0}").format(value), cost_per_hour=value)
        )
        self._currency.edited.connect(
            lambda text: edit(self.tr("currency {0}").format(text), cost_currency=text.strip())
        )
        self._basis.chosen.connect(
            lambda basis: edit(self.tr("price basis {0}").format(basis), cost_basis=basis)
        )
        self._date.edited.connect(
            lambda text: edit(self.tr("price seen {0}").format(text), cost_date=text.strip())
        )
        self._source.edited.connect(lambda text: edit(self.tr("price source"), cost_source=text.strip()))

    def show_draft(self) -> bool:
        """Show the editor's draft; return True if a field here has a problem."""
        draft = self.editor.draft
        self._price.show_value(draft.cost_per_hour)
        self._currency.show_value(draft.cost_currency)
        self._basis.show_value(draft.cost_basis)
        self._date.show_value(draft.cost_date)
        self._source.show_value(draft.cost_source)
        for id_ in ("cost_currency", "cost_basis", "cost_date", "cost_source"):
            self.set_row_visible(id_, on=draft.cost_per_hour is not None)
        return self.show_problems(self.editor.problems)

    def summary(self) -> str:
        """Return one line for the folded section."""
        draft = self.editor.draft
        if draft.cost_per_hour is None:
            return self.tr("not stated")
        return self.tr("{0} {1} an hour").format(plain(draft.cost_per_hour), draft.cost_currency)
