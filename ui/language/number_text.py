"""Numbers and times as text: three significant digits, the user's locale."""

import math
import re

from PySide6.QtCore import QLocale

MINUS = "\N{MINUS SIGN}"
NARROW_SPACE = "\N{NARROW NO-BREAK SPACE}"
SIMULATED = "\N{SINE WAVE}"
"""Mark before every simulated number."""
UNKNOWN = "\N{EN DASH}"
_CHINESE = re.compile(r"[\u4e00-\u9fff]")
_TIMES = 10.0
"""From this factor on, a difference is given as a factor instead of a percentage."""


def significant(value: float | None, digits: int = 3) -> str:
    """Return `value` with this many significant digits, trailing zeros kept: 0.680, 7.30, 12.0, 1,230."""
    if value is None or not math.isfinite(value):
        return UNKNOWN
    if value == 0:
        return "0"
    magnitude = math.floor(math.log10(abs(value)))
    rounded = round(value, digits - 1 - magnitude)
    # 9.999 becomes 10.0, which has one decimal less.
    magnitude = math.floor(math.log10(abs(rounded)))
    decimals = max(0, digits - 1 - magnitude)
    return _localised(rounded, decimals)


def count(value: float | None) -> str:
    """Return a whole number with the locale's thousands separators."""
    return UNKNOWN if value is None or not math.isfinite(value) else _localised(value, 0)


def signed(value: float, digits: int = 2) -> str:
    """Return a difference with its sign: +0.63, −12, ±0."""
    if value == 0:
        return "±0"
    return ("+" if value > 0 else MINUS) + significant(abs(value), digits)


def signed_percent(value: float, base: float) -> str | None:
    """Return the difference of `value` from `base` in percent of `base`; None if undefined."""
    if base == 0 or not math.isfinite(base) or not math.isfinite(value):
        return None
    factor = value / base
    if factor >= _TIMES:
        return f"×{count(factor) if factor >= 100 else significant(factor, 2)}"
    share = round((value - base) / abs(base) * 100)
    if abs(share) >= 100 * _TIMES:
        return f"{'+' if share > 0 else MINUS}{count(abs(share))}{NARROW_SPACE}%"
    return f"{'±' if share == 0 else '+' if share > 0 else MINUS}{abs(share)}{NARROW_SPACE}%"


def clock(seconds: float | None) -> str:
    """Return a time span as 0:42 or 1:02:05."""
    if seconds is None or not math.isfinite(seconds):
        return UNKNOWN
    whole = max(0, math.ceil(seconds))
    hours, rest = divmod(whole, 3600)
    minutes, left = divmod(rest, 60)
    return f"{hours}:{minutes:02}:{left:02}" if hours else f"{minutes}:{left:02}"


def span(seconds: float) -> str:
    """Return a rough time span: 40 s, 12 min, 3.5 h."""
    if seconds < 90:
        return f"{max(1, round(seconds))} s"
    if seconds < 5400:
        return f"{round(seconds / 60)} min"
    return f"{significant(seconds / 3600, 2)} h"


def plain(value: object) -> str:
    """Return a control's value as an engineer writes it: 16, 0.92, on, fcfs; without separators."""
    if isinstance(value, bool):
        return "on" if value else "off"
    if isinstance(value, float):
        return f"{value:g}"
    return str(value)


def elided(text: str, length: int) -> str:
    """Return `text` cut in the middle to `length` characters."""
    if len(text) <= length:
        return text
    head = (length - 1) * 2 // 3
    return f"{text[:head]}…{text[len(text) - (length - 1 - head) :]}"


def _localised(value: float, decimals: int) -> str:
    locale = QLocale()
    if locale.language() == QLocale.Language.C:
        # The C locale has no thousands separators.
        locale = QLocale(QLocale.Language.English)
    text = locale.toString(float(value), "f", decimals)
    return text.replace("-", MINUS, 1)


def by_number(name: str) -> tuple[str | int, ...]:
    """Return a sort key that orders numbers by value: `In 513-2048` before `In 2049-8192`."""
    parts = re.split(r"(\d+)", name)
    return tuple(int(part) if place % 2 else part for place, part in enumerate(parts))


def sentence(text: str) -> str:
    """Return a remark as a sentence; a control's name at its start keeps its lower case."""
    named = "_" in text.split(" ", maxsplit=1)[0]
    stop = "" if text.endswith((".", "…", "。")) else "。" if _CHINESE.search(text) else "."
    return (text if named else text[:1].upper() + text[1:]) + stop


def seconds(value: float, step: float) -> str:
    """Return a time on an axis whose labels are `step` apart, with the decimals that tell them apart."""
    decimals = max(0, -math.floor(math.log10(step) + 1e-9))
    return f"{_localised(value, decimals)} s"
