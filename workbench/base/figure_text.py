"""Figures as people read them: few digits, and the unit that fits."""


def number(value: float) -> str:
    """Return few digits: 3.25, 48, 12,400."""
    if abs(value) >= 100:
        return f"{value:,.0f}"
    return f"{value:.3g}"


def setting(value: float) -> str:
    """Return a control's value as vLLM takes it: 8192, 0.925; flags have no separators."""
    return f"{value:.0f}" if float(value).is_integer() else f"{value:.6g}"


def percent(share: float) -> str:
    """Return a share as `54 %`; small ones as `0.4 %` or `0.03 %`."""
    if 0 < abs(share) < 0.001:
        return f"{share * 100:.1g} %"
    return f"{share * 100:.1f} %" if 0 < abs(share) < 0.01 else f"{share * 100:.0f} %"


def seconds(value: float) -> str:
    """Return `0.42 s`, `12.0 s`, `340 s`."""
    return f"{value:.2f} s" if value < 1 else f"{value:.1f} s" if value < 100 else f"{value:,.0f} s"


def millis(value: float) -> str:
    """Return milliseconds, as seconds from one second on."""
    return seconds(value / 1000) if value >= 1000 else f"{value:.0f} ms" if value >= 10 else f"{value:.1f} ms"
