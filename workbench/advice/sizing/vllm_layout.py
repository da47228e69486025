"""A KV layout from an installed vLLM, and the tokens that a pool of this size holds."""

from bisect import bisect_left

from workbench.advice.sizing.kv_tokens import KvTokens
from workbench.advice.sizing.versions import MemoryVersion
from workbench.base import Record


class VllmLayout(Record, frozen=True, kw_only=True):
    """Sizes are of one GPU."""

    version: str
    platform: str
    """Platform of that vLLM, such as `cpu` or `cuda`; block sizes are its own."""
    architecture: str
    kinds: tuple[str, ...]
    """Kind of each group of layers that shares a block table, by vLLM's names."""
    block_size: int
    bytes_per_block: int
    """0: no layer keeps anything."""
    blocks: tuple[tuple[int, float], ...]
    """Blocks that one request takes at most, by its length; the last is the longest."""
    bytes_per_token: int
    kv_cache_dtype: str
    weights_bytes: int

    @property
    def longest(self) -> int:
        """The longest request that vLLM allows."""
        return self.blocks[-1][0]

    def request_blocks(self, length: int) -> float:
        """Return the blocks that one request of `length` takes at most, between two lengths in proportion."""
        lengths = [each for each, _ in self.blocks]
        place = min(bisect_left(lengths, length), len(lengths) - 1)
        right, most = self.blocks[place]
        left, least = self.blocks[place - 1] if place else (0, 0.0)
        share = (length - left) / (right - left)
        return most if share >= 1 else least + (most - least) * share


def tokens_by_layout(
    by_vllm: VllmLayout, kv_bytes: float, *, version: MemoryVersion, length: int
) -> KvTokens | None:
    """Count the tokens of a pool of `kv_bytes`; None: no layer keeps anything.

    Args:
        by_vllm: by vLLM.
        kv_bytes: of one GPU.
        version: which of vLLM's two ways of printing tokens holds.
        length: of the requests.
    """
    if not by_vllm.bytes_per_block or not by_vllm.blocks:
        return None
    blocks = int(kv_bytes // by_vllm.bytes_per_block)
    exact = blocks / by_vllm.request_blocks(length)
    shared, held = blocks // len(by_vllm.kinds) * by_vllm.block_size, int(exact * length)
    return KvTokens(
        tokens=held if version.prints_by_concurrency else shared,
        low=min(held, shared),
        high=max(held, shared),
        band=0.0,
        blocks=blocks,
        concurrency=round(exact, 2),
        exact=exact,
        longest=_longest(by_vllm, blocks),
        notes=(),
    )


def _longest(by_vllm: VllmLayout, blocks: int) -> int:
    low, high = 0, by_vllm.longest
    while low < high:
        middle = (low + high + 1) // 2
        if by_vllm.request_blocks(middle) <= blocks:
            low = middle
        else:
            high = middle - 1
    return low
