"""What an import kept, dropped and noticed."""

from bisect import insort
from collections import Counter
from dataclasses import dataclass, field
from typing import TypeAlias

from workbench.base import Message, message
from workbench.traces.columns import Floats
from workbench.traces.trace import Trace

BROKEN = str(message("traces.unreadable_row"))
"""Why a row was dropped of which no more is known than its line."""

Said: TypeAlias = str | Message
"""A remark; older ones are bare text."""

_NAMED_LINES = 8


@dataclass(kw_only=True)
class ImportReport:
    """Rows read = rows kept + rows dropped, each by a named reason."""

    format: str
    rows_read: int = 0
    rows_kept: int = 0
    rows_dropped: Counter[str] = field(default_factory=Counter)
    warnings: list[str] = field(default_factory=list)
    """What the user should know about the trace."""
    to_act_on: list[str] = field(default_factory=list)
    """Those of them after which something should be done or looked at before it is replayed."""
    notes: list[str] = field(default_factory=list)
    """What was assumed and why, such as the unit of time."""
    messages: dict[str, Message] = field(default_factory=dict)
    """Warnings and notes as data, by their English text; older ones are text only."""
    broken: "BrokenRows" = field(init=False)

    def __post_init__(self) -> None:
        self.broken = BrokenRows()

    def drop(self, reason: str, count: int = 1) -> None:
        """Count rows that aren't requests that can be replayed."""
        if count:
            self.rows_dropped[reason] += count

    def skip(self, reason: str) -> None:
        """Count a row that was read and isn't a request that can be replayed."""
        self.rows_read += 1
        self.drop(reason)

    def break_row(self, line: int, problem: Said, *, reason: str = BROKEN) -> None:
        """Count a row that can't be read; the others are kept."""
        self.skip(reason)
        self.broken.add(line, problem)

    def warn(self, said: Said, *, act: bool = True) -> None:
        """Say once what the user should know about the trace; `act`: something is to be done about it."""
        text = self._text(said)
        if text not in self.warnings:
            self.warnings.append(text)
            if act:
                self.to_act_on.append(text)

    def note(self, said: Said) -> None:
        """Say once what was assumed, and why."""
        text = self._text(said)
        if text not in self.notes:
            self.notes.append(text)

    def _text(self, said: Said) -> str:
        text = str(said)
        if isinstance(said, Message):
            self.messages[text] = said
        return text


@dataclass(kw_only=True)
class BrokenRows:
    """Rows that can't be read: how many, and the first of them."""

    count: int = 0
    lines: list[int] = field(default_factory=list)
    problem: Said = ""
    """Of the first one; never its text."""

    def add(self, line: int, problem: Said) -> None:
        """Count one."""
        self.count += 1
        if not self.lines or line < self.lines[0]:
            self.problem = problem
        if len(self.lines) < _NAMED_LINES or line < self.lines[-1]:
            insort(self.lines, line)
            del self.lines[_NAMED_LINES:]

    def named(self) -> list[str]:
        """The lines as a message names them."""
        return [f"{line:,}" for line in self.lines] + (["…"] if self.count > len(self.lines) else [])


@dataclass(frozen=True, kw_only=True, eq=False)
class SourceLatency:
    """Latencies that the source measured on its own service, ms a row (NaN: unknown). Never ours."""

    ttft_ms: Floats
    e2e_ms: Floats


@dataclass(frozen=True, kw_only=True)
class Imported:
    """An import: the trace, how it came about, and what the source measured, kept apart."""

    trace: Trace
    report: ImportReport
    latency: SourceLatency | None = None
    texts: tuple[str | None, ...] | None = field(default=None, repr=False)
    """Prompts in the trace's order, only with `keep_text`: for this process's memory, never for a file."""
