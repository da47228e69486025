"""The report of an import: rows kept and dropped, warnings and assumptions."""

from bisect import insort
from dataclasses import dataclass, field

from workbench.base import Message, encode_line, message
from workbench.traces.columns import Floats
from workbench.traces.trace import Trace

UNREADABLE_ROW = message("traces.unreadable_row")
NOT_JSON = message("traces.line_not_json")
_NAMED_LINES = 8


@dataclass(kw_only=True)
class DroppedRows:
    """Rows dropped for one reason."""

    reason: Message
    count: int = 0


@dataclass(kw_only=True)
class ImportReport:
    """Rows read = rows kept + rows dropped, each for a reason."""

    format: str
    rows_read: int = 0
    rows_kept: int = 0
    warnings: list[Message] = field(default_factory=list)
    """Remarks on the trace that the user should know."""
    to_act_on: list[Message] = field(default_factory=list)
    """The warnings that call for a change or a check before the trace is replayed."""
    notes: list[Message] = field(default_factory=list)
    """Assumptions and their reasons, such as the unit of time."""
    broken: "BrokenRows" = field(init=False)
    _dropped: dict[bytes, DroppedRows] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.broken = BrokenRows()

    @property
    def dropped(self) -> list[DroppedRows]:
        """Return the dropped rows by reason, in the order in which the reasons appeared."""
        return list(self._dropped.values())

    @property
    def rows_dropped(self) -> dict[str, int]:
        """Return the numbers of dropped rows by the reason's English text, as stored and printed."""
        return {str(each.reason): each.count for each in self._dropped.values()}

    def drop(self, reason: Message, count: int = 1) -> None:
        """Count rows that aren't requests that can be replayed."""
        if count:
            dropped = self._dropped.setdefault(encode_line(reason), DroppedRows(reason=reason))
            dropped.count += count

    def skip(self, reason: Message, count: int = 1) -> None:
        """Count rows that were read and aren't requests that can be replayed."""
        self.rows_read += count
        self.drop(reason, count)

    def break_row(self, line: int, problem: Message, *, reason: Message = UNREADABLE_ROW) -> None:
        """Count a row that can't be read; the others are kept."""
        self.skip(reason)
        self.broken.add(line, problem)

    def warn(self, remark: Message, *, act: bool = True) -> None:
        """Add a warning once; `act`: the user should do something about it."""
        if remark not in self.warnings:
            self.warnings.append(remark)
            if act:
                self.to_act_on.append(remark)

    def note(self, assumption: Message) -> None:
        """Add an assumption once."""
        if assumption not in self.notes:
            self.notes.append(assumption)


@dataclass(kw_only=True)
class BrokenRows:
    """Number of rows that can't be read, and the first of them."""

    count: int = 0
    lines: list[int] = field(default_factory=list)
    problem: Message | None = None
    """The problem of the first one, without the row's text."""

    def add(self, line: int, problem: Message) -> None:
        """Count one row."""
        self.count += 1
        if not self.lines or line < self.lines[0]:
            self.problem = problem
        if len(self.lines) < _NAMED_LINES or line < self.lines[-1]:
            insort(self.lines, line)
            del self.lines[_NAMED_LINES:]

    def named(self) -> list[str]:
        """Return the lines as a message lists them."""
        return [f"{line:,}" for line in self.lines] + (["…"] if self.count > len(self.lines) else [])


def in_field(name: str, problem: Message, value: str | None = None) -> Message:
    """Return a field's problem, with its value where a message may repeat that."""
    if value is None:
        return message("traces.in_field", field=name, problem=problem)
    return message("traces.in_field_value", field=name, problem=problem, value=value)


@dataclass(frozen=True, kw_only=True, eq=False)
class SourceLatency:
    """Latencies that the source measured on its own service, ms a row (NaN: unknown). They are not ours."""

    ttft_ms: Floats
    e2e_ms: Floats


@dataclass(frozen=True, kw_only=True)
class Imported:
    """An import: the trace, its report, and the source's own latencies, kept apart."""

    trace: Trace
    report: ImportReport
    latency: SourceLatency | None = None
    texts: tuple[str | None, ...] | None = field(default=None, repr=False)
    """Prompts in the trace's order, only with `keep_text`; kept in memory and never written to a file."""
