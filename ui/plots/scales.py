"""Ends of axes and the texts of their ticks."""

import math
from collections.abc import Sequence

from ui.language.number_text import MINUS, clock

_STEPS = (1.0, 1.2, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0, 6.0, 8.0, 10.0)
_SHRINK_BELOW = 0.4
NO_BREAK = "\N{NO-BREAK SPACE}"
_HEADROOM = 1.06
LABEL_ROOM = 1.15
"""Length of the axis relative to the data, with room for the names at the curves' ends."""


def nice_ceiling(value: float) -> float:
    """Return the next round number at or above `value`; 1 for nothing."""
    if not math.isfinite(value) or value <= 0:
        return 1.0
    power = 10.0 ** math.floor(math.log10(value))
    return next((step * power for step in _STEPS if step * power >= value * (1 - 1e-9)), 10 * power)


def next_top(present: float, greatest: float) -> float:
    """Return the upper end of a zero-based axis: it grows at once and shrinks only if much is empty."""
    wanted = nice_ceiling(greatest * _HEADROOM)
    if wanted > present or wanted < present * _SHRINK_BELOW:
        return wanted
    return present


def next_end(present: float, duration: float, last: float) -> float:
    """Return the right end of the time axis: the run's length with room for names, then extended in steps."""
    end = max(duration, 1.0) * LABEL_ROOM
    if last <= end / LABEL_ROOM:
        return end
    step = end * 0.1
    return max(present, end + step * math.ceil((last * LABEL_ROOM - end) / step))


def tick_texts(values: Sequence[float], spacing: float, top: float) -> list[str]:
    """Return short numbers; in thousands (k) on an axis that ends at 1000 or more."""
    if top >= 1000:
        return [_signed(f"{value / 1000:g}k") if value else "0" for value in values]
    decimals = max(0, math.ceil(-math.log10(spacing) - 1e-9)) if spacing > 0 else 0
    return [_signed(f"{value:.{decimals}f}") for value in values]


def lines_apart(pixels: float, height: float) -> int:
    """Return n so that every n-th tick is labeled, for this distance of ticks and height of text."""
    return max(1, math.ceil(height / pixels)) if pixels > 0 else 1


def time_texts(values: Sequence[float], spacing: float, last: float = math.inf) -> list[str]:
    """Return seconds up to ten minutes, the last with its unit, then m:ss.

    A value after `last` has no room for the unit, or is not written at all.
    """
    if spacing < 60:
        said = tick_texts(values, spacing, 0.0)
        # One unit at the axis's end is enough.
        at = max((place for place, value in enumerate(values) if value <= last), default=-1)
        return [f"{word}{NO_BREAK}s" if place == at else word for place, word in enumerate(said)]
    return [clock(value) if value >= 0 else _signed(f"{value:.0f}") for value in values]


def _signed(text: str) -> str:
    return text.replace("-", MINUS, 1)
