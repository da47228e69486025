"""Comparison of systems to buy, each at its own sustainable rate and tuned with the same number of runs."""

import datetime as dt
import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any, Literal

import msgspec
import tomlkit

from workbench.base import (
    Message,
    Place,
    Record,
    Refusal,
    is_terminal_control,
    message,
    placed,
    read_toml_file,
    shown,
    write_atomic,
)
from workbench.profiles import find_card
from workbench.results import (
    MOST_MONEY,
    Demand,
    check_cost_figure,
    check_demand,
    owned_per_hour,
    per_unit,
    reserved_cost,
    varied_cost,
)

# The user's own offers of systems, with price, date and source. Nothing is prefilled.

Basis = Literal["purchase", "on_demand", "reserved", "spot", "rental"]


class Offer(Record, frozen=True, kw_only=True):
    """One offer. Money is in `currency`; a rental's price is per hour of the whole system."""

    name: str
    supplier: str
    gpu: str
    """A card of the catalogue."""
    count: int
    """GPUs of the system."""
    price: float
    currency: str
    """ISO 4217."""
    basis: Basis
    date: dt.date
    """Date of the price."""
    source: str
    region: str = ""
    availability: str = ""
    configuration: str = ""
    verified_on: dt.date | None = None
    expires_on: dt.date | None = None
    amortisation_months: float | None = None
    """Purchases only: time over which the price is paid off."""
    residual_pct: float = 0.0
    discount_rate_pct: float = 0.0
    """Yearly interest."""
    hosting_per_month: float = 0.0
    support_per_year: float = 0.0
    power_w: float | None = None
    """Power of the whole system under load; None: energy isn't counted."""
    pue: float = 1.0
    tariff_per_kwh: float | None = None


class _File(msgspec.Struct, forbid_unknown_fields=True):
    offer: list[Offer] = msgspec.field(default_factory=list)


def read_offers(path: Path) -> list[Offer]:
    """Read the offers of a TOML file, `[[offer]]` each.

    Raises:
        Refusal: unreadable, an unknown key, a missing date or price, an unknown card, an impossible figure,
            or two offers of one name.
    """
    content = _named_alike(read_toml_file(path), path)
    try:
        offers = msgspec.convert(content, _File).offer
    except msgspec.ValidationError as error:
        raise _misread(content, str(error), str(path)) from error
    for offer in offers:
        check_offer(offer, where=str(path))
    _check_names(offers, path)
    return offers


def offer_of(fields: Mapping[str, Any]) -> Offer:
    """Return an offer from its fields as people write them: dates as 2026-11-01.

    Raises:
        Refusal: a field is missing or impossible.
    """
    content = {"offer": [dict(fields)]}
    try:
        (offer,) = msgspec.convert(content, _File).offer
    except msgspec.ValidationError as error:
        raise _misread(content, str(error), None) from error
    check_offer(offer)
    return offer


def write_offers(path: Path, offers: Sequence[Offer]) -> None:
    """Write the offers as a file that `read_offers` reads back equal, replacing an earlier one.

    Raises:
        Refusal: two have one name, or the file can't be written.
    """
    _check_names(offers, path)
    tables = [
        {
            field.name: value
            for field in msgspec.structs.fields(Offer)
            if (value := getattr(offer, field.name)) is not None
            and (field.required or value != field.default)
        }
        for offer in offers
    ]
    write_atomic(path, tomlkit.dumps({"offer": tables}))


def _check_names(offers: Sequence[Offer], path: Path) -> None:
    twice = [name for name, times in Counter(offer.name for offer in offers).items() if times > 1]
    if twice:
        raise Refusal("advice.offer_twice", Place(file=str(path)), name=twice[0])


_ALSO = {"per_hour": "price", "price_date": "date"}
"""The same settings by their names in [cost] of an experiment."""


