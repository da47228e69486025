import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtGui import QColor

from ui.look.theme import contrast, readable
from ui.look.tokens import HUES, MARK_CONTRAST, TEXT_CONTRAST
from ui.start import StartPage


@pytest.mark.parametrize("appearance", ["light", "dark"])
@pytest.mark.parametrize("meaning", sorted(HUES))
def test_that_every_colour_can_be_seen_in_both_themes(theme, appearance, meaning):
    theme.pin(appearance)
    theme.refresh()
    assert theme.dark == (appearance == "dark")
    assert contrast(theme.mark(meaning), theme.background) >= MARK_CONTRAST
    assert contrast(theme.ink(meaning), theme.background) >= TEXT_CONTRAST
    assert contrast(theme.secondary, theme.background) >= TEXT_CONTRAST


def test_that_a_colour_with_contrast_enough_is_left_as_it_is():
    assert readable(QColor("#0072B2"), QColor("white"), 3.0).name() == "#0072b2"


@given(st.integers(0, 0xFFFFFF), st.integers(0, 0xFFFFFF))
def test_that_any_colour_becomes_readable_on_any_background(colour, background):
    found = readable(QColor(colour), QColor(background), 4.5)
    assert contrast(found, QColor(background)) >= 4.45


def test_that_a_change_of_the_palette_is_announced_once(theme, qtbot):
    theme.pin("light")
    theme.refresh()
    seen = []
    theme.changed.connect(lambda: seen.append(1))
    theme.pin("dark")
    theme.refresh()
    theme.refresh()
    assert seen == [1]


def test_that_the_demo_button_s_triangle_can_be_seen_after_a_change_of_the_theme(theme, qtbot):
    page = StartPage(theme)
    qtbot.addWidget(page)
    for appearance in ("light", "dark", "light"):
        theme.pin(appearance)
        theme.refresh()
        picture = page.demo.icon().pixmap(64, 64).toImage()
        drawn = [picture.pixelColor(x, y) for x in range(64) for y in range(64)]
        inked = max(drawn, key=lambda colour: colour.alpha())
        assert contrast(inked, theme.background) >= MARK_CONTRAST
