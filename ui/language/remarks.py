"""Remarks and errors of the core as sentences in the language of the window."""

from ui.language.number_text import sentence
from ui.language.texts import Sayable, said


def remark(what: Sayable) -> str:
    """Return a remark, an error or a stored text as one sentence."""
    return said(sentence(what)) if isinstance(what, str) else sentence(said(what))
