"""Named random streams: one seed gives independent draws to everything that is random in a workload."""

import numpy as np

from workbench.base import InputError


def stream(seed: int, name: str) -> np.random.Generator:
    """The generator of a purpose: PCG64 seeded by `SeedSequence([seed, name])`.

    `name` counts as the big-endian number of its ASCII bytes, so that purposes never share draws.

    Raises:
        InputError: a seed below 0.
    """
    if seed < 0:
        raise InputError(f"seed {seed}: a whole number from 0")
    number = int.from_bytes(name.encode("ascii"), "big")
    return np.random.Generator(np.random.PCG64(np.random.SeedSequence([seed, number])))
