"""F6 brings the keyboard to every panel in sight, in turn, and Shift+F6 back."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication

from ui.window.panel_focus import visible_panels


@pytest.fixture
def place(window, qtbot):
    """Which panel has the keyboard, by name."""
    window.activateWindow()
    qtbot.waitActive(window)

    def of() -> str:
        held = QApplication.focusWidget()
        named = {**{name: dock.widget() for name, dock in window.docks.items()}, "centre": window.centre}
        return next((name for name, pane in named.items() if held and pane.isAncestorOf(held)), "")

    return of


def press(window, qtbot, modifier=Qt.KeyboardModifier.NoModifier):
    qtbot.keyClick(QApplication.focusWidget() or window, Qt.Key.Key_F6, modifier)


def test_that_f6_visits_each_panel_that_has_a_use_for_the_keyboard_and_comes_round(window, qtbot, place):
    window.start_page.demo.setFocus()
    visited = []
    for _ in range(4):
        press(window, qtbot)
        visited.append(place())
    assert visited == ["insights", "scorecard", "experiment", "centre"]


def test_that_shift_f6_goes_back(window, qtbot, place):
    window.start_page.demo.setFocus()
    press(window, qtbot, Qt.KeyboardModifier.ShiftModifier)
    assert place() == "experiment"
    press(window, qtbot, Qt.KeyboardModifier.ShiftModifier)
    assert place() == "scorecard"


def test_that_only_the_tab_in_front_counts_and_closed_panels_do_not(window, qtbot, settle, place):
    window.docks["log"].raise_()
    window.docks["experiment"].hide()
    settle(window)
    panels = visible_panels(window)
    assert window.docks["log"].widget() in panels
    assert window.docks["scorecard"].widget() not in panels
    assert window.docks["experiment"].widget() not in panels
    window.start_page.demo.setFocus()
    press(window, qtbot)
    press(window, qtbot)
    assert place() == "log"
