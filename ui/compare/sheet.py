"""The decision sheet as a table model: one row for each system, the cheapest first."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QT_TRANSLATE_NOOP, QCoreApplication, QObject, Qt

from ui.compare.comparison import Sheet
from ui.language import number_text
from ui.language.texts import said, said_all
from ui.look.table_columns import NOWHERE, ColumnsModel, Index, alignment

if TYPE_CHECKING:
    from workbench.experiments import SheetLine


def _n(text: str) -> str:
    """Mark `text` for translation in the context of the decision sheet."""
    return str(QT_TRANSLATE_NOOP("decision sheet", text))


def _t(text: str) -> str:
    return QCoreApplication.translate("decision sheet", text)


@dataclass(frozen=True)
class SheetColumn:
    """One column of the decision sheet."""

    title: str
    kind: str
    meaning: str
    text: "Callable[[SheetLine], str]"
    money: bool = False
    counted: bool = False
    """True for counts of real events, which are not simulated even on a simulated system."""

    def header(self) -> str:
        """Return the title in the user's language."""
        return _t(self.title)

    @property
    def tip(self) -> str:
        """The column's meaning in the user's language; empty if its title says it."""
        return _t(self.meaning) if self.meaning else ""


def _money(value: float | None) -> str:
    return number_text.significant(value)


def _bounded(mark: str, text: str, *, known: bool) -> str:
    """Mark the value as a bound if no higher rate was tested."""
    return text if known or text == number_text.UNKNOWN else f"{mark} {text}"


def _share(value: float | None) -> str:
    return number_text.UNKNOWN if value is None else number_text.significant(100 * value, 2)


def _span(line: "SheetLine") -> str:
    if line.sensitivity_low is None or line.sensitivity_high is None:
        return number_text.UNKNOWN
    return f"{_money(line.sensitivity_low)} – {_money(line.sensitivity_high)}"


COLUMNS = (
    SheetColumn(_n("System"), "text", "", lambda line: line.title),
    SheetColumn(
        _n("Accepted (req/s)"),
        "number",
        _n("As in the scorecard, at the highest rate at which the objectives were met"),
        lambda line: _bounded("≥", number_text.significant(line.accepted_rps), known=line.capacity_found),
    ),
    SheetColumn(
        _n("Servers"),
        "number",
        _n("Needed for the demand with its headroom and spare"),
        lambda line: _bounded("≤", number_text.count(line.servers), known=line.capacity_found),
    ),
    SheetColumn(
        _n("Per 1,000 reserved"),
        "number",
        _n("Cost of 1,000 accepted responses if all servers are paid for all the time"),
        lambda line: _bounded("≤", _money(line.per_1k_reserved), known=line.capacity_found),
        money=True,
    ),
    SheetColumn(
        _n("Per 1,000 used"),
        "number",
        _n("The same if only busy time is paid for"),
        lambda line: _bounded("≤", _money(line.per_1k_used), known=line.capacity_found),
        money=True,
    ),
    SheetColumn(
        _n("Reserved ± a tenth"),
        "number",
        _n("Cost per 1,000 reserved with price, rate and demand a tenth better or worse"),
        _span,
        money=True,
    ),
    SheetColumn(
        _n("All servers, an hour"),
        "number",
        "",
        lambda line: _bounded("≤", _money(line.cost_per_hour), known=line.capacity_found),
        money=True,
    ),
    SheetColumn(_n("Busy, %"), "number", _n("Mean demand as a share of that rate"),
                lambda line: _share(line.utilisation)),
    SheetColumn(_n("At"), "text", _n("Configuration and rate"), lambda line: line.run or number_text.UNKNOWN),
    SheetColumn(_n("Runs"), "number", _n("Runs spent on tuning"), lambda line: number_text.count(line.runs),
                counted=True),
    SheetColumn(_n("Offer"), "text", "", lambda line: line.offer or number_text.UNKNOWN),
    SheetColumn(_n("Energy, J"), "number", _n("Of an accepted response, where power was measured"),
                lambda line: number_text.significant(line.j_per_accepted)),
    SheetColumn(_n("GPU"), "text", "", lambda line: line.gpu),
)  # fmt: skip
"""The columns that decide come first: they show without scrolling on a small screen."""


def scenario_lines(sheet: Sheet) -> list[str]:
    """Return one line for each scenario: who is the cheapest then."""
    line = _t("{0}: {1} × {2}, {3} {4} per 1,000 accepted")
    return [
        ("" if each.same else "▶ ")
        + line.format(
            said(each.said),
            number_text.count(each.servers),
            each.title,
            number_text.significant(each.per_1k),
            sheet.currency,
        )
        for each in sheet.scenarios
    ]


class SheetModel(ColumnsModel):
    """The lines of a `Sheet`; empty without one."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(COLUMNS, parent)
        self.sheet: Sheet | None = None

    def show_sheet(self, sheet: Sheet | None) -> None:
        """Show another sheet, or none."""
        self.beginResetModel()
        self.sheet = sheet
        self.endResetModel()

    def title_of(self, column: SheetColumn) -> str:
        """Return the header, with the currency for a money column."""
        currency = self.sheet.currency if self.sheet else ""
        return f"{column.header()}, {currency}" if column.money and currency else column.header()

    def rowCount(self, parent: Index = NOWHERE) -> int:
        """Qt: return the number of rows."""
        return 0 if parent.isValid() or self.sheet is None else len(self.sheet.lines)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Qt: return a cell's data."""
        if not index.isValid() or self.sheet is None:
            return None
        column, line = COLUMNS[index.column()], self.sheet.lines[index.row()]
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return self._shown(index.row(), column)
            case Qt.ItemDataRole.ToolTipRole:
                return "\n".join([self.sheet.titles[index.row()], line.path, *said_all(line.marks)])
            case Qt.ItemDataRole.TextAlignmentRole:
                return alignment(column)
        return None

    def _shown(self, row: int, column: SheetColumn) -> str:
        """Return a cell's text, with the mark of simulated numbers."""
        if self.sheet is None:
            return ""
        text = self.sheet.titles[row] if column is COLUMNS[0] else column.text(self.sheet.lines[row])
        number = column.kind == "number" and not column.counted and text != number_text.UNKNOWN
        return f"{number_text.SIMULATED} {text}" if number and self.sheet.decisions[row].simulated else text

    def as_lines(self) -> list[list[str]]:
        """Return headers and cells, for the clipboard."""
        head = [self.title_of(column) for column in COLUMNS]
        return [head, *([self._shown(row, column) for column in COLUMNS] for row in range(self.rowCount()))]
