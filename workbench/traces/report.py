"""What an import kept, dropped and noticed."""

from collections import Counter
from dataclasses import dataclass, field

from workbench.traces.arrays import Floats
from workbench.traces.trace import Trace


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

    def drop(self, reason: str, count: int = 1) -> None:
        """Count rows that aren't requests that can be replayed."""
        if count:
            self.rows_dropped[reason] += count

    def warn(self, message: str, *, act: bool = True) -> None:
        """Say once what the user should know about the trace; `act`: something is to be done about it."""
        if message not in self.warnings:
            self.warnings.append(message)
            if act:
                self.to_act_on.append(message)

    def note(self, message: str) -> None:
        """Say once what was assumed, and why."""
        if message not in self.notes:
            self.notes.append(message)


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
