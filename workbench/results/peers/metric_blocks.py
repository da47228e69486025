"""Results as blocks of figures, one for each metric: the layout of GenAI-Perf and AIPerf."""

from collections.abc import Mapping
from typing import Any

from workbench.base import Place, Refusal
from workbench.results.peers.peer_run import ResultFields, stated_distribution
from workbench.results.percentiles import Distribution

_TO_MS = {"ns": 1e-6, "us": 1e-3, "µs": 1e-3, "ms": 1.0, "s": 1e3, "sec": 1e3, "seconds": 1e3}


def has_blocks(content: Mapping[str, Any]) -> bool:
    """Return whether these are metric blocks, by their tags."""
    latency = content.get("request_latency")
    return isinstance(latency, Mapping) and "avg" in latency and "request_throughput" in content


def scalar(fields: ResultFields, tag: str) -> float | None:
    """Return the one figure of a block."""
    return fields.inner(tag).number("avg")


def block(fields: ResultFields, tag: str, completed: int) -> Distribution | None:
    """Return a latency block in ms; None: missing, or nothing was measured."""
    found = fields.inner(tag)
    if not found.content:
        return None
    unit = unit_of(found)
    figures = {
        "mean": found.number("avg", unit=unit),
        **{name: found.number(name, unit=unit) for name in ("p50", "p90", "p95", "p99", "max")},
    }
    # The count of pooled chunks is no number of requests.
    count = found.count("count")
    n = completed if count is None else min(count, completed)
    return stated_distribution(n, figures) if n else None


def seconds(fields: ResultFields, tag: str) -> float | None:
    """Return a time in seconds."""
    found = fields.inner(tag)
    value = found.number("avg")
    return None if value is None else value * unit_of(found) / 1e3


def unit_of(fields: ResultFields) -> float:
    """Return the milliseconds in one unit of a block.

    Raises:
        Refusal: it has no unit, or an unknown one.
    """
    unit = fields.text("unit")
    if unit is None or unit.lower() not in _TO_MS:
        raise Refusal("peers.unit", Place(file=fields.where), units=list(_TO_MS))
    return _TO_MS[unit.lower()]
