"""Block keys of a trace row from its `hash_ids`, without ever making tokens."""

from collections.abc import Sequence

BLOCKS_PER_ID = 1 << 21
"""More KV blocks than any prompt has; separates the keys of one id."""


def prompt_keys(hash_ids: Sequence[int], block_tokens: int, block_size: int, prompt_len: int) -> list[int]:
    """Keys of the full KV blocks that the ids cover, from position 0.

    An id stands for all tokens up to the end of its trace block, so a KV block is named by the id in which
    its last token lies together with its own position. Blocks beyond the ids are unique: no key here.
    """
    covered = min(prompt_len, len(hash_ids) * block_tokens) // block_size
    keys: list[int] = []
    for position, hash_id in enumerate(hash_ids):
        end = min(covered, (position + 1) * block_tokens // block_size)
        base = hash_id * BLOCKS_PER_ID
        keys.extend(range(base + len(keys), base + end))
    return keys
