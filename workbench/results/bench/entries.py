"""Experiments and runs of a bench file, as readers get them."""

from typing import Any

import msgspec

from workbench.base import Record
from workbench.results.bench.stored_figures import StoredFigures
from workbench.results.figures.run_frame import Conditions, RunFrame
from workbench.results.objectives import Objectives
from workbench.results.run_records import ServerDelta

REPLACED = "replaced"
"""Status of a finished run that was repeated: the later one counts."""
IMPORTED = "imported"
"""Status of a run that another tool measured, without raw rows and with unknown validity."""
WATCHED = "watched"
"""Status of a server watched under its own traffic, without requests of ours."""
UNJUDGED = (IMPORTED, WATCHED)
"""Statuses of runs that are shown and never judged."""


class ExperimentEntry(Record, frozen=True, kw_only=True):
    """One experiment: its definition and its end."""

    id: int
    name: str
    toml: str
    status: str
    started_utc: str
    ended_utc: str | None
    objectives: Objectives
    cost: dict[str, Any]
    facts: dict[str, Any]
    """Values of scorecard columns that hold for all its runs, by column name."""


class RunInputs(Record, frozen=True, kw_only=True):
    """Inputs of a summary besides requests, samples and objectives."""

    server: ServerDelta | None = None
    conditions: Conditions = msgspec.field(default_factory=Conditions)


class RunEntry(Record, frozen=True, kw_only=True):
    """One run: its configuration, the server's effective one, and its results."""

    id: int
    experiment_id: int
    name: str
    control: str | None
    """None for the baseline."""
    value: Any
    rate: float | None
    concurrency: int | None
    repeat: int
    status: str
    """running, done, partial, skipped, failed, replaced, imported or watched."""
    started_utc: str
    ended_utc: str | None
    command: str | None
    config: dict[str, Any]
    effective: dict[str, Any] | None
    trace_sha256: str | None
    schedule_sha256: str | None
    simulated: bool | None
    profile: str | None
    time_scale: float
    frame: RunFrame | None
    inputs: RunInputs | None
    summary: dict[str, Any] | None
    """`RunSummary.to_json()`; None until the run has ended."""
    facts: dict[str, Any]
    """Values of scorecard columns that hold for this run, by column name."""

    @property
    def figures(self) -> StoredFigures:
        """The summary's figures; without a summary all are unknown."""
        return msgspec.convert(self.summary or {}, StoredFigures)


class BenchLogLine(Record, frozen=True, kw_only=True):
    """One line of a server's log, an event or a warning."""

    run_id: int | None
    utc: str
    kind: str
    text: str


JSON_FIELDS = frozenset(
    {
        *("objectives", "cost", "facts", "value", "config", "effective", "frame", "inputs", "summary"),
        *("asked", "gpus"),
    }
)
"""Fields that are stored as JSON text."""


_NULL_IS_A_VALUE = ("value", "asked")


def to_column(name: str, value: Any) -> Any:
    """Return the stored form of a field."""
    if name in JSON_FIELDS and (value is not None or name in _NULL_IS_A_VALUE):
        return msgspec.json.encode(value).decode()
    return int(value) if isinstance(value, bool) else value


def from_row(kind: type[Any], names: tuple[str, ...], row: tuple[Any, ...]) -> Any:
    """Build an entry from its stored fields."""
    fields = {
        name: msgspec.json.decode(value) if name in JSON_FIELDS and value is not None else value
        for name, value in zip(names, row, strict=True)
    }
    if fields.get("simulated") is not None:
        fields["simulated"] = bool(fields["simulated"])
    if fields.get("summary") is not None:
        msgspec.convert(fields["summary"], StoredFigures)  # an error names the damaged table here
    return msgspec.convert(fields, type=kind)
