"""Presenting: the window full screen, on a second display if there is one, and black on request."""

from collections.abc import Callable, Mapping

from PySide6.QtCore import QEvent, QObject, Qt, Signal
from PySide6.QtGui import QAction, QColor, QGuiApplication, QKeySequence, QPalette, QShortcut
from PySide6.QtWidgets import QMainWindow, QWidget

BLANK_KEYS = ("B", ".")
"""Keys that a presenter's remote sends to blacken the screen."""


class Presentation(QObject):
    """Shows the window full screen, and restores it afterwards."""

    ended = Signal()

    def __init__(self, window: QMainWindow) -> None:
        super().__init__(window)
        self._window = window
        self.on = False
        self._was_maximized = False
        self._before = window.geometry()
        self._shortcuts: list[QShortcut] = []
        self._taken: list[tuple[QAction, list[QKeySequence]]] = []
        """Commands whose keys a presentation uses, with these keys."""
        self.blank = _Blank(window)

    @property
    def has_keys(self) -> bool:
        """True while the presentation's own keys work; commands must not get theirs back."""
        return bool(self._shortcuts)

    def begin(self, keys: Mapping[str, Callable[[], object]] | None = None) -> None:
        """Fill a display without menu and status bar; `keys` work until the end."""
        if self.on:
            return
        window, self.on = self._window, True
        self._was_maximized, self._before = window.isMaximized(), window.geometry()
        window.menuBar().hide()
        window.statusBar().hide()
        others = [screen for screen in QGuiApplication.screens() if screen is not window.screen()]
        if others:
            window.setGeometry(others[0].availableGeometry())
        window.showFullScreen()
        self._take(keys or {})

    def _take(self, keys: Mapping[str, Callable[[], object]]) -> None:
        window = self._window
        for action in window.findChildren(QAction):
            own = action.shortcuts()
            if any(key.toString() in keys for key in own):
                self._taken.append((action, own))
                action.setShortcuts([])
        for key, call in keys.items():
            shortcut = QShortcut(QKeySequence(key), window)
            shortcut.activated.connect(call)
            self._shortcuts.append(shortcut)

    def end(self) -> None:
        """Show the window as it was."""
        self.blank.hide()
        if not self.on:
            return
        self.on = False
        for shortcut in self._shortcuts:
            # It is deleted later, and must take no key until then.
            shortcut.setEnabled(False)
            shortcut.deleteLater()
        self._shortcuts.clear()
        for action, own in self._taken:
            action.setShortcuts(own)
        self._taken.clear()
        window = self._window
        window.menuBar().show()
        window.statusBar().show()
        window.showNormal()
        window.setGeometry(self._before)
        if self._was_maximized:
            window.showMaximized()
        self.ended.emit()

    def toggle_blank(self) -> None:
        """Blacken the window, or show it again."""
        self.blank.setVisible(not self.blank.isVisible())


class _Blank(QWidget):
    """Covers the window in black."""

    def __init__(self, window: QWidget) -> None:
        super().__init__(window)
        self._window = window
        palette = QPalette()
        palette.setColor(QPalette.ColorRole.Window, QColor(Qt.GlobalColor.black))
        self.setPalette(palette)
        self.setAutoFillBackground(True)
        self.setAccessibleName(self.tr("Black screen"))
        self.hide()
        window.installEventFilter(self)

    def showEvent(self, _event: object) -> None:
        """Qt: cover everything."""
        self.setGeometry(self._window.rect())
        self.raise_()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Qt: keep covering a window that changes its size."""
        if event.type() == QEvent.Type.Resize and self.isVisible():
            self.setGeometry(self._window.rect())
        return super().eventFilter(watched, event)
