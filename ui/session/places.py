"""Where the steps of a session stand in its graph. No Qt here."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from workbench.experiments.session import SessionStep


@dataclass(frozen=True)
class Place:
    """A step's column (how many findings were adopted before it) and row."""

    step: "SessionStep"
    column: int
    row: int


def places_of(steps: Sequence["SessionStep"]) -> list[Place]:
    """A tree from left to right: a step's first child goes on in its row, each further one below."""
    children: dict[int | None, list[SessionStep]] = {}
    for step in steps:
        children.setdefault(step.parent, []).append(step)
    found: list[Place] = []
    rows = 0

    def stand(step: "SessionStep", column: int) -> None:
        nonlocal rows
        found.append(Place(step, column, rows))
        for number, child in enumerate(children.get(step.id, [])):
            rows += number > 0
            stand(child, column + 1)

    for number, first in enumerate(children.get(None, [])):
        rows += number > 0
        stand(first, 0)
    return found
