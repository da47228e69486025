"""The user's own offers of systems: what, at which price, since when, said by whom. Nothing is prefilled."""

import datetime as dt
import tomllib
from pathlib import Path
from typing import Any, Literal

import msgspec

from workbench.advice.gpus import find_card
from workbench.base import InputError, Record
from workbench.results import owned_per_hour

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
        InputError: unreadable, an unknown key, a missing date or price, an unknown card; names the offer.
    """
    try:
        content = tomllib.loads(path.read_text("utf-8"))
    except OSError as error:
        raise InputError(f"{path}: can't be read: {error.strerror}") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise InputError(f"{path}: not TOML: {error}") from error
    try:
        offers = msgspec.convert(content, _File).offer
    except msgspec.ValidationError as error:
        raise InputError(f"{path}: {_place(content, str(error))}") from error
    for offer in offers:
        check_offer(offer, where=str(path))
    return offers


def _place(content: dict[str, Any], message: str) -> str:
    """The message with the offer's name for its number."""
    problem, _, place = message.partition(" - at `$.offer")
    number = "".join(mark for mark in place.split("]")[0] if mark.isdigit())
    offers = content.get("offer")
    if not number or not isinstance(offers, list) or int(number) >= len(offers):
        return message
    name = offers[int(number)].get("name", f"number {int(number) + 1}")
    hint = ": a price without a date can't be compared" if "`date`" in problem else ""
    return f"offer {name}: {problem}{hint}"


def check_offer(offer: Offer, *, where: str = "") -> None:
    """Whether the offer can be reckoned with.

    Raises:
        InputError: the first thing that can't be.
    """
    place = f"{where}: offer {offer.name}" if where else f"offer {offer.name}"
    if not offer.price > 0:
        raise InputError(f"{place}: price must be above 0, not {offer.price:g}")
    if offer.count < 1:
        raise InputError(f"{place}: count must be at least 1, not {offer.count}")
    if len(offer.currency) != 3 or not offer.currency.isupper():
        raise InputError(
            f"{place}: currency must be three capital letters such as EUR, not {offer.currency!r}"
        )
    if offer.basis == "purchase" and not (offer.amortisation_months or 0) > 0:
        raise InputError(f"{place}: a purchase needs amortisation_months, the time over which it is paid off")
    if not offer.source:
        raise InputError(f"{place}: source is empty: say who said the price")
    find_card(offer.gpu)


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
    if (today - seen).days > 30:
        said.append(f"{offer.name}: the price was last seen on {seen}, {(today - seen).days} days ago.")
    if offer.basis == "purchase" and (offer.power_w is None or offer.tariff_per_kwh is None):
        said.append(f"{offer.name}: energy isn't counted: power_w and tariff_per_kwh are needed.")
    if offer.basis == "spot":
        said.append(f"{offer.name}: a spot price can change, and the system can be taken away.")
    return said
