"""A copy of unsaved edits that survives a crash and is offered at the next start."""

from contextlib import suppress
from pathlib import Path

import msgspec
from PySide6.QtCore import QObject, QTimer

from ui.experiment import Draft, Editor
from workbench.base import UNREADABLE, InputError, write_atomic

AFTER_MS = 1_000
"""Delay after the last edit, so that text typed in one go is written once."""


class UnsavedEdits(msgspec.Struct):
    """Unsaved edits and the file they belong to."""

    draft: Draft
    path: str | None


class Autosave(QObject):
    """Stores the editor's draft while it differs from its file."""

    def __init__(self, editor: Editor, file: Path) -> None:
        super().__init__(editor)
        self.editor, self._file = editor, file
        self._offered = False
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(AFTER_MS)
        self._timer.timeout.connect(self.save)
        editor.changed.connect(self._timer.start)

    def found(self) -> UnsavedEdits | None:
        """Return the edits that an earlier window left, or None."""
        try:
            kept = msgspec.json.decode(self._file.read_bytes(), type=UnsavedEdits)
        except (OSError, *UNREADABLE):
            return None
        self._offered = True
        return kept

    def save(self) -> None:
        """Store the draft if it is unsaved; else delete the copy, unless it is still on offer."""
        if not self.editor.modified:
            self.end()
            return
        self._offered = False
        path = str(self.editor.path) if self.editor.path else None
        with suppress(InputError):
            write_atomic(self._file, msgspec.json.encode(UnsavedEdits(self.editor.draft, path)))

    def end(self) -> None:
        """Delete the copy, unless it is still on offer."""
        self._timer.stop()
        if not self._offered:
            self.forget()

    def forget(self) -> None:
        """Delete the copy."""
        self._offered = False
        with suppress(OSError):
            self._file.unlink(missing_ok=True)
