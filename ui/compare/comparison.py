"""The comparison by the core, in a background thread. No Qt."""

import datetime as dt
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from workbench.base import Message, Refusal, message, write_atomic

if TYPE_CHECKING:
    # The core rooms load when first needed.
    from workbench.advice import Decision, DemandPoint, Offer
    from workbench.experiments import Evidence, MeasuredSystem, Scenario, SheetLine
    from workbench.results import Demand

_POINTS = 120
"""Points of a curve against the demand."""


@dataclass(frozen=True)
class Question:
    """Everything the sheet depends on."""

    systems: tuple[tuple[Path, str | None], ...]
    """Bench files, each with the name of its offer; None for the offer of its card."""
    offers: "tuple[Offer, ...]"
    curve: tuple[tuple[float, float], ...]
    """Hours and accepted requests a second; empty for the demand in the experiments."""
    headroom: float
    spare: int


@dataclass(frozen=True)
class Sheet:
    """The decision sheet."""

    decisions: "tuple[Decision, ...]"
    lines: "tuple[SheetLine, ...]"
    notes: tuple[Message, ...]
    """Remarks on systems, offers and files."""
    titles: tuple[str, ...]
    """Each line's GPU and model."""
    recommendation: Message
    missing: tuple[Message, ...]
    """Data that a decision still needs."""
    demand: "Demand"
    points: "tuple[tuple[DemandPoint, ...], ...]"
    """Each line's cost and servers against the demand."""
    scenarios: "tuple[Scenario, ...]"
    evidence: "tuple[Evidence, ...]"
    """Origin of each line's measurement."""

    @property
    def short_titles(self) -> tuple[str, ...]:
        """The titles without the model that they share, where the GPUs differ."""
        parts = [title.split(" · ") for title in self.titles]
        heads = tuple(each[0] for each in parts)
        alike = len({tuple(each[1:]) for each in parts}) == 1
        return heads if alike and len(set(heads)) == len(heads) else self.titles

    @property
    def peak_rps(self) -> float:
        """The peak of the demand."""
        return self.demand.peak_rps

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
        assumed_demand,
        compare_measured,
        measured_systems,
        missing_for_decision,
        recommendation,
        remarks_on,
        scenarios_of,
        sheet_lines,
        titles_of,
    )

    systems = measured_systems(question.systems, question.offers)
    stated = _stated_demand(question) or next((each.demand for each in systems if each.demand), None)
    assumed = None if stated is not None else assumed_demand(systems)
    demand = stated or assumed
    if demand is None:
        raise Refusal("experiments.buy_none")
    decisions, titles = compare_measured(systems, demand), titles_of(systems)
    lines = sheet_lines(decisions, systems)
    ordered = [titles[each.position] for each in decisions]
    marks = [
        message("experiments.about", subject=title, said=mark)
        for line, title in zip(lines, ordered, strict=True)
        for mark in line.marks
    ]
    return Sheet(
        decisions=tuple(decisions),
        lines=tuple(lines),
        notes=(*marks, *remarks_on(systems, dt.datetime.now().astimezone().date())),
        titles=tuple(ordered),
        recommendation=recommendation(decisions, titles),
        missing=tuple(missing_for_decision(systems, titles, assumed)),
        demand=demand,
        points=_points([systems[each.position] for each in decisions], demand),
        scenarios=tuple(scenarios_of(systems, demand, titles)),
        evidence=tuple(systems[each.position].evidence for each in decisions),
    )


def _stated_demand(question: Question) -> "Demand | None":
    from workbench.results import Demand, check_demand  # noqa: PLC0415 - slow to load

    if not question.curve:
        return None
    demand = Demand(curve=question.curve, headroom=question.headroom, spare=question.spare)
    check_demand(demand)
    return demand


def _points(systems: "Sequence[MeasuredSystem]", demand: "Demand") -> "tuple[tuple[DemandPoint, ...], ...]":
    """Return each system's curve, up to twice the demand's peak."""
    from workbench.advice import demand_points  # noqa: PLC0415 - slow to load

    peaks = [2 * demand.peak_rps * (place + 1) / _POINTS for place in range(_POINTS)]
    return tuple(tuple(demand_points(each.result, demand, peaks)) for each in systems)


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
