"""A toy tokenizer and deterministic outputs: meaningless tokens with the cost of real ones.

Text is cut into pieces of at most four UTF-8 bytes, about as in a real vocabulary for English. The id of a
piece is its hash, so equal texts have equal ids, and prefixes hit the cache. Token k of an answer follows
from a seed, which follows from the prompt. Its text is a word of syllables that the tokenizer maps back to
its id, so an answer sent back as a chat's next turn hits the cache too.
"""

import re
import zlib

FIRST_ID = 100
"""Smaller ids stand for special tokens and are never produced, as in prompts built from a trace."""
TURN_START, TURN_END = 1, 2
_CONSONANTS = "bdfgklmnprstvz"
_VOWELS = "aeiou"
_SYLLABLES = [consonant + vowel for consonant in _CONSONANTS for vowel in _VOWELS]
_DIGITS = {syllable.encode(): digit for digit, syllable in enumerate(_SYLLABLES)}
_PIECE = re.compile(rf" (?:[{_CONSONANTS}][{_VOWELS}])+(?= |$)|.{{1,4}}".encode(), re.DOTALL)
_MASK = 0xFFFFFFFF
_SEED_TOKENS = 64
"""Tokens at a prompt's end that decide its answer."""


def encode_text(text: str, vocab_size: int) -> list[int]:
    """Tokenize text: a word of an answer is its token; other text is a token for each four bytes."""
    data = text.encode("utf-8", "surrogatepass")
    span, base = _range(vocab_size)
    ids: list[int] = []
    for piece in _PIECE.findall(data):
        token = _token_of_word(piece)
        ids.append(token if token is not None and token < vocab_size else base + zlib.crc32(piece) % span)
    return ids


def encode_chat(turns: list[tuple[str, str]], vocab_size: int) -> list[int]:
    """Tokenize (role, text) turns: start, role, text, end of each; then the answer's start."""
    ids: list[int] = []
    for role, text in turns:
        ids += [TURN_START, *encode_text(role, vocab_size), *encode_text(text, vocab_size), TURN_END]
    return [*ids, TURN_START, *encode_text("assistant", vocab_size)]


def _range(vocab_size: int) -> tuple[int, int]:
    return (vocab_size - FIRST_ID, FIRST_ID) if vocab_size > FIRST_ID else (vocab_size, 0)


def _token_of_word(piece: bytes) -> int | None:
    if piece[0] != 0x20 or len(piece) % 2 == 0:
        return None
    token, weight = 0, 1
    for at in range(1, len(piece), 2):
        digit = _DIGITS.get(piece[at : at + 2])
        if digit is None:
            return None
        token += digit * weight
        weight *= len(_SYLLABLES)
    return token if len(piece) > 1 else None


def prompt_seed(prompt: list[int]) -> int:
    """Return the seed of the answer to `prompt`; equal prompts have equal answers."""
    return zlib.crc32(repr(prompt[-_SEED_TOKENS:]).encode()) ^ len(prompt)


def output_token(seed: int, index: int, vocab_size: int) -> int:
    """Return token `index` (from 0) of a seed's answer: murmur3's 32-bit mix into the vocabulary."""
    x = (seed ^ (index * 0x9E3779B1)) & _MASK
    x ^= x >> 16
    x = (x * 0x85EBCA6B) & _MASK
    x ^= x >> 13
    x = (x * 0xC2B2AE35) & _MASK
    x ^= x >> 16
    span, base = _range(vocab_size)
    return base + x % span


def word(token_id: int) -> str:
    """Return a token's text: a space and syllables, without characters that JSON escapes."""
    if token_id < _PAIRED:
        return _SHORT[token_id]
    high, low = divmod(token_id, _PAIRED)
    return _PAIRS[low] + word(high)[1:]


def words(tokens: list[int]) -> str:
    """Return the text of consecutive tokens."""
    if len(tokens) == 1:
        return word(tokens[0])
    return "".join([word(token) for token in tokens])


_PAIRED = len(_SYLLABLES) ** 2
_PAIRS = [f" {_SYLLABLES[k % len(_SYLLABLES)]}{_SYLLABLES[k // len(_SYLLABLES)]}" for k in range(_PAIRED)]
_SHORT = [f" {syllable}" for syllable in _SYLLABLES] + _PAIRS[len(_SYLLABLES) :]
"""Words of ids up to two syllables; larger ids are a pair and the word of the rest."""
