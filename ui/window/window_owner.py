"""The profile's window, and its replacement when the language changes."""

from PySide6.QtCore import QObject, QProcess, Qt, QTimer, Signal
from PySide6.QtWidgets import QApplication

from ui.conductor.background import Background
from ui.files.folders import ProfileFolders
from ui.files.settings import SettingsFile
from ui.language.translation import set_language
from ui.look.theme import Theme
from ui.window.main_window import MainWindow
from ui.window.preferences import PreferencesDialog
from ui.window.window_handover import capture, restore

_LOOK_AGAIN_MS = 200


class Windows(QObject):
    """Holds the present window; `closed` when the last one has closed."""

    closed = Signal()

    def __init__(self, application: QApplication, folders: ProfileFolders) -> None:
        """Make the first window, not yet shown.

        Raises:
            InputError: the profile's folders can't be made.
        """
        super().__init__(application)
        folders.prepare()
        self._application, self._folders = application, folders
        self._settings = SettingsFile(folders.config / "settings.json")
        self._theme = Theme(application)
        self._theme.pin(self._settings.value.appearance)
        self._leaving: list[MainWindow] = []
        self.window = self._make()

    def _make(self) -> MainWindow:
        set_language(self._application, self._settings.value.language)
        window = MainWindow(self._folders, self._settings, self._theme)
        window.closed.connect(self.closed)
        # Queued: the signal comes from a dialog of the window that is about to close.
        window.language.wanted.connect(self.replace, Qt.ConnectionType.QueuedConnection)
        return window

    def replace(self) -> None:
        """Replace the window with one of the same content in the settings' language."""
        old = self.window
        if old.busy or not old.language.due:
            return
        preferences = old.findChild(PreferencesDialog) is not None
        carried = capture(old)
        old.keep_layout()
        # The new window gets these edits anyway and must not offer them.
        old.autosave.end()
        new = self._make()
        self.window = new
        if not new.isMaximized():
            # The stored layout is for a later start on another screen; this screen is the same.
            new.setGeometry(old.geometry())
        new.show()
        restore(new, carried)
        old.closed.disconnect(self.closed)
        old.closing.may_close = True
        old.close()
        new.autosave.save()
        new.activateWindow()
        if preferences:
            new.commands.preferences()
        self._leaving.append(old)
        self._let_go()

    def _let_go(self) -> None:
        """Delete old windows once their threads and processes have ended."""
        for old in [window for window in self._leaving if not _at_work(window)]:
            self._leaving.remove(old)
            old.deleteLater()
        if self._leaving:
            QTimer.singleShot(_LOOK_AGAIN_MS, self, self._let_go)


def _at_work(window: MainWindow) -> bool:
    processes = window.findChildren(QProcess)
    return any(process.state() != QProcess.ProcessState.NotRunning for process in processes) or any(
        part.busy for part in window.findChildren(Background)
    )
