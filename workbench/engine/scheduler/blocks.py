"""The pool of KV blocks: the free queue and the prefix cache (rules 1.4 to 1.6 of the V1 scheduler).

vLLM's free queue is one list: blocks without a key return to its head, blocks with a key to its tail, and
the pool starts with keyless ones. So at any time it is a stack of keyless blocks followed by a queue of
keyed ones; held as those two, taking and returning are whole-slice operations.
"""

from collections import OrderedDict
from collections.abc import Iterable, Sequence

from workbench.engine.scheduler.request import Key


class BlockPool:
    """`num_blocks` blocks, of which block 0 is vLLM's null block and never given out."""

    __slots__ = (
        "_keyed",
        "_keyless",
        "_keys",
        "_parked",
        "_sharers",
        "_where",
        "changes",
        "evictions",
        "size",
    )

    def __init__(self, num_blocks: int) -> None:
        self.size = num_blocks - 1
        self._keyless = list(range(num_blocks - 1, 0, -1))  # the head of the queue is the end of the list
        self._keyed: OrderedDict[int, None] = OrderedDict()  # first is next to be evicted
        self._keys: list[Key | None] = [None] * num_blocks
        self._where: dict[Key, int | list[int]] = {}  # a list holds duplicates, earliest registered first
        self._sharers: dict[int, int] = {}  # users beyond the first
        self._parked: list[int] = []
        self.evictions = 0
        self.changes = 0
        """Grows whenever the outcome of a lookup may have changed."""

    @property
    def free(self) -> int:
        """Blocks that nobody uses, cached ones included."""
        return len(self._keyless) + len(self._keyed)

    @property
    def usage(self) -> float:
        """The gauge `kv_cache_usage_perc`, from 0 to 1; parked blocks count as used."""
        return 1.0 - self.free / self.size

    @property
    def parked(self) -> int:
        """Blocks withheld from all requests."""
        return len(self._parked)

    def take(self, count: int) -> list[int]:
        """The first `count` blocks of the free queue; a cached one loses its key. Check `free` first."""
        keyless = self._keyless
        from_stack = min(count, len(keyless))
        taken = keyless[-1 : -from_stack - 1 : -1]
        if from_stack:
            del keyless[-from_stack:]
        for _ in range(count - from_stack):
            taken.append(self._evict())
        return taken

    def _evict(self) -> int:
        block, _ = self._keyed.popitem(last=False)
        key = self._keys[block]
        self._keys[block] = None
        held = self._where[key]
        if isinstance(held, int):
            del self._where[key]
        else:
            held.remove(block)
            if len(held) == 1:
                self._where[key] = held[0]
        self.evictions += 1
        self.changes += 1
        return block

    def release(self, blocks: Sequence[int]) -> None:
        """Give back one request's blocks, in its order. Its last block is the first to be used again."""
        keys, sharers, keyed = self._keys, self._sharers, self._keyed
        keyless: list[int] = []
        for block in reversed(blocks):
            if block in sharers:
                self._leave(block)
            elif keys[block] is None:
                keyless.append(block)
            else:
                keyed[block] = None
        keyless.reverse()
        self._keyless += keyless

    def _leave(self, block: int) -> None:
        if self._sharers[block] == 1:
            del self._sharers[block]
        else:
            self._sharers[block] -= 1

    def find(self, keys: Iterable[Key]) -> list[int]:
        """Blocks that hold `keys`, up to the first miss; nothing changes hands."""
        found: list[int] = []
        where = self._where
        for key in keys:
            held = where.get(key)
            if held is None:
                break
            found.append(held if isinstance(held, int) else held[0])
        return found

    def unused(self, blocks: Iterable[int]) -> int:
        """How many of `blocks` lie in the free queue."""
        keyed = self._keyed
        return sum(block in keyed for block in blocks)

    def adopt(self, blocks: Iterable[int]) -> None:
        """Add one user to each of `blocks`, which `find` returned."""
        keyed, sharers = self._keyed, self._sharers
        for block in blocks:
            if block in keyed:
                del keyed[block]
            else:
                sharers[block] = sharers.get(block, 0) + 1

    def register(self, block: int, key: Key) -> None:
        """Make a full block findable under `key`. Equal content in two blocks stays in both."""
        self._keys[block] = key
        held = self._where.setdefault(key, block)
        if held != block:
            if isinstance(held, int):
                self._where[key] = [held, block]
            else:
                held.append(block)
        self.changes += 1

    def park(self, count: int) -> None:
        """Move towards `count` withheld blocks, as far as free ones allow now."""
        missing = count - len(self._parked)
        if missing > 0:
            self._parked += self.take(min(missing, self.free))
        elif missing < 0:
            self._keyless += self._parked[missing:]
            del self._parked[missing:]

    def forget(self) -> bool:
        """Empty the prefix cache; False, and nothing changes, while blocks are in use."""
        if self.free + self.parked != self.size:
            return False
        self._keyless[:0] = reversed(self._keyed)
        self._keyed.clear()
        self._where.clear()
        self._keys = [None] * len(self._keys)
        self.changes += 1
        return True
