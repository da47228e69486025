"""Numbers in tables: which mark is the decimal one and which only groups digits.

`1.512` is 1512 in a German table and 1.512 in an American one. The column decides if it can, then the rest of
the table, then the delimiter. If all of them leave it open, the table is refused.
"""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

_PLAIN = re.compile(r"[+-]?\d+(?:[eE][+-]?\d+)?", re.ASCII)
_SPACES = re.compile(r"(?<=\d)[ \u00a0\u2009\u202f'’](?=\d{3}(?:\D|$))")
"""Marks that only group digits: any space, the Swiss apostrophe."""
_EXPONENT = r"(?:[eE][+-]?\d+)?"
_GROUPED = {mark: re.compile(rf"[+-]?\d{{1,3}}(?:\{mark}\d{{3}})+", re.ASCII) for mark in ",."}
_INDIAN = re.compile(r"[+-]?\d{1,2}(?:,\d\d)+,\d{3}(?:\.\d+)?", re.ASCII)
_DECIMAL = {mark: re.compile(rf"[+-]?\d*\{mark}\d*{_EXPONENT}", re.ASCII) for mark in ",."}
_BOTH = {
    ".": re.compile(rf"[+-]?\d{{1,3}}(?:,\d{{3}})+\.\d*{_EXPONENT}", re.ASCII),
    ",": re.compile(rf"[+-]?\d{{1,3}}(?:\.\d{{3}})+,\d*{_EXPONENT}", re.ASCII),
}
_CLOCK = re.compile(r":\d\d([.,])\d+", re.ASCII)
_OTHER = {",": ".", ".": ","}
_NAN = float("nan")


@dataclass
class Marks:
    """Counts of unambiguous decimal marks in a table's cells."""

    decimal: Counter[str] = field(default_factory=Counter)
    clock: Counter[str] = field(default_factory=Counter)

    def add(self, cells: Iterable[str]) -> None:
        """Count the marks of these cells."""
        for cell in cells:
            text = cell.strip()
            mark = decimal_mark(text)
            if mark is not None:
                self.decimal[mark] += 1
            elif ":" in text and (found := _CLOCK.search(text)):
                self.clock[found[1]] += 1

    def stated(self) -> str | None:
        """Return the decimal mark of the table's numbers; None if they show none or two."""
        return next(iter(self.decimal)) if len(self.decimal) == 1 else None

    def likely(self) -> str | None:
        """Return the decimal mark of the table's numbers, else of its times of day; None if unknown."""
        if self.decimal:
            return self.stated()
        return next(iter(self.clock)) if len(self.clock) == 1 else None


def decimal_mark(text: str) -> str | None:
    """Return the decimal mark of one number; None if it has none for certain."""
    if "," not in text and "." not in text:
        return None
    text = _SPACES.sub("", text)
    if _INDIAN.fullmatch(text):
        return "."
    for mark, other in _OTHER.items():
        if _BOTH[mark].fullmatch(text):
            return mark
        if _DECIMAL[mark].fullmatch(text) and any(sign.isdigit() for sign in text):
            return None if _may_group(text, mark) else mark
        if _GROUPED[other].fullmatch(text) and text.count(other) > 1:
            return mark
    return None


def _may_group(text: str, mark: str) -> bool:
    """Check whether a mark may group: three digits after it, one to three and no leading 0 before it."""
    digits = text.lstrip("+-").partition(mark)[0]
    return bool(_GROUPED[mark].fullmatch(text)) and not digits.startswith("0")


class AmbiguousMarkError(Exception):
    """Numbers of a column can be read in two ways, and the table doesn't show which."""

    def __init__(self, mark: str) -> None:
        super().__init__(mark)
        self.mark = mark


class NumberColumn:
    """Reads a column of numbers, piece by piece; the first piece with a mark decides for all.

    Args:
        marks: the marks at the table's beginning.
        delimiter: the table's delimiter.
        whole: the numbers are counts.
    """

    def __init__(self, marks: Marks, delimiter: str, *, whole: bool) -> None:
        self._marks = marks
        self._delimiter = delimiter
        self._whole = whole
        self._mark: str | None = None

    @property
    def mark(self) -> str | None:
        """Return the decimal mark, once a cell had one or grouped its digits."""
        return self._mark

    def read(self, cells: Sequence[str]) -> list[int] | list[float]:
        """Read cells, whole numbers of any size exactly; NaN for cells without a number.

        Raises:
            AmbiguousMarkError: the numbers can be read in two ways.
        """
        joined = "".join(cells)
        if joined.isascii() and joined.isdigit():
            try:
                return list(map(int, cells))
            except ValueError:  # an empty cell
                pass
        if self._mark is None and ("," in joined or "." in joined):
            self._mark = self._decide_mark(cells)
        if self._mark == "." and joined.isascii() and joined.replace(".", "").isdigit():
            try:
                return list(map(float, cells))
            except ValueError:
                pass
        return [_number(cell, self._mark or ".") for cell in cells]

    def _decide_mark(self, cells: Sequence[str]) -> str:
        """Decide on the decimal mark."""
        stripped = [text for cell in cells if (text := cell.strip())]
        own = Counter(mark for text in stripped if (mark := decimal_mark(text)) is not None)
        if own:
            return own.most_common(1)[0][0]
        undecided = [_SPACES.sub("", text) for text in stripped if _is_open(text)]
        if not undecided:
            return "."
        mark = "," if "," in undecided[0] else "."
        if self._whole:
            return self._for_counts(undecided, mark)
        table = self._marks.likely()
        if table is not None:
            return table
        if self._delimiter == ",":
            return "."
        if self._delimiter == ";" and mark == ",":
            return ","
        raise AmbiguousMarkError(mark)

    def _for_counts(self, cells: Sequence[str], mark: str) -> str:
        """Decide for counts, which are whole: a mark before digits other than zeros groups."""
        if self._delimiter == ",":
            return "."
        stated = self._marks.stated()
        if stated is not None:
            return stated
        if not all(cell.endswith(f"{mark}000") for cell in cells):
            return _OTHER[mark]
        likely = self._marks.likely()
        if likely is not None:
            return likely
        raise AmbiguousMarkError(mark)


def _is_open(text: str) -> bool:
    """Check whether a number with one mark can be read in two ways."""
    text = _SPACES.sub("", text)
    return any(text.count(mark) == 1 and _GROUPED[mark].fullmatch(text) for mark in _OTHER)


def _number(cell: str, mark: str) -> float:
    """Read a number by its decimal mark; the other mark may only group."""
    text = _SPACES.sub("", cell.strip())
    if text.isascii() and text.isdigit():
        return int(text)
    other = _OTHER[mark]
    if other in text:
        grouped = _GROUPED[other].fullmatch(text) or _BOTH[mark].fullmatch(text)
        if not grouped and not (other == "," and _INDIAN.fullmatch(text)):
            return _NAN
        text = text.replace(other, "")
    if mark in text:
        good = _DECIMAL[mark].fullmatch(text) is not None and any(sign.isdigit() for sign in text)
    else:
        good = _PLAIN.fullmatch(text) is not None
    return float(text.replace(mark, ".")) if good else _NAN
