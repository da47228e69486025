"""The pool of KV blocks: the free queue and the prefix cache (rules 1.4 to 1.6 of the V1 scheduler).

vLLM's free queue is one list: blocks without a key return to its head, blocks with a key to its tail, and
the pool starts with keyless ones. So at any time it is a stack of keyless blocks followed by a queue of
keyed ones; held as those two, taking and returning are whole-slice operations.
"""

from collections import OrderedDict
from collections.abc import Iterable, Sequence
from itertools import islice
from typing import Any

from workbench.engine.scheduler.request import Key

Held = int | list[int]
"""The block under a key; a list where equal content lies in several, earliest registered first."""


class BlockPool:
    """`num_blocks` blocks, of which block 0 is vLLM's null block and never given out."""

    __slots__ = (
        "_duplicated",
        "_keyed",
        "_keyless",
        "_keys",
        "_parked",
        "_sharers",
        "_where",
        "evictions",
        "size",
    )

    def __init__(self, num_blocks: int) -> None:
        self.size = num_blocks - 1
        self._keyless = list(range(num_blocks - 1, 0, -1))  # the head of the queue is the end of the list
        self._keyed: OrderedDict[int, None] = OrderedDict()  # the first is the next to be evicted
        self._keys: dict[int, Key] = {}
        self._where: dict[Key, Held] = {}
        self._sharers: dict[int, int] = {}  # users beyond the first
        self._parked: list[int] = []
        self._duplicated = 0
        """Keys with more than one block."""
        self.evictions = 0

    @property
    def free(self) -> int:
        """Blocks that nobody uses, cached ones included."""
        return len(self._keyless) + len(self._keyed)

    @property
    def usage(self) -> float:
        """The gauge `kv_cache_usage_perc`, from 0 to 1: the used share of what isn't parked."""
        return 1.0 - self.free / (self.size - len(self._parked))

    @property
    def parked(self) -> int:
        """Blocks withheld from all requests."""
        return len(self._parked)

    def take(self, count: int) -> list[int]:
        """The first `count` blocks of the free queue; a cached one loses its key. Check `free` first."""
        keyless = self._keyless
        taken = keyless[: -count - 1 : -1]
        del keyless[len(keyless) - len(taken) :]
        missing = count - len(taken)
        return taken + self._evict(missing) if missing else taken

    def _evict(self, count: int) -> list[int]:
        where, keyed = self._where, self._keyed
        blocks = [*islice(keyed, count)]
        for block in blocks:
            del keyed[block]
        keys = [*map(self._keys.pop, blocks)]
        self.evictions += count
        if not self._duplicated:
            for key in keys:
                del where[key]
        else:
            for block, key in zip(blocks, keys, strict=True):
                self._forget_one(block, key)
        return blocks

    def _forget_one(self, block: int, key: Key) -> None:
        held = self._where[key]
        if isinstance(held, int):
            del self._where[key]
            return
        held.remove(block)
        if len(held) == 1:
            self._where[key] = held[0]
            self._duplicated -= 1

    def release(self, blocks: Sequence[int], registered: int) -> None:
        """Give back one request's blocks, in its order, of which the first `registered` have keys.

        Its last block is the first to be used again.
        """
        self._keyless += blocks[registered:]
        keyed: Sequence[int] = blocks[registered - 1 :: -1] if registered else ()
        sharers = self._sharers
        if not sharers.keys().isdisjoint(keyed):
            shared = [block for block in keyed if block in sharers]
            keyed = [block for block in keyed if block not in sharers]
            for block in shared:
                self._leave(block)
        self._keyed.update(dict.fromkeys(keyed))

    def _leave(self, block: int) -> None:
        if self._sharers[block] == 1:
            del self._sharers[block]
        else:
            self._sharers[block] -= 1

    def find(self, keys: Iterable[Key]) -> list[int]:
        """Blocks that hold `keys`, up to the first miss; nothing changes hands."""
        # iter(…, None) stops at the first key that the map answers with None, without a loop in Python.
        found: list[Any] = list(iter(map(self._where.get, keys).__next__, None))
        if self._duplicated:
            return [held if isinstance(held, int) else held[0] for held in found]
        return found

    def unused(self, blocks: Iterable[int]) -> int:
        """How many of `blocks` lie in the free queue."""
        return sum(map(self._keyed.__contains__, blocks))

    def adopt(self, blocks: Iterable[int]) -> None:
        """Add one user to each of `blocks`, which `find` returned."""
        keyed, sharers = self._keyed, self._sharers
        for block in blocks:
            if block in keyed:
                del keyed[block]
            else:
                sharers[block] = sharers.get(block, 0) + 1

    def register(self, blocks: Sequence[int], keys: Sequence[Key]) -> None:
        """Make full blocks findable under their keys. Equal content in two blocks stays in both."""
        if self._where.keys().isdisjoint(keys):
            self._keys.update(zip(blocks, keys, strict=True))
            self._where.update(zip(keys, blocks, strict=True))
            return
        for block, key in zip(blocks, keys, strict=True):
            self.register_one(block, key)

    def register_one(self, block: int, key: Key) -> None:
        """The same for one block."""
        self._keys[block] = key
        held = self._where.setdefault(key, block)
        if held != block:
            if isinstance(held, list):
                held.append(block)
            else:
                self._where[key] = [held, block]
                self._duplicated += 1

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
        self._forget_keys()
        return True

    def _forget_keys(self) -> None:
        self._where.clear()
        self._keys.clear()
        self._duplicated = 0


class OneQueuePool(BlockPool):
    """The pool of vLLM before 0.24: every freed block goes to the tail of the free queue, keyed or not.

    `_keyed` is the whole queue here, and `_keyless` stays empty.
    """

    __slots__ = ()

    def __init__(self, num_blocks: int) -> None:
        super().__init__(num_blocks)
        self._keyed.update(dict.fromkeys(range(1, num_blocks)))
        self._keyless = []

    def take(self, count: int) -> list[int]:
        """Return the first `count` blocks of the free queue; a cached one loses its key."""
        queue, keys = self._keyed, self._keys
        taken = [*islice(queue, count)]
        for block in taken:
            del queue[block]
            if block in keys:
                self._forget_one(block, keys.pop(block))
                self.evictions += 1
        return taken

    def release(self, blocks: Sequence[int], registered: int) -> None:
        """Give back one request's blocks: the last one first, all to the tail."""
        del registered
        queue, sharers = self._keyed, self._sharers
        if sharers.keys().isdisjoint(blocks):
            queue.update(dict.fromkeys(reversed(blocks)))
            return
        for block in reversed(blocks):
            if block in sharers:
                self._leave(block)
            else:
                queue[block] = None

    def park(self, count: int) -> None:
        """Move towards `count` withheld blocks, as far as free ones allow now."""
        missing = count - len(self._parked)
        if missing > 0:
            self._parked += self.take(min(missing, self.free))
        elif missing < 0:
            self._keyed.update(dict.fromkeys(self._parked[missing:]))
            del self._parked[missing:]

    def forget(self) -> bool:
        """Empty the prefix cache; the queue keeps its order."""
        if self.free + self.parked != self.size:
            return False
        self._forget_keys()
        return True
