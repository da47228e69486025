"""Dialogs that don't block the event loop: they open and call back."""

import re
from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFileDialog, QMessageBox, QWidget

Chosen = Callable[[Path], object]


def ask_open(parent: QWidget, title: str, folder: str, kinds: str, chosen: Chosen) -> None:
    """Let the user choose a file to open."""
    dialog = QFileDialog(parent, title, folder, kinds)
    dialog.setFileMode(QFileDialog.FileMode.ExistingFile)
    _open(dialog, chosen)


def ask_save(parent: QWidget, title: str, suggestion: Path, kinds: str, chosen: Chosen) -> None:
    """Let the user choose a file to write; the dialog itself asks about an existing one."""
    dialog = QFileDialog(parent, title, str(suggestion.parent), kinds)
    dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
    dialog.setDefaultSuffix(suggestion.suffix.removeprefix("."))
    dialog.selectFile(suggestion.name)
    # Another file type in the dialog sets its own extension.
    dialog.filterSelected.connect(lambda kind: dialog.setDefaultSuffix(_ending(kind) or suggestion.suffix))
    _open(dialog, chosen)


def _ending(kind: str) -> str:
    """Return the first extension in a file filter such as `CSV (*.csv)`."""
    found = re.search(r"\*\.(\w+)", kind)
    return found[1] if found else ""


def _open(dialog: QFileDialog, chosen: Chosen) -> None:
    dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    dialog.fileSelected.connect(lambda name: chosen(Path(name)))
    dialog.open()


class Question(QMessageBox):
    """A question with labeled buttons; the `safe` one is the default and the answer to Escape."""

    def __init__(self, parent: QWidget, text: str, details: str) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setIcon(QMessageBox.Icon.Question)
        self.setText(text)
        self.setInformativeText(details)
        self._calls: dict[str, Callable[[], object]] = {}
        self.buttonClicked.connect(lambda button: self._calls.get(button.objectName(), lambda: None)())

    def add(
        self,
        name: str,
        text: str,
        role: QMessageBox.ButtonRole,
        call: Callable[[], object],
        *,
        safe: bool = False,
    ) -> None:
        """Add a button."""
        button = self.addButton(text, role)
        button.setObjectName(name)
        self._calls[name] = call
        if safe:
            self.setDefaultButton(button)
            self.setEscapeButton(button)
