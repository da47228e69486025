"""Typed numbers, read in one way by all fields and in every locale.

A decimal point always works, and so does the locale's decimal sign. A thousands separator never does, since
it may be a decimal sign elsewhere; text with one is rejected.
"""

import math
import re

from PySide6.QtCore import QLocale

_SIGNS = {"\u2212": "-", "\ufe63": "-", "\uff0d": "-"}
"""Minus signs that pasted text may contain."""
_MOST_DIGITS = 300
"""More digits than any double has before its point."""
_GROUPED = re.compile(r"[0-9]{1,3}(,[0-9]{3})+")


def typed_number(text: str, locale: QLocale | None = None) -> int | float | None:
    """Return the number; an int if it was typed without decimals and exponent; None if it is no number.

    Args:
        text: without a unit.
        locale: its decimal sign works beside the point; None for the window's.
    """
    words = text.strip()
    for sign, plain in _SIGNS.items():
        words = words.replace(sign, plain)
    point = re.escape((locale or QLocale()).decimalPoint())
    form = rf"([+-]?)([0-9]*)(?:[.{point}]([0-9]*))?([eE][+-]?[0-9]+)?"
    found = re.fullmatch(form, words)
    if found is None or not (found[2] or found[3]):
        return None
    if found[3] is None and found[4] is None:
        return int(words) if len(words) < _MOST_DIGITS else None
    value = float(f"{found[1]}{found[2] or '0'}.{found[3] or '0'}{found[4] or ''}")
    return value if math.isfinite(value) else None


def may_be_grouped(word: str) -> bool:
    """Return True if a word such as `64,128` may be one grouped number as well as several values."""
    return _GROUPED.fullmatch(word.strip()) is not None


def written_number(value: float, locale: QLocale | None = None) -> str:
    """Return a number as a field shows it: the locale's decimal sign, no thousands, no trailing zeros."""
    return f"{value:.9g}".replace(".", (locale or QLocale()).decimalPoint())
