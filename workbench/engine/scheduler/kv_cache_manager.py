"""KV blocks of requests: prefix-cache hits, allocation and freeing.

Names are those of vLLM's `v1/core/kv_cache_manager.py`.
"""

from collections.abc import Sequence
from itertools import islice

from workbench.engine.scheduler.block_pool import BlockPool, SingleQueueBlockPool
from workbench.engine.scheduler.config import SchedulerConfig
from workbench.engine.scheduler.request import Request


class KVCacheManager:
    """Gives blocks to requests (rule 1.4) and finds those that the prefix cache has (rule 1.5)."""

    __slots__ = ("block_pool", "block_size", "enable_caching", "max_model_len", "watermark_blocks")

    def __init__(self, config: SchedulerConfig) -> None:
        self.block_size = config.block_size
        self.enable_caching = config.enable_prefix_caching
        self.max_model_len = config.max_model_len
        self.watermark_blocks = int(config.watermark * config.num_gpu_blocks)
        pool = BlockPool if config.rules.keyless_blocks_first else SingleQueueBlockPool
        self.block_pool = pool(config.num_gpu_blocks)

    @property
    def usage(self) -> float:
        """The gauge `kv_cache_usage_perc`, 0 to 1."""
        return self.block_pool.get_usage()

    def get_computed_blocks(self, request: Request) -> list[int]:
        """Return the leading blocks in the prefix cache, never the block of the last token (rule 1.5)."""
        if not self.enable_caching or request.skip_reading_prefix_cache:
            return []
        limit, known = (request.num_tokens - 1) // self.block_size, request.block_hashes
        found = self.block_pool.get_cached_blocks(islice(known, limit))
        if len(found) < len(known) or limit <= len(known):
            return found
        return found + self.block_pool.get_cached_blocks(request.block_hashes_of(len(known), limit))

    def allocate_slots(
        self,
        request: Request,
        num_new_tokens: int,
        new_computed_blocks: Sequence[int] | None = None,
        *,
        full_sequence_must_fit: bool = False,
        has_scheduled_reqs: bool = True,
    ) -> bool:
        """Give a request the blocks for its next tokens; False, and nothing changes, if too few are free.

        Args:
            request: running, or waiting with `new_computed_blocks`.
            num_new_tokens: tokens to be computed, without those of `new_computed_blocks`.
            new_computed_blocks: a waiting request's blocks from the prefix cache; None: the request runs.
            full_sequence_must_fit: a waiting request's whole sequence so far must fit free blocks.
            has_scheduled_reqs: requests run, so a waiting one must leave the watermark free.
        """
        if new_computed_blocks is not None:
            full = min(request.num_tokens, self.max_model_len) if full_sequence_must_fit else 0
            watermark_blocks = self.watermark_blocks if has_scheduled_reqs else 0
            if not self._fits(new_computed_blocks, num_new_tokens, full, watermark_blocks):
                return False
            self._adopt_computed_blocks(request, new_computed_blocks)
        num_tokens = request.num_computed_tokens + num_new_tokens
        num_new_blocks = -(-num_tokens // self.block_size) - len(request.block_ids)
        if num_new_blocks > 0:
            pool = self.block_pool
            if num_new_blocks > pool.get_num_free_blocks():
                return False
            request.block_ids += pool.get_new_blocks(num_new_blocks)
        if self.enable_caching:
            self.cache_blocks(request, min(num_tokens, request.num_tokens))
        return True

    def _fits(
        self, new_computed_blocks: Sequence[int], num_new_tokens: int, full: int, watermark_blocks: int
    ) -> bool:
        """Check both gates of rule 1.4: `full` tokens of the sequence, and this chunk. Reserve nothing."""
        pool, num_hits = self.block_pool, len(new_computed_blocks)
        chunk = min(num_hits * self.block_size + num_new_tokens, self.max_model_len)
        num_blocks_to_allocate = -(-max(full, chunk) // self.block_size) - num_hits
        num_evictable_blocks = pool.get_num_evictable_blocks(new_computed_blocks)
        required_blocks = num_blocks_to_allocate + num_evictable_blocks + watermark_blocks
        return required_blocks <= pool.get_num_free_blocks()

    def _adopt_computed_blocks(self, request: Request, new_computed_blocks: Sequence[int]) -> None:
        self.block_pool.touch(new_computed_blocks)
        request.block_ids = [*new_computed_blocks]
        request.num_cached_blocks = len(new_computed_blocks)
        request.num_computed_tokens = len(new_computed_blocks) * self.block_size

    def cache_blocks(self, request: Request, num_tokens: int) -> None:
        """Let the prefix cache find the blocks that the request's first `num_tokens` tokens fill."""
        first, end = request.num_cached_blocks, num_tokens // self.block_size
        if first >= end:
            return
        if end - first == 1:
            self.block_pool.cache_full_block(request.block_ids[first], request.block_hash(first))
        else:
            self.block_pool.cache_full_blocks(
                request.block_ids[first:end], request.block_hashes_of(first, end)
            )
        request.num_cached_blocks = end

    def free(self, request: Request) -> None:
        """Free all blocks of a request (rule 1.6)."""
        self.block_pool.free_blocks(request.block_ids, request.num_cached_blocks)
        request.block_ids = []
        request.num_cached_blocks = 0

    def reset_prefix_cache(self) -> bool:
        """Empty the prefix cache; False, and nothing changes, while any block is in use."""
        return self.block_pool.reset_prefix_cache()
