"""Questions that don't block the event loop: each opens and calls back."""

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
    """Let the user choose a file to write; an existing one is asked about by the dialog itself."""
    dialog = QFileDialog(parent, title, str(suggestion.parent), kinds)
    dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
    dialog.setDefaultSuffix(suggestion.suffix.removeprefix("."))
    dialog.selectFile(suggestion.name)
    # Another kind chosen in the dialog brings its own ending.
    dialog.filterSelected.connect(lambda kind: dialog.setDefaultSuffix(_ending(kind) or suggestion.suffix))
    _open(dialog, chosen)


def _ending(kind: str) -> str:
    """The first ending that a kind of files such as `CSV (*.csv)` names."""
    found = re.search(r"\*\.(\w+)", kind)
    return found[1] if found else ""


def _open(dialog: QFileDialog, chosen: Chosen) -> None:
    dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    dialog.fileSelected.connect(lambda name: chosen(Path(name)))
    dialog.open()


class Question(QMessageBox):
    """Some buttons with verbs; the one of `safe` is the default, and Escape means it."""

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
