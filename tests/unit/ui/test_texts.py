"""What the core reports, in the language of the window."""

import pytest

from ui.language import translation
from ui.language.texts import WORDS, said, said_all
from workbench.base import InputError, Place, Refusal, message


@pytest.fixture
def chinese(qapp):
    """The application in Chinese, and in English again afterwards."""
    assert translation.set_language(qapp, "zh_CN") == "zh_CN"
    yield qapp
    translation.set_language(qapp, "en")


REFUSAL = Refusal("base.not_above", Place(table="load", key="rates"), value=0, minimum=0)


def test_that_messages_and_refusals_are_rendered_in_the_windows_language(chinese):
    assert "必须大于" in said(REFUSAL)
    assert said(REFUSAL).startswith("[load] rates: ")
    assert said(message("base.not_finite", value="inf")) == "inf 不是有限的数"


def test_that_they_are_english_in_an_english_window(qapp):
    assert said(REFUSAL) == "[load] rates: 0 must be greater than 0"


def test_that_every_word_of_the_core_has_its_translation(chinese):
    assert [word for word in WORDS if said(word) == word] == []


@pytest.mark.parametrize("text", ["server said: no idea", "", "a sentence of an older bench file"])
def test_that_any_other_text_stays_as_it_is(chinese, text):
    assert said(text) == text
    assert said(InputError(text)) == text


def test_that_a_list_is_said_one_by_one(chinese):
    assert said_all(["ready", "xyz"]) == [said("ready"), "xyz"]
