"""The decision sheet as a table: one line a system with all that a buyer compares, and what to know of it."""

import datetime as dt
import json
from collections.abc import Iterable, Sequence
from typing import Any

import msgspec

from workbench.advice import Decision, cost_per_hour, warnings_of
from workbench.base import InputError, Record
from workbench.experiments.compare.systems import MeasuredSystem, unlike_defaults
from workbench.profiles import load_profile
from workbench.results import table_csv

_SAME = 0.02
"""Two rates that differ by less are one."""


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
    rate_basis: str | None = None
    """What `accepted_rps` counts, of all systems alike: the words of the column `cost_rate_basis`."""


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
        marks=tuple(map(str, decision.marks)),
        path=system.path,
        rate_basis=decision.rate_basis,
    )


def sheet_json(sheet: Iterable[Decision]) -> str:
    """The sheet as JSON (docs/reference/commands.md)."""
    lines = [msgspec.to_builtins(line) | {"marks": list(map(str, line.marks))} for line in sheet]
    return json.dumps(lines, indent=1, allow_nan=False)


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
        said += [] if offer is None else map(str, warnings_of(offer, today))
        if not system.revision_known:
            said.append(f"{system.path}: the model's revision isn't recorded")
        said += [f"{system.path}: {_simulated(profile)}" for profile in system.profiles]
        if system.kept:
            said.append(
                f"{system.path}: figures of {', '.join(system.kept)} are by the definitions of the build that"
                " wrote them, not by this one's; without their requests they can't be computed anew"
            )
    return [*dict.fromkeys(said), *_own_defaults(systems), *_counted_by_end(systems)]


def _own_defaults(systems: Sequence[MeasuredSystem]) -> list[str]:
    """That a row with shared flags is not one configuration where the servers' defaults differ."""
    found = unlike_defaults(systems)
    if not found or any(each.result.same_flags_rps is None for each in systems):
        return []
    told = "; ".join(f"{name} {', '.join(map(str, dict.fromkeys(values)))}" for name, values in found.items())
    return [f"the systems share the flags that were asked for, and not their servers' own defaults: {told}"]


def _simulated(profile: str) -> str:
    """How far its times are known to be off, which the order of systems can turn on."""
    try:
        error = load_profile(profile).known_error
    except InputError:
        error = None  # made with a profile that is not here
    known = "of unknown error" if error is None else f"known to be off by {error}"
    return f"simulated with {profile}, {known}: no evidence for a GPU until it is measured on one"


def _counted_by_end(systems: Sequence[MeasuredSystem]) -> list[str]:
    """Why rates count what ended in the window, and what that leaves out where it is known."""
    unknown = [system.path for system in systems if system.by_due is None]
    if not unknown or len(systems) == 1:
        return []
    why = (
        f"{', '.join(unknown)}: what was due in the window isn't known (a closed loop, or TTFT's drift isn't"
        " known to be small), so rates of all systems count what ended in it"
    )
    known = [(system.path, system.by_end, system.by_due) for system in systems if system.by_due is not None]
    return [
        why,
        *(
            f"{path}: {ended.accepted_rps:.3g} accepted/s ended in its window, {due.accepted_rps:.3g} of"
            " those due in it: it may look slower than it is; longer runs count alike"
            for path, ended, due in known
            if due.accepted_rps - ended.accepted_rps > _SAME * due.accepted_rps
        ),
    ]
