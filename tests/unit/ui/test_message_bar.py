"""The bar of messages: one a key, three at most, and a word on what takes longer than a glance."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QPushButton

from ui.window import message_bar
from ui.window.message_bar import GLANCE_MS, MOST_SHOWN, MessageBar, Remedy


@pytest.fixture
def bar(qtbot, theme):
    bar = MessageBar(theme)
    qtbot.addWidget(bar)
    return bar


def test_that_a_message_replaces_the_older_one_of_its_key(bar):
    bar.show_message("error", "first", key="a")
    bar.show_message("info", "second", key="a")
    assert bar.texts() == ["second"]
    bar.dismiss("a")
    assert bar.texts() == []
    assert bar.isHidden()


def test_that_only_the_newest_few_are_shown(bar):
    for number in range(MOST_SHOWN + 2):
        bar.show_message("info", f"message {number}")
    assert bar.texts() == [f"message {number}" for number in range(MOST_SHOWN + 1, 1, -1)]


def test_that_a_remedy_is_carried_out_and_takes_its_message_along(bar, qtbot):
    done = []
    bar.show_message("error", "broken", remedies=(Remedy("Mend it", lambda: done.append(1)),))
    qtbot.mouseClick(bar.findChild(QPushButton), Qt.MouseButton.LeftButton)
    assert done == [1]
    assert bar.texts() == []


def test_that_what_takes_longer_than_a_glance_is_said_until_it_is_over(bar, qtbot):
    bar.show_later("Reading a.bench", key="bench")
    assert bar.texts() == []
    qtbot.waitUntil(lambda: bar.texts() == ["Reading a.bench"])
    bar.dismiss("bench")
    assert bar.texts() == []


def test_that_what_is_over_at_a_glance_is_not_said(bar, qtbot):
    bar.show_later("Reading a.bench", key="bench")
    bar.dismiss("bench")
    bar.show_later("Writing a.csv", key="export")
    bar.show_message("info", "Wrote a.csv", key="export")
    qtbot.wait(2 * GLANCE_MS)
    assert bar.texts() == ["Wrote a.csv"]


def test_that_a_passing_note_leaves_by_itself_and_others_stay(bar, qtbot, monkeypatch):
    monkeypatch.setattr(message_bar, "PASSING_MS", 20)
    bar.show_message("info", "resumed: 2 finished runs are kept", passing=True)
    bar.show_message("error", "the server failed")
    qtbot.waitUntil(lambda: bar.texts() == ["the server failed"])


def test_that_a_passing_note_takes_no_newer_message_of_its_key_along(bar, qtbot, monkeypatch):
    monkeypatch.setattr(message_bar, "PASSING_MS", 20)
    bar.show_message("info", "first", key="a", passing=True)
    bar.show_message("warning", "second", key="a")
    qtbot.wait(200)
    assert bar.texts() == ["second"]
