"""Positions of a session's steps in its graph. No Qt."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from workbench.experiments.session import SessionStep


@dataclass(frozen=True)
class NodePosition:
    """A step's column (the number of adopted results before it) and row."""

    step: "SessionStep"
    column: int
    row: int


def node_positions(steps: Sequence["SessionStep"]) -> list[NodePosition]:
    """Return a tree from left to right: the first child continues its parent's row, others are below."""
    children: dict[int | None, list[SessionStep]] = {}
    for step in steps:
        children.setdefault(step.parent, []).append(step)
    found: list[NodePosition] = []
    rows = 0

    def stand(step: "SessionStep", column: int) -> None:
        nonlocal rows
        found.append(NodePosition(step, column, rows))
        for number, child in enumerate(children.get(step.id, [])):
            rows += number > 0
            stand(child, column + 1)

    for number, first in enumerate(children.get(None, [])):
        rows += number > 0
        stand(first, 0)
    return found
