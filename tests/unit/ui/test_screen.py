"""Without a screen the window ends with one line; other programs' choice of Qt bindings has no effect."""

import os
import subprocess
import sys

import pytest

from ui.window.screen import why_no_screen
from workbench.base import render

NO_CONNECTION = "qt.qpa.xcb: could not connect to display "
PLUGIN = 'Could not load the Qt platform plugin "xcb" in "" even though it was found.'


@pytest.mark.parametrize(
    ("said", "environment", "words"),
    [
        ([NO_CONNECTION, PLUGIN], {}, "there is no display"),
        ([NO_CONNECTION, PLUGIN], {"QT_QPA_PLATFORM": "xcb"}, "there is no display"),
        ([NO_CONNECTION, PLUGIN], {"DISPLAY": ":7"}, "the display can't be reached (DISPLAY=:7)"),
        (["Failed to create wl_display"], {"WAYLAND_DISPLAY": "w"}, "can't be reached (WAYLAND_DISPLAY=w)"),
        (["From 6.5.0, xcb-cursor0 is needed"], {"DISPLAY": ":0"}, "apt install libxkbcommon-x11-0"),
        (['Could not find the Qt platform plugin "x" in ""'], {"QT_QPA_PLATFORM": "x"}, "no platform 'x'"),
    ],
)
def test_that_the_reason_is_named(said: list[str], environment: dict[str, str], words: str) -> None:
    assert words in render(why_no_screen(said, environment))


def start(code: str, **changed: str) -> "subprocess.CompletedProcess[str]":
    environment = {
        name: value
        for name, value in os.environ.items()
        if name not in {"DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM"}
    }
    return subprocess.run(
        [sys.executable, *code.split(" ", 1)],
        env={**environment, **changed}, capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="other systems always have a screen")
def test_that_a_start_without_a_display_is_one_line_and_exit_code_1() -> None:
    done = start("-m ui", QT_API="pyqt5")
    assert done.returncode == 1
    assert done.stderr.count("\n") == 1
    assert "there is no display" in done.stderr
    assert "python -m workbench" in done.stderr


def test_that_other_programs_bindings_are_not_taken() -> None:
    code = (
        "-c import ui, PySide6.QtCore, qasync, pyqtgraph; "
        "print(qasync.QtModuleName, pyqtgraph.Qt.QT_LIB, PySide6.__name__)"
    )
    done = start(code, QT_API="pyqt5", PYQTGRAPH_QT_LIB="PyQt6", QT_QPA_PLATFORM="offscreen")
    assert done.stdout.split() == ["PySide6", "PySide6", "PySide6"], done.stderr
