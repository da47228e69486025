"""A column of names with few distinct values, held as codes."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from workbench.traces.arrays import Ints


@dataclass(frozen=True, eq=False, slots=True)
class Labels:
    """One optional name a row: `names[codes[i]]`, or None where the code is -1.

    Names stand in the order of their first appearance, so that equal columns have equal forms.
    """

    codes: NDArray[np.int32]
    names: tuple[str, ...]

    @classmethod
    def of(cls, values: Iterable[str | None]) -> "Labels":
        """The labels of these values, one a row."""
        numbers: dict[str, int] = {}
        codes = [-1 if value is None else numbers.setdefault(value, len(numbers)) for value in values]
        return cls(np.array(codes, np.int32), tuple(numbers))

    @classmethod
    def all(cls, name: str, count: int) -> "Labels":
        """`count` rows of one name."""
        return cls(np.zeros(count, np.int32), (name,) if count else ())

    @classmethod
    def none(cls, count: int) -> "Labels":
        """`count` rows without a name."""
        return cls(np.full(count, -1, np.int32), ())

    @classmethod
    def from_codes(cls, codes: NDArray[Any], names: tuple[str, ...]) -> "Labels":
        """Labels from any numbering (-1: none); unused names fall away."""
        used, first, inverse = np.unique(codes, return_index=True, return_inverse=True)
        named = used >= 0
        order = np.argsort(first[named], kind="stable")
        renumber = np.full(len(used), -1, np.int32)
        renumber[np.flatnonzero(named)[order]] = np.arange(len(order), dtype=np.int32)
        return cls(renumber[inverse], tuple(names[code] for code in used[named][order]))

    def __len__(self) -> int:
        return len(self.codes)

    def __getitem__(self, row: int) -> str | None:
        code = int(self.codes[row])
        return None if code < 0 else self.names[code]

    def take(self, index: Ints) -> "Labels":
        """The labels of rows `index`."""
        return Labels.from_codes(self.codes[index], self.names)

    def values(self) -> list[str | None]:
        """All rows' names."""
        names = (*self.names, None)
        return [names[code] for code in self.codes.tolist()]
