"""Figures in sentences."""

from typing import Any

FIGURE_NAMES = {
    "ttft_p95_ms": "p95 TTFT",
    "itl_p95_ms": "p95 ITL",
    "e2e_p95_ms": "p95 end to end",
    "queue_p95_ms": "p95 queue time",
    "error_rate": "error rate",
}


def duration(milliseconds: float) -> str:
    """A time for people, three digits."""
    if abs(milliseconds) >= 1000:
        return f"{milliseconds / 1000:.3g} s"
    return f"{milliseconds:.3g} ms"


def share(value: float) -> str:
    """0.031 as 3.1 %."""
    return f"{100 * value:.3g} %"


def figure_value(figure: str, value: float) -> str:
    """A figure's value in its unit."""
    return share(value) if figure == "error_rate" else duration(value)


def plain(value: Any) -> str:
    """A control's value; None is vLLM's own default."""
    if value is None:
        return "default"
    return str(value).lower() if isinstance(value, bool) else str(value)
