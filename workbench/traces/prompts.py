"""Prompt tokens from descriptors: the same for the same trace and seed on every machine.

Token j of a block has the id `100 + x mod (V - 100)`, where x = mix(key + (j + 1) * GOLDEN) modulo 2^64:
the SplitMix64 stream of the block's key. Ids below 100 are left out: vocabularies keep their special tokens
there.

- key of block id b:            chain(seed, 1, b)
- key of block k without an id: chain(seed, 2, row, cycle, k)

A row's `hash_ids` cover its leading blocks. The blocks after them are unique to this row of the trace and to
this pass over it.
"""

import numpy as np
from numpy.typing import NDArray

from workbench.base import Refusal
from workbench.traces.columns import Ints, TraceColumns, bits_of
from workbench.traces.random_streams import GOLDEN, chain, mix_array

PROMPT_BUILDER_VERSION = 1
"""Changes with the rule above; part of a trace's identity."""

DEFAULT_VOCAB_SIZE = 2048
"""Used if no size is stated; every tokenizer in use has at least this many ids."""

FIRST_TOKEN_ID = 100
_SHARED, _UNIQUE = 1, 2


class PromptBuilder:
    """Builds prompts of token ids; one a run. `vocab_size` None means 2048.

    Raises:
        Refusal: the vocabulary has no id above 99.
    """

    def __init__(self, vocab_size: int | None, seed: int, block_tokens: int) -> None:
        self.vocab_size = DEFAULT_VOCAB_SIZE if vocab_size is None else vocab_size
        self.seed = seed
        self.block_tokens = block_tokens
        if self.vocab_size <= FIRST_TOKEN_ID:
            raise Refusal("traces.vocabulary_too_small", tokens=self.vocab_size, minimum=FIRST_TOKEN_ID)
        # Steps within one block; a block's stream is its key plus these.
        self._steps = np.arange(1, block_tokens + 1, dtype=np.uint64) * np.uint64(GOLDEN)

    def token_ids(self, trace: TraceColumns, row: int, cycle: int = 0) -> Ints:
        """Return the prompt of a row, `input_length[row]` ids as int64.

        `cycle` counts passes over the trace from 0.
        """
        length = int(trace.input_length[row])
        words = np.add.outer(self._keys(trace, row, cycle, length), self._steps).reshape(-1)[:length]
        return self._to_ids(mix_array(words))

    def _keys(self, trace: TraceColumns, row: int, cycle: int, length: int) -> NDArray[np.uint64]:
        blocks = -(-length // self.block_tokens)
        known = bits_of(trace.hash_ids(row)[:blocks])
        unique = np.arange(len(known), blocks, dtype=np.uint64)
        shared_keys = mix_array(known + _word(chain(self.seed, _SHARED)))
        unique_keys = mix_array(unique + _word(chain(self.seed, _UNIQUE, row, cycle)))
        return np.concatenate([shared_keys, unique_keys])

    def _to_ids(self, words: NDArray[np.uint64]) -> Ints:
        # x - (x // m) * m is x mod m; numpy's division by a scalar is vectorized, its remainder is not.
        usable = np.uint64(self.vocab_size - FIRST_TOKEN_ID)
        words -= words // usable * usable
        words += np.uint64(FIRST_TOKEN_ID)
        return words.view(np.int64)


def _word(state: int) -> np.uint64:
    """Return the value that `chain` adds before it mixes its last word."""
    return np.uint64((state + GOLDEN) % 2**64)
