"""What happens is said to those who hear the window instead of seeing it."""

from types import SimpleNamespace

import pytest
from PySide6.QtGui import QAccessible

from tests.unit.ui.test_window import finish
from ui.look import announcing

Politeness = QAccessible.AnnouncementPoliteness


@pytest.fixture
def reader(monkeypatch):
    """In the place of `QAccessible`: a screen reader that writes down what it hears."""
    heard = []
    reader = SimpleNamespace(
        AnnouncementPoliteness=Politeness,
        heard=heard,
        isActive=lambda: True,
        updateAccessibility=lambda event: heard.append((event.message(), event.politeness())),
    )
    monkeypatch.setattr(announcing, "QAccessible", reader)
    return reader


def test_that_a_message_is_said_and_an_error_at_once(window, reader):
    window.messages.show_message("info", "All is well.")
    window.messages.show_message("error", "It broke.")
    assert reader.heard == [("All is well.", Politeness.Polite), ("It broke.", Politeness.Assertive)]


def test_that_the_end_of_a_plan_is_said(window, reader, qtbot):
    window.commands.run_demo()
    finish(window, qtbot)
    texts = [text for text, _ in reader.heard]
    assert any("completes 7.3 → 11.9 req/s" in text for text in texts), texts


def test_that_nothing_is_made_up_where_nobody_listens(window, reader):
    reader.isActive = lambda: False
    window.messages.show_message("info", "All is well.")
    assert reader.heard == []
