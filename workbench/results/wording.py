"""Numbers in sentences."""

import math

_TIMES = 10.0
"""From this factor on a change is said as one: thousands of percent say nothing."""


def change(before: float, after: float, decimals: int = 0) -> str:
    """Return how much a figure above 0 changed: `+12 %`, `×33,942` from ten times on."""
    factor = after / before
    if factor >= _TIMES:
        return f"×{factor:,.0f}" if factor >= 100 else f"×{factor:.3g}"
    return f"{(factor - 1) * 100:+.{decimals}f} %"


def short(value: float) -> str:
    """Three digits that matter, thousands with a comma, no exponent."""
    if value == 0 or not math.isfinite(value):
        return "0" if value == 0 else str(value)
    if abs(value) >= 999.5:
        return f"{value:,.0f}"
    text = f"{value:.{max(0, 2 - math.floor(math.log10(abs(value))))}f}"
    return text.rstrip("0").rstrip(".") if "." in text else text
