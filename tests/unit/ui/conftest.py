"""A window of its own profile for each test, on a stand-in for the conductor."""

import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QDeadlineTimer, QRect
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from tests.patience import PATIENCE_MS, qtbot
from ui.app import make_application
from ui.conductor.conductor_client import ConductorClient
from ui.files.folders import ProfileFolders
from ui.files.settings import SettingsFile
from ui.look.theme import Theme
from ui.window.main_window import MainWindow

__all__ = ["qtbot"]

FAKE = Path(__file__).with_name("fake_conductor.py")


OFFSCREEN_NOISE = "This plugin does not support"
"""Said by Qt's own offscreen platform when windows with a minimum size or menus are shown."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if item.path.is_relative_to(FAKE.parent):
            item.add_marker(pytest.mark.qt_log_ignore(OFFSCREEN_NOISE))


_CALM_ROUNDS = 5
"""Of the event loop in which nothing moves: a layout that asks for another one does so within the next."""
_ROUND_MS = 20


@pytest.fixture
def settle(qtbot: QtBot) -> Callable[[QWidget], None]:
    """Waits until the layout of a window rests; what is measured before may be of a layout between."""

    def wait(window: QWidget) -> None:
        seen: list[QRect] = []
        calm = 0

        def rests() -> bool:
            nonlocal calm, seen
            now = [part.geometry() for part in (window, *window.findChildren(QWidget))]
            calm, seen = (calm + 1 if now == seen else 0), now
            return calm >= _CALM_ROUNDS

        deadline = QDeadlineTimer(PATIENCE_MS)
        while not rests():
            assert not deadline.hasExpired(), "the layout never comes to rest"
            qtbot.wait(_ROUND_MS)

    return wait


@pytest.fixture
def theme(qapp: QApplication) -> Iterator[Theme]:
    make_application([])
    theme = Theme(qapp)
    yield theme
    theme.pin("light")
    theme.deleteLater()


@pytest.fixture
def folders(tmp_path: Path) -> ProfileFolders:
    folders = ProfileFolders.under(tmp_path / "profile")
    folders.prepare()
    return folders


@pytest.fixture
def fake_client(monkeypatch: pytest.MonkeyPatch) -> ConductorClient:
    """A client of the stand-in; its environment decides how it behaves."""
    monkeypatch.setenv("FAKE_RUN_S", "0.6")
    return ConductorClient((sys.executable, str(FAKE)))


@pytest.fixture
def make_window(
    qtbot: QtBot, theme: Theme, folders: ProfileFolders, fake_client: ConductorClient
) -> Callable[..., MainWindow]:
    def make(width: int = 1366, height: int = 768) -> MainWindow:
        window = MainWindow(folders, SettingsFile(folders.config / "settings.json"), theme, fake_client)

        def release(window: MainWindow) -> None:
            window.runs.client.kill()
            window.closing.may_close = True

        qtbot.addWidget(window, before_close_func=release)
        window.resize(width, height)
        window.show()
        qtbot.waitExposed(window)
        return window

    return make


@pytest.fixture
def window(make_window: Callable[..., MainWindow]) -> MainWindow:
    return make_window()
