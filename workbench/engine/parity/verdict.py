"""The outcome of one comparison."""

from dataclasses import dataclass
from typing import Any

from workbench.base import Message, message
from workbench.engine.scheduler.rules import row_for, rules_caveat, rules_span


@dataclass(frozen=True)
class Difference:
    """The first field that differs, and in which step."""

    t: int
    field: str
    ours: Any
    theirs: Any


@dataclass(frozen=True)
class Verdict:
    """Whether every field of every step was equal; `steps` counts the steps compared."""

    name: str
    steps: int
    difference: Difference | None = None
    version: str | None = None
    """The vLLM that made the file; None: the file does not say."""

    @property
    def identical(self) -> bool:
        """No field of any step differs."""
        return self.difference is None

    def rules_used(self) -> list[Message]:
        """Return whose decisions these are and which rules they were compared with, and what limits that."""
        span = rules_span(row_for(self.version))
        if self.version is None:
            used = message("engine.rules_used_unknown", span=span)
        else:
            used = message("engine.rules_used", version=self.version, span=span)
        caveat = rules_caveat(self.version)
        return [used, caveat] if caveat else [used]

    @property
    def message(self) -> Message:
        """The line that `engine check` prints."""
        found = self.difference
        if found is None:
            return message("engine.identical", name=self.name, steps=self.steps)
        ours, theirs = str(found.ours), str(found.theirs)
        return message(
            "engine.differs", name=self.name, call=found.t, field=found.field, ours=ours, theirs=theirs
        )

    def __str__(self) -> str:
        """Return the English line."""
        return str(self.message)


def first_difference(t: int, ours: dict[str, Any], theirs: dict[str, Any]) -> Difference | None:
    """The first field of `theirs` whose value in `ours` is another; fields of one side alone differ too."""
    for field, value in theirs.items():
        if field not in ours or ours[field] != value:
            return Difference(t, field, ours.get(field), value)
    return None
