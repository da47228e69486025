"""The catalogue of cards: memory, bandwidth and peak rates as data with their sources; never a price."""

import difflib
import re
from functools import cache

import msgspec

from workbench.base import InputError, Record, decode_json, resource


class Card(Record, frozen=True, kw_only=True):
    """One kind of GPU."""

    name: str
    """As profiles spell it, such as `h100_sxm`."""
    title: str
    vendor: str
    aliases: tuple[str, ...]
    memory_label_gb: int
    """What is printed on the box."""
    usable_gib: float
    """What a process can address; vLLM's `total memory`. A few hundredths differ between drivers."""
    usable_source: str
    bandwidth_tb_s: float
    """Peak, 10^12 bytes per second."""
    bf16_tflops: float
    """Peak, dense."""
    fp8_tflops: float | None
    """Peak, dense; None: the card has no fp8 units."""
    power_w: int | None
    rates_source: str


class _Catalogue(Record, frozen=True, kw_only=True):
    units: str
    cards: tuple[Card, ...] = msgspec.field(default=())


@cache
def load_cards() -> tuple[Card, ...]:
    """All cards of the catalogue, in its order."""
    path = resource("gpus", "catalogue.json")
    return decode_json(path.read_bytes(), _Catalogue, where=str(path)).cards


def find_card(name: str, *, remedy: str = "; or give its memory with --gpu-gib") -> Card:
    """The card called `name`, or by an alias, or as `nvidia-smi` writes it; case and dashes don't count.

    `remedy` ends the message where there is none: what to give instead.

    Raises:
        InputError: no such card; says the nearest ones and what to give instead.
    """
    wanted = _plain(name)
    by_name = {
        _plain(known): card for card in load_cards() for known in (card.name, card.title, *card.aliases)
    }
    if wanted in by_name:
        return by_name[wanted]
    near = difflib.get_close_matches(wanted, by_name, n=3, cutoff=0.5)
    if not near:
        listed = ", ".join(card.name for card in load_cards())
        raise InputError(f"no GPU called {name!r} in the catalogue, which has {listed}{remedy}")
    names = dict.fromkeys(by_name[key].name for key in near)
    raise InputError(f"no GPU called {name!r} in the catalogue; nearest: {', '.join(names)}{remedy}")


def _plain(name: str) -> str:
    return re.sub(r"nvidia|amd|geforce|[^a-z0-9]", "", name.lower())
