"""The outcome of one comparison."""

from dataclasses import dataclass
from typing import Any


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

    @property
    def identical(self) -> bool:
        """No field of any step differs."""
        return self.difference is None

    def __str__(self) -> str:
        """The line that `engine check` prints."""
        found = self.difference
        if found is None:
            return f"identical  {self.name}  {self.steps} steps"
        return f"differs  {self.name}  t={found.t}  {found.field}  ours {found.ours}  theirs {found.theirs}"


def first_difference(t: int, ours: dict[str, Any], theirs: dict[str, Any]) -> Difference | None:
    """The first field of `theirs` whose value in `ours` is another; fields of one side alone differ too."""
    for field, value in theirs.items():
        if field not in ours or ours[field] != value:
            return Difference(t, field, ours.get(field), value)
    return None
