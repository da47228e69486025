"""Undo and redo over immutable states, each step with a name. No Qt here."""

from dataclasses import dataclass
from typing import Generic, TypeVar

T = TypeVar("T")

MOST_STEPS = 500


@dataclass(frozen=True)
class _Step(Generic[T]):
    state: T
    label: str
    """What led here."""
    merge: str | None


class History(Generic[T]):
    """A line of states with a place on it; going back and editing drops what was ahead."""

    def __init__(self, first: T) -> None:
        self._steps = [_Step(first, "", None)]
        self._at = 0
        self._clean: T | None = first

    @property
    def state(self) -> T:
        """The present state."""
        return self._steps[self._at].state

    def push(self, state: T, label: str, *, merge: str | None = None) -> None:
        """Go on to `state`; consecutive steps with the same `merge` key become one."""
        if state == self.state:
            return
        del self._steps[self._at + 1 :]
        last = self._steps[self._at]
        if merge is not None and last.merge == merge and last.state != self._clean:
            self._steps[self._at] = _Step(state, label, merge)
            return
        self._steps.append(_Step(state, label, merge))
        if len(self._steps) > MOST_STEPS:
            del self._steps[0]
        self._at = len(self._steps) - 1

    def undo_label(self) -> str | None:
        """What `undo` would take back; None when there is nothing."""
        return self._steps[self._at].label if self._at else None

    def redo_label(self) -> str | None:
        """What `redo` would make again; None when there is nothing."""
        return self._steps[self._at + 1].label if self._at + 1 < len(self._steps) else None

    def undo(self) -> T:
        """Go a step back, if there is one; returns the state there."""
        self._at = max(0, self._at - 1)
        return self.state

    def redo(self) -> T:
        """Go a step forward, if there is one; returns the state there."""
        self._at = min(len(self._steps) - 1, self._at + 1)
        return self.state

    def mark_clean(self) -> None:
        """The present state is what the file holds."""
        self._clean = self.state

    @property
    def clean(self) -> bool:
        """Whether the present state is what the file holds, also after going back to it."""
        return self.state == self._clean