def _named_alike(content: dict[str, Any], path: Path) -> dict[str, Any]:
    """Return the content with each offer's keys by our names.

    Raises:
        Refusal: an offer has a setting by both names, or a purchase has a price per hour.
    """
    offers = content.get("offer")
    if not isinstance(offers, list):
        return content
    alike = [_by_our_names(offer, path) if isinstance(offer, dict) else offer for offer in offers]
    return {**content, "offer": alike}


def _by_our_names(offer: dict[str, Any], path: Path) -> dict[str, Any]:
    for theirs, ours in _ALSO.items():
        if theirs in offer and ours in offer:
            raise Refusal(
                "advice.two_names", _of_offer(offer.get("name"), str(path), theirs), first=theirs, second=ours
            )
    if "per_hour" in offer and offer.get("basis") == "purchase":
        raise Refusal("advice.purchase_per_hour", _of_offer(offer.get("name"), str(path), "per_hour"))
    return {_ALSO.get(key, key): value for key, value in offer.items()}


_PLACE = re.compile(r"^(.*) - at `\$\.offer(?:\[(\d+)\])?(?:\.(\w+))?`$", re.DOTALL)
"""Offer and field in a message of msgspec."""


_DATES = ("date", "verified_on", "expires_on")


def _of_offer(name: object, file: str | None, key: str | None = None) -> Place:
    """Return the place of an offer's field."""
    return Place(file=file, table=f"offer {shown(str(name))}", key=key)


def _misread(content: dict[str, Any], problem: str, file: str | None) -> Refusal:
    """Return a refusal for msgspec's problem with the offer's name in place of its number."""
    found = _PLACE.match(problem)
    if found is None:
        return Refusal("advice.offer_unreadable", Place(file=file), problem=shown(problem))
    problem, number, field = found.groups()
    if number is None:
        return Refusal("advice.offers_no_tables", Place(file=file, key="offer"), problem=shown(problem))
    offer = content["offer"][int(number)]
    if not isinstance(offer, dict):
        place = Place(file=file, table=f"offer number {int(number) + 1}")
        return Refusal("advice.offer_no_table", place, type=type(offer).__name__)
    place = _of_offer(offer.get("name", f"number {int(number) + 1}"), file, field)
    needed = [each.name for each in msgspec.structs.fields(Offer) if each.required]
    lacking = [each for each in needed if each not in offer]
    if len(lacking) > 1 and problem.startswith("Object missing"):
        return Refusal("advice.offer_lacks", place, names=lacking)
    if problem.endswith("`date`"):
        return Refusal("advice.offer_no_date", place, problem=shown(problem))
    if field in _DATES:
        return Refusal("advice.offer_bad_date", place, problem=shown(problem))
    return Refusal("advice.offer_unreadable", place, problem=shown(problem))


_FIGURES = (
    *("count", "amortisation_months", "residual_pct", "discount_rate_pct", "hosting_per_month"),
    *("support_per_year", "power_w", "pue", "tariff_per_kwh"),
)
_LINES = ("availability", "configuration")
"""Texts that can have several lines."""
_OLD_DAYS = 30
"""Age from which a price needs checking."""
_TEXTS = ("name", "supplier", "gpu", "currency", "source", "region", "availability", "configuration")


def check_offer(offer: Offer, *, where: str = "") -> None:
    """Check that the offer's figures and texts can be used.

    Args:
        offer: as read or typed.
        where: its file.

    Raises:
        Refusal: the first field that can't be used.
    """
    place = _of_offer(offer.name, where or None)
    _check_texts(offer, place)
    if not 0 < offer.price <= MOST_MONEY:
        raise Refusal("advice.no_price", _key(place, "price"), value=offer.price, maximum=MOST_MONEY)
    for field in _FIGURES:
        value = getattr(offer, field)
        if value is not None:
            with placed(place):
                check_cost_figure(field, value, "")
    if offer.basis == "purchase" and offer.amortisation_months is None:
        raise Refusal("advice.no_amortisation", place)
    try:
        find_card(offer.gpu, remedy=message("gpu.give_catalogue_name"))
    except Refusal as error:
        raise Refusal(error.kind, _key(place, "gpu"), **error.values) from error


