"""The parts of an importer, and the choice of the importer of a file."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Any, NoReturn

import msgspec

from workbench.base import UNREADABLE, Message, Place, Refusal, message
from workbench.traces.importers.delimited import Dialect, find_dialect
from workbench.traces.importers.json_documents import first_value, keys_twice, looks_like_json
from workbench.traces.io.import_report import ImportReport, SourceLatency
from workbench.traces.io.source_file import Source, shown_names
from workbench.traces.prompt_texts import PromptTexts
from workbench.traces.trace import Trace
from workbench.vllm_dialect.log_prefix import PrefixStripper

_HEAD_BYTES = 1 << 16
_HEAD_LINES = 40
_SHARE_OF_JSON = 0.3

PARTICULAR, OWN_LAYOUT, SHARED_LAYOUT, TEXT_LOG = 0, 10, 20, 30
"""Ranks: a header of its own, names of its own, a layout that others extend, lines of text."""


@dataclass(frozen=True, kw_only=True)
class FileHead:
    """The beginning of a file: its lines, with the dialect of a table or the first JSON value."""

    dialect: Dialect | None = None
    first: Any = None
    lines: tuple[str, ...] = ()
    """Lines without the prefixes of log collectors."""

    @property
    def columns(self) -> tuple[str, ...]:
        """Return the table's columns."""
        return () if self.dialect is None else self.dialect.names

    def has_keys(self, *names: str) -> bool:
        """Check whether the first JSON value is an object with all these keys."""
        return isinstance(self.first, dict) and all(name in self.first for name in names)

    def has_any_key(self, *names: str) -> bool:
        """Check whether the first JSON value is an object with one of these keys."""
        return isinstance(self.first, dict) and any(name in self.first for name in names)

    def has_columns(self, *names: str) -> bool:
        """Check whether the table has all these columns."""
        return all(name in self.columns for name in names)


@dataclass(frozen=True, kw_only=True)
class Draft:
    """Imported rows in file order, times in ms from any origin, some without a class."""

    trace: Trace
    latency: SourceLatency | None = None
    texts: tuple[str | None, ...] | None = None
    """Prompts kept in memory if the user wants them."""
    keep_times: bool = False
    """The times are those of a canonical file and aren't rounded."""


@dataclass(frozen=True, kw_only=True)
class ImportJob:
    """One import in progress."""

    source: Source
    report: ImportReport
    head: FileHead
    texts: PromptTexts = field(default_factory=PromptTexts)
    time_unit: str | None = None
    """Unit of numeric times as the user stated it."""
    chosen: bool = False
    """The user chose the columns."""


@dataclass(frozen=True, kw_only=True)
class Importer:
    """One format: its name, the check for it, and its reader."""

    name: str
    matches: Callable[[FileHead], bool]
    load: Callable[[ImportJob], Draft]
    is_log: bool = False
    """A log of somebody's requests, which may contain text, and not a published trace."""
    rank: int = OWN_LAYOUT
    """Importers of a lower rank are tried first."""


def read_head(source: Source) -> FileHead:
    """Read the beginning of a file.

    Raises:
        Refusal: the file has no text.
    """
    with source.open(line_limit=None) as text:
        head = text.read(_HEAD_BYTES) or b""
        while head and not head.strip():
            head = text.read(_HEAD_BYTES) or b""
    stripped = head.strip()
    if not stripped:
        source.refuse(message("traces.no_text"))
    raw = [line.decode(errors="replace") for line in islice(head.split(b"\n"), _HEAD_LINES)]
    unwrapper = PrefixStripper()
    lines = tuple(unwrapper.unwrap(line).text for line in raw if line.strip())
    if looks_like_json(stripped):
        twice = keys_twice(stripped.partition(b"\n")[0])
        if twice:
            source.refuse(message("traces.key_twice", names=[shown_names(twice)]), line=1)
        return FileHead(first=first_value(source), lines=lines)
    within = _first_json(raw)
    if within is not None:
        return FileHead(first=within, lines=lines)
    return FileHead(dialect=find_dialect(raw), lines=lines)


def _first_json(lines: Sequence[str]) -> Any:
    """Return the first JSON object of a log with other lines, such as a banner; None if it isn't JSON."""
    found = []
    for line in lines:
        if line.lstrip().startswith("{"):
            try:
                found.append(msgspec.json.decode(line.strip()))
            except UNREADABLE:
                continue
    return found[0] if len(found) > _SHARE_OF_JSON * len(lines) else None


def choose(importers: Sequence[Importer], head: FileHead, name: str | None) -> Importer | None:
    """Return the importer called `name`, else the first one that matches; None if none does.

    Raises:
        Refusal: no importer has that name.
    """
    if name is not None:
        for importer in importers:
            if importer.name == name:
                return importer
        names = [importer.name for importer in importers]
        raise Refusal("base.not_one_of", Place(key="format"), value=name, choices=names)
    return next((importer for importer in importers if importer.matches(head)), None)


def refuse_unknown(importers: Sequence[Importer], head: FileHead, source: Source) -> NoReturn:
    """Refuse a file that no importer knows, with its columns or keys.

    Raises:
        Refusal: always.
    """
    names = [importer.name for importer in importers]
    source.refuse(message("traces.unknown_format", content=_content(head), formats=names))


def _content(head: FileHead) -> Message:
    """Return the columns or keys of a file that no importer knows."""
    if len(head.columns) > 1:
        return message("traces.has_columns", names=shown_names(head.columns))
    if isinstance(head.first, dict):
        return message("traces.has_keys", names=shown_names(list(head.first)))
    return message("traces.has_neither")
