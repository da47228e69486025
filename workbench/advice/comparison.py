"""Which system to buy: each at its own sustainable rate, tuned with an equal budget of runs."""

import math
from collections.abc import Sequence
from itertools import pairwise

from workbench.advice.offers import Offer, cost_per_hour
from workbench.base import InputError, Record
from workbench.results.cost import per_unit

_SPREAD = 0.1
# Sensitivities vary price, rate and demand by a tenth.


class SystemResult(Record, frozen=True, kw_only=True):
    """What one system did with the common trace, model revision and objectives."""

    name: str
    gpu: str
    accepted_rps: float
    """At its own sustainable rate: the highest at which the objectives held."""
    runs: int
    """Spent on tuning it."""
    trace_sha256: str
    model_revision: str
    same_flags_rps: float | None = None
    """Accepted per second with the flags that all systems shared, untuned."""
    simulated: bool = False
    what_if: str = ""
    """Such as `KV pool of an 80 GB card, by parked blocks`: capacity, not bandwidth. Empty: as it is."""
    offer: Offer | None = None


class Demand(Record, frozen=True, kw_only=True):
    """What must be served: accepted requests per second over a day, a week, whatever repeats."""

    curve: tuple[tuple[float, float], ...]
    """(hours, requests per second) one after another."""
    headroom: float = 0.2
    """Share of the peak kept free."""
    spare: int = 0
    """Servers that may fail or be updated."""


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


def compare_systems(systems: Sequence[SystemResult], demand: Demand) -> list[Decision]:
    """The decision sheet, cheapest first; systems without an offer last.

    Raises:
        InputError: unlike traces, model revisions, currencies or tuning budgets; an impossible demand.
    """
    _check_alike(systems)
    _check_demand(demand)
    lines = [_decide(system, demand) for system in systems]
    return sorted(lines, key=lambda line: math.inf if line.per_1k_reserved is None else line.per_1k_reserved)


def servers_needed(peak_rps: float, accepted_rps: float, *, headroom: float, spare: int) -> int | None:
    """ceil(peak * (1 + headroom) / accepted) + spare; None where nothing is accepted."""
    if accepted_rps <= 0:
        return None
    return math.ceil(peak_rps * (1 + headroom) / accepted_rps - 1e-9) + spare


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


def _check_demand(demand: Demand) -> None:
    if not demand.curve or any(hours <= 0 or rate < 0 for hours, rate in demand.curve):
        raise InputError("the demand curve needs stretches of more than 0 hours with a rate of 0 or more")
    if demand.headroom < 0 or demand.spare < 0:
        raise InputError("headroom and spare must not be negative")


def _decide(system: SystemResult, demand: Demand) -> Decision:
    peak = max(rate for _, rate in demand.curve)
    hours = sum(length for length, _ in demand.curve)
    mean = sum(length * rate for length, rate in demand.curve) / hours
    servers = servers_needed(peak, system.accepted_rps, headroom=demand.headroom, spare=demand.spare)
    hourly = None if system.offer is None else cost_per_hour(system.offer)
    fleet = None if hourly is None or servers is None else servers * hourly
    reserved = per_unit(fleet, mean, 1000)
    used = per_unit(hourly, system.accepted_rps, 1000)
    return Decision(
        name=system.name,
        servers=servers or 0,
        utilisation=mean / (servers * system.accepted_rps) if servers else 0.0,
        currency=None if system.offer is None else system.offer.currency,
        cost_per_hour=fleet,
        per_1k_reserved=reserved,
        per_1k_used=used,
        sensitivity_low=_varied(system, demand, hourly, -1),
        sensitivity_high=_varied(system, demand, hourly, 1),
        marks=tuple(_marks(system)),
    )


def _varied(system: SystemResult, demand: Demand, hourly: float | None, sign: int) -> float | None:
    """The reserved cost with price, the system's rate and the mean demand a tenth better or worse."""
    if hourly is None:
        return None
    peak = max(rate for _, rate in demand.curve)
    mean = sum(length * rate for length, rate in demand.curve) / sum(length for length, _ in demand.curve)
    rate = system.accepted_rps * (1 - sign * _SPREAD)
    servers = servers_needed(peak, rate, headroom=demand.headroom, spare=demand.spare)
    if servers is None:
        return None
    return per_unit(servers * hourly * (1 + sign * _SPREAD), mean * (1 - sign * _SPREAD), 1000)


def _marks(system: SystemResult) -> list[str]:
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
        marks.append(f"untuned, with the shared flags: {system.same_flags_rps:g} accepted/s")
    return marks
