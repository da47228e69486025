"""Prompt text during an import: counted, cut into salted blocks, and forgotten.

A block's id stands for the block and everything before it (a chain of keyed BLAKE2b digests), so two prompts
share leading ids exactly as far as they share leading text. Without the salt the ids reveal nothing about the
text. With a salt that the user keeps, two imports of the same site's logs share ids.
"""

import hashlib
import importlib
import os
import secrets
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from workbench.base import Place, Refusal
from workbench.traces.columns import Ids

CHARACTERS_PER_TOKEN = 4
"""A rule of thumb for English text and code with current tokenizers."""

BLOCK_TOKENS = 16
"""vLLM's block size, so that prefix hits are as fine as the server's."""

_BLOCK_CHARACTERS = BLOCK_TOKENS * CHARACTERS_PER_TOKEN

SALT_BYTES = 32
_LEAST_BYTES = 16
_MOST_BYTES = 4096

CountTokens = Callable[[str], int]


class PromptBlocks(NamedTuple):
    """Block ids of a prompt, and its text if the user wants it."""

    blocks: tuple[int, ...]
    text: str | None = None
    """The text, if the user wants it kept."""


@dataclass(kw_only=True)
class PromptTexts:
    """Reads the texts of one import. `salt` None: a random one that isn't stored."""

    salt: bytes | None = None
    count: CountTokens | None = None
    """A local tokenizer's count; None: characters / 4."""
    keep: bool = False
    """Keep the prompts in memory for a replay of real text. They are never written.

    They are never written.
    """
    estimated: bool = False
    """A length was estimated from characters."""
    any_text: bool = False
    """Some row had text."""

    def __post_init__(self) -> None:
        self._key = hashlib.sha256(self.salt or secrets.token_bytes(32)).digest()

    def tokens(self, text: str) -> int:
        """Return the tokens of a text: counted, else estimated (rounded up)."""
        self.any_text = True
        if self.count is not None:
            return self.count(text)
        self.estimated = True
        return -(-len(text) // CHARACTERS_PER_TOKEN)

    def kept(self, text: str) -> str | None:
        """Return the text if the user wants texts kept."""
        return text if self.keep and text else None

    def blocks(self, text: str) -> tuple[int, ...]:
        """Return salted ids of the whole blocks of a prompt's text; the rest stays unique."""
        self.any_text |= bool(text)
        whole = len(text) // _BLOCK_CHARACTERS
        cuts = (text[i * _BLOCK_CHARACTERS : (i + 1) * _BLOCK_CHARACTERS] for i in range(whole))
        return self._chain([cut.encode("utf-8", "surrogatepass") for cut in cuts])

    def token_blocks(self, token_ids: Sequence[int]) -> tuple[int, ...]:
        """Return salted ids of the whole blocks of a prompt of known token ids."""
        self.any_text = True
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
    """Renumber ids from 0 in the order of their first appearance.

    Equal ids stay equal; nothing else of them is left.
    """
    _, first, inverse = np.unique(ids, return_index=True, return_inverse=True)
    rank = np.empty(len(first), np.uint64)
    rank[np.argsort(first)] = np.arange(len(first), dtype=np.uint64)
    return rank[inverse]


def local_tokenizer(path: Path | str) -> CountTokens:
    """Return a counter of tokens from a `tokenizer.json` or its folder. Nothing is downloaded.

    Raises:
        Refusal: the package `tokenizers` isn't installed, or the file is no tokenizer.
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
    except Exception as error:  # the library raises plain Exception for any problem
        raise Refusal("traces.not_a_tokenizer", Place(file=str(file))) from error
    return lambda text: len(tokenizer.encode(text, add_special_tokens=False).ids)


def read_or_make_salt(path: Path | str) -> bytes:
    """Return the salt in a file; make a missing file with a random salt, readable by its owner only.

    Raises:
        Refusal: the file can't be read or made, or has fewer than 16 bytes.
    """
    path = Path(path)
    try:
        if not path.exists():
            _make(path)
        with path.open("rb") as file:
            salt = file.read(_MOST_BYTES)
    except OSError as error:
        raise Refusal("traces.salt_unusable", Place(file=str(path)), cause=error.strerror) from error
    if len(salt) < _LEAST_BYTES:
        raise Refusal("traces.salt_too_short", Place(file=str(path)), minimum=_LEAST_BYTES)
    return salt


def _make(path: Path) -> None:
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(handle, "wb") as file:
        file.write(secrets.token_bytes(SALT_BYTES))
