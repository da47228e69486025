"""Foreign text made safe for a terminal, which would obey control characters."""

import unicodedata

_TURNS = {"LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI"}
"""Unicode's marks that change the direction of the text behind them."""


def is_terminal_control(mark: str) -> bool:
    """Return whether a terminal would obey the character, or change the text's direction by it."""
    kind = unicodedata.category(mark)
    return kind in {"Cc", "Cs", "Zl", "Zp"} or unicodedata.bidirectional(mark) in _TURNS


def shown(text: str, most: int | None = 200) -> str:
    """Return the text as one line: control characters escaped, cut to `most` characters (None: whole)."""
    line = "".join(repr(mark)[1:-1] if is_terminal_control(mark) else mark for mark in text[:most])
    return line + "…" if most is not None and len(text) > most else line


def shown_lines(text: str) -> str:
    """Return text of several lines with control characters escaped in each, uncut."""
    if text.isascii() and text.isprintable():
        return text
    return "\n".join(shown(line, None) for line in text.split("\n"))