def _key(place: Place, key: str) -> Place:
    return msgspec.structs.replace(place, key=key)


def _check_texts(offer: Offer, place: Place) -> None:
    for field in _TEXTS:
        value = getattr(offer, field)
        if any(is_terminal_control(mark) for mark in value if field not in _LINES or mark not in "\n\t"):
            raise Refusal("advice.control_characters", _key(place, field), text=shown(value))
    if not re.fullmatch("[A-Z]{3}", offer.currency):
        raise Refusal("advice.no_currency", _key(place, "currency"), value=shown(offer.currency))
    if not offer.name.strip():
        raise Refusal("advice.empty_name", _key(place, "name"))
    if not offer.source.strip():
        raise Refusal("advice.empty_source", _key(place, "source"))


def cost_per_hour(offer: Offer) -> float:
    """Return the cost of the whole system per hour; with energy if power and tariff are known."""
    energy = (offer.power_w or 0.0) / 1000 * offer.pue * (offer.tariff_per_kwh or 0.0)
    if offer.basis != "purchase" or offer.amortisation_months is None:
        return offer.price + energy
    return owned_per_hour(
        offer.price,
        years=offer.amortisation_months / 12,
        residual=offer.residual_pct / 100,
        rate=offer.discount_rate_pct / 100,
        yearly=12 * offer.hosting_per_month + offer.support_per_year,
        energy_per_hour=energy,
    )


def warnings_of(offer: Offer, today: dt.date) -> list[Message]:
    """Return what a buyer should know before relying on the offer."""
    name = offer.name
    warnings = []
    if offer.expires_on is not None and offer.expires_on < today:
        warnings.append(message("advice.offer_expired", name=name, date=str(offer.expires_on)))
    seen = offer.verified_on or offer.date
    for field, day in (("date", offer.date), ("verified_on", offer.verified_on)):
        if day is not None and day > today:
            future = message(
                "advice.offer_in_future", name=name, field=field, date=str(day), today=str(today)
            )
            warnings.append(future)
    if (today - seen).days > _OLD_DAYS:
        warnings.append(message("advice.offer_old", name=name, date=str(seen), days=(today - seen).days))
    if offer.basis == "purchase" and (offer.power_w is None or offer.tariff_per_kwh is None):
        warnings.append(message("advice.no_energy", name=name))
    if offer.basis == "spot":
        warnings.append(message("advice.spot_price", name=name))
    return warnings


class SystemResult(Record, frozen=True, kw_only=True):
    """Result of one system with the common trace, model revision and objectives."""

    name: str
    gpu: str
    accepted_rps: float
    """Accepted rate at the highest rate at which the system met the objectives."""
    rate_basis: str | None = None
    """Requests that `accepted_rps` counts, as in the column `cost_rate_basis`; None: unknown."""
    capacity_found: bool = True
    """A higher rate was tested and was too much; False: it may sustain more than `accepted_rps`."""
    runs: int
    """Runs spent on tuning it."""
    trace_sha256: str
    model_revision: str
    same_flags_rps: float | None = None
    """Accepted requests per second with the flags that all systems share, untuned."""
    unlike_flags: Message | None = None
    """Why no flags are shared; None: they are, or it is unknown."""
    simulated: bool = False
    what_if: Message | None = None
    """A simulated change, such as the KV pool of an 80 GB card; None: the system as it is."""
    offer: Offer | None = None


