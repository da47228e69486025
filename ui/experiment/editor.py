"""The experiment being edited: draft, history, problems, file. Forms show it and change it."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from PySide6.QtCore import QObject, Signal

from ui.experiment.draft import Draft
from ui.experiment.problems import find_problems
from ui.files.history import History
from workbench.base import Refusal, write_atomic


@dataclass(frozen=True)
class Document:
    """An experiment with its history and its file, as one window hands it to the next."""

    history: History[Draft]
    text: str
    path: Path | None


class Editor(QObject):
    """Every edit is one labeled step; `changed` after each edit, undo, redo, open and save."""

    changed = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._history: History[Draft] = History(Draft())
        self._text = ""
        self.path: Path | None = None
        self.problems: dict[str, str] = find_problems(self.draft)
        self._in_force: tuple[str, dict[str, Any]] = "", {}
        """Address of a running server and what it uses."""

    @property
    def draft(self) -> Draft:
        """The present content."""
        return self._history.state

    def learn_server(self, url: str, values: dict[str, Any]) -> None:
        """Keep what a running server uses, by control."""
        self._in_force = url, values
        self.changed.emit()

    @property
    def in_force(self) -> dict[str, Any]:
        """Values of the draft's running server by control; empty if unknown."""
        url, values = self._in_force
        return values if self.draft.target_kind == "attached" and self.draft.url == url else {}

    @property
    def modified(self) -> bool:
        """True if it differs from its file."""
        return not self._history.clean

    @property
    def base(self) -> Path | None:
        """The folder of relative trace paths."""
        return self.path.parent if self.path else None

    def edit(self, label: str, *, merge: str | None = None, **fields: Any) -> None:
        """Change some fields as one step."""
        self.replace(self.draft.with_fields(**fields), label, merge=merge)

    def replace(self, draft: Draft, label: str, *, merge: str | None = None) -> None:
        """Replace the draft as one step."""
        self._history.push(draft, label, merge=merge)
        self._announce()

    def undo_label(self) -> str | None:
        """Return the label of the step that `undo` reverts."""
        return self._history.undo_label()

    def redo_label(self) -> str | None:
        """Return the label of the step that `redo` repeats."""
        return self._history.redo_label()

    def undo(self) -> None:
        """Revert the last step."""
        self._history.undo()
        self._announce()

    def redo(self) -> None:
        """Repeat the step that was undone last."""
        self._history.redo()
        self._announce()

    def document(self) -> Document:
        """Return everything that is being edited."""
        return Document(self._history, self._text, self.path)

    def continue_with(self, document: Document) -> None:
        """Replace the content with another editor's."""
        self._history, self._text, self.path = document.history, document.text, document.path
        self._announce()

    def begin(self, draft: Draft | None = None) -> None:
        """Start from `draft` or defaults, without file and history."""
        self._start(draft or Draft(), "", None)

    def duplicate(self) -> None:
        """Continue with a copy that has no file."""
        draft = self.draft
        if draft.trace_kind == "file" and self.base is not None:
            draft = draft.with_fields(
                trace_file=str((self.base / Path(draft.trace_file).expanduser()).absolute())
            )
        self.path = None
        self._history.push(
            draft.with_fields(name=self.tr("{0} copy").format(draft.name)), self.tr("duplicate")
        )
        self._announce()

    def go_on_without_file(self, draft: Draft, label: str) -> None:
        """Replace the draft as one step; the open file stays as it is."""
        self.path = None
        self.replace(draft, label)

    def open(self, path: Path) -> None:
        """Open a file.

        Raises:
            InputError: it can't be read as an experiment; nothing changes.
        """
        from ui.experiment.draft_file import read_draft  # noqa: PLC0415 - the core room loads when first needed

        draft, text = read_draft(path)
        self._start(draft, text, path)

    def save(self, path: Path) -> None:
        """Write to a file.

        Raises:
            InputError: the draft has a problem, or the file can't be written.
        """
        text = self.text(path.parent)
        write_atomic(path, text)
        self._text, self.path = text, path
        self._history.mark_clean()
        self._announce()

    def text(self, folder: Path | None = None) -> str:
        """Return the draft as the text of a file that the core accepts.

        A relative trace path is made absolute unless the file goes to `folder`.

        Raises:
            InputError: the draft has a problem; names the first.
        """
        from ui.experiment.draft_file import checked_text  # noqa: PLC0415 - the core room loads when first needed

        if self.problems:
            raise Refusal("ui.draft_problem", problem=next(iter(self.problems.values())))
        draft = self.draft
        if draft.trace_kind == "file" and self.base is not None and folder != self.base:
            draft = draft.with_fields(
                trace_file=str((self.base / Path(draft.trace_file).expanduser()).absolute())
            )
        return checked_text(draft, self._text)

    def _start(self, draft: Draft, text: str, path: Path | None) -> None:
        self._history = History(draft)
        self._text, self.path = text, path
        self._announce()

    def _announce(self) -> None:
        self.problems = find_problems(self.draft, self.base)
        self.changed.emit()
