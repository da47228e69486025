"""Driving the whole window as a user does: what the tests on the engine and on a real vLLM share."""

from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from ui.app import make_application, make_window
from ui.files.folders import ProfileFolders
from ui.window.main_window import MainWindow

MINUTE = 60_000
"""Milliseconds; waiting is a bound against hanging only."""


def open_window(qtbot: QtBot, folders: ProfileFolders) -> MainWindow:
    """A shown window with the real conductor; whatever runs is ended with it."""
    window = make_window(make_application([]), folders)

    def release(window: MainWindow) -> None:
        window.runs.client.kill()
        window.closing.may_close = True

    qtbot.addWidget(window, before_close_func=release)
    window.show()
    return window


def newest(window: MainWindow, name: str) -> float:
    """The newest value of a sampled column of the run that is under way; -1: not known yet."""
    run = window.runs.state.current_run()
    value = run.series.last(name) if run is not None else None
    return -1.0 if value is None else value


def hold_back_and_release(window: MainWindow, qtbot: QtBot, *, least: int, most: int) -> None:
    """Set the cap on running requests to `least` by its slider under load, see it hold, and set it back.

    Callers at once, more than `least`: running falls to it and the others wait; then they run again.
    """
    window.insights.unfold()
    slider = window.live_limits.rows["max_num_active_seqs"].slider
    qtbot.waitUntil(slider.isVisible, timeout=3 * MINUTE)
    qtbot.waitUntil(lambda: newest(window, "running") > least, timeout=MINUTE)
    assert slider.value() == most
    qtbot.keyClick(slider, Qt.Key.Key_Home)
    for _ in range(least - slider.minimum()):
        qtbot.keyClick(slider, Qt.Key.Key_Right)
    assert slider.value() == least
    changes = window.runs.state.limit_changes
    qtbot.waitUntil(lambda: len(changes) == 1, timeout=MINUTE)
    assert changes[0].accepted, changes[0].refusal

    def held() -> None:
        run = window.runs.state.current_run()
        shown = (run and run.series.last_time(), newest(window, "running"), newest(window, "waiting"))
        assert 0 < shown[1] <= least, (shown, changes)
        assert shown[2] > 0, (shown, changes)

    qtbot.waitUntil(held, timeout=2 * MINUTE)
    qtbot.keyClick(slider, Qt.Key.Key_End)
    qtbot.waitUntil(lambda: len(changes) == 2, timeout=MINUTE)
    qtbot.waitUntil(lambda: newest(window, "running") > least, timeout=MINUTE)
    moments = window.runs.state.current_run().moments
    assert [(moment.name, moment.old, moment.new) for moment in moments] == [
        ("max_num_active_seqs", most, least),
        ("max_num_active_seqs", least, most),
    ]
