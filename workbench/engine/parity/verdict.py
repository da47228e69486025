"""Outcome of a comparison with vLLM's decisions."""

from dataclasses import dataclass
from typing import Any

from workbench.base import Message, message
from workbench.engine.scheduler.rules import row_for, rules_caveat, rules_span


@dataclass(frozen=True)
class FirstDifference:
    """First differing field and its step."""

    t: int
    field: str
    ours: Any
    theirs: Any


@dataclass(frozen=True)
class ParityVerdict:
    """Outcome of a file: the first difference, if any; `steps` counts the compared steps."""

    name: str
    steps: int
    difference: FirstDifference | None = None
    version: str | None = None
    """Version of the vLLM that made the file; None: unknown."""

    @property
    def identical(self) -> bool:
        """No field of any step differs."""
        return self.difference is None

    def rules_used(self) -> list[Message]:
        """Return the version, the rules it was compared with, and a caveat if it was not checked."""
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


def first_difference(t: int, ours: dict[str, Any], theirs: dict[str, Any]) -> FirstDifference | None:
    """Return the first field of `theirs` with another value in `ours`; a missing field differs too."""
    for field, value in theirs.items():
        if field not in ours or ours[field] != value:
            return FirstDifference(t, field, ours.get(field), value)
    return None
