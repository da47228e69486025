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


def share_percent(share: float) -> str:
    """Return a share in percent without decimals; below 1 % as `0.4 %` or `0.03 %`."""
    if 0 < abs(share) < 0.001:
        return f"{share * 100:.1g} %"
    return f"{share * 100:.1f} %" if 0 < abs(share) < 0.01 else f"{share * 100:.0f} %"


def setting(value: float) -> str:
    """Return a control's value as vLLM takes it: 8192, 0.925; flags have no separators."""
    return f"{value:.0f}" if float(value).is_integer() else f"{value:.6g}"


def seconds(value: float) -> str:
    """Return `0.42 s`, `12.0 s`, `340 s`."""
    return f"{value:.2f} s" if value < 1 else f"{value:.1f} s" if value < 100 else f"{value:,.0f} s"


def millis(value: float) -> str:
    """Return milliseconds, as seconds from one second on."""
    return seconds(value / 1000) if value >= 1000 else f"{value:.0f} ms" if value >= 10 else f"{value:.1f} ms"
