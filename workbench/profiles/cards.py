"""The catalogue of GPUs: memory, bandwidth and peak rates with their sources, and no prices."""

import difflib
import re
from functools import cache
from typing import NamedTuple

import msgspec

from workbench.base import InputError, Record, Refusal, decode_json, message, resource
from workbench.base.messages import Message

_NOISE = frozenset({"nvidia", "amd", "geforce", "instinct", "tesla", "r", "tm", "oam", "vf", "gpu"})
"""Words of a driver's name that don't distinguish cards."""
_FORM_FACTOR = re.compile(r"(sxm)\d")
_MIG = re.compile(r"\bMIG[\s-]*(\d)g\.(\d+)gb(?:\+\w+(?:\.\w+)*)?", re.IGNORECASE)
_MIG_COMPUTE, _MIG_MEMORY = 7, 8
"""Slices that a whole card has (NVIDIA, Multi-Instance GPU user guide: A100, H100, H200, B200)."""


class Card(Record, frozen=True, kw_only=True):
    """One kind of GPU."""

    name: str
    """As profiles spell it, such as `h100_sxm`."""
    title: str
    vendor: str
    aliases: tuple[str, ...]
    memory_label_gb: int
    """Memory as advertised."""
    usable_gib: float
    """Memory that a process can address; vLLM's `total memory`. Drivers differ by a few hundredths."""
    usable_source: str
    bandwidth_tb_s: float
    """Peak, 10^12 bytes per second."""
    bf16_tflops: float
    """Peak, dense."""
    fp8_tflops: float | None
    """Peak, dense; None if the card has no fp8 units."""
    power_w: int | None
    rates_source: str


class _Catalogue(Record, frozen=True, kw_only=True):
    units: str
    cards: tuple[Card, ...] = msgspec.field(default=())


class _Slice(NamedTuple):
    """A MIG instance, such as `3g.40gb`."""

    compute: int
    memory_gb: int


@cache
def load_cards() -> tuple[Card, ...]:
    """Return all cards of the catalogue in file order."""
    path = resource("gpus", "catalogue.json")
    return decode_json(path.read_bytes(), _Catalogue, where=str(path)).cards


def find_card(name: str, *, remedy: Message | None = None) -> Card:
    """Return the card called `name`: its own name, an alias, or the driver's name.

    A driver writes `GPU 0: NVIDIA A100-SXM4-80GB (UUID: …)`, and `… MIG 1g.10gb` for a part of a card. For a
    part, memory and rates of the part are returned. Case, dashes and the order of the words are ignored.

    Args:
        name: the card's name.
        remedy: the advice if no card has that name.

    Raises:
        Refusal: no card has that name; lists the nearest ones and the remedy.
    """
    said = name_from_driver(name)
    part = _MIG.search(said)
    whole = said if part is None else said[: part.start()].strip(" ,:-")
    found = _by_words().get(_words(whole)) or _by_letters().get(_letters(whole))
    if found is None:
        raise _unknown(name, whole, remedy or message("gpu.give_memory"))
    return found if part is None else _part_of(found, part)


def known_card(name: str) -> Card | None:
    """Return the card called `name`, or None if the catalogue doesn't have it."""
    try:
        return find_card(name)
    except InputError:
        return None


def name_from_driver(output: str) -> str:
    """Return `NVIDIA L4` from the driver's `GPU 0: NVIDIA L4 (UUID: …)`; the first line counts."""
    line = (output.strip().splitlines() or [""])[0].strip()
    line = re.sub(r"^GPU\s*\d+\s*:\s*", "", line)
    return re.sub(r"\s*\((?:UUID|[^()]*\bMiB|[^()]*\bGiB)[^()]*\)?\s*$", "", line)


def _unknown(name: str, whole: str, remedy: Message) -> Refusal:
    near = difflib.get_close_matches(_letters(whole), _by_letters(), n=3, cutoff=0.5)
    if near:
        names = list(dict.fromkeys(_by_letters()[key].name for key in near))
        return Refusal("gpu.unknown_near", name=name, near=names, remedy=remedy)
    listed = [card.name for card in load_cards()]
    return Refusal("gpu.unknown", name=name, known=listed, remedy=remedy)


def _part_of(card: Card, found: re.Match[str]) -> Card:
    """Return a MIG instance as a card: whole slices of the card's memory and compute."""
    part = _Slice(int(found[1]), int(found[2]))
    slices = max(1, round(part.memory_gb * _MIG_MEMORY / card.memory_label_gb))
    if part.compute > _MIG_COMPUTE or slices > _MIG_MEMORY:
        raise Refusal("gpu.no_such_slice", part=found[0].strip(), card=card.name)
    memory, compute = slices / _MIG_MEMORY, part.compute / _MIG_COMPUTE
    return msgspec.structs.replace(
        card,
        name=f"{card.name}_{part.compute}g_{part.memory_gb}gb",
        title=f"{card.title} {found[0].strip()}",
        aliases=(),
        memory_label_gb=part.memory_gb,
        usable_gib=round(card.usable_gib * memory, 2),
        usable_source=f"{slices}/{_MIG_MEMORY}: {card.usable_source}",
        bandwidth_tb_s=card.bandwidth_tb_s * memory,
        bf16_tflops=card.bf16_tflops * compute,
        fp8_tflops=None if card.fp8_tflops is None else card.fp8_tflops * compute,
        power_w=None,
        rates_source=f"{part.compute}/{_MIG_COMPUTE}: {card.rates_source}",
    )


@cache
def _by_words() -> dict[frozenset[str], Card]:
    return {_words(known): card for card in load_cards() for known in _names(card)}


@cache
def _by_letters() -> dict[str, Card]:
    return {_letters(known): card for card in load_cards() for known in _names(card)}


def _names(card: Card) -> tuple[str, ...]:
    return card.name, card.title, *card.aliases


def _words(name: str) -> frozenset[str]:
    """Return the words that distinguish cards; `80 GB` counts as one word, like `80GB`."""
    joined = re.sub(r"(\d)\s+gb\b", r"\1gb", name.lower())
    words = re.findall(r"[a-z0-9]+", joined)
    return frozenset(_FORM_FACTOR.sub(r"\1", word) for word in words) - _NOISE


def _letters(name: str) -> str:
    """Return the name without spaces and dashes."""
    words = re.findall(r"[a-z0-9]+", name.lower())
    return "".join(word for word in words if word not in _NOISE)
