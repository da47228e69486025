"""Undo and redo over immutable states, one labelled step for each change. No Qt."""

from dataclasses import dataclass
from typing import Generic, TypeVar

T = TypeVar("T")

MOST_STEPS = 500


@dataclass(frozen=True)
class _Step(Generic[T]):
    state: T
    label: str
    """The change that led to this state; "" for the first state."""
    merge: str | None


class History(Generic[T]):
    """A list of states and a position in it; a change after an undo drops the undone states."""

    def __init__(self, first: T) -> None:
        self._steps = [_Step(first, "", None)]
        self._at = 0
        self._clean: T | None = first

    @property
    def state(self) -> T:
        """The current state."""
        return self._steps[self._at].state

    def push(self, state: T, label: str, *, merge: str | None = None) -> bool:
        """Make `state` current as one step; return False if it equals the current state.

        Consecutive steps with the same `merge` key become one step, unless a save lies between them.
        """
        if state == self.state:
            return False
        del self._steps[self._at + 1 :]
        last = self._steps[self._at]
        if merge is not None and last.merge == merge and last.state != self._clean:
            self._steps[self._at] = _Step(state, label, merge)
            return True
        self._steps.append(_Step(state, label, merge))
        if len(self._steps) > MOST_STEPS:
            del self._steps[0]
        self._at = len(self._steps) - 1
        return True

    def undo_label(self) -> str | None:
        """Return the label of the step that `undo` reverts; None if there is none."""
        return self._steps[self._at].label if self._at else None

    def redo_label(self) -> str | None:
        """Return the label of the step that `redo` repeats; None if there is none."""
        return self._steps[self._at + 1].label if self._at + 1 < len(self._steps) else None

    def undo(self) -> T:
        """Go back one step, if there is one; return the state there."""
        self._at = max(0, self._at - 1)
        return self.state

    def redo(self) -> T:
        """Go forward one step, if there is one; return the state there."""
        self._at = min(len(self._steps) - 1, self._at + 1)
        return self.state

    def mark_clean(self) -> None:
        """Record that the file holds the current state."""
        self._clean = self.state

    @property
    def clean(self) -> bool:
        """True if the file holds the current state, also after an undo back to it."""
        return self.state == self._clean
