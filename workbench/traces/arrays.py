"""The array types of a columnar trace, and ragged columns."""

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

Ints: TypeAlias = NDArray[np.int64]
Floats: TypeAlias = NDArray[np.float64]
Bools: TypeAlias = NDArray[np.bool_]
Ids: TypeAlias = NDArray[np.uint64] | NDArray[np.int64] | NDArray[np.object_]
"""64-bit block ids: uint64, int64 where the source has negative ones, whole numbers as objects where it has
negative ones and some from 2^63 on. Never floats."""

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
        OverflowError: an id lies outside 64 bits, or two are the same 64 bits, as -1 and 2^64 - 1 are.
    """
    bits = np.array([block % 2**64 if block < 0 else block for block in values], np.uint64)
    if values and min(values) < -(2**63):
        raise OverflowError("an id needs more than 64 bits")
    return signed_again(bits, np.array([at for at, block in enumerate(values) if block < 0], np.int64))


def signed_again(bits: NDArray[np.uint64], negative: Ints) -> Ids:
    """The ids of these bits; those at `negative` are negative ones.

    Raises:
        OverflowError: a negative one is the same bits as another that isn't.
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
    """The 64 bits of each id, which prompts and identities follow from."""
    if ids.dtype == np.object_:
        return np.array([block % 2**64 for block in ids.tolist()], np.uint64)
    return ids.view(np.uint64)
