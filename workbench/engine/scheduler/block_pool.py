"""The pool of KV blocks: free blocks and the prefix cache (rules 1.4 to 1.6).

Names are those of vLLM's `v1/core/block_pool.py`. Blocks are plain numbers here. A block is *cached* while
the prefix cache can find it by its hash.
"""

from collections import OrderedDict
from collections.abc import Iterable, Sequence
from itertools import islice
from typing import Any

from workbench.engine.scheduler.request import BlockHash

CachedBlocks = int | list[int]
"""The block with a hash; a list where several blocks have equal content, earliest cached first."""


class FreeKVCacheBlockQueue:
    """Free blocks in the order in which they are used again.

    vLLM's queue is one linked list: uncached blocks return to its front, cached ones to its end, and it
    starts with uncached blocks. So at any time it is a stack of uncached blocks followed by a queue of cached
    ones. Held as those two parts, many blocks are taken or returned by single operations on slices.
    """

    __slots__ = ("cached", "uncached")

    def __init__(self, block_ids: Sequence[int]) -> None:
        self.uncached = list(reversed(block_ids))
        """The front of the queue is the end of this list."""
        self.cached: OrderedDict[int, None] = OrderedDict()
        """The first is the next to be evicted."""

    @property
    def num_free_blocks(self) -> int:
        """Length of the queue."""
        return len(self.uncached) + len(self.cached)

    def popleft_n(self, n: int) -> list[int]:
        """Remove and return the first `n` blocks, of which there must be as many."""
        uncached = self.uncached
        taken = uncached[: -n - 1 : -1]
        del uncached[len(uncached) - len(taken) :]
        missing = n - len(taken)
        if not missing:
            return taken
        cached = self.cached
        evicted = [*islice(cached, missing)]
        for block_id in evicted:
            del cached[block_id]
        return taken + evicted

    def prepend_n(self, block_ids: Sequence[int]) -> None:
        """Put uncached blocks at the front; the last of them is the first to be used again."""
        self.uncached += block_ids

    def append_n(self, block_ids: Iterable[int]) -> None:
        """Put blocks at the end."""
        self.cached.update(dict.fromkeys(block_ids))


