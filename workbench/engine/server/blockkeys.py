"""Block hashes for the prefix cache (rule 1.5), chained over all tokens before."""

from array import array
from collections.abc import Sequence
from hashlib import sha256
from typing import overload

from workbench.engine.server.tokens import output_token


class BlockKeys(Sequence[bytes]):
    """Hashes of a request's full blocks, prompt and answer, each computed at its first use.

    Outputs are deterministic, so the answer is known beforehand, and its blocks can be hit later, such as
    by a chat's next turn.
    """

    def __init__(
        self,
        prompt: list[int],
        max_tokens: int,
        seed: int,
        vocab_size: int,
        block_size: int,
        salt: str | None,
    ) -> None:
        self._prompt = prompt
        self._seed = seed
        self._vocab_size = vocab_size
        self._block_size = block_size
        self._length = (len(prompt) + max_tokens) // block_size
        self._keys: list[bytes] = []
        self._last = sha256((salt or "").encode()).digest()

    def __len__(self) -> int:
        return self._length

    @overload
    def __getitem__(self, index: int) -> bytes: ...
    @overload
    def __getitem__(self, index: slice) -> list[bytes]: ...
    def __getitem__(self, index: int | slice) -> bytes | list[bytes]:
        if isinstance(index, slice):
            return [self[i] for i in range(*index.indices(self._length))]
        if not 0 <= index < self._length:
            raise IndexError(index)
        keys = self._keys
        while len(keys) <= index:
            self._last = sha256(self._last + array("q", self._tokens(len(keys))).tobytes()).digest()
            keys.append(self._last)
        return keys[index]

    def _tokens(self, block: int) -> list[int]:
        start, end = block * self._block_size, (block + 1) * self._block_size
        known = len(self._prompt)
        tokens = self._prompt[start:end]
        first = max(start, known) - known
        return tokens + [output_token(self._seed, k, self._vocab_size) for k in range(first, end - known)]
