"""Commands with undo over one document; no screen is needed to use them.

A document's value is immutable, so a command is the value before and after it, under a label for people.
"""

from collections.abc import Callable
from typing import Generic, Protocol, TypeVar

T = TypeVar("T")
_DEPTH = 500
"""Steps that can be undone; an experiment's text is some kilobytes."""


class Command(Protocol):
    """One change that can be taken back."""

    @property
    def label(self) -> str:
        """What it does, for people: `change max_num_seqs`."""

    def do(self) -> None:
        """Make the change, also again after `undo`."""

    def undo(self) -> None:
        """Take it back."""

    def merged(self, later: "Command") -> "Command | None":
        """Both as one step, where `later` goes on with what this began; None: they stay two."""


class CommandStack:
    """What was done, in order, and what was undone."""

    def __init__(self, on_change: Callable[[], None] = lambda: None) -> None:
        self._done: list[Command] = []
        self._undone: list[Command] = []
        self._saved: int | None = 0
        self._on_change = on_change

    def do(self, command: Command) -> None:
        """Make a change; what was undone before can't be done again any more."""
        command.do()
        saved_is_ahead = self._saved is not None and self._saved > len(self._done)
        self._undone.clear()
        merged = self._done[-1].merged(command) if self._done and self._saved != len(self._done) else None
        if merged is not None:
            self._done[-1] = merged
        else:
            self._done.append(command)
        if len(self._done) > _DEPTH:
            del self._done[0]
            self._saved = None if not self._saved else self._saved - 1
        elif saved_is_ahead:
            self._saved = None
        self._on_change()

    def undo(self) -> bool:
        """Take the last change back; False: there is none."""
        if not self._done:
            return False
        command = self._done.pop()
        command.undo()
        self._undone.append(command)
        self._on_change()
        return True

    def redo(self) -> bool:
        """Make the change undone last again; False: there is none."""
        if not self._undone:
            return False
        command = self._undone.pop()
        command.do()
        self._done.append(command)
        self._on_change()
        return True

    @property
    def undo_label(self) -> str | None:
        """What `undo` would take back."""
        return self._done[-1].label if self._done else None

    @property
    def redo_label(self) -> str | None:
        """What `redo` would make again."""
        return self._undone[-1].label if self._undone else None

    @property
    def modified(self) -> bool:
        """Whether anything differs from what was saved last."""
        return self._saved != len(self._done)

    def mark_saved(self) -> None:
        """What is there now is on disk."""
        self._saved = len(self._done)
        self._on_change()


class _Change(Generic[T]):
    """From one value of a document to another."""

    def __init__(self, document: "Document[T]", label: str, after: T, merge_key: str | None) -> None:
        self._document = document
        self.before = document.value
        self.after = after
        self.merge_key = merge_key
        self.label = label

    def do(self) -> None:
        self._document.value = self.after

    def undo(self) -> None:
        self._document.value = self.before

    def merged(self, later: Command) -> "Command | None":
        if not isinstance(later, _Change) or self.merge_key is None or later.merge_key != self.merge_key:
            return None
        both = _Change(self._document, later.label, later.after, self.merge_key)
        both.before = self.before
        return both


class Document(Generic[T]):
    """One immutable value and the commands that led to it."""

    def __init__(self, value: T, on_change: Callable[[], None] = lambda: None) -> None:
        self.value = value
        self.stack = CommandStack(on_change)

    def change(self, label: str, value: T, *, merge_key: str | None = None) -> None:
        """Replace the value as one step; changes in a row with the same `merge_key` become one."""
        if value != self.value:
            self.stack.do(_Change(self, label, value, merge_key))
