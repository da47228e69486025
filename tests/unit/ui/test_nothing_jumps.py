"""No enabled button moves by itself: not through a whole run, not while a field is typed into."""

import pytest
from PySide6.QtCore import QPoint
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QAbstractSpinBox, QComboBox, QLineEdit

from ui.live import Changed

ALLOWED_PX = 1


class Places:
    """Where the enabled buttons of a window were, and which of them moved."""

    def __init__(self, window):
        self._window = window
        self._seen = {}
        self.moved = {}

    def look(self, when):
        """Compare every visible, enabled button with its place when last looked at."""
        now = {}
        for button in self._window.findChildren(QAbstractButton):
            shown = button.isVisible() and button.isEnabled() and not button.visibleRegion().isEmpty()
            # Fields have their own buttons, and their place is the field's.
            if shown and not isinstance(button.parent(), QLineEdit | QAbstractSpinBox | QComboBox):
                corner = button.mapTo(self._window, QPoint(0, 0))
                now[button] = (corner.x(), corner.y(), button.width(), button.height())
        for button, place in now.items():
            before = self._seen.get(button)
            if before and max(abs(a - b) for a, b in zip(place, before, strict=True)) > ALLOWED_PX:
                name = button.text() or button.accessibleName() or button.toolTip()
                self.moved.setdefault(f"{type(button).__name__} {name}", (when, before, place))
        self._seen = now


def test_that_no_button_moves_through_a_whole_run(window, qtbot, settle):
    window.centre.setCurrentWidget(window.plots)
    settle(window)
    places = Places(window)
    places.look("before")
    window.runs.changed.connect(lambda changed: places.look(str(changed)) if changed & ~Changed.LOG else None)
    window.runs.state_replaced.connect(lambda: places.look("another plan"))
    window.commands.run_demo()
    qtbot.waitUntil(lambda: window.runs.state.phase == "finished", timeout=30_000)
    settle(window)
    places.look("after")
    window.messages.show_message("error", "Something failed. " * 20, key="a")
    window.messages.show_message("info", "A second message.", key="b")
    settle(window)
    places.look("two messages")
    window.messages.dismiss("b")
    window.messages.dismiss("a")
    settle(window)
    places.look("no message")
    assert places.moved == {}


@pytest.mark.parametrize("number", range(5))
def test_that_no_button_moves_while_a_field_is_typed_into(window, qtbot, settle, number):
    sections = window.experiment.sections
    for place, (section, _, _) in enumerate(sections):
        section.header.setChecked(place == number)
    settle(window)
    body = sections[number][1]
    fields = [field for field in body.findChildren(QLineEdit) if field.isVisible() and field.isEnabled()]
    fields = [field for field in fields if not field.isReadOnly()]
    moved = {}
    for field in fields[:8]:
        field.setFocus()
        settle(window)
        places = Places(window)
        places.look("before")
        for key in ("x", "1", "\b"):
            QTest.keyClicks(field, key)
            settle(window)
            places.look(f"typed {key!r} into {field.accessibleName() or field.objectName()}")
        moved |= places.moved
    assert moved == {}
