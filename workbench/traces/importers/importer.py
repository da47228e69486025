"""What an importer is, and what it may look at to know its format."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Any, NoReturn

import msgspec

from workbench.base import UNREADABLE, Message, Place, Refusal, message
from workbench.traces.importers.delimited import Dialect, dialect_of
from workbench.traces.importers.json_documents import first_value, keys_twice, looks_like_json
from workbench.traces.io.import_report import ImportReport, SourceLatency
from workbench.traces.io.source_file import Source, shown_names
from workbench.traces.prompt_texts import PromptTexts
from workbench.traces.trace import Trace
from workbench.vllm_dialect.log_prefix import PrefixStripper

_HEAD_BYTES = 1 << 16
_HEAD_LINES = 40
_SHARE_OF_JSON = 0.3


@dataclass(frozen=True, kw_only=True)
class FileHead:
    """The beginning of a file: its first lines, as a table's header or as first JSON value."""

    dialect: Dialect | None = None
    first: Any = None
    lines: tuple[str, ...] = ()
    """Without what log collectors put before them."""

    @property
    def columns(self) -> tuple[str, ...]:
        """The table's columns."""
        return () if self.dialect is None else self.dialect.names

    def has_keys(self, *names: str) -> bool:
        """Whether the first JSON value is an object with all these keys."""
        return isinstance(self.first, dict) and all(name in self.first for name in names)

    def has_any_key(self, *names: str) -> bool:
        """Whether the first JSON value is an object with one of these keys."""
        return isinstance(self.first, dict) and any(name in self.first for name in names)

    def has_columns(self, *names: str) -> bool:
        """Whether the table has all these columns."""
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
class ImportJob:
    """One import in progress."""

    source: Source
    report: ImportReport
    head: FileHead
    texts: PromptTexts = field(default_factory=PromptTexts)
    time_unit: str | None = None
    """Unit of numeric times, as the user stated it."""
    chosen: bool = False
    """The user said which column means what."""


@dataclass(frozen=True, kw_only=True)
class Importer:
    """One format: how it is called, known and read."""

    name: str
    title: str
    matches: Callable[[FileHead], bool]
    load: Callable[[ImportJob], Draft]
    is_log: bool = False
    """A log of somebody's requests rather than a published trace: text may pass through it."""


def read_head(source: Source) -> FileHead:
    """Look at the beginning of a file.

    Raises:
        InputError: no text in it.
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
    return FileHead(dialect=dialect_of(raw), lines=lines)


def _first_json(lines: Sequence[str]) -> Any:
    """The first JSON object of a log that also has other lines, such as a banner; None: it isn't JSON."""
    found = []
    for line in lines:
        if line.lstrip().startswith("{"):
            try:
                found.append(msgspec.json.decode(line.strip()))
            except UNREADABLE:
                continue
    return found[0] if len(found) > _SHARE_OF_JSON * len(lines) else None


def choose(importers: Sequence[Importer], head: FileHead, name: str | None) -> Importer | None:
    """The importer named, else the one whose format this is; None: nobody knows it.

    Raises:
        InputError: no importer of that name.
    """
    if name is not None:
        for importer in importers:
            if importer.name == name:
                return importer
        names = [importer.name for importer in importers]
        raise Refusal("base.not_one_of", Place(key="format"), value=name, choices=names)
    return next((importer for importer in importers if importer.matches(head)), None)


def refuse_unknown(importers: Sequence[Importer], head: FileHead, source: Source) -> NoReturn:
    """Say that no importer knows a file, and what there is in it.

    Raises:
        InputError: always.
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
