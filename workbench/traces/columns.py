"""A trace as columns: a million rows need a few tens of megabytes and hash in a fraction of a second."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from workbench.traces.canonical_rows import TraceHeader

Ints: TypeAlias = NDArray[np.int64]
Floats: TypeAlias = NDArray[np.float64]
Bools: TypeAlias = NDArray[np.bool_]
Ids: TypeAlias = NDArray[np.uint64] | NDArray[np.int64] | NDArray[np.object_]
"""64-bit block ids, never floats.

uint64; int64 if the source has negative ids; Python integers as objects if it has negative ids and ids from
2^63 on.
"""

NO_IDS: Ids = np.zeros(0, np.uint64)


def frozen(array: NDArray[Any]) -> NDArray[Any]:
    """Return the same array, read-only, so that a trace can be shared without copies."""
    array.flags.writeable = False
    return array


def select_ragged(offsets: Ints, flat: NDArray[Any], index: Ints) -> tuple[Ints, NDArray[Any]]:
    """Select rows `index` of a ragged column (row i is `flat[offsets[i]:offsets[i + 1]]`)."""
    lengths = np.diff(offsets)[index]
    new_offsets = np.concatenate([np.zeros(1, np.int64), np.cumsum(lengths)])
    within = np.arange(new_offsets[-1]) - np.repeat(new_offsets[:-1], lengths)
    return new_offsets, flat[np.repeat(offsets[index], lengths) + within]


def ids_array(values: list[int]) -> Ids:
    """Return block ids as exact 64-bit integers.

    Raises:
        OverflowError: an id needs more than 64 bits, or two ids have the same 64 bits, as -1 and 2^64 - 1
            have.
    """
    bits = np.array([block % 2**64 if block < 0 else block for block in values], np.uint64)
    if values and min(values) < -(2**63):
        raise OverflowError("an id needs more than 64 bits")
    return restore_signs(bits, np.array([at for at, block in enumerate(values) if block < 0], np.int64))


def restore_signs(bits: NDArray[np.uint64], negative: Ints) -> Ids:
    """Return the ids of these bits; those at the places `negative` are negative.

    Raises:
        OverflowError: a negative id has the same bits as another one.
    """
    if not len(negative):
        return bits
    others = np.delete(bits, negative)
    if not np.any(others >= 2**63):
        return bits.view(np.int64)
    if np.isin(bits[negative], others).any():
        raise OverflowError("two ids are the same 64 bits")
    ids = bits.astype(np.object_)
    ids[negative] -= 2**64
    return ids


def bits_of(ids: Ids) -> NDArray[np.uint64]:
    """Return the 64 bits of each id, from which prompts and identities follow."""
    if ids.dtype == np.object_:
        return np.array([block % 2**64 for block in ids.tolist()], np.uint64)
    return ids.view(np.uint64)


@dataclass(frozen=True, eq=False, slots=True)
class Labels:
    """One optional name a row: `names[codes[i]]`, or None if the code is -1.

    Names are in the order of their first appearance, so equal columns have equal forms.
    """

    codes: NDArray[np.int32]
    names: tuple[str, ...]

    @classmethod
    def of(cls, values: Iterable[str | None]) -> "Labels":
        """Make labels from one name a row."""
        numbers: dict[str, int] = {}
        codes = [-1 if value is None else numbers.setdefault(value, len(numbers)) for value in values]
        return cls(np.array(codes, np.int32), tuple(numbers))

    @classmethod
    def all(cls, name: str, count: int) -> "Labels":
        """Make `count` rows of one name."""
        return cls(np.zeros(count, np.int32), (name,) if count else ())

    @classmethod
    def none(cls, count: int) -> "Labels":
        """Make `count` rows without a name."""
        return cls(np.full(count, -1, np.int32), ())

    @classmethod
    def from_codes(cls, codes: NDArray[Any], names: tuple[str, ...]) -> "Labels":
        """Make labels from any numbering (-1: none); unused names are left out."""
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

    def select(self, index: Ints) -> "Labels":
        """Return the labels of rows `index`."""
        return Labels.from_codes(self.codes[index], self.names)

    def values(self) -> list[str | None]:
        """Return the names of all rows."""
        names = (*self.names, None)
        return [names[code] for code in self.codes.tolist()]


@dataclass(frozen=True, eq=False, kw_only=True, slots=True)
class TraceColumns:
    """The columns of a trace; all arrays have one entry a row.

    An optional column is None if no row has a value. Within a column, unknown is -1 (integers) or NaN.
    """

    header: TraceHeader
    timestamp_ms: Floats
    input_length: Ints
    output_length: Ints
    classes: Labels
    hash_offsets: Ints | None = None
    """Row i's block ids are `hash_flat[hash_offsets[i]:hash_offsets[i + 1]]`; n + 1 entries."""
    hash_flat: Ids = field(default_factory=lambda: NO_IDS)
    sessions: Labels | None = None
    turn: Ints | None = None
    delay_ms: Floats | None = None
    cancel_after_tokens: Ints | None = None
    cancel_after_ms: Floats | None = None
    priority: Ints | None = None

    def __post_init__(self) -> None:
        for name in ("timestamp_ms", "input_length", "output_length", "hash_flat"):
            frozen(getattr(self, name))

    def __len__(self) -> int:
        return len(self.timestamp_ms)

    def hash_ids(self, row: int) -> Ids:
        """Return a row's block ids; empty for a unique prompt."""
        if self.hash_offsets is None:
            return self.hash_flat[:0]
        return self.hash_flat[self.hash_offsets[row] : self.hash_offsets[row + 1]]
