"""The comparison by the core, in a background thread. No Qt."""

import datetime as dt
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from workbench.base import Message, message, write_atomic

if TYPE_CHECKING:
    # The core rooms load when first needed.
    from workbench.advice import Decision, Offer
    from workbench.experiments import SheetLine


@dataclass(frozen=True)
class Question:
    """Everything the sheet depends on."""

    systems: tuple[tuple[Path, str | None], ...]
    """Bench files, each with the name of its offer; None for the offer of its card."""
    offers: "tuple[Offer, ...]"
    curve: str
    """`8:2,16:6.5`; "" for the curve in the experiments."""
    headroom: float
    spare: int


@dataclass(frozen=True)
class Sheet:
    """The decision sheet."""

    decisions: "tuple[Decision, ...]"
    lines: "tuple[SheetLine, ...]"
    notes: tuple[Message, ...]
    """Missing data and remarks."""

    @property
    def currency(self) -> str:
        """Currency of all money in it; "" if nothing has a price."""
        return next((line.currency for line in self.lines if line.currency), "")


def compare(question: Question) -> Sheet:
    """Read the bench files and compare them.

    Raises:
        InputError: a file can't be read, or the files can't be compared.
    """
    from workbench.experiments import (  # noqa: PLC0415 - slow to load
        compare_measured,
        measured_systems,
        remarks_on,
        sheet_lines,
    )
    from workbench.results import Demand, check_demand, read_curve  # noqa: PLC0415 - as above

    demand = None
    if question.curve.strip():
        demand = Demand(curve=read_curve(question.curve), headroom=question.headroom, spare=question.spare)
        check_demand(demand)
    systems = measured_systems(question.systems, question.offers)
    decisions = compare_measured(systems, demand)
    lines = sheet_lines(decisions, systems)
    marks = [
        message("experiments.about", subject=line.name, said=mark) for line in lines for mark in line.marks
    ]
    notes = [*marks, *remarks_on(systems, dt.datetime.now().astimezone().date())]
    return Sheet(tuple(decisions), tuple(lines), tuple(notes))


def write_sheet(sheet: Sheet, path: Path) -> Path:
    """Write the sheet, as JSON if the file's name ends so, else as CSV.

    Raises:
        InputError: it can't be written.
    """
    from workbench.experiments import sheet_csv, sheet_json  # noqa: PLC0415 - loaded by now

    as_json = path.suffix.lower() == ".json"
    write_atomic(path, sheet_json(sheet.decisions) + "\n" if as_json else sheet_csv(sheet.lines))
    return path


def load_offers(path: Path) -> "list[Offer]":
    """Read the offers of a file.

    Raises:
        InputError: they can't be read.
    """
    from workbench.advice import read_offers  # noqa: PLC0415 - as above

    return read_offers(path)


def keep_offers(path: Path, offers: "Sequence[Offer]") -> Path:
    """Write the offers.

    Raises:
        InputError: they can't be written.
    """
    from workbench.advice import write_offers  # noqa: PLC0415 - as above

    write_offers(path, offers)
    return path
