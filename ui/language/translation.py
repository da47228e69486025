"""The user's language: translators for our texts and Qt's, installed before the first window is made.

Texts of controls and settings are translated here, messages of the core in `ui.language.texts`.
"""

from functools import cache

from PySide6.QtCore import QCoreApplication, QLibraryInfo, QLocale, QTranslator
from PySide6.QtWidgets import QApplication

from workbench.base import resource
from workbench.controls import CONTROLS

LANGUAGES = ("en", "zh_CN")
"""Languages of the window; source texts are English."""

_spoken = "en"

_held: list[QTranslator] = []
"""Installed translators: Qt keeps no reference."""


def chosen_language(wish: str) -> str:
    """Return the language for a setting; `system` means the system's if the window has it, else English."""
    if wish != "system":
        return wish if wish in LANGUAGES else "en"
    # zh_TW and zh_HK are read in Traditional script.
    for name in QLocale.system().uiLanguages():
        parts = name.replace("_", "-").split("-")
        if parts[0] == "zh" and not {"Hant", "TW", "HK", "MO"} & set(parts):
            return "zh_CN"
        if parts[0] == "en":
            return "en"
    return "en"


def current_language() -> str:
    """Return the language of windows that are made now."""
    return _spoken


def set_language(application: QApplication, wish: str) -> str:
    """Install the translators for a setting and return the language of windows made from now on."""
    global _spoken  # noqa: PLW0603 - as the application's translators are
    while _held:
        application.removeTranslator(_held.pop())
    language = _spoken = chosen_language(wish)
    if language == "en":
        return language
    folders = (QLibraryInfo.path(QLibraryInfo.LibraryPath.TranslationsPath), str(resource("translations")))
    for stem, folder in zip(("qtbase", "workbench"), folders, strict=True):
        translator = QTranslator(application)
        if translator.load(f"{stem}_{language}", folder):
            application.installTranslator(translator)
            _held.append(translator)
    return language


def translate_control(text: str) -> str:
    """Return a control's title, limits or figures to watch in the user's language."""
    return _controls_words(_spoken).get(text, text)


@cache
def _controls_words(language: str) -> dict[str, str]:
    """Return each English text of a control with the same text in `language`."""
    pairs = ((control.words(), control.words(language)) for control in CONTROLS.values())
    return {
        getattr(english, field): getattr(words, field)
        for english, words in pairs
        for field in english.__struct_fields__
    }


def translate_setting(text: str) -> str:
    """Return a setting's title, description or choice in the user's language."""
    return QCoreApplication.translate("settings", text) if text else ""


def translate_demo(text: str) -> str:
    """Return a text of a teaching demo in the user's language."""
    return QCoreApplication.translate("demos", text) if text else ""
