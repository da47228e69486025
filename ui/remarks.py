"""Remarks and errors of the core as sentences in the language of the window."""

from ui.number_text import sentence
from ui.texts import Sayable, said


def remark(what: Sayable) -> str:
    """Return a remark, an error or a stored text as one sentence."""
    return said(sentence(what)) if isinstance(what, str) else sentence(said(what))
