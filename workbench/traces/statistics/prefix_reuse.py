"""Share of the prompts that a prefix cache could serve, of infinite or given size."""

from collections import OrderedDict

import numpy as np

from workbench.traces.columns import Bools, Ints, bits_of
from workbench.traces.trace import Trace


def ideal_hit_tokens(trace: Trace) -> Ints | None:
    """Return the tokens of each prompt in leading blocks of earlier requests; None without block ids.

    The cache is infinite and a request's blocks are available to the next one at once: an upper bound.
    """
    if trace.hash_offsets is None:
        return None
    flat = bits_of(trace.hash_flat)
    counts = np.diff(trace.hash_offsets)
    row_of = np.repeat(np.arange(len(trace)), counts)
    _, first, numbered = np.unique(flat, return_index=True, return_inverse=True)
    seen = row_of[first][numbered] < row_of
    return _hit_tokens(trace, _leading(seen, trace.hash_offsets))


def pool_hit_tokens(trace: Trace, pool_tokens: int) -> Ints | None:
    """Return the same for a cache of `pool_tokens`.

    It evicts the least recently used block first, and the last block of a prompt before the others.
    """
    if trace.hash_offsets is None:
        return None
    room = max(0, pool_tokens // trace.header.block_tokens)
    pool: OrderedDict[int, None] = OrderedDict()
    runs = np.zeros(len(trace), np.int64)
    for row in range(len(trace)):
        blocks = trace.hash_ids(row).tolist()
        runs[row] = next((index for index, block in enumerate(blocks) if block not in pool), len(blocks))
        for block in reversed(blocks):
            pool[block] = None
            pool.move_to_end(block)
        while len(pool) > room:
            pool.popitem(last=False)
    return _hit_tokens(trace, runs)


def _leading(seen: Bools, offsets: Ints) -> Ints:
    """Return for each row the number of its leading blocks that are `seen`."""
    misses = np.append(np.flatnonzero(~seen), len(seen))
    next_miss = misses[np.searchsorted(misses, offsets[:-1])]
    run: Ints = np.minimum(next_miss, offsets[1:]) - offsets[:-1]
    return run


def _hit_tokens(trace: Trace, blocks: Ints) -> Ints:
    return np.minimum(blocks * trace.header.block_tokens, trace.input_length)
