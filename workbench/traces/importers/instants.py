"""Instants in logs and tables: dates with a time of day in many forms, or numbers since 1970."""

import re
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from typing import Any

_CLOCK = r"(?P<hour>\d\d?):(?P<minute>\d\d)(?::(?P<second>\d\d))?(?:[.,](?P<fraction>\d{1,9})\d*)?"
_BASIC_CLOCK = r"(?P<hour>\d\d)(?P<minute>\d\d)(?P<second>\d\d)(?:[.,](?P<fraction>\d{1,9})\d*)?"
_HALF = r"(?:\s*(?P<half>[AaPp])\.?[Mm]\.?)?"
_ZONE = r"\s*(?P<zone>Z|UTC|GMT|[+-]\d\d:?\d\d|[+-]\d\d)?"
_TIME = rf"{_CLOCK}{_HALF}{_ZONE}"
_MONTH = r"(?P<name>[A-Za-z]{3,9})\.?"
_FORMS = tuple(
    re.compile(pattern, re.ASCII)
    for pattern in (
        rf"(?P<year>\d{{4}})(?P<mark>[-/.])(?P<month>\d\d?)(?P=mark)(?P<day>\d\d?)(?:[T,]|\s)\s*{_TIME}",
        rf"(?P<year>\d{{4}})(?P<month>\d\d)(?P<day>\d\d)T{_BASIC_CLOCK}{_ZONE}",
        rf"(?:[A-Za-z]{{3,9}},?\s+)?(?P<day>\d\d?)[ /-]{_MONTH}[ /-](?P<year>\d{{4}})[ :,T]+{_TIME}",
        rf"(?:[A-Za-z]{{3,9}},?\s+)?{_MONTH}\s+(?P<day>\d\d?),?\s+(?P<year>\d{{4}})[ ,]+{_TIME}",
        rf"(?:[A-Za-z]{{3,9}},?\s+)?{_MONTH}\s+(?P<day>\d\d?)\s+{_CLOCK}{_ZONE}\s+(?P<year>\d{{4}})",
    )
)
_EITHER = re.compile(
    rf"(?P<first>\d\d?)(?P<mark>[./-])(?P<next>\d\d?)(?P=mark)(?P<year>\d{{4}}|\d\d)(?:[T,]|\s)\s*{_TIME}",
    re.ASCII,
)
"""Dates whose text alone may leave the order of day and month open."""
_OF_DAY = re.compile(rf"{_CLOCK}{_HALF}", re.ASCII)
_HALF_DAY_NS = 43_200_000_000_000
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_ZONED = re.compile(r".*\d\s*(?:Z|UTC|GMT|[+-]\d\d:?\d\d|[+-]\d\d)(?:\s+\d{4})?", re.ASCII | re.DOTALL)
_WHOLE, _DECIMAL = re.compile(r"\d{9,19}", re.ASCII), re.compile(r"\d{9,19}\.\d{1,9}", re.ASCII)

# Seconds since 1970 stay below 1e11 until the year 5138; the next units are a thousand times larger.
_UNITS = ((1e11, 1e9), (1e14, 1e6), (1e17, 1e3), (1e20, 1.0))

_EARLIEST, _LATEST = 0, 2**63 - 1

DAY_FIRST, MONTH_FIRST = "day", "month"


def to_ns(value: Any, *, order: str | None = None) -> int | None:
    """Return an instant as ns since 1970, None if it isn't one. Text without a zone is UTC.

    `order` is the order of day and month in `03/04/2026`; without it such a text is no instant.
    """
    if isinstance(value, str):
        text = value.strip()
        if _WHOLE.fullmatch(text):
            return _from_number(int(text))
        return _from_number(float(text)) if _DECIMAL.fullmatch(text) else _from_date(text, order)
    if isinstance(value, int | float) and not isinstance(value, bool):
        return _from_number(value)
    return None


def has_zone(value: Any) -> bool:
    """Check whether an instant has a zone; numbers since 1970 do."""
    if not isinstance(value, str):
        return True
    text = value.strip()
    return bool(_ZONED.fullmatch(text) or _WHOLE.fullmatch(text) or _DECIMAL.fullmatch(text))


