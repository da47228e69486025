"""Cells as exports show them: few enough digits, and text that a spreadsheet can't take for a formula."""

import math
from typing import Any

from workbench.results.scorecard.column import as_text

_DIGITS = 6
_FORMULA = ("=", "+", "-", "@", "\t", "\r")

Cell = str | float | int | bool | None


def cell(value: Any) -> Cell:
    """A value as text, number, truth or nothing; six significant digits, NaN and infinity unknown."""
    if value is None or isinstance(value, bool | int | str):
        return value
    if isinstance(value, float):
        return significant(value) if math.isfinite(value) else None
    return as_text(value)


def significant(value: float) -> float:
    """Rounded to six significant digits; the whole part is kept."""
    if value == 0:
        return 0.0
    return round(value, max(0, _DIGITS - 1 - math.floor(math.log10(abs(value)))))


def guarded(text: str) -> str:
    """Text with an apostrophe before what a spreadsheet would take for a formula (docs/definitions.md)."""
    return f"'{text}" if text.startswith(_FORMULA) else text


def plain_number(value: float) -> str:
    """A number with a decimal point and without an exponent, as every parser reads it."""
    if isinstance(value, int) or value.is_integer():
        return str(int(value))
    digits = max(1, _DIGITS - 1 - math.floor(math.log10(abs(value))))
    return f"{value:.{digits}f}".rstrip("0").rstrip(".")
