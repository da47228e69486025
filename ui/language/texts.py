"""The text of what the core reports, in the language of the window; files keep their English."""

from collections.abc import Iterable
from typing import TypeAlias

from PySide6.QtCore import QT_TRANSLATE_NOOP, QCoreApplication

from ui.language.translation import current_language
from workbench.base import Message, Refusal, WorkbenchError, WorkFailure, render

Sayable: TypeAlias = str | Message | WorkbenchError
"""Input of `said`; a `str` is a word of the core, a stored text, or another program's."""

WORDS = (
    QT_TRANSLATE_NOOP("core", "busy"),
    QT_TRANSLATE_NOOP("core", "clock"),
    QT_TRANSLATE_NOOP("core", "comparing answers"),
    QT_TRANSLATE_NOOP("core", "computing"),
    QT_TRANSLATE_NOOP("core", "connected"),
    QT_TRANSLATE_NOOP("core", "connecting"),
    QT_TRANSLATE_NOOP("core", "degraded"),
    QT_TRANSLATE_NOOP("core", "disconnected"),
    QT_TRANSLATE_NOOP("core", "disconnecting"),
    QT_TRANSLATE_NOOP("core", "disk"),
    QT_TRANSLATE_NOOP("core", "done"),
    QT_TRANSLATE_NOOP("core", "draining"),
    QT_TRANSLATE_NOOP("core", "failed"),
    QT_TRANSLATE_NOOP("core", "high"),
    QT_TRANSLATE_NOOP("core", "idle"),
    QT_TRANSLATE_NOOP("core", "keyring"),
    QT_TRANSLATE_NOOP("core", "left-overs"),
    QT_TRANSLATE_NOOP("core", "low"),
    QT_TRANSLATE_NOOP("core", "medium"),
    QT_TRANSLATE_NOOP("core", "partial"),
    QT_TRANSLATE_NOOP("core", "ports"),
    QT_TRANSLATE_NOOP("core", "ready"),
    QT_TRANSLATE_NOOP("core", "skipped"),
    QT_TRANSLATE_NOOP("core", "starting"),
    QT_TRANSLATE_NOOP("core", "starting server"),
    QT_TRANSLATE_NOOP("core", "stopped"),
    QT_TRANSLATE_NOOP("core", "stopping"),
    QT_TRANSLATE_NOOP("core", "warming up"),
)
"""States, phases and areas: single words of the core that the window shows as they come."""


def said(what: Sayable) -> str:
    """Return the text of a message or an error in the language of the window; keep other texts."""
    if isinstance(what, Refusal | WorkFailure):
        return what.text(current_language())
    if isinstance(what, Message):
        return render(what, current_language())
    text = str(what)
    return QCoreApplication.translate("core", text) if text in WORDS else text


def said_all(texts: Iterable[Sayable]) -> list[str]:
    """Return the text of each."""
    return [said(text) for text in texts]
