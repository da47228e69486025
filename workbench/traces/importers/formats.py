"""What an importer is, and what it may look at to know its format."""

import csv
import io
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

from workbench.base import InputError
from workbench.traces.importers.documents import first_value
from workbench.traces.report import ImportReport, SourceLatency
from workbench.traces.source import Source, shown_names
from workbench.traces.texts import Texts
from workbench.traces.trace import Trace

_HEAD_BYTES = 1 << 16
_HEAD_LINES = 20


@dataclass(frozen=True, kw_only=True)
class Sample:
    """The beginning of a file: its first lines, as CSV header or as first JSON value."""

    columns: tuple[str, ...] = ()
    first: Any = None
    lines: tuple[str, ...] = ()

    def has_keys(self, *names: str) -> bool:
        """Whether the first JSON value is an object with all these keys."""
        return isinstance(self.first, dict) and all(name in self.first for name in names)

    def has_any_key(self, *names: str) -> bool:
        """Whether the first JSON value is an object with one of these keys."""
        return isinstance(self.first, dict) and any(name in self.first for name in names)

    def has_columns(self, *names: str) -> bool:
        """Whether the CSV header has all these columns."""
        return all(name in self.columns for name in names)


@dataclass(frozen=True, kw_only=True)
class Draft:
    """Rows as an importer found them: in file order, times in ms from anywhere, classes perhaps missing."""

    trace: Trace
    latency: SourceLatency | None = None
    texts: tuple[str | None, ...] | None = None
    """Prompts held in memory, where the user asked for them."""
    keep_times: bool = False
    """Times are already ours (a canonical file): not rounded to the grain."""


@dataclass(frozen=True, kw_only=True)
class Job:
    """One import in progress."""

    source: Source
    report: ImportReport
    seen: Sample
    texts: Texts = field(default_factory=Texts)


@dataclass(frozen=True, kw_only=True)
class Importer:
    """One format: how it is called, known and read."""

    name: str
    title: str
    matches: Callable[[Sample], bool]
    load: Callable[[Job], Draft]
    is_log: bool = False
    """A log of somebody's requests rather than a published trace: text may pass through it."""


def sample(source: Source) -> Sample:
    """Look at the beginning of a file.

    Raises:
        InputError: no text in it, or a CSV header with a name twice.
    """
    with source.open(line_limit=None) as text:
        head = text.read(_HEAD_BYTES) or b""
        while head and not head.strip():
            head = text.read(_HEAD_BYTES) or b""
    stripped = head.strip()
    if not stripped:
        source.fail("has no text")
    if stripped.startswith((b"{", b"[")):
        return Sample(first=first_value(source))
    lines = tuple(line.decode(errors="replace") for line in islice(stripped.splitlines(), _HEAD_LINES))
    return Sample(columns=_header(source, lines[0]), lines=lines)


def _header(source: Source, line: str) -> tuple[str, ...]:
    try:
        names = tuple(name.strip() for name in next(csv.reader(io.StringIO(line)), []))
    except csv.Error as error:
        source.fail(f"the header is no CSV: {error}", line=1)
    for name in names:
        # Only names that could be columns: a log's first line may hold any text twice.
        if name.isidentifier() and names.count(name) > 1:
            source.fail(f"column {name!r} appears twice", line=1)
    return names


def choose(importers: Sequence[Importer], seen: Sample, source: Source, name: str | None) -> Importer:
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
    return source.fail(
        f"not a known trace format ({_describe(seen)}); choose one of {names}, or map its columns"
        " (--columns timestamp=COLUMN,input_length=COLUMN,output_length=COLUMN)"
    )


def _describe(seen: Sample) -> str:
    if len(seen.columns) > 1:
        return f"columns {shown_names(seen.columns)}"
    if isinstance(seen.first, dict):
        return f"keys {shown_names(list(seen.first))}"
    return "neither a CSV header nor a JSON object"
