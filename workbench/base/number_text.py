"""Numbers formatted for people."""

import math

_TIMES = 10.0
"""Factor from which a change is shown as a factor: thousands of percent are hard to read."""


def percent_change(before: float, after: float, decimals: int = 0) -> str:
    """Return how much a figure above 0 changed: `+12 %`, or `×33,942` from ten times on."""
    factor = after / before
    if factor >= _TIMES:
        return f"×{factor:,.0f}" if factor >= 100 else f"×{factor:.3g}"
    return f"{(factor - 1) * 100:+.{decimals}f} %"


def short_number(value: float) -> str:
    """Return a number with three significant digits, thousands separated by commas, without an exponent."""
    if value == 0 or not math.isfinite(value):
        return "0" if value == 0 else str(value)
    if abs(value) >= 999.5:
        return f"{value:,.0f}"
    text = f"{value:.{max(0, 2 - math.floor(math.log10(abs(value))))}f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def percent(share: float) -> str:
    """Return a share (0 to 1) in percent; below a tenth with one decimal."""
    return f"{100 * share:.0f} %" if share >= 0.1 else f"{100 * share:.1f} %"