class Decision(Record, frozen=True, kw_only=True):
    """One line of the decision sheet; money in `currency`, None: unknown."""

    name: str
    servers: int
    utilisation: float
    """Mean share of the servers' accepted rate that the demand takes."""
    currency: str | None
    cost_per_hour: float | None
    """Cost of all servers."""
    per_1k_reserved: float | None
    """Cost of 1,000 accepted responses if all servers are paid all the time."""
    per_1k_used: float | None
    """The same if only busy time is paid."""
    sensitivity_low: float | None
    sensitivity_high: float | None
    """Range of the reserved cost with price, rate and demand a tenth better or worse."""
    marks: tuple[Message, ...]
    capacity_found: bool = True
    """False: no higher rate was tested: `servers` and costs are upper bounds, and the order can change."""
    position: int = 0
    """Index of the system among those compared; it distinguishes systems of one name."""
    accepted_rps: float = 0.0
    """Accepted requests a second of one system, at its own sustainable rate."""
    rate_basis: str | None = None
    """Requests that `accepted_rps` and `same_flags_rps` count, as in the column `cost_rate_basis`."""
    same_flags_rps: float | None = None
    """The same with the flags that all systems share, untuned; None: no such flags or rate."""
    runs: int = 0
    """Runs spent on tuning it."""
    simulated: bool = False
    what_if: str = ""


def compare_systems(systems: Sequence[SystemResult], demand: Demand) -> list[Decision]:
    """Return the decision sheet, cheapest first; systems without an offer last.

    Raises:
        Refusal: unlike traces, model revisions, currencies or tuning budgets; an impossible demand.
    """
    _check_alike(systems)
    check_demand(demand)
    lines = [_decide(position, system, demand) for position, system in enumerate(systems)]
    lines.sort(key=lambda line: math.inf if line.per_1k_reserved is None else line.per_1k_reserved)
    return [lines[0], *(_beside(line, lines[0]) for line in lines[1:])] if lines else []


def _beside(line: Decision, cheapest: Decision) -> Decision:
    """Return the line, with a mark if its cost could also be the lower one."""
    low, high = line.sensitivity_low, cheapest.sensitivity_high
    if low is None or high is None or low > high:
        return line
    mark = message("advice.order_can_change", name=cheapest.name)
    return msgspec.structs.replace(line, marks=(*line.marks, mark))


def _check_alike(systems: Sequence[SystemResult]) -> None:
    for before, after in pairwise(systems):
        names = {"first": before.name, "second": after.name}
        if before.trace_sha256 != after.trace_sha256:
            ours, theirs = before.trace_sha256, after.trace_sha256
            raise Refusal("advice.unlike_traces", None, **names, ours=ours, theirs=theirs)
        if before.model_revision != after.model_revision:
            ours, theirs = before.model_revision, after.model_revision
            raise Refusal("advice.unlike_models", None, **names, ours=ours, theirs=theirs)
        if before.runs != after.runs:
            raise Refusal("advice.unlike_budgets", None, **names, ours=before.runs, theirs=after.runs)
    currencies = {system.offer.currency for system in systems if system.offer is not None}
    if len(currencies) > 1:
        raise Refusal("advice.unlike_currencies", currencies=sorted(currencies))


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
        what_if="" if system.what_if is None else str(system.what_if),
    )


def _marks(system: SystemResult, servers: int | None) -> list[Message]:
    marks = []
    if system.what_if:
        marks.append(message("advice.what_if", change=system.what_if))
    if system.simulated:
        marks.append(message("advice.simulated"))
    if system.accepted_rps <= 0:
        marks.append(message("advice.meets_at_no_rate"))
    if system.offer is None:
        marks.append(message("advice.no_offer"))
    if system.same_flags_rps is not None:
        marks.append(message("advice.untuned", rate=system.same_flags_rps))
    if system.unlike_flags:
        marks.append(message("advice.no_shared_flags", reason=system.unlike_flags))
    if not system.capacity_found:
        count = message("advice.servers", count=servers) if servers else message("advice.as_many_servers")
        marks.append(message("advice.capacity_not_found", servers=count))
    return marks
