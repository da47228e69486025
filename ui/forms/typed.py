"""Numbers as people type them: one reading for all fields, in every locale.

A decimal point always works, and so does the locale's own decimal sign. A separator of thousands never does:
what one person groups is another's decimal. A text with one is no number and is refused where it stands.
"""

import math
import re

from PySide6.QtCore import QLocale

_SIGNS = {"\u2212": "-", "\ufe63": "-", "\uff0d": "-"}
"""Minus signs that a text copied from elsewhere may have."""
_MOST_DIGITS = 300
"""More than any double has before its point."""
_GROUPED = re.compile(r"[0-9]{1,3}(,[0-9]{3})+")


def typed_number(text: str, locale: QLocale | None = None) -> int | float | None:
    """Return the number; an int where it was typed without decimals and exponent; None: it is none.

    Args:
        text: without a unit.
        locale: whose decimal sign works beside the point; None: the window's.
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
    """Whether a word with commas may be one grouped number as well as several values, such as `64,128`."""
    return _GROUPED.fullmatch(word.strip()) is not None


def written_number(value: float, locale: QLocale | None = None) -> str:
    """Return a number as a field shows it: the locale's decimal sign, no thousands, no needless zeros."""
    return f"{value:.9g}".replace(".", (locale or QLocale()).decimalPoint())
