"""Prometheus' text form: samples, families with their `_created` companions, a page."""

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from prometheus_client.utils import floatToGoString


class Family(NamedTuple):
    """One family: its own lines, and those of its `_created` companion, a gauge (gauges have none)."""

    name: str
    kind: str
    help: str
    lines: list[str]
    created: list[str] | None = None


def number(value: float) -> str:
    """A value in Go's spelling, as prometheus_client writes it."""
    return str(floatToGoString(value))  # type: ignore[no-untyped-call] # the library publishes no types for it


def sample(name: str, labels: Mapping[str, str], value: float) -> str:
    """One line; labels in alphabetical order."""
    inside = ",".join(f'{key}="{_escape(labels[key])}"' for key in sorted(labels))
    return f"{name}{{{inside}}} {number(value)}" if inside else f"{name} {number(value)}"


def _escape(value: str) -> str:
    return value.replace("\\", "\\\\").replace("\n", "\\n").replace('"', '\\"')


def page(families: Iterable[Family]) -> bytes:
    """The page's text."""
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
