"""From the start page to a first valid result on a running server, and to a plan left running."""

import pytest
from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QApplication, QPushButton

from tests.scenarios.engine_server import Server
from tests.window_driver import newest, open_window
from ui.files.folders import ProfileFolders

pytestmark = [pytest.mark.slow, pytest.mark.qt_log_ignore("This plugin does not support")]

MINUTE = 60_000
SLOW = ("--step-model", "a=20000,b=1,c=10,d=0,e=0", "--max-model-len", "4096", "--time-scale", "2")


class Clicks(QObject):
    """Counts the clicks and the fields that are typed into."""

    def __init__(self) -> None:
        super().__init__()
        self.clicks = 0
        self.typed: set[str] = set()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:  # noqa: N802 - Qt's name
        if event.type() == QEvent.Type.MouseButtonPress and isinstance(watched, QPushButton):
            self.clicks += 1
        if isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress and event.text():
            self.typed.add(watched.objectName())
        return False


@pytest.fixture
def server():
    server = Server(*SLOW)
    yield server
    server.end()


def test_that_a_first_valid_result_takes_six_clicks_and_one_typed_address(qtbot, qapp, tmp_path, server):
    window = open_window(qtbot, ProfileFolders.under(tmp_path / "profile"))
    counted = Clicks()
    QApplication.instance().installEventFilter(counted)
    box = window.start_page.connect_box
    qtbot.keyClicks(box.address, server.url.removeprefix("http://"))
    qtbot.mouseClick(box.connect_, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(box.card.isVisible, timeout=MINUTE)
    qtbot.mouseClick(box.test, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: window.runs.running, timeout=MINUTE)
    qtbot.waitUntil(lambda: not window.runs.running, timeout=3 * MINUTE)
    QApplication.instance().removeEventFilter(counted)
    rows = [run.row for run in window.runs.state.runs.values()]
    assert [row["valid"] for row in rows] == [True, True], [row.get("reasons") for row in rows]
    assert window.runs.state.server_word == "disconnected"
    assert counted.clicks <= 6
    assert len(counted.typed - {""}) == 1


def test_that_a_plan_left_running_is_found_followed_and_stopped(qtbot, qapp, tmp_path, server, monkeypatch):
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    folders = ProfileFolders.under(tmp_path / "profile")
    first = open_window(qtbot, folders)
    box = first.start_page.connect_box
    box.address.setText(server.url)
    box.ask()
    qtbot.waitUntil(box.card.isVisible, timeout=MINUTE)
    box.watch.click()
    qtbot.waitUntil(lambda: first.runs.state.current is not None, timeout=MINUTE)
    first.runs.client.leave_running()
    first.closing.may_close = True
    first.close()
    second = open_window(qtbot, folders)
    page = second.start_page.running
    qtbot.waitUntil(lambda: second.start_page.findChild(QPushButton, "follow") is not None, timeout=MINUTE)
    qtbot.mouseClick(page.findChild(QPushButton, "follow"), Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: newest(second, "running") >= 0, timeout=MINUTE)
    assert second.runs.state.watch
    second.actions_["run.stop"].trigger()
    qtbot.waitUntil(lambda: not second.runs.running, timeout=MINUTE)
    assert second.runs.state.phase == "finished"
