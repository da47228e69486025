"""Every room, form and button on the smallest screens, in both languages: no word is cut off."""

import pytest
from PySide6.QtWidgets import QAbstractButton, QComboBox, QDialog, QLabel, QScrollArea, QWidget

from tests.unit.ui.test_translation import chinese
from tests.unit.ui.test_window import finish
from ui.compare.offer_dialog import OfferDialog
from ui.forms.chips import Chip
from ui.look.elided_label import ElidedLabel

__all__ = ["chinese"]

SIZES = ((1366, 768), (1024, 700))
BOTTOM = ("scorecard", "requests", "steps", "session", "server", "log")
_ARROW = 24
"""Pixels of a combo box that its arrow takes."""


def cut_off(window):
    """What of the visible words has less room than it needs; what elides says all in its tooltip."""
    seen = [w for w in window.findChildren(QWidget) if w.isVisible() and not w.visibleRegion().isEmpty()]
    return [f"{type(part).__name__} {words_of(part)!r}" for part in seen if not has_room(part)]


def words_of(part):
    return part.currentText() if isinstance(part, QComboBox) else part.text()


def has_room(part):
    if isinstance(part, QComboBox):
        wanted = part.fontMetrics().horizontalAdvance(part.currentText())
        return part.width() >= wanted + _ARROW or part.toolTip()
    if isinstance(part, ElidedLabel | Chip) or not isinstance(part, QAbstractButton | QLabel):
        return True
    if not part.text():
        return True
    if isinstance(part, QLabel) and part.wordWrap():
        return part.height() >= part.heightForWidth(part.width()) - 2
    return part.width() >= part.sizeHint().width() - 1 and part.height() >= part.sizeHint().height() - 2


def look_everywhere(window, settle):
    found = {}
    for size in SIZES:
        window.resize(*size)
        for name in BOTTOM:
            window.docks[name].raise_()
            settle(window)
            found[size, name] = cut_off(window)
        for section, _, _ in window.experiment.sections:
            section.unfold()
        settle(window)
        area = window.experiment.findChild(QScrollArea)
        bar = area.verticalScrollBar()
        for place in range(0, bar.maximum() + 1, max(1, area.viewport().height() * 3 // 4)):
            bar.setValue(place)
            settle(window)
            found[size, f"form at {place}"] = cut_off(window)
        for section, _, _ in window.experiment.sections:
            section.header.setChecked(False)
    return {where: what for where, what in found.items() if what}


def look_at_dialogs(window, settle):
    found = {}
    for size in SIZES:
        window.resize(*size)
        for command in ("edit.preferences", "file.compare", "file.questions", "help.guide", "help.about"):
            window.actions_[command].trigger()
            (dialog,) = (each for each in window.findChildren(QDialog) if each.isVisible())
            settle(dialog)
            found[size, command] = cut_off(dialog)
            if command == "file.compare":
                dialog.offers.begin_offer()
                offer = dialog.findChild(OfferDialog)
                settle(offer)
                found[size, "offer"] = cut_off(offer)
                offer.reject()
            dialog.reject()
    return {where: what for where, what in found.items() if what}


def with_results(make_window, qtbot):
    window = make_window()
    window.commands.run_demo()
    finish(window, qtbot)
    window.docks["session"].raise_()
    window.docks["session"].widget().begin()
    return window


@pytest.mark.slow
def test_that_no_word_is_cut_off_in_english(make_window, qtbot, settle):
    assert look_everywhere(with_results(make_window, qtbot), settle) == {}


@pytest.mark.slow
def test_that_no_word_is_cut_off_in_chinese(chinese, make_window, qtbot, settle):
    assert look_everywhere(with_results(make_window, qtbot), settle) == {}


@pytest.mark.slow
@pytest.mark.parametrize("language", ["en", "zh_CN"])
def test_that_no_word_of_a_dialog_is_cut_off(request, make_window, qtbot, settle, language):
    if language == "zh_CN":
        request.getfixturevalue("chinese")
    assert look_at_dialogs(with_results(make_window, qtbot), settle) == {}
