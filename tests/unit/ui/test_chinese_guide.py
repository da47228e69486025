"""Both guides: built alike, in the very words that the window has in their language, shown by F1."""

import re
from xml.etree import ElementTree

import pytest
from PySide6.QtCore import Qt, QUrl
from PySide6.QtWidgets import QApplication

from tests.unit.ui.test_manual import ROOT
from ui.language.translation import set_language
from ui.manual import PAGES, ManualReader, manual_folder
from ui.manual.pages import in_language
from workbench.advice import Bottleneck
from workbench.base import render
from workbench.controls import CONTROLS

ENGLISH = ROOT / "docs" / "reference" / "window.md"
CHINESE = ROOT / "docs" / "reference" / "window.zh_CN.md"
TS = ROOT / "resources" / "translations" / "workbench_zh_CN.ts"
STEP = " \N{SINGLE RIGHT-POINTING ANGLE QUOTATION MARK} "
"""Between a menu and its command."""
ENGLISH_PAGE = "（英文）"
NOT_OF_THE_WINDOW = {"core"}
"""Contexts: the core's sentences are no names of things to click."""


def spoken_strings(language="translation"):
    """What the window can show, without its mnemonics, in Chinese; `source`: in English."""
    current_language = "zh_CN" if language == "translation" else "en"
    found = {control.words(current_language).title for control in CONTROLS.values()}
    found |= {render(each.phrase, current_language) for each in Bottleneck}
    for context in ElementTree.parse(TS).getroot().iter("context"):
        if context.findtext("name") in NOT_OF_THE_WINDOW:
            continue
        for message in context.iter("message"):
            text = message.findtext(language) or ""
            found.add(re.sub(r"\(&\w\)|&", "", text))
    return found


def names_of(text, mark=r"\*\*"):
    """Names in bold, or between another mark, each step of a menu's path its own."""
    plain = r"(?:(?!\n\n)[^*])+?"
    found = re.findall(rf"(?<!\*){mark}({plain}){mark}(?!\*)", text)
    return [" ".join(name.split()) for each in found for name in each.split(STEP)]


def can_be_shown(name, strings):
    """Whether a string is this name, or becomes it when its places are filled."""
    if name in strings:
        return True
    templates = (text for text in strings if "{" in text and re.search(r"\w", re.sub(r"\{\d\}", "", text)))
    return any(re.fullmatch(re.sub(r"\\\{\d\\\}", ".+", re.escape(template)), name) for template in templates)


def shape(path):
    """Levels of headings, each with the pictures, tables' rows, code and list items below it."""
    sections = re.split(r"^(#+) .+$", path.read_text(encoding="utf-8"), flags=re.MULTILINE)
    patterns = (r"^!\[", r"^\|", r"^    \S", r"^- ", r"^\d\. ")
    bodies = sections[2::2]
    counts = [tuple(len(re.findall(each, body, re.MULTILINE)) for each in patterns) for body in bodies]
    return list(zip(sections[1::2], counts, strict=True))


def test_that_the_chinese_guide_has_the_headings_pictures_lists_and_keys_of_the_english_one():
    assert shape(CHINESE) == shape(ENGLISH)


def test_that_both_guides_name_the_same_commands_keys_and_pages():
    for what in (r"Ctrl\+[A-Z0-9]\b|\bF\d+\b", r"\]\(((?!window)[\w-]+\.md)\)", r"`[\w-]+(?: [\w-]+)*`"):
        english, chinese = (
            set(re.findall(what, path.read_text(encoding="utf-8"))) for path in (ENGLISH, CHINESE)
        )
        assert chinese == english


def test_that_every_name_in_bold_is_one_that_the_chinese_window_has():
    strings = spoken_strings()
    names = names_of(CHINESE.read_text(encoding="utf-8"))
    assert len(names) > 80
    assert [name for name in names if not can_be_shown(name, strings)] == []


def test_that_every_slanted_name_of_the_english_guide_is_one_that_the_window_has():
    strings = spoken_strings("source")
    names = names_of(ENGLISH.read_text(encoding="utf-8"), r"\*")
    assert len(names) > 60
    assert [name for name in names if not can_be_shown(name, strings)] == []


@pytest.mark.parametrize("invented", ["打开一切", "采用", f"视图{STEP}打开一切", "采用 max_model_len"])
def test_that_a_name_that_the_window_has_not_would_be_found(invented):
    strings = spoken_strings()
    assert not all(can_be_shown(name, strings) for name in names_of(f"**{invented}**"))


def test_that_each_guide_and_the_readme_lead_to_the_other_language():
    assert "(window.zh_CN.md)" in ENGLISH.read_text(encoding="utf-8")
    assert "(window.md)" in CHINESE.read_text(encoding="utf-8")
    assert "(docs/tutorial.zh_CN.md)" in (ROOT / "README.md").read_text(encoding="utf-8")


def test_that_a_page_without_a_translation_is_the_english_one(tmp_path):
    (tmp_path / "a.zh_CN.md").write_text("")
    assert in_language(tmp_path, "a.md", "zh_CN") == "a.zh_CN.md"
    assert in_language(tmp_path, "a.md", "en") == "a.md"
    assert in_language(tmp_path, "b.md", "zh_CN") == "b.md"


@pytest.fixture
def chinese():
    set_language(QApplication.instance(), "zh_CN")
    yield
    set_language(QApplication.instance(), "en")


@pytest.fixture
def reader(qtbot, theme, chinese):
    reader = ManualReader(None, manual_folder(), theme)
    qtbot.addWidget(reader)
    reader.show()
    reader.open_page("reference/window.md")
    return reader


def test_that_nothing_of_the_markup_is_left_to_be_read(reader):
    shown = reader.view.toPlainText()
    assert shown.startswith("窗口")
    assert "**" not in shown
    assert "](" not in shown


def test_that_the_list_says_which_pages_are_in_english(reader, settle):
    titles = [reader.list.item(row).text() for row in range(len(PAGES))]
    english = [title.endswith(ENGLISH_PAGE) for title in titles]
    translated = [(manual_folder() / page.file).with_suffix(".zh_CN.md").is_file() for page in PAGES]
    assert english == [not each for each in translated]
    assert sum(translated) > 10
    assert PAGES[reader.list.currentRow()].file == "reference/window.md"
    settle(reader)
    assert reader.list.horizontalScrollBar().maximum() == 0, "no title is cut off"


def test_that_its_links_lead_to_pages_back_to_it_and_to_the_english_one(reader, qtbot):
    reader.follow(QUrl("servers.md"))
    assert reader.view.toPlainText().startswith("Servers")
    reader.follow(QUrl("window.md"))
    assert reader.view.toPlainText().startswith("窗口")
    reader.follow(QUrl("window.md"))
    assert reader.view.toPlainText().startswith("The window")
    assert PAGES[reader.list.currentRow()].file == "reference/window.md"
    reader.follow(QUrl("window.zh_CN.md"))
    qtbot.mouseClick(reader.back, Qt.MouseButton.LeftButton)
    assert reader.view.toPlainText().startswith("The window")


def test_that_the_help_menu_of_a_chinese_window_opens_it(chinese, window, qtbot):
    window.activateWindow()
    qtbot.keyClick(window, Qt.Key.Key_F1)
    assert window.help_commands.reader.view.toPlainText().startswith("窗口")


def test_that_no_line_is_broken_within_a_sentence():
    """A line's end is shown as a space, which Chinese has not between words."""
    text = CHINESE.read_text(encoding="utf-8")
    assert re.findall(r"[\u2e80-\uffef*`]\n(?!- |\d\. |    |[#|!\n])\s*\S", text) == []
