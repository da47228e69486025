"""Simplified Chinese: every string of the window has its translation, fits its figures, and has glyphs."""

import importlib
import re
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QLocale
from PySide6.QtGui import QFontMetrics
from PySide6.QtWidgets import QApplication

from ui.experiment.baseline_model import explained
from ui.files.settings import SettingsFile
from ui.language import translation
from ui.window.main_window import MainWindow
from ui.window.preferences import PreferencesDialog
from workbench.controls import CONTROLS

ROOT = Path(__file__).parents[3]


@pytest.fixture(scope="module")
def tool():
    # Scripts, not a package: they find each other in their own folder.
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(ROOT / "packaging"))
        return importlib.import_module("translations")


@pytest.fixture(scope="module")
def translations(tool):
    return tool.read_ts()


@pytest.fixture
def chinese(qapp):
    """The application in Chinese, and in English again afterwards."""
    assert translation.set_language(qapp, "zh_CN") == "zh_CN"
    yield qapp
    translation.set_language(qapp, "en")


def test_that_every_string_of_the_window_has_its_translation(tool, translations):
    strings = tool.all_strings()
    missing = [
        (context, source)
        for context, sources in strings.items()
        for source in sources
        if not translations.get((context, source))
    ]
    assert missing == [], "run packaging/translations.py and translate these"


def test_that_no_translation_is_left_over(tool, translations):
    strings = tool.all_strings()
    left = [key for key in translations if key[1] not in strings.get(key[0], [])]
    assert left == []


def test_that_figures_stand_in_every_translation_as_in_its_source(translations):
    wrong = [
        (source, text)
        for (_, source), text in translations.items()
        if text and sorted(re.findall(r"\{\w*\}", text)) != sorted(re.findall(r"\{\w*\}", source))
    ]
    assert wrong == []


def test_that_marks_of_dialogs_and_mnemonics_are_kept(translations):
    wrong = [
        (source, text)
        for (_, source), text in translations.items()
        if text and (source.endswith("…") != text.endswith("…") or ("&" in source) != ("&" in text))
    ]
    assert wrong == []


NO_PROSE = r"\(&\w\)|\(\*[^)]*\)|\[[^\]]*\]|:(?:overlay|same-prefixes)|;;"
"""Mnemonics, patterns of files, and what is typed as it stands."""


def test_that_chinese_sentences_have_chinese_punctuation(translations):
    beside = re.compile(r"[\u3400-\u9fff][(:;,?!]|[):;,?!][\u3400-\u9fff]")
    assert [text for text in translations.values() if beside.search(re.sub(NO_PROSE, "", text))] == []


def test_that_the_compiled_file_is_that_of_the_translations(tool, tmp_path):
    made = tool.compile_qm(target=tmp_path / "made.qm")
    assert made.read_bytes() == tool.TS.with_suffix(".qm").read_bytes()


@pytest.mark.parametrize(
    ("wish", "system", "language"),
    [
        ("en", ["zh-Hans-CN"], "en"),
        ("zh_CN", ["en-US"], "zh_CN"),
        ("system", ["zh-Hans-CN", "en"], "zh_CN"),
        ("system", ["zh-CN"], "zh_CN"),
        ("system", ["zh-Hant-TW", "en"], "en"),
        ("system", ["de-DE", "zh-CN"], "zh_CN"),
        ("system", ["C"], "en"),
        ("rubbish", ["zh-CN"], "en"),
    ],
)
def test_that_the_language_is_the_wish_or_the_systems(wish, system, language, monkeypatch):
    class System:
        def uiLanguages(self):  # noqa: N802 - Qt's name
            return system

    monkeypatch.setattr(QLocale, "system", System)
    assert translation.chosen_language(wish) == language


def test_that_a_window_made_in_chinese_speaks_it(chinese, make_window):
    window: MainWindow = make_window()
    assert window.docks["scorecard"].windowTitle() == "记分卡"
    assert window.actions_["run.start"].text().startswith("运行")
    assert "限制" in explained(CONTROLS["max_num_seqs"])


def test_that_files_stay_in_the_c_locale_whatever_is_spoken(chinese, make_window):
    QLocale.setDefault(QLocale("de_DE"))
    try:
        window: MainWindow = make_window()
        window.editor.edit("rate", rates=(1.5,))
        text = window.editor.text()
    finally:
        QLocale.setDefault(QLocale.c())
    assert "rates = [1.5]" in text
    assert text.isascii()


def test_that_the_language_is_switched_in_the_preferences(window, qtbot, tmp_path):
    dialog = PreferencesDialog(window, SettingsFile(tmp_path / "settings.json"), window.theme)
    qtbot.addWidget(dialog)
    field: Any = dialog.fields["language"]
    assert [field.itemText(at) for at in range(3)] == ["as the system", "English", "简体中文"]
    field.chosen.emit("zh_CN")
    assert SettingsFile(tmp_path / "settings.json").value.language == "zh_CN"


def test_that_every_character_of_the_translations_has_a_glyph(qapp, translations):
    font = QApplication.font()
    metrics = QFontMetrics(font)
    characters = {letter for text in translations.values() for letter in text if ord(letter) > 0x2E80}
    if not metrics.inFontUcs4(ord("记")):
        font.setFamilies([font.family(), "WenQuanYi Micro Hei", "Noto Sans CJK SC"])
        metrics = QFontMetrics(font)
    if not any(metrics.inFontUcs4(ord(letter)) for letter in characters):
        cjk = next((name for name in ("WenQuanYi Micro Hei", "Noto Sans CJK SC") if has(name)), None)
        if cjk is None:
            pytest.skip("no font with Chinese glyphs here")
        font.setFamily(cjk)
        metrics = QFontMetrics(font)
    assert [letter for letter in sorted(characters) if not metrics.inFontUcs4(ord(letter))] == []


def has(family):
    from PySide6.QtGui import QFontDatabase

    return family in QFontDatabase.families()


@pytest.mark.slow
def test_that_a_teaching_demo_is_told_in_chinese(chinese):
    from ui.demos.player import filmed

    told = filmed("seats").told
    for text in (told.title, told.question, *told.narration, *(said for _name, said in told.variants)):
        assert any(ord(letter) > 0x2E80 for letter in text), text
