"""The user's own offers of systems: what, at which price, since when, said by whom. Nothing is prefilled."""

import datetime as dt
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

import msgspec
import tomlkit

from workbench.base import InputError, Record, message, read_toml_file, shown, steers, write_atomic
from workbench.profiles import find_card
from workbench.results import MOST_MONEY, check_cost_figure, owned_per_hour

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
    """When the price was said."""
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
    """Of the whole system under load; None: energy isn't counted."""
    pue: float = 1.0
    tariff_per_kwh: float | None = None


class _File(msgspec.Struct, forbid_unknown_fields=True):
    offer: list[Offer] = msgspec.field(default_factory=list)


def read_offers(path: Path) -> list[Offer]:
    """The offers of a TOML file, `[[offer]]` each.

    Raises:
        InputError: unreadable, an unknown key, a missing date or price, an unknown card, a figure that can't
            be, two of one name; names the offer.
    """
    content = _named_alike(read_toml_file(path), path)
    try:
        offers = msgspec.convert(content, _File).offer
    except msgspec.ValidationError as error:
        raise InputError(f"{path}: {_place(content, str(error))}") from error
    for offer in offers:
        check_offer(offer, where=str(path))
    _check_names(offers, path)
    return offers


def offer_of(fields: Mapping[str, Any]) -> Offer:
    """An offer from its fields as people state them: dates as 2026-11-01.

    Raises:
        InputError: a field is missing or can't be; names it.
    """
    content = {"offer": [dict(fields)]}
    try:
        (offer,) = msgspec.convert(content, _File).offer
    except msgspec.ValidationError as error:
        raise InputError(_place(content, str(error))) from error
    check_offer(offer)
    return offer


def write_offers(path: Path, offers: Sequence[Offer]) -> None:
    """The offers as a file that `read_offers` reads back equal; an earlier one is replaced whole.

    Raises:
        InputError: two have one name, or it can't be written.
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
        raise InputError(f"{path}: several offers are called {twice[0]}: give each a name of its own")


_ALSO = {"per_hour": "price", "price_date": "date"}
"""Names that [cost] of an experiment has for the same."""


def _named_alike(content: dict[str, Any], path: Path) -> dict[str, Any]:
    """The file with each offer's keys by our names.

    Raises:
        InputError: an offer has one by both its names, or a purchase by one that means nothing there.
    """
    offers = content.get("offer")
    if not isinstance(offers, list):
        return content
    alike = [_by_our_names(offer, path) if isinstance(offer, dict) else offer for offer in offers]
    return {**content, "offer": alike}


def _by_our_names(offer: dict[str, Any], path: Path) -> dict[str, Any]:
    for theirs, ours in _ALSO.items():
        if theirs in offer and ours in offer:
            raise InputError(
                f"{path}: offer {shown(str(offer.get('name')))}: {theirs} and {ours} are one: give either"
            )
    if "per_hour" in offer and offer.get("basis") == "purchase":
        raise InputError(
            f"{path}: offer {shown(str(offer.get('name')))}: a purchase has a price and no per_hour"
        )
    return {_ALSO.get(key, key): value for key, value in offer.items()}


_PLACE = re.compile(r"^(.*) - at `\$\.offer(?:\[(\d+)\])?(?:\.(\w+))?`$", re.DOTALL)
"""Where msgspec found a problem: which offer, which field."""


_DATES = ("date", "verified_on", "expires_on")


def _place(content: dict[str, Any], message: str) -> str:
    """The message with the offer's name for its number, and its field."""
    found = _PLACE.match(message)
    if found is None:
        return shown(message)
    problem, number, field = found.groups()
    if number is None:
        return f"offer: write each as [[offer]] with its fields below it ({shown(problem)})"
    offer = content["offer"][int(number)]
    if not isinstance(offer, dict):
        kind = type(offer).__name__
        return f"offer number {int(number) + 1}: must be a table, [[offer]] with its fields below, not {kind}"
    name = shown(str(offer.get("name", f"number {int(number) + 1}")))
    hint = ""
    needed = [each.name for each in msgspec.structs.fields(Offer) if each.required]
    lacking = [each for each in needed if each not in offer]
    if len(lacking) > 1 and problem.startswith("Object missing"):
        return f"offer {name}: missing {', '.join(lacking)}"
    if problem.endswith("`date`"):
        hint = ": a price without a date can't be compared"
    elif field in _DATES:
        hint = ": write a date such as 2026-11-01, without quotes"
    return f"offer {name}: {f'{field}: ' if field else ''}{shown(problem)}{hint}"


_FIGURES = (
    *("count", "amortisation_months", "residual_pct", "discount_rate_pct", "hosting_per_month"),
    *("support_per_year", "power_w", "pue", "tariff_per_kwh"),
)
_LINES = ("availability", "configuration")
"""Texts that can have several lines."""
_TEXTS = ("name", "supplier", "gpu", "currency", "source", "region", "availability", "configuration")


def check_offer(offer: Offer, *, where: str = "") -> None:
    """Whether the offer can be reckoned with.

    Raises:
        InputError: the first thing that can't be.
    """
    place = f"{where}: offer {shown(offer.name)}" if where else f"offer {shown(offer.name)}"
    _check_texts(offer, place)
    if not 0 < offer.price <= MOST_MONEY:
        raise InputError(f"{place}: price must be above 0 and at most {MOST_MONEY:g}, not {offer.price:g}")
    for field in _FIGURES:
        value = getattr(offer, field)
        if value is not None:
            check_cost_figure(field, value, place)
    if offer.basis == "purchase" and offer.amortisation_months is None:
        raise InputError(f"{place}: a purchase needs amortisation_months, the time over which it is paid off")
    try:
        find_card(offer.gpu, remedy=message("gpu.give_catalogue_name"))
    except InputError as error:
        raise InputError(f"{place}: gpu: {error}") from error


def _check_texts(offer: Offer, place: str) -> None:
    for field in _TEXTS:
        value = getattr(offer, field)
        if any(steers(mark) for mark in value if field not in _LINES or mark not in "\n\t"):
            raise InputError(f"{place}: {field} holds control characters: {shown(value)}; leave them out")
    if not re.fullmatch("[A-Z]{3}", offer.currency):
        raise InputError(
            f"{place}: currency must be three capital letters such as EUR, not {shown(offer.currency)!r}"
        )
    if not offer.name.strip():
        raise InputError(f"{place}: name is empty: say what the offer is called")
    if not offer.source.strip():
        raise InputError(f"{place}: source is empty: say who said the price")


def cost_per_hour(offer: Offer) -> float:
    """Cost of the whole system per hour it exists; with energy where power and tariff are known."""
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


def warnings_of(offer: Offer, today: dt.date) -> list[str]:
    """What a buyer should know before relying on it."""
    said = []
    if offer.expires_on is not None and offer.expires_on < today:
        said.append(f"{offer.name}: the offer expired on {offer.expires_on}.")
    seen = offer.verified_on or offer.date
    for field, day in (("date", offer.date), ("verified_on", offer.verified_on)):
        if day is not None and day > today:
            said.append(f"{offer.name}: {field} {day} is in the future (today is {today}): check it.")
    if (today - seen).days > 30:
        said.append(f"{offer.name}: the price was last seen on {seen}, {(today - seen).days} days ago.")
    if offer.basis == "purchase" and (offer.power_w is None or offer.tariff_per_kwh is None):
        said.append(f"{offer.name}: energy isn't counted: power_w and tariff_per_kwh are needed.")
    if offer.basis == "spot":
        said.append(f"{offer.name}: a spot price can change, and the system can be taken away.")
    return said
