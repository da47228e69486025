"""The decision sheet as a table with one line for each system, and remarks on it."""

import datetime as dt
import json
from collections.abc import Iterable, Sequence
from typing import Any

import msgspec

from workbench.advice import Decision, cost_per_hour, warnings_of
from workbench.base import InputError, Message, Record, message
from workbench.experiments.compare.systems import MeasuredSystem, unlike_defaults
from workbench.profiles import load_profile
from workbench.results import table_csv

_SAME = 0.02
"""Two rates that differ by a smaller share are equal."""


class SheetLine(Record, frozen=True, kw_only=True):
    """One system; None: unknown, and `marks` gives the reason."""

    name: str
    gpu: str
    offer: str | None
    """Name of its offer."""
    run: str | None
    """Name of its best run; None: it meets the objectives at no rate."""
    accepted_rps: float
    capacity_found: bool
    runs: int
    servers: int | None
    utilisation: float | None
    currency: str | None
    cost_per_hour: float | None
    """Cost of all servers."""
    one_per_hour: float | None
    per_1k_reserved: float | None
    per_1k_used: float | None
    sensitivity_low: float | None
    sensitivity_high: float | None
    marks: tuple[Message, ...]
    path: str
    title: str = ""
    """GPU and model."""
    j_per_accepted: float | None = None
    """Energy of an accepted response, where power was measured."""
    rate_basis: str | None = None
    """The requests that `accepted_rps` counts, as in the column `cost_rate_basis`."""


def sheet_lines(sheet: Sequence[Decision], systems: Sequence[MeasuredSystem]) -> list[SheetLine]:
    """Return the sheet's lines, in its order, with the systems' own figures."""
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
        title=system.title,
        j_per_accepted=system.evidence.j_per_accepted,
        rate_basis=decision.rate_basis,
    )


def sheet_json(sheet: Iterable[Decision]) -> str:
    """Return the sheet as JSON (docs/reference/commands.md)."""
    lines = [msgspec.to_builtins(line) | {"marks": list(map(str, line.marks))} for line in sheet]
    return json.dumps(lines, indent=1, allow_nan=False)


def sheet_csv(lines: Iterable[SheetLine]) -> str:
    """Return the sheet as CSV in the scorecard's form; marks are joined by `; `."""
    rows: list[dict[str, Any]] = [
        msgspec.structs.asdict(line) | {"marks": "; ".join(map(str, line.marks))} for line in lines
    ]
    return table_csv(SheetLine.__struct_fields__, rows)


def remarks_on(systems: Sequence[MeasuredSystem], today: dt.date) -> list[Message]:
    """Return remarks on offers and files for a buyer; one on an offer of several systems appears once."""
    found: dict[str, Message] = {}
    for system in systems:
        for remark in _of_system(system, today):
            found.setdefault(str(remark), remark)
    return [*found.values(), *_other_defaults(systems), *_counted_by_end(systems)]


def _of_system(system: MeasuredSystem, today: dt.date) -> list[Message]:
    offer = system.result.offer
    remarks = [] if offer is None else [*warnings_of(offer, today)]
    if not system.revision_known:
        remarks.append(message("experiments.revision_unknown", file=system.path))
    remarks += [_simulated(system.path, profile) for profile in system.profiles]
    if system.kept:
        remarks.append(message("experiments.other_definitions", file=system.path, runs=system.kept))
    return remarks


def _other_defaults(systems: Sequence[MeasuredSystem]) -> list[Message]:
    """Return a remark if systems with shared flags have servers with different defaults."""
    unlike = unlike_defaults(systems)
    if not unlike or any(each.result.same_flags_rps is None for each in systems):
        return []
    defaults = [f"{name} {', '.join(map(str, dict.fromkeys(values)))}" for name, values in unlike.items()]
    return [message("experiments.other_defaults", defaults=defaults)]


def _simulated(path: str, profile: str) -> Message:
    """Return a remark on a simulated system, with the known error of its step times."""
    try:
        error = load_profile(profile).known_error
    except InputError:
        error = None  # The profile is not on this machine.
    if error is None:
        return message("experiments.simulated_untested", file=path, profile=profile)
    return message("experiments.simulated", file=path, profile=profile, error=str(error))


def _counted_by_end(systems: Sequence[MeasuredSystem]) -> list[Message]:
    """Return the reason for counting requests that ended in the window, and the systems that it penalizes."""
    unknown = [system.path for system in systems if system.by_due is None]
    if not unknown or len(systems) == 1:
        return []
    known = [(system.path, system.by_end, system.by_due) for system in systems if system.by_due is not None]
    return [
        message("experiments.counted_by_end", files=unknown),
        *(
            message("experiments.may_look_slower", file=path, ended=ended.accepted_rps, due=due.accepted_rps)
            for path, ended, due in known
            if due.accepted_rps - ended.accepted_rps > _SAME * due.accepted_rps
        ),
    ]