def is_date(text: str) -> bool:
    """Check whether a text is a date with a time of day, in any order of day and month."""
    stripped = text.strip()
    return (
        _OF_DAY.fullmatch(stripped) is not None
        or _EITHER.fullmatch(stripped) is not None
        or _from_date(stripped, None) is not None
    )


def date_order(texts: Iterable[str]) -> str | None:
    """Find whether the day or the month comes first in a column of dates; None if both are possible.

    Dots mean that the day comes first. Otherwise a number above 12 decides, an hour with AM or PM, or times
    that rise in only one of the two orders.
    """
    found = [match for text in texts if (match := _EITHER.fullmatch(text.strip())) is not None]
    if any(match["mark"] == "." or int(match["first"]) > 12 for match in found):
        return DAY_FIRST
    if any(match["half"] or int(match["next"]) > 12 for match in found):
        return MONTH_FIRST
    if len({(match["first"], match["next"], match["year"]) for match in found}) <= 1:
        return DAY_FIRST
    rising = [order for order in (DAY_FIRST, MONTH_FIRST) if _rises(found, order)]
    return rising[0] if len(rising) == 1 else None


def times_of_day(texts: Sequence[str]) -> list[int] | None:
    """Return times of day without a date as ns since the first midnight; None if they aren't such times.

    A time far before the previous one belongs to the next day.
    """
    found = [_OF_DAY.fullmatch(text.strip()) for text in texts]
    if not all(found):
        return None
    day, before, times = 0, 0, []
    for match in found:
        parts = {"zone": None, **match.groupdict()} if match is not None else {}
        ns = _ns(parts, "1970", 1, 1)
        if ns is None:
            return None
        if before - ns > _HALF_DAY_NS:
            day += 1
        before = ns
        times.append(ns + day * 2 * _HALF_DAY_NS)
    return times


def _rises(found: list[re.Match[str]], order: str) -> bool:
    times = [_from_date(match[0], order) or 0 for match in found]
    return all(before <= after for before, after in pairwise(times))


def _from_date(text: str, order: str | None) -> int | None:
    for form in _FORMS:
        match = form.fullmatch(text)
        if match is not None:
            parts = match.groupdict()
            month = parts.get("month") or _month(parts["name"])
            return None if month is None else _ns(parts, parts["year"], int(month), int(parts["day"]))
    match = _EITHER.fullmatch(text)
    if match is None:
        return None
    first, second = int(match["first"]), int(match["next"])
    if match["mark"] == "." or first > 12:
        order = DAY_FIRST
    elif second > 12:
        order = MONTH_FIRST
    if order is None:
        return None
    day, month_number = (first, second) if order == DAY_FIRST else (second, first)
    return _ns(match.groupdict(), match["year"], month_number, day)


def _month(name: str) -> int | None:
    short = name[:3].lower()
    return _MONTHS.index(short) + 1 if short in _MONTHS else None


def _ns(parts: dict[str, str | None], year: str, month: int, day: int) -> int | None:
    whole_year = int(year) if len(year) == 4 else 2000 + int(year)
    hour = int(parts["hour"] or 0)
    half = parts.get("half")
    if half:
        if not 1 <= hour <= 12:
            return None
        hour = hour % 12 + (12 if half in "pP" else 0)
    try:
        moment = datetime(
            whole_year, month, day, hour, int(parts["minute"] or 0), int(parts["second"] or 0), tzinfo=UTC
        )
    except ValueError:
        return None
    whole = (moment - datetime(1970, 1, 1, tzinfo=UTC)) // timedelta(seconds=1)
    ns = (whole - _offset_s(parts["zone"])) * 1_000_000_000 + int((parts["fraction"] or "0").ljust(9, "0"))
    return ns if _EARLIEST <= ns <= _LATEST else None


def _from_number(value: float) -> int | None:
    for limit, factor in _UNITS:
        if 0 < value < limit:
            ns = int(value * int(factor) if isinstance(value, int) else value * factor)
            return ns if ns <= _LATEST else None
    return None


def _offset_s(zone: str | None) -> int:
    if zone is None or zone in ("Z", "UTC", "GMT"):
        return 0
    sign = -1 if zone[0] == "-" else 1
    minutes = int(zone[-2:]) if len(zone) > 3 else 0
    return sign * (int(zone[1:3]) * 3600 + minutes * 60)
