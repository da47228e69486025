"""The array types of a columnar trace, and ragged columns."""

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

Ints: TypeAlias = NDArray[np.int64]
Floats: TypeAlias = NDArray[np.float64]
Bools: TypeAlias = NDArray[np.bool_]
Ids: TypeAlias = NDArray[np.uint64] | NDArray[np.int64]
"""64-bit block ids: uint64, or int64 where the source has negative ones. Never floats."""

NO_IDS: Ids = np.zeros(0, np.uint64)


def frozen(array: NDArray[Any]) -> NDArray[Any]:
    """The same array, no longer writeable, so that a trace can be shared without copies."""
    array.flags.writeable = False
    return array


def take_ragged(offsets: Ints, flat: NDArray[Any], index: Ints) -> tuple[Ints, NDArray[Any]]:
    """Rows `index` of a ragged column (row i is `flat[offsets[i]:offsets[i + 1]]`)."""
    lengths = np.diff(offsets)[index]
    new_offsets = np.concatenate([np.zeros(1, np.int64), np.cumsum(lengths)])
    within = np.arange(new_offsets[-1]) - np.repeat(new_offsets[:-1], lengths)
    return new_offsets, flat[np.repeat(offsets[index], lengths) + within]


def ids_array(values: list[int]) -> Ids:
    """Block ids as 64-bit integers, exact.

    Raises:
        OverflowError: an id lies outside 64 bits, or the ids span more than 64 bits together.
    """
    if values and min(values) < 0:
        return np.array(values, np.int64)
    return np.array(values, np.uint64)
