"""The command palette: find a command by a part of its name."""

from collections.abc import Sequence

from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtGui import QAction, QKeyEvent
from PySide6.QtWidgets import QDialog, QLineEdit, QListWidget, QListWidgetItem, QVBoxLayout, QWidget


class CommandPalette(QDialog):
    """A list of all enabled commands; Enter runs the chosen one."""

    def __init__(self, parent: QWidget, actions: Sequence[QAction]) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setObjectName("palette")
        self.setWindowTitle(self.tr("Find a command"))
        self._actions = [action for action in actions if action.objectName() != "help.palette"]
        self.entry = QLineEdit()
        self.entry.setPlaceholderText(self.tr("Type a part of its name"))
        self.entry.setAccessibleName(self.tr("Find a command"))
        self.found = QListWidget()
        self.found.setAccessibleName(self.tr("Commands"))
        layout = QVBoxLayout(self)
        layout.addWidget(self.entry)
        layout.addWidget(self.found)
        em = self.fontMetrics().height()
        self.resize(em * 26, em * 20)
        self.entry.textChanged.connect(self._fill)
        self.entry.returnPressed.connect(self._give)
        self.found.itemActivated.connect(lambda _item: self._give())
        self.entry.installEventFilter(self)
        self._fill("")

    def _fill(self, text: str) -> None:
        self.found.clear()
        for action in self._actions:
            name = action.text().replace("&", "")
            if not matches(text, name):
                continue
            keys = action.shortcut().toString(action.shortcut().SequenceFormat.NativeText)
            item = QListWidgetItem(f"{name}    {keys}" if keys else name)
            item.setData(Qt.ItemDataRole.UserRole, action)
            if not action.isEnabled():
                item.setFlags(Qt.ItemFlag.NoItemFlags)
            self.found.addItem(item)
        self.found.setCurrentRow(
            next((at for at in range(self.found.count()) if self.found.item(at).flags()), -1)
        )

    def _give(self) -> None:
        item = self.found.currentItem()
        if self.found.currentRow() >= 0 and item.flags():
            action: QAction = item.data(Qt.ItemDataRole.UserRole)
            self.accept()
            action.trigger()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Move in the list by Up and Down while typing."""
        if isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress and watched is self.entry:
            step = {Qt.Key.Key_Down: 1, Qt.Key.Key_Up: -1}.get(Qt.Key(event.key()), 0)
            if step and self.found.count():
                self.found.setCurrentRow(max(0, min(self.found.count() - 1, self.found.currentRow() + step)))
                return True
        return super().eventFilter(watched, event)


def matches(typed: str, name: str) -> bool:
    """Return True if the typed letters occur in the name in this order, as `rp` in `Run plan`."""
    letters = iter(name.lower())
    return all(letter in letters for letter in typed.lower().replace(" ", ""))
