"""Remarks of the core in the language of the window: messages by their kind, older ones by their text."""

from ui.core_words import said
from ui.number_text import sentence
from ui.translation import spoken
from workbench.base import Message, render


def remark(text: str | Message) -> str:
    """Return one remark as a sentence."""
    if not isinstance(text, Message):
        return said(sentence(text))
    language = spoken()
    rendered = render(text, language)
    return sentence(rendered) if language == "en" else f"{rendered}。"
