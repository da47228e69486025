"""What an importer is, and what it may look at to know its format."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from itertools import islice
from typing import Any

from workbench.base import InputError
from workbench.traces.importers.table import header_columns
from workbench.traces.report import ImportReport, SourceLatency
from workbench.traces.source import Source
from workbench.traces.trace import Trace


@dataclass(frozen=True, kw_only=True)
class Sample:
    """The beginning of a file: its first line as CSV header, or its first JSON value."""

    columns: tuple[str, ...] = ()
    first: Any = None
    lines: tuple[str, ...] = ()

    def has_keys(self, *names: str) -> bool:
        """Whether the first JSON value is an object with all these keys."""
        return isinstance(self.first, dict) and all(name in self.first for name in names)

    def has_columns(self, *names: str) -> bool:
        """Whether the CSV header has all these columns."""
        return all(name in self.columns for name in names)


@dataclass(frozen=True, kw_only=True)
class Draft:
    """Rows as an importer found them: in file order, times in ms from anywhere, classes perhaps missing."""

    trace: Trace
    latency: SourceLatency | None = None
    keep_times: bool = False
    """Times are already ours (a canonical file): not rounded to the grain."""


@dataclass(frozen=True, kw_only=True)
class Importer:
    """One format: how it is called, known and read."""

    name: str
    title: str
    matches: Callable[[Sample], bool]
    load: Callable[[Source, ImportReport], Draft]


def sample(source: Source) -> Sample:
    """Look at the first lines of a file."""
    lines = [line for _, line in islice(source.open().lines(), 5)]
    if not lines:
        source.fail("has no text")
    head = lines[0]
    texts = tuple(line.decode(errors="replace") for line in lines)
    if head.startswith((b"{", b"[")):
        return Sample(first=_first_value(head), lines=texts)
    return Sample(columns=tuple(header_columns(source, head)), lines=texts)


def _first_value(line: bytes) -> Any:
    try:
        return json.loads(line)
    except (ValueError, RecursionError):
        return None


def choose(importers: tuple[Importer, ...], seen: Sample, source: Source, name: str | None) -> Importer:
    """The importer named, else the one whose format this is.

    Raises:
        InputError: no such importer, or none knows this format; the message lists what is known.
    """
    if name is not None:
        for importer in importers:
            if importer.name == name:
                return importer
        raise InputError(f"format {name!r}: one of {', '.join(importer.name for importer in importers)}")
    for importer in importers:
        if importer.matches(seen):
            return importer
    names = ", ".join(importer.name for importer in importers)
    found = _describe(seen)
    return source.fail(f"not a known trace format ({found}); choose one of {names}, or map its columns")


def _describe(seen: Sample) -> str:
    if seen.columns:
        shown = ", ".join(column[:30] for column in seen.columns[:8])
        return f"columns {shown}" if len(seen.columns) > 1 else "no columns"
    if isinstance(seen.first, dict):
        return "keys " + ", ".join(str(key)[:30] for key in list(seen.first)[:8])
    return "no JSON object in the first line"
