"""Guards that hold for every test: no unexpected warnings, no leaks, a profile of its own."""

import logging
import os
import re
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import hypothesis
import psutil
import pytest
from PySide6.QtCore import QCoreApplication, QEvent, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from tests import shuffling
from tests.quiet_machine import sitecustomize

pytest_configure_node = shuffling.pytest_configure_node

REPOSITORY = Path(__file__).parents[1]
SHARED = REPOSITORY.parent / "shared"

# The same examples everywhere, so that what landed green stays green; `make test-slow` looks for new ones.
hypothesis.settings.register_profile(
    "quick",
    deadline=None,
    derandomize=True,
    database=None,
    suppress_health_check=[hypothesis.HealthCheck.too_slow],
)
hypothesis.settings.register_profile(
    "search", parent=hypothesis.settings.get_profile("quick"), derandomize=False
)
hypothesis.settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "quick"))

# Waiting for a window is a bound against hanging, not a measure of speed: patient on a busy machine.
assert QtBot.waitUntil.__kwdefaults__ is not None
QtBot.waitUntil.__kwdefaults__["timeout"] = 30_000

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
# Other processes are no reason against a run of a test: here, and in every program that a test starts.
_QUIET = str(Path(sitecustomize.__file__).parent)
os.environ["PYTHONPATH"] = os.pathsep.join([_QUIET, *filter(None, [os.environ.get("PYTHONPATH")])])
# The keyring of whoever runs the tests is none of their business.
os.environ["PYTHON_KEYRING_BACKEND"] = "keyring.backends.fail.Keyring"


def pytest_addoption(parser: pytest.Parser) -> None:
    shuffling.add_option(parser)


@pytest.hookimpl(tryfirst=True)
def pytest_configure(config: pytest.Config) -> None:
    shuffling.configure(config)


def pytest_terminal_summary(
    terminalreporter: pytest.TerminalReporter, exitstatus: int, config: pytest.Config
) -> None:
    if shuffling.said(config):
        terminalreporter.write_line(shuffling.said(config))


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    shuffling.shuffle(config, items)


@pytest.fixture(autouse=True)
def _widgets_outlive_what_they_hold(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Keep a test's widgets until all that was to be deleted later is gone.

    A widget without a parent that only its child's connections hold would end inside that child's destructor,
    and would delete the child again: in a window every widget has a parent.
    """
    kept: list[QWidget] = []
    add = QtBot.addWidget

    def keeping(self: QtBot, widget: QWidget, **more: Any) -> None:
        kept.append(widget)
        add(self, widget, **more)

    monkeypatch.setattr(QtBot, "addWidget", keeping)
    yield
    if kept:
        QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)


@pytest.fixture(autouse=True)
def _hands_off_the_keyboard() -> Iterator[None]:
    """Release what a test pressed: Qt keeps the keys and buttons of the last event for the whole process."""
    yield
    app = QApplication.instance()
    if not isinstance(app, QApplication):
        return
    held = app.mouseButtons()
    if app.keyboardModifiers() != Qt.KeyboardModifier.NoModifier or held != Qt.MouseButton.NoButton:
        nobody = QWidget()
        for button in held:
            QTest.mouseRelease(nobody, button)
        QTest.keyRelease(nobody, Qt.Key.Key_Shift)


@pytest.fixture(autouse=True)
def _own_profile(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    home = tmp_path_factory.mktemp("profile")
    for name in ("XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME"):
        monkeypatch.setenv(name, str(home / name.lower()))


class _Collector(logging.Handler):
    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self.expected: list[str] = []
        self.records: list[logging.LogRecord] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.records.append(record)

    def unexpected(self) -> list[str]:
        texts = [f"{record.levelname} {record.name}: {record.getMessage()}" for record in self.records]
        return [text for text in texts if not any(re.search(pattern, text) for pattern in self.expected)]


@pytest.fixture
def expected_logs() -> list[str]:
    """Patterns of log records at WARNING or above that this test provokes; others fail it."""
    return []


@pytest.fixture(autouse=True)
def _no_unexpected_logs(expected_logs: list[str]) -> Iterator[None]:
    collector = _Collector()
    collector.expected = expected_logs
    root = logging.getLogger()
    root.addHandler(collector)
    yield
    root.removeHandler(collector)
    unexpected = collector.unexpected()
    assert not unexpected, f"unexpected log records: {unexpected}"


def _has_children() -> bool:
    """Ask Linux itself, which takes no time; looking through all processes takes milliseconds."""
    try:
        told = [path.read_bytes() for path in Path("/proc/self/task").glob("*/children")]
    except OSError:  # a thread that ended meanwhile
        return True
    return not told or any(told)


def _children() -> dict[int, str]:
    found: dict[int, str] = {}
    if not _has_children():
        return found
    for child in psutil.Process().children(recursive=True):
        try:
            if child.status() != psutil.STATUS_ZOMBIE:
                found[child.pid] = " ".join(child.cmdline())[:200]
        except psutil.Error:
            continue
    return found


@pytest.fixture(autouse=True)
def _no_leaks() -> Iterator[None]:
    children, threads = set(_children()), set(threading.enumerate())
    yield
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline:
        left = {pid: line for pid, line in _children().items() if pid not in children}
        alive = [thread for thread in threading.enumerate() if thread not in threads and not thread.daemon]
        if not left and not alive:
            return
        time.sleep(0.05)
    assert not left, f"processes left running: {left}"
    assert not alive, f"threads left running: {alive}"


@pytest.fixture
def shared() -> Path:
    """The folder of real inputs, which is not part of the project; tests that need it skip without it."""
    if not SHARED.exists():
        pytest.skip("the folder of real inputs is not here")
    return SHARED
