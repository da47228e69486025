"""The application: Qt with asyncio in its event loop, one window, an orderly end."""

import asyncio
import importlib
import logging
import signal
import socket
import sys
import threading
from pathlib import Path
from types import TracebackType

from PySide6.QtCore import QCoreApplication, QSocketNotifier, Qt, QTimer, QtMsgType, qInstallMessageHandler
from PySide6.QtGui import QIcon
from PySide6.QtWidgets import QApplication

from ui.conductor.background import Background
from ui.files.documents import is_demo
from ui.files.folders import ProfileFolders
from ui.window.crash_log import CrashLog
from ui.window.main_window import MainWindow
from ui.window.message_bar import Remedy
from ui.window.screen import end_without_screen
from ui.window.single_instance import SingleInstance
from ui.window.window_owner import Windows
from workbench import __version__
from workbench.base import resource

APPLICATION = "vllm-workbench"

_log = logging.getLogger("ui")


def _t(text: str) -> str:
    """Return `text` in the user's language."""
    return QCoreApplication.translate("application", text)


def make_application(arguments: list[str]) -> QApplication:
    """Return the QApplication with name, icon and a style that follows the palette."""
    QCoreApplication.setApplicationName("vLLM Workbench")
    QCoreApplication.setApplicationVersion(__version__)
    application = QApplication.instance() or QApplication(arguments)
    assert isinstance(application, QApplication)
    application.setDesktopFileName(APPLICATION)
    application.setWindowIcon(QIcon(str(resource("icons", "workbench.svg"))))
    return application


def make_window(application: QApplication, folders: ProfileFolders) -> MainWindow:
    """Return the window of a profile, not yet shown.

    Raises:
        InputError: the profile's folders can't be made.
    """
    return Windows(application, folders).window


def run(folders: ProfileFolders, file: Path | None, *, play: bool = False) -> int:
    """Show the window and return when it is closed.

    Raises:
        InputError: the profile's folders can't be made.
    """
    import qasync  # noqa: PLC0415 - after PySide6, whose binding it then takes

    end_without_screen()
    application = make_application(sys.argv[:1])
    qInstallMessageHandler(_log_qt)
    application.setQuitOnLastWindowClosed(False)
    folders.prepare()
    instance = SingleInstance(folders.config)
    if not instance.claim():
        return hand_over(instance, file)
    crashes = CrashLog(folders.config)
    windows = Windows(application, folders)
    offer_crash_log(windows.window, crashes)
    report_errors(windows)
    instance.asked.connect(lambda text: come_forward(windows.window, text))
    loop = qasync.QEventLoop(application)
    asyncio.set_event_loop(loop)
    closed = asyncio.Event()
    windows.closed.connect(closed.set)
    wake = leave_on_signals(windows)
    windows.window.show()
    QTimer.singleShot(WARM_UP_AFTER_MS, lambda: warm_up(windows))
    if file is not None and play and is_demo(file):
        windows.window.demo_commands.present(file.absolute())
    elif file is not None:
        windows.window.documents.open_any(file)
        if play:
            windows.window.commands.results.play_steps()
    with loop:
        loop.run_until_complete(closed.wait())
    wake.setEnabled(False)
    crashes.end()
    instance.release()
    return 0


def hand_over(instance: SingleInstance, file: Path | None) -> int:
    """Give the file to the window that has this profile; return the exit code."""
    if instance.hand_over(file):
        return 0
    sys.stderr.write("error: another window uses this profile and does not answer; use --profile-dir\n")
    return 1


def come_forward(window: MainWindow, file: str) -> None:
    """Bring the window to the front and open `file`, for another start of the program."""
    window.setWindowState(window.windowState() & ~Qt.WindowState.WindowMinimized)
    window.raise_()
    window.activateWindow()
    if file:
        window.documents.open_any(Path(file))


def offer_crash_log(window: MainWindow, crashes: CrashLog) -> None:
    """Show that the window crashed last time, and start this window's crash log."""
    text = crashes.of_last_time()
    if text:
        said = _t("The window crashed last time. Python's report is in {0}.").format(crashes.last)
        copy = Remedy(_t("Copy it"), lambda: QApplication.clipboard().setText(text))
        window.messages.show_message("warning", said, key="crash", remedies=(copy,))
    crashes.begin()


WARM_UP_AFTER_MS = 300


def warm_up(windows: Windows) -> None:
    """Load what the first run or file needs once the window is up: the core in a thread, then the plots.

    pyqtgraph's import touches every class of Qt, and PySide makes a class on first use: in another thread,
    beside the window's own first uses, that crashed the program now and then.
    """

    def load_core() -> None:
        for name in ("numpy", "workbench.experiments"):
            importlib.import_module(name)

    def load_plots(_: object) -> None:
        importlib.import_module("pyqtgraph")

    Background(windows).run(load_core, load_plots, load_plots)


def leave_on_signals(windows: Windows) -> QSocketNotifier:
    """Close the window on SIGINT and SIGTERM; the conductor has its own session and goes on.

    Python runs its handlers between two steps of Python code, of which an idle window makes none; the byte
    that a signal writes into a socket wakes it.
    """
    near, far = socket.socketpair()
    for end in (near, far):
        end.settimeout(0)
    signal.set_wakeup_fd(far.fileno(), warn_on_full_buffer=False)
    notifier = QSocketNotifier(near.fileno(), QSocketNotifier.Type.Read, windows)
    notifier.activated.connect(lambda *_: near.recv(64) and far.fileno())
    for name in ("SIGINT", "SIGTERM"):
        signal.signal(getattr(signal, name), lambda *_: _leave(windows.window))
    return notifier


def _leave(window: MainWindow) -> None:
    window.runs.client.leave_running()
    window.closing.may_close = True
    window.close()


def report_errors(windows: Windows) -> None:
    """Show and log uncaught errors, instead of ending the program or losing them."""

    def show(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
        if issubclass(kind, KeyboardInterrupt):
            _leave(windows.window)
            return
        _log.error("uncaught", exc_info=(kind, error, trace))
        windows.window.messages.show_message(
            "error",
            _t("The window had an error: {0}: {1}. A running plan continues.").format(kind.__name__, error),
            key="bug",
        )

    sys.excepthook = show
    threading.excepthook = lambda held: _log.error("uncaught in a thread", exc_info=held.exc_value)


_LEVELS = {
    QtMsgType.QtDebugMsg: logging.DEBUG,
    QtMsgType.QtInfoMsg: logging.INFO,
    QtMsgType.QtWarningMsg: logging.WARNING,
    QtMsgType.QtCriticalMsg: logging.ERROR,
    QtMsgType.QtFatalMsg: logging.CRITICAL,
}


def _log_qt(kind: QtMsgType, _context: object, text: str) -> None:
    logging.getLogger("qt").log(_LEVELS.get(kind, logging.WARNING), "%s", text)
