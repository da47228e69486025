"""Words from files before people's eyes: a terminal shows them and never obeys them."""

import unicodedata

_TURNS = {"LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI"}
"""Unicode's marks that turn the order of what follows them."""


def is_terminal_control(mark: str) -> bool:
    """Whether a terminal would obey the character instead of showing it, or turn the text around."""
    kind = unicodedata.category(mark)
    return kind in {"Cc", "Cs", "Zl", "Zp"} or unicodedata.bidirectional(mark) in _TURNS


def shown(text: str, most: int | None = 200) -> str:
    """The text as one line: control characters escaped, and no longer than `most` (None: whole)."""
    line = "".join(repr(mark)[1:-1] if is_terminal_control(mark) else mark for mark in text[:most])
    return line + "…" if most is not None and len(text) > most else line


def shown_lines(text: str) -> str:
    """As `shown`, whole, of text that has several lines on purpose."""
    if text.isascii() and text.isprintable():
        return text
    return "\n".join(shown(line, None) for line in text.split("\n"))
