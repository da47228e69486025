"""Prompt text as it passes through an import: counted, cut into salted blocks, and forgotten.

A block stands for itself and everything before it (a chain of keyed BLAKE2b digests), so two prompts share
leading ids exactly as far as they share leading text. Without the salt the ids say nothing about the text;
with a salt that the user keeps, two imports of one house's logs have ids in common.
"""

import hashlib
import importlib
import secrets
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from workbench.base import Place, Refusal
from workbench.traces.columns import Ids

CHARACTERS_PER_TOKEN = 4
"""The usual rule of thumb for English text and code with current tokenizers."""

BLOCK_TOKENS = 16
"""vLLM's own block size, so that prefix hits can be as fine as the server's."""

_BLOCK_CHARACTERS = BLOCK_TOKENS * CHARACTERS_PER_TOKEN

CountTokens = Callable[[str], int]


class ReadPrompt(NamedTuple):
    """What stays of a prompt that was read before."""

    blocks: tuple[int, ...]
    text: str | None = None
    """Its text, where the user asked to hold it."""


@dataclass(kw_only=True)
class PromptTexts:
    """Reads texts for one import. `salt` None: a random one that is kept nowhere."""

    salt: bytes | None = None
    count: CountTokens | None = None
    """A local tokenizer's count; None: characters / 4."""
    keep: bool = False
    """Hold the prompts in memory for a replay of real text, which the user asked for.

    They are never written.
    """
    estimated: bool = False
    """Whether any length was estimated from characters."""
    seen: bool = False
    """Whether there was any text at all."""

    def __post_init__(self) -> None:
        self._key = hashlib.sha256(self.salt or secrets.token_bytes(32)).digest()

    def tokens(self, text: str) -> int:
        """Tokens of a text: counted, else estimated (rounded up)."""
        self.seen = True
        if self.count is not None:
            return self.count(text)
        self.estimated = True
        return -(-len(text) // CHARACTERS_PER_TOKEN)

    def kept(self, text: str) -> str | None:
        """The text if the user asked to hold texts."""
        return text if self.keep and text else None

    def blocks(self, text: str) -> tuple[int, ...]:
        """Salted ids of the whole blocks of a prompt's text; its rest stays unique."""
        self.seen |= bool(text)
        whole = len(text) // _BLOCK_CHARACTERS
        cuts = (text[i * _BLOCK_CHARACTERS : (i + 1) * _BLOCK_CHARACTERS] for i in range(whole))
        return self._chain([cut.encode("utf-8", "surrogatepass") for cut in cuts])

    def token_blocks(self, token_ids: Sequence[int]) -> tuple[int, ...]:
        """Salted ids of the whole blocks of a prompt of known token ids."""
        self.seen = True
        ids = np.array(token_ids, np.int64).astype("<i8")
        whole = len(ids) // BLOCK_TOKENS
        return self._chain([ids[i * BLOCK_TOKENS : (i + 1) * BLOCK_TOKENS].tobytes() for i in range(whole)])

    def _chain(self, pieces: Sequence[bytes]) -> tuple[int, ...]:
        digest, ids = b"", []
        for piece in pieces:
            digest = hashlib.blake2b(digest + piece, digest_size=8, key=self._key).digest()
            ids.append(int.from_bytes(digest, "little"))
        return tuple(ids)


def renumbered(ids: Ids) -> Ids:
    """Ids numbered from 0 in the order of their first appearance.

    Equal ones stay equal, nothing else is left.
    """
    _, first, inverse = np.unique(ids, return_index=True, return_inverse=True)
    rank = np.empty(len(first), np.uint64)
    rank[np.argsort(first)] = np.arange(len(first), dtype=np.uint64)
    return rank[inverse]


# Counting tokens with a local tokenizer, where the user has one.


def local_tokenizer(path: Path | str) -> CountTokens:
    """A counter from a `tokenizer.json`, or from a folder that has one. Nothing is fetched.

    Raises:
        InputError: the package `tokenizers` isn't installed, or the file is none.
    """
    path = Path(path)
    file = path / "tokenizer.json" if path.is_dir() else path
    try:
        library: Any = importlib.import_module("tokenizers")
    except ImportError as error:
        raise Refusal("traces.needs_tokenizers") from error
    if not file.is_file():
        raise Refusal("traces.no_tokenizer_file", Place(file=str(file)))
    try:
        tokenizer = library.Tokenizer.from_file(str(file))
    except Exception as error:  # the library raises plain Exception for whatever is wrong
        raise Refusal("traces.not_a_tokenizer", Place(file=str(file))) from error
    return lambda text: len(tokenizer.encode(text, add_special_tokens=False).ids)
