"""Instants as logs write them: ISO 8601 with or without a zone, or a number since 1970 in some unit."""

import re
from datetime import UTC, datetime, timedelta
from typing import Any

_ISO = re.compile(
    r"(\d{4})-(\d\d)-(\d\d)[T ](\d\d):(\d\d)(?::(\d\d))?(?:[.,](\d{1,9})\d*)?\s*(Z|UTC|[+-]\d\d:?\d\d)?",
    re.ASCII,
)

_WITHOUT_ZONE = re.compile(r"\d{4}-\d\d-\d\d[T ][\d:.,]+", re.ASCII)

# Seconds since 1970 stay below 1e11 until the year 5138; the next units are a thousand times larger.
_UNITS = ((1e11, 1e9, "s"), (1e14, 1e6, "ms"), (1e17, 1e3, "us"), (1e20, 1.0, "ns"))

_EARLIEST, _LATEST = 0, 2**63 - 1


def to_ns(value: Any) -> int | None:
    """An instant as ns since 1970, None if it isn't one. Text without a zone is UTC."""
    if isinstance(value, str):
        return _number_or_iso(value.strip())
    if isinstance(value, int | float) and not isinstance(value, bool):
        return _from_number(value)
    return None


def has_zone(value: Any) -> bool:
    """Whether an instant says its zone itself; numbers since 1970 do."""
    return not isinstance(value, str) or _WITHOUT_ZONE.fullmatch(value.strip()) is None


def unit_of(value: float) -> str:
    """The unit that a number since 1970 must have by its size."""
    return next((name for limit, _, name in _UNITS if abs(value) < limit), "ns")


def _number_or_iso(text: str) -> int | None:
    match = _ISO.fullmatch(text)
    if match is None:
        return _from_number(int(text)) if re.fullmatch(r"\d{9,19}", text) else _from_decimal(text)
    year, month, day, hour, minute, second, fraction, zone = match.groups()
    try:
        moment = datetime(
            int(year), int(month), int(day), int(hour), int(minute), int(second or 0), tzinfo=UTC
        )
    except ValueError:
        return None
    whole = (moment - datetime(1970, 1, 1, tzinfo=UTC)) // timedelta(seconds=1)
    ns = (whole - _offset_s(zone)) * 1_000_000_000 + int((fraction or "0").ljust(9, "0"))
    return ns if _EARLIEST <= ns <= _LATEST else None


def _from_decimal(text: str) -> int | None:
    return _from_number(float(text)) if re.fullmatch(r"\d{9,19}\.\d{1,9}", text) else None


def _from_number(value: float) -> int | None:
    for limit, factor, _ in _UNITS:
        if 0 < value < limit:
            return (
                int(value)
                if factor == 1
                else int(value * int(factor) if isinstance(value, int) else value * factor)
            )
    return None


def _offset_s(zone: str | None) -> int:
    if zone is None or zone in ("Z", "UTC"):
        return 0
    sign = -1 if zone[0] == "-" else 1
    return sign * (int(zone[1:3]) * 3600 + int(zone[-2:]) * 60)
