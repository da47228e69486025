import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QWheelEvent
from PySide6.QtWidgets import QApplication, QLabel, QLineEdit, QScrollArea

from tests.unit.ui.children import get_child
from ui.forms import ChipsEditor, Choice, DecimalField, Form, OptionalNumber, Section, WholeField
from ui.forms.fields import number_in


@pytest.fixture
def chips(qtbot, theme):
    chips = ChipsEditor(theme, "Values")
    chips.set_parser(number_in)
    chips.edited.connect(chips.show_values)
    qtbot.addWidget(chips)
    chips.show_values((16, 32))
    chips.show()
    return chips


def texts(chips):
    return [chip.text() for chip in chips.chips()]


def test_that_typed_values_become_chips_once(chips, qtbot):
    qtbot.keyClicks(chips.entry, "64, 128 16")
    qtbot.keyClick(chips.entry, Qt.Key.Key_Return)
    assert texts(chips) == ["16", "32", "64", "128"]


def test_that_a_click_removes_a_chip_and_backspace_the_last(chips, qtbot):
    qtbot.mouseClick(chips.chips()[0], Qt.MouseButton.LeftButton)
    assert texts(chips) == ["32"]
    chips.entry.setFocus()
    qtbot.keyClick(chips.entry, Qt.Key.Key_Backspace)
    assert texts(chips) == []


def test_that_a_word_that_is_no_number_stays_to_be_mended(chips, qtbot):
    qtbot.keyClicks(chips.entry, "many")
    qtbot.keyClick(chips.entry, Qt.Key.Key_Return)
    assert texts(chips)[-1] == "many"


def test_that_chips_wrap_instead_of_widening_the_form(chips):
    chips.show_values(tuple(range(100, 140)))
    assert chips.minimumSizeHint().width() < 150
    assert chips.heightForWidth(200) > chips.heightForWidth(2000)


def test_that_what_follows_the_chips_closes_up_when_one_goes(chips, settle):
    chips.resize(400, 40)
    chips.suggest.setVisible(True)
    chips.show_values((16, 32, 64))
    settle(chips)
    chips.show_values((16,))
    settle(chips)
    parts = [chips.chips()[0], chips.entry, chips.suggest]
    for before, after in itertools.pairwise(part.geometry() for part in parts):
        assert after.left() - before.right() - 1 == 4


def test_that_every_chip_says_what_a_click_does(chips):
    assert chips.chips()[0].accessibleName() == "Remove 16"


@pytest.mark.parametrize("kind", [WholeField, DecimalField])
def test_that_scrolling_past_a_field_does_not_change_it(qtbot, kind):
    field = kind(0)
    qtbot.addWidget(field)
    field.show_value(5)
    field.show()
    field.clearFocus()
    middle = QPointF(field.rect().center())
    event = QWheelEvent(
        middle, middle, QPoint(0, 0), QPoint(0, 120), Qt.MouseButton.NoButton,
        Qt.KeyboardModifier.NoModifier, Qt.ScrollPhase.NoScrollPhase, False,
    )  # fmt: skip
    QApplication.sendEvent(field, event)
    assert field.value() == 5


def test_that_showing_a_value_is_no_edit(qtbot):
    field = WholeField(0)
    qtbot.addWidget(field)
    with qtbot.assertNotEmitted(field.edited):
        field.show_value(7)


@pytest.mark.parametrize(("typed", "value"), [("500", 500), ("0.5", 0.5), ("", None), ("soon", "soon")])
def test_that_an_optional_number_may_be_left_out_but_not_be_lost(qtbot, typed, value):
    field = OptionalNumber("ms", "none")
    qtbot.addWidget(field)
    field.show_value(9)
    field.field.clear()
    qtbot.keyClicks(field.field, typed)
    with qtbot.waitSignal(field.edited) as edited:
        qtbot.keyClick(field.field, Qt.Key.Key_Return)
    assert edited.args == [value]


@given(st.text())
def test_that_reading_a_number_never_fails(text):
    assert number_in(text) is None or isinstance(number_in(text), (int, float, str))


def test_that_a_value_that_is_no_option_is_shown_and_not_lost(qtbot):
    choice = Choice([("a", "A")])
    qtbot.addWidget(choice)
    choice.show_value("my-own")
    assert choice.currentText() == "my-own"


def test_that_a_problem_stands_under_its_field_and_is_spoken(qtbot, theme):
    form = Form(theme)
    qtbot.addWidget(form)
    field = QLineEdit()
    form.add("url", "&URL", field)
    assert form.show_problems({"url": "Give an address."})
    assert field.accessibleDescription() == "Give an address."
    assert field.accessibleName() == "URL"
    assert not form.show_problems({})


def test_that_no_line_of_a_sentence_that_wraps_is_cut_off(qtbot, theme, settle):
    form = Form(theme)
    label, number = QLabel(), WholeField(1, 9)
    label.setWordWrap(True)
    form.add("about", "A rather long label", label)
    form.add("number", "&N", number)
    area = QScrollArea()
    qtbot.addWidget(area)
    area.setWidget(form)
    area.setWidgetResizable(True)
    area.resize(260, 200)
    area.show()
    for words in (1, 12, 30):
        label.setText("many words " * words)
        number.refused.emit("this can not be " * words)
        settle(area)
        for shown in (label, get_child(form, QLabel, "number problem")):
            assert shown.height() >= shown.heightForWidth(shown.width())
    assert number.width() < 150


def test_that_a_section_opens_by_mouse_and_by_key(qtbot, theme):
    section = Section("Load", QLineEdit(), theme)
    qtbot.addWidget(section)
    section.show()
    qtbot.mouseClick(section.header, Qt.MouseButton.LeftButton)
    assert section.body.isVisible()
    qtbot.keyClick(section.header, Qt.Key.Key_Return)
    assert not section.body.isVisible()
