"""SplitMix64, the mixing function behind prompt tokens and random streams.

`mix(x)` is the finalizer of SplitMix64 (Steele, Lea, Flood: "Fast Splittable Pseudorandom Number Generators",
2014; constants of the reference implementation), a bijection of 64-bit words. All arithmetic is modulo 2^64.
"""

from typing import Final

import numpy as np
from numpy.typing import NDArray

from workbench.base import Place, Refusal

GOLDEN: Final = 0x9E3779B97F4A7C15
"""2^64 / golden ratio, SplitMix64's step between two words of a stream."""
_FIRST: Final = 0xBF58476D1CE4E5B9
_SECOND: Final = 0x94D049BB133111EB
_MASK: Final = (1 << 64) - 1


def mix(word: int) -> int:
    """Mix a word; any Python integer is taken modulo 2^64."""
    word &= _MASK
    word = ((word ^ (word >> 30)) * _FIRST) & _MASK
    word = ((word ^ (word >> 27)) * _SECOND) & _MASK
    return word ^ (word >> 31)


def mix_array(words: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Mix every word in place and return the same array."""
    scratch = np.right_shift(words, np.uint64(30))
    words ^= scratch
    words *= np.uint64(_FIRST)
    np.right_shift(words, np.uint64(27), out=scratch)
    words ^= scratch
    words *= np.uint64(_SECOND)
    np.right_shift(words, np.uint64(31), out=scratch)
    words ^= scratch
    return words


def chain(*words: int) -> int:
    """Mix several words into one that depends on their order: `mix(mix(mix(a) + b) + c)`."""
    state = 0
    for word in words:
        state = mix(state + word + GOLDEN)
    return state


def stream(seed: int, name: str) -> np.random.Generator:
    """Return the generator of a purpose: PCG64 seeded by `SeedSequence([seed, name])`.

    `name` counts as the big-endian number of its ASCII bytes, so that purposes never share draws.

    Raises:
        Refusal: the seed is below 0.
    """
    if seed < 0:
        raise Refusal("base.too_small", Place(key="seed"), value=seed, minimum=0)
    number = int.from_bytes(name.encode("ascii"), "big")
    return np.random.Generator(np.random.PCG64(np.random.SeedSequence([seed, number])))
