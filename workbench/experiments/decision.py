"""The decision sheet as a table: one line a system with all that a buyer compares, and what to know of it."""

import datetime as dt
import json
from collections.abc import Iterable, Sequence
from typing import Any

import msgspec

from workbench.advice import Decision, cost_per_hour, warnings_of
from workbench.base import Record
from workbench.experiments.systems import MeasuredSystem
from workbench.results import table_csv


class SheetLine(Record, frozen=True, kw_only=True):
    """One system; None: not known, and `marks` says why."""

    name: str
    gpu: str
    offer: str | None
    """Its name; None: none is for it."""
    run: str | None
    """The configuration and rate that stand for it; None: it meets the objectives at no rate."""
    accepted_rps: float
    capacity_found: bool
    runs: int
    servers: int | None
    utilisation: float | None
    currency: str | None
    cost_per_hour: float | None
    """Of all servers."""
    one_per_hour: float | None
    per_1k_reserved: float | None
    per_1k_used: float | None
    sensitivity_low: float | None
    sensitivity_high: float | None
    marks: tuple[str, ...]
    path: str


def sheet_lines(sheet: Sequence[Decision], systems: Sequence[MeasuredSystem]) -> list[SheetLine]:
    """The sheet's lines, in its order, each with its system's own figures."""
    return [_line(decision, systems[decision.position]) for decision in sheet]


def _line(decision: Decision, system: MeasuredSystem) -> SheetLine:
    result, able = system.result, system.run is not None
    return SheetLine(
        name=decision.name,
        gpu=result.gpu,
        offer=None if result.offer is None else result.offer.name,
        run=system.run,
        accepted_rps=result.accepted_rps,
        capacity_found=decision.capacity_found,
        runs=result.runs,
        servers=decision.servers if able else None,
        utilisation=decision.utilisation if able else None,
        currency=decision.currency,
        cost_per_hour=decision.cost_per_hour,
        one_per_hour=None if result.offer is None else cost_per_hour(result.offer),
        per_1k_reserved=decision.per_1k_reserved,
        per_1k_used=decision.per_1k_used,
        sensitivity_low=decision.sensitivity_low,
        sensitivity_high=decision.sensitivity_high,
        marks=decision.marks,
        path=system.path,
    )


def sheet_json(sheet: Iterable[Decision]) -> str:
    """The sheet as JSON (docs/definitions.md)."""
    return json.dumps([msgspec.to_builtins(line) for line in sheet], indent=1, allow_nan=False)


def sheet_csv(lines: Iterable[SheetLine]) -> str:
    """The sheet as CSV, in the form of the scorecard's; marks are joined by `; `."""
    rows: list[dict[str, Any]] = [
        msgspec.structs.asdict(line) | {"marks": "; ".join(line.marks)} for line in lines
    ]
    return table_csv(SheetLine.__struct_fields__, rows)


def to_know(systems: Sequence[MeasuredSystem], today: dt.date) -> list[str]:
    """What a buyer should know of offers and files, each once: an offer may be several systems'."""
    said: list[str] = []
    for system in systems:
        offer = system.result.offer
        said += [] if offer is None else warnings_of(offer, today)
        if not system.revision_known:
            said.append(f"{system.path}: the model's revision isn't recorded")
    return [*dict.fromkeys(said), *_unlike_counts(systems)]


def _unlike_counts(systems: Sequence[MeasuredSystem]) -> list[str]:
    """What ended in a short window is less than what was due in it: such rates favour the latter."""
    ended = [system.path for system in systems if system.by_due is False]
    if not ended or not any(system.by_due for system in systems):
        return []
    where = ", ".join(ended)
    said = (
        f"{where}: its rate counts what ended in the window, the others' what was due in it:"
        " longer runs would count alike"
    )
    return [said]
