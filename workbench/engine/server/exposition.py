"""Prometheus' text format: samples, families with their `_created` companions, a page."""

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from prometheus_client.utils import floatToGoString


class MetricFamily(NamedTuple):
    """A family: its own lines, and those of its `_created` companion, which gauges lack."""

    name: str
    kind: str
    help: str
    lines: list[str]
    created: list[str] | None = None


def number(value: float) -> str:
    """Format a value in Go's spelling, as prometheus_client does."""
    return str(floatToGoString(value))  # type: ignore[no-untyped-call] # the library publishes no types for it


def sample(name: str, labels: Mapping[str, str], value: float) -> str:
    """Format a line, with labels in alphabetical order."""
    inside = ",".join(f'{key}="{_escape(labels[key])}"' for key in sorted(labels))
    return f"{name}{{{inside}}} {number(value)}" if inside else f"{name} {number(value)}"


def _escape(value: str) -> str:
    return value.replace("\\", "\\\\").replace("\n", "\\n").replace('"', '\\"')


def page(families: Iterable[MetricFamily]) -> bytes:
    """Return the page's text."""
    parts: list[str] = []
    for family in families:
        parts.append(f"# HELP {family.name} {family.help}\n# TYPE {family.name} {family.kind}")
        parts += family.lines
        if family.created:
            name = (
                f"{family.name.removesuffix('_total') if family.kind == 'counter' else family.name}_created"
            )
            parts.append(f"# HELP {name} {family.help}\n# TYPE {name} gauge")
            parts += family.created
    return "\n".join([*parts, ""]).encode()
