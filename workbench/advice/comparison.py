"""Which system to buy: each at its own sustainable rate, tuned with an equal budget of runs."""

import math
from collections.abc import Sequence
from itertools import pairwise

import msgspec

from workbench.advice.offers import Offer, cost_per_hour
from workbench.base import InputError, Record
from workbench.results import Demand, check_demand, per_unit, reserved_cost, varied_cost


class SystemResult(Record, frozen=True, kw_only=True):
    """What one system did with the common trace, model revision and objectives."""

    name: str
    gpu: str
    accepted_rps: float
    """At its own sustainable rate: the highest at which the objectives held."""
    rate_basis: str | None = None
    """What `accepted_rps` counts, as the column `cost_rate_basis` says it; None: nobody says."""
    capacity_found: bool = True
    """Whether a higher rate was tested and was too much; False: it may bear more than `accepted_rps`."""
    runs: int
    """Spent on tuning it."""
    trace_sha256: str
    model_revision: str
    same_flags_rps: float | None = None
    """Accepted per second with the flags that all systems shared, untuned."""
    unlike_flags: str = ""
    """Why no flags are shared; empty: they are, or nobody looked."""
    simulated: bool = False
    what_if: str = ""
    """Such as `KV pool of an 80 GB card, by parked blocks`: capacity, not bandwidth. Empty: as it is."""
    offer: Offer | None = None


class Decision(Record, frozen=True, kw_only=True):
    """One line of the decision sheet; money in `currency`, None where nothing is known."""

    name: str
    servers: int
    utilisation: float
    """Mean share of the servers' accepted rate that the demand takes."""
    currency: str | None
    cost_per_hour: float | None
    """Of all servers."""
    per_1k_reserved: float | None
    """Cost of 1,000 accepted responses while all servers are paid for all the time."""
    per_1k_used: float | None
    """The same while only busy time is paid for."""
    sensitivity_low: float | None
    sensitivity_high: float | None
    """Of the reserved cost, with price, rate and demand a tenth better or worse."""
    marks: tuple[str, ...]
    capacity_found: bool = True
    """False: no higher rate was tested: `servers` and costs are upper bounds, and the order can change."""
    position: int = 0
    """Of the system among those that were compared, from 0: what tells it from another of its name."""
    accepted_rps: float = 0.0
    """Of one system, at its own sustainable rate."""
    rate_basis: str | None = None
    """What `accepted_rps` and `same_flags_rps` count, of all systems alike (the column `cost_rate_basis`)."""
    same_flags_rps: float | None = None
    """The same with the flags that all systems shared, untuned; None: they shared none, or bore no rate."""
    runs: int = 0
    """Spent on tuning it."""
    simulated: bool = False
    what_if: str = ""


def compare_systems(systems: Sequence[SystemResult], demand: Demand) -> list[Decision]:
    """The decision sheet, cheapest first; systems without an offer last.

    Raises:
        InputError: unlike traces, model revisions, currencies or tuning budgets; an impossible demand.
    """
    _check_alike(systems)
    check_demand(demand)
    lines = [_decide(position, system, demand) for position, system in enumerate(systems)]
    lines.sort(key=lambda line: math.inf if line.per_1k_reserved is None else line.per_1k_reserved)
    return [lines[0], *(_beside(line, lines[0]) for line in lines[1:])] if lines else []


def _beside(line: Decision, cheapest: Decision) -> Decision:
    """The line, with a mark where its cost could as well be the lower one."""
    low, high = line.sensitivity_low, cheapest.sensitivity_high
    if low is None or high is None or low > high:
        return line
    mark = (
        f"could cost less than {cheapest.name}: with price, rate and demand a tenth better or worse the order"
        " can change"
    )
    return msgspec.structs.replace(line, marks=(*line.marks, mark))


def _check_alike(systems: Sequence[SystemResult]) -> None:
    for before, after in pairwise(systems):
        for field, words in (("trace_sha256", "traces"), ("model_revision", "model revisions")):
            ours, theirs = getattr(before, field), getattr(after, field)
            if ours != theirs:
                raise InputError(f"{before.name} and {after.name} ran different {words}: {ours} and {theirs}")
        if before.runs != after.runs:
            raise InputError(
                f"{before.name} was tuned with {before.runs} runs and {after.name} with {after.runs};"
                " give each the same budget"
            )
    currencies = {system.offer.currency for system in systems if system.offer is not None}
    if len(currencies) > 1:
        raise InputError(
            f"offers in {' and '.join(sorted(currencies))} can't be compared; convert them first"
        )


def _decide(position: int, system: SystemResult, demand: Demand) -> Decision:
    servers = demand.systems(system.accepted_rps)
    hourly = None if system.offer is None else cost_per_hour(system.offer)
    fleet = None if hourly is None or servers is None else servers * hourly
    reserved = reserved_cost(hourly, system.accepted_rps, demand)
    used = per_unit(hourly, system.accepted_rps, 1000)
    return Decision(
        name=system.name,
        servers=servers or 0,
        utilisation=demand.utilisation(system.accepted_rps) or 0.0,
        currency=None if system.offer is None else system.offer.currency,
        cost_per_hour=fleet,
        per_1k_reserved=reserved,
        per_1k_used=used,
        sensitivity_low=varied_cost(hourly, system.accepted_rps, demand, -1),
        sensitivity_high=varied_cost(hourly, system.accepted_rps, demand, 1),
        marks=tuple(_marks(system, servers)),
        capacity_found=system.capacity_found,
        position=position,
        accepted_rps=system.accepted_rps,
        rate_basis=system.rate_basis,
        same_flags_rps=system.same_flags_rps,
        runs=system.runs,
        simulated=system.simulated,
        what_if=system.what_if,
    )


def _marks(system: SystemResult, servers: int | None) -> list[str]:
    marks = []
    if system.what_if:
        marks.append(f"what-if: {system.what_if}")
    if system.simulated:
        marks.append("simulated")
    if system.accepted_rps <= 0:
        marks.append("meets the objectives at no rate")
    if system.offer is None:
        marks.append("no offer, so no cost")
    if system.same_flags_rps is not None:
        marks.append(f"untuned, with the shared flags: {system.same_flags_rps:.3g} accepted/s")
    if system.unlike_flags:
        marks.append(f"no row with shared flags: {system.unlike_flags}")
    if not system.capacity_found:
        few = "1 server is" if servers == 1 else f"{servers or 'as many'} servers are"
        marks.append(
            f"capacity not found: no higher rate was tested, so {few} an upper bound and the order of the"
            " systems can change; test higher rates"
        )
    return marks
