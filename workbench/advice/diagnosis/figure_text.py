"""Figures in sentences."""

from collections.abc import Sequence

from workbench.base import percent_change


def number(value: float) -> str:
    """Few digits: 3.25, 48, 12,400."""
    if abs(value) >= 100:
        return f"{value:,.0f}"
    return f"{value:.3g}"


def setting(value: float) -> str:
    """A control's value as vLLM takes it: 8192, 0.925; without separators, which no flag has."""
    return f"{value:.0f}" if float(value).is_integer() else f"{value:.6g}"


def percent(share: float) -> str:
    """`54 %`, and `0.4 %` or `0.03 %` where a whole number would say nothing."""
    if 0 < abs(share) < 0.001:
        return f"{share * 100:.1g} %"
    return f"{share * 100:.1f} %" if 0 < abs(share) < 0.01 else f"{share * 100:.0f} %"


def seconds(value: float) -> str:
    """`0.42 s`, `12.0 s`, `340 s`."""
    return f"{value:.2f} s" if value < 1 else f"{value:.1f} s" if value < 100 else f"{value:,.0f} s"


def millis(value: float) -> str:
    """Milliseconds, as seconds from one second on."""
    return seconds(value / 1000) if value >= 1000 else f"{value:.0f} ms" if value >= 10 else f"{value:.1f} ms"


def stretches(moments: Sequence[tuple[float, float]]) -> str:
    """`12.0-48.5 s`, `12.0-48.5 s and 2 more times`."""
    if not moments:
        return ""
    longest = max(moments, key=lambda moment: moment[1] - moment[0])
    # The sample before the run's begin stands for a moment of it.
    text = f"{max(0.0, longest[0]):.1f}–{longest[1]:.1f} s"
    more = len(moments) - 1
    return text if not more else f"{text} and {more} more time{'s' if more > 1 else ''}"


def change_of(before: float, after: float) -> str:
    """`+12 %`, `×33,942`; in plain numbers where there was nothing before."""
    if before == 0:
        return f"0 → {number(after)}"
    return percent_change(before, after)
