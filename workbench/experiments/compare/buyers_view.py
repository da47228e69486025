"""The first lines for a buyer: the recommendation, what is missing for it, and what would change it."""

from collections import Counter
from collections.abc import Callable, Sequence

import msgspec

from workbench.advice import Decision, Offer, scaled_demand
from workbench.base import Message, Record, message
from workbench.experiments.compare.systems import MeasuredSystem, compare_measured
from workbench.results import Demand

_PRICES, _GROWTH, _SPARE = (1.1, 1.25), (1.5, 2.0, 3.0), (1, 2)


class Scenario(Record, frozen=True, kw_only=True):
    """The cheapest system if something else comes true."""

    said: Message
    title: str
    servers: int
    per_1k: float
    same: bool
    """The system that is the cheapest as asked."""


def titles_of(systems: Sequence[MeasuredSystem]) -> list[str]:
    """Return each system's title by GPU and model; alike ones also have the offer's or the file's name."""
    titles = [each.title for each in systems]
    times = Counter(titles)
    return [
        title if times[title] == 1 else f"{title} ({each.result.name})"
        for title, each in zip(titles, systems, strict=True)
    ]


def assumed_demand(systems: Sequence[MeasuredSystem]) -> Demand | None:
    """Return a demand to begin with: what the strongest system accepts, all day; None: nothing."""
    most = max((each.result.accepted_rps for each in systems), default=0.0)
    return Demand(curve=((24.0, most),)) if most > 0 else None


def recommendation(decisions: Sequence[Decision], titles: Sequence[str]) -> Message:
    """Return the cheapest system, or why there is none; `titles` are by the systems' positions."""
    able = [each for each in decisions if each.accepted_rps > 0]
    if not able:
        return message("experiments.buy_none")
    priced = [each for each in able if each.per_1k_reserved is not None]
    if not priced:
        most = max(able, key=lambda each: each.accepted_rps)
        return message("experiments.buy_unpriced", title=titles[most.position], rate=most.accepted_rps)
    best = priced[0]
    rivals = [
        titles[each.position]
        for each in priced[1:]
        if any(mark.kind == "advice.order_can_change" for mark in each.marks)
    ]
    title, cost, currency = titles[best.position], best.per_1k_reserved or 0.0, best.currency or ""
    if rivals:
        return message(
            "experiments.buy_but",
            title=title,
            servers=best.servers,
            cost=cost,
            currency=currency,
            rivals=rivals,
        )
    return message("experiments.buy", title=title, servers=best.servers, cost=cost, currency=currency)


def missing_for_decision(
    systems: Sequence[MeasuredSystem], titles: Sequence[str], assumed: Demand | None
) -> list[Message]:
    """Return what a decision still needs, the gravest first; `assumed` is a demand that nobody stated."""

    def named(lacks: Callable[[MeasuredSystem], bool]) -> list[str]:
        return [title for title, each in zip(titles, systems, strict=True) if lacks(each)]

    found = [
        ("experiments.lacks_measurement", named(lambda each: each.result.simulated)),
        ("experiments.lacks_price", named(lambda each: each.result.offer is None)),
        ("experiments.lacks_capacity", named(lambda each: not each.result.capacity_found)),
    ]
    missing = [message(kind, systems=names) for kind, names in found if names]
    if assumed is not None:
        missing.append(message("experiments.lacks_demand", rate=assumed.peak_rps))
    if not any(each.objectives.values() for each in systems):
        missing.append(message("experiments.lacks_objectives"))
    if len(systems) == 1:
        missing.append(message("experiments.lacks_rival"))
    return missing


def scenarios_of(systems: Sequence[MeasuredSystem], demand: Demand, titles: Sequence[str]) -> list[Scenario]:
    """Return who is the cheapest with another price, a grown demand, and spare servers.

    Empty without prices.
    """
    best = _cheapest(systems, demand)
    if best is None:
        return []
    cases: list[tuple[Message, Sequence[MeasuredSystem], Demand]] = [
        (message("experiments.case_asked"), systems, demand)
    ]
    for factor in _PRICES:
        said = message("experiments.case_price", title=titles[best.position], percent=100 * (factor - 1))
        cases.append((said, _dearer(systems, best.position, factor), demand))
    for factor in _GROWTH:
        said = message("experiments.case_growth", factor=factor)
        cases.append((said, systems, scaled_demand(demand, factor)))
    for more in _SPARE:
        spared = msgspec.structs.replace(demand, spare=demand.spare + more)
        cases.append((message("experiments.case_spare", count=more), systems, spared))
    found = [(said, _cheapest(changed, asked)) for said, changed, asked in cases]
    return [
        Scenario(
            said=said,
            title=titles[each.position],
            servers=each.servers,
            per_1k=each.per_1k_reserved or 0.0,
            same=each.position == best.position,
        )
        for said, each in found
        if each is not None
    ]


def _cheapest(systems: Sequence[MeasuredSystem], demand: Demand) -> Decision | None:
    decisions = compare_measured(systems, demand)
    return next((each for each in decisions if each.per_1k_reserved is not None), None)


def _dearer(systems: Sequence[MeasuredSystem], position: int, factor: float) -> list[MeasuredSystem]:
    """Return the systems with the price of one offer times `factor`, wherever the offer is used."""
    offer = systems[position].result.offer
    return [each if each.result.offer != offer else _with_price(each, factor) for each in systems]


def _with_price(system: MeasuredSystem, factor: float) -> MeasuredSystem:
    offer = system.result.offer
    assert isinstance(offer, Offer)
    dearer = msgspec.structs.replace(offer, price=offer.price * factor)
    result = msgspec.structs.replace(system.result, offer=dearer)
    return msgspec.structs.replace(system, result=result)
