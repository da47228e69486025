"""Token ids of a golden case, and block keys from token ids."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from workbench.engine.check.case import Case, CaseRequest

EOS = 1
"""What a request with `eos_at` samples there; no stream has it."""


def stream(seed: int, length: int) -> NDArray[np.uint32]:
    """Tokens 0…length-1 of a stream: a 32-bit mix of seed and position into ids from 2 to 2,047."""
    x = np.uint32(seed & 0xFFFFFFFF) ^ (np.arange(length, dtype=np.uint32) * np.uint32(0x9E3779B1))
    x ^= x >> np.uint32(16)
    x *= np.uint32(0x85EBCA6B)
    x ^= x >> np.uint32(13)
    x *= np.uint32(0xC2B2AE35)
    x ^= x >> np.uint32(16)
    return np.uint32(2) + x % np.uint32(2046)


class KeyMaker:
    """Chained keys of full blocks: equal exactly where all tokens up to the block's end are equal."""

    def __init__(self, block_size: int) -> None:
        self._block_size = block_size
        self._numbers: dict[tuple[int, tuple[int, ...]], int] = {}

    def keys(self, tokens: Sequence[int]) -> list[int]:
        """One key for each full block of `tokens`."""
        keys: list[int] = []
        size, previous = self._block_size, 0
        for start in range(0, len(tokens) - size + 1, size):
            content = (previous, tuple(tokens[start : start + size]))
            previous = self._numbers.setdefault(content, len(self._numbers) + 1)
            keys.append(previous)
        return keys


def prompt_of(request: CaseRequest) -> list[int]:
    """The prompt's token ids."""
    if request.prompt_ids is not None:
        return request.prompt_ids
    parts = [stream(seed, length) for seed, length in request.prompt or ()]
    return [int(token) for part in parts for token in part]


def tokens_of(case: Case, request: CaseRequest) -> tuple[int, list[int]]:
    """The prompt's length, and all tokens that the request will ever have, its output included."""
    prompt = prompt_of(request)
    count = min(request.output_len, case.config.max_model_len - len(prompt))
    outputs = [int(token) for token in stream(request.out_seed, count)]
    if request.eos_at is not None and request.eos_at < count:
        outputs[request.eos_at] = EOS
    return len(prompt), prompt + outputs