class BlockPool:
    """`num_gpu_blocks` blocks; block 0 is vLLM's null block and never given out."""

    __slots__ = (
        "_block_hashes",
        "_extra_ref_cnt",
        "_num_duplicate_hashes",
        "_reserved_blocks",
        "cached_block_hash_to_block",
        "free_block_queue",
        "num_evictions",
        "num_gpu_blocks",
        "num_reserved_blocks",
    )

    def __init__(self, num_gpu_blocks: int) -> None:
        self.num_gpu_blocks = num_gpu_blocks
        self.free_block_queue = FreeKVCacheBlockQueue(range(1, num_gpu_blocks))
        self.cached_block_hash_to_block: dict[BlockHash, CachedBlocks] = {}
        self._block_hashes: dict[int, BlockHash] = {}
        """The hash of each cached block."""
        self._extra_ref_cnt: dict[int, int] = {}
        """Users of a block beyond the first."""
        self._reserved_blocks: list[int] = []
        self.num_reserved_blocks = 0
        """Blocks withheld from all requests."""
        self._num_duplicate_hashes = 0
        """Hashes of more than one block."""
        self.num_evictions = 0

    def get_num_free_blocks(self) -> int:
        """Return the number of blocks without a user, cached ones included."""
        queue = self.free_block_queue
        return len(queue.uncached) + len(queue.cached)

    def get_usage(self) -> float:
        """Return the used share of the blocks that are not reserved, 0 to 1 (`kv_cache_usage_perc`)."""
        return 1.0 - self.get_num_free_blocks() / (self.num_gpu_blocks - 1 - self.num_reserved_blocks)

    def get_new_blocks(self, num_blocks: int) -> list[int]:
        """Take the first `num_blocks` free blocks, which must exist; cached ones are evicted."""
        queue = self.free_block_queue
        num_evicted = num_blocks - len(queue.uncached)
        block_ids = queue.popleft_n(num_blocks)
        if num_evicted > 0:
            self._evict_cached_blocks(block_ids[-num_evicted:])
        return block_ids

    def _evict_cached_blocks(self, block_ids: list[int]) -> None:
        block_hashes = [*map(self._block_hashes.pop, block_ids)]
        self.num_evictions += len(block_ids)
        if not self._num_duplicate_hashes:
            for block_hash in block_hashes:
                del self.cached_block_hash_to_block[block_hash]
            return
        for block_id, block_hash in zip(block_ids, block_hashes, strict=True):
            self._uncache(block_id, block_hash)

    def _uncache(self, block_id: int, block_hash: BlockHash) -> None:
        cached = self.cached_block_hash_to_block[block_hash]
        if isinstance(cached, int):
            del self.cached_block_hash_to_block[block_hash]
            return
        cached.remove(block_id)
        if len(cached) == 1:
            self.cached_block_hash_to_block[block_hash] = cached[0]
            self._num_duplicate_hashes -= 1

    def free_blocks(self, block_ids: Sequence[int], num_cached_blocks: int) -> None:
        """Return one request's blocks, given in their order in it; the last is the first to be used again.

        The first `num_cached_blocks` of them are cached.
        """
        self.free_block_queue.prepend_n(block_ids[num_cached_blocks:])
        cached: Sequence[int] = block_ids[num_cached_blocks - 1 :: -1] if num_cached_blocks else ()
        shared = self._extra_ref_cnt
        if not shared.keys().isdisjoint(cached):
            still_used = [block_id for block_id in cached if block_id in shared]
            cached = [block_id for block_id in cached if block_id not in shared]
            for block_id in still_used:
                self._release_shared(block_id)
        self.free_block_queue.append_n(cached)

    def _release_shared(self, block_id: int) -> None:
        if self._extra_ref_cnt[block_id] == 1:
            del self._extra_ref_cnt[block_id]
        else:
            self._extra_ref_cnt[block_id] -= 1

    def get_cached_blocks(self, block_hashes: Iterable[BlockHash]) -> list[int]:
        """Return the cached blocks with these hashes, up to the first miss."""
        # iter(…, None) ends at the first hash that the map answers with None, without a loop in Python.
        find = map(self.cached_block_hash_to_block.get, block_hashes)
        found: list[Any] = list(iter(find.__next__, None))
        if self._num_duplicate_hashes:
            return [cached if isinstance(cached, int) else cached[0] for cached in found]
        return found

    def get_num_evictable_blocks(self, block_ids: Iterable[int]) -> int:
        """Return how many of these cached blocks are free."""
        return sum(map(self.free_block_queue.cached.__contains__, block_ids))

    def touch(self, block_ids: Iterable[int]) -> None:
        """Add a user to each of these cached blocks."""
        free, shared = self.free_block_queue.cached, self._extra_ref_cnt
        for block_id in block_ids:
            if block_id in free:
                del free[block_id]
            else:
                shared[block_id] = shared.get(block_id, 0) + 1

    def cache_full_blocks(self, block_ids: Sequence[int], block_hashes: Sequence[BlockHash]) -> None:
        """Let the prefix cache find full blocks by their hashes; blocks of equal content are all kept."""
        cached = self.cached_block_hash_to_block
        if cached.keys().isdisjoint(block_hashes):
            self._block_hashes.update(zip(block_ids, block_hashes, strict=True))
            cached.update(zip(block_hashes, block_ids, strict=True))
            return
        for block_id, block_hash in zip(block_ids, block_hashes, strict=True):
            self.cache_full_block(block_id, block_hash)

    def cache_full_block(self, block_id: int, block_hash: BlockHash) -> None:
        """Do the same for one block."""
        self._block_hashes[block_id] = block_hash
        cached = self.cached_block_hash_to_block.setdefault(block_hash, block_id)
        if cached != block_id:
            if isinstance(cached, list):
                cached.append(block_id)
            else:
                self.cached_block_hash_to_block[block_hash] = [cached, block_id]
                self._num_duplicate_hashes += 1

    def reserve_blocks(self, num_blocks: int) -> None:
        """Bring the number of reserved blocks towards `num_blocks`, as far as free blocks allow now."""
        missing = num_blocks - len(self._reserved_blocks)
        if missing > 0:
            self._reserved_blocks += self.get_new_blocks(min(missing, self.get_num_free_blocks()))
        elif missing < 0:
            self._return_reserved(self._reserved_blocks[missing:])
            del self._reserved_blocks[missing:]
        self.num_reserved_blocks = len(self._reserved_blocks)

    def _return_reserved(self, block_ids: list[int]) -> None:
        self.free_block_queue.prepend_n(block_ids)

    def reset_prefix_cache(self) -> bool:
        """Empty the prefix cache; False, and nothing changes, while blocks are in use."""
        if self.get_num_free_blocks() + self.num_reserved_blocks != self.num_gpu_blocks - 1:
            return False
        queue = self.free_block_queue
        queue.uncached[:0] = reversed(queue.cached)
        queue.cached.clear()
        self._clear_hashes()
        return True

    def _clear_hashes(self) -> None:
        self.cached_block_hash_to_block.clear()
        self._block_hashes.clear()
        self._num_duplicate_hashes = 0


class SingleQueueBlockPool(BlockPool):
    """The pool of vLLM before 0.24: every freed block goes to the end of the free queue, cached or not.

    The queue's `cached` part holds all free blocks here, and `uncached` stays empty.
    """

    __slots__ = ()

    def __init__(self, num_gpu_blocks: int) -> None:
        super().__init__(num_gpu_blocks)
        self.free_block_queue = FreeKVCacheBlockQueue(())
        self.free_block_queue.append_n(range(1, num_gpu_blocks))

    def get_new_blocks(self, num_blocks: int) -> list[int]:
        """Take the first `num_blocks` free blocks; cached ones are evicted."""
        block_ids, block_hashes = self.free_block_queue.popleft_n(num_blocks), self._block_hashes
        for block_id in block_ids:
            if block_id in block_hashes:
                self._uncache(block_id, block_hashes.pop(block_id))
                self.num_evictions += 1
        return block_ids

    def free_blocks(self, block_ids: Sequence[int], num_cached_blocks: int) -> None:
        """Return one request's blocks to the end of the queue, the last one first."""
        del num_cached_blocks
        shared = self._extra_ref_cnt
        if shared.keys().isdisjoint(block_ids):
            self.free_block_queue.append_n(reversed(block_ids))
            return
        for block_id in reversed(block_ids):
            if block_id in shared:
                self._release_shared(block_id)
            else:
                self.free_block_queue.cached[block_id] = None

    def _return_reserved(self, block_ids: list[int]) -> None:
        self.free_block_queue.append_n(block_ids)

    def reset_prefix_cache(self) -> bool:
        """Empty the prefix cache; the queue keeps its order."""
        if self.get_num_free_blocks() + self.num_reserved_blocks != self.num_gpu_blocks - 1:
            return False
        self._clear_hashes()
        return True
