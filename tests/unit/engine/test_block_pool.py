import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from workbench.engine.scheduler.block_pool import BlockPool


def test_that_blocks_are_first_taken_in_order_and_the_null_block_never():
    assert BlockPool(5).get_new_blocks(4) == [1, 2, 3, 4]


def test_that_uncached_blocks_return_to_the_front_the_last_first():
    pool = BlockPool(9)
    blocks = pool.get_new_blocks(3)
    pool.free_blocks(blocks, 0)
    assert pool.get_new_blocks(4) == [3, 2, 1, 4]


def test_that_cached_blocks_return_to_the_end_the_deepest_first():
    pool = BlockPool(5)
    blocks = pool.get_new_blocks(3)
    pool.cache_full_blocks(blocks[:2], ["a", "b"])
    pool.free_blocks(blocks, 2)
    assert pool.get_new_blocks(4) == [3, 4, 2, 1]
    assert pool.num_evictions == 2


def test_that_a_cached_block_stays_findable_until_it_is_taken():
    pool = BlockPool(4)
    pool.cache_full_blocks(pool.get_new_blocks(1), ["a"])
    pool.free_blocks([1], 1)
    assert pool.get_cached_blocks(["a", "b"]) == [1]
    pool.get_new_blocks(3)
    assert pool.get_cached_blocks(["a"]) == []


def test_that_an_adopted_block_leaves_the_free_queue_and_is_freed_with_its_last_user():
    pool = BlockPool(4)
    blocks = pool.get_new_blocks(1)
    pool.cache_full_blocks(blocks, ["a"])
    pool.touch(blocks)
    pool.touch(blocks)
    for free in (2, 2, 3):
        pool.free_blocks(blocks, 1)
        assert pool.get_num_free_blocks() == free
    assert pool.get_num_evictable_blocks([1]) == 1


def test_that_of_equal_blocks_the_earliest_surviving_one_is_found():
    pool = BlockPool(4)
    first, second, third = pool.get_new_blocks(1), pool.get_new_blocks(1), pool.get_new_blocks(1)
    for block in (first, second, third):
        pool.cache_full_blocks(block, ["a"])
    assert pool.get_cached_blocks(["a"]) == first
    pool.free_blocks(first, 1)
    assert pool.get_new_blocks(1) == first
    assert pool.get_cached_blocks(["a"]) == second
    pool.free_blocks(third, 1)
    pool.get_new_blocks(1)
    assert pool.get_cached_blocks(["a"]) == second
    pool.free_blocks(second, 1)
    pool.get_new_blocks(1)
    assert pool.get_cached_blocks(["a"]) == []


def test_that_an_emptied_cache_keeps_the_order_of_the_queue():
    pool = BlockPool(5)
    pool.cache_full_blocks(pool.get_new_blocks(2), ["a", "b"])
    pool.free_blocks([1, 2], 2)
    assert pool.reset_prefix_cache()
    assert pool.get_cached_blocks(["a"]) == []
    assert pool.get_new_blocks(4) == [3, 4, 2, 1]
    assert not pool.reset_prefix_cache()


@given(st.lists(st.integers(0, 12), max_size=8))
def test_that_parking_moves_as_far_as_free_blocks_allow(wanted: list[int]):
    pool = BlockPool(11)
    pool.get_new_blocks(3)
    for count in wanted:
        pool.reserve_blocks(count)
        assert pool.num_reserved_blocks == min(count, 7)
        assert pool.get_num_free_blocks() + pool.num_reserved_blocks == 7


class ReferencePool(RuleBasedStateMachine):
    """The pool against vLLM's own structure: one list, a count of users and a map of lists."""

    SIZE = 12

    def __init__(self) -> None:
        super().__init__()
        self.pool = BlockPool(self.SIZE + 1)
        self.queue = list(range(1, self.SIZE + 1))
        self.users = dict.fromkeys(self.queue, 0)
        self.key_of: dict[int, int] = {}
        self.where: dict[int, list[int]] = {}
        self.held: list[list[int]] = []

    def _take(self, count: int) -> list[int]:
        taken = [self.queue.pop(0) for _ in range(count)]
        for block in taken:
            self.users[block] = 1
            if block in self.key_of:
                key = self.key_of.pop(block)
                self.where[key].remove(block)
                if not self.where[key]:
                    del self.where[key]
        return taken

    @precondition(lambda self: self.queue)
    @rule(data=st.data())
    def admit(self, data: st.DataObject) -> None:
        keys = data.draw(st.lists(st.integers(0, 5), unique=True, max_size=3))
        hits: list[int] = []
        for key in keys:
            if key not in self.where:
                break
            hits.append(self.where[key][0])
        assert self.pool.get_cached_blocks(keys) == hits
        unused = [block for block in hits if self.users[block] == 0]
        assert self.pool.get_num_evictable_blocks(hits) == len(unused)
        count = data.draw(st.integers(0, len(self.queue) - len(unused)))
        for block in hits:
            self.users[block] += 1
            if block in self.queue:
                self.queue.remove(block)
        self.pool.touch(hits)
        taken = self._take(count)
        assert self.pool.get_new_blocks(count) == taken
        fill = data.draw(st.integers(0, min(count, 4))) if len(hits) == len(keys) else 0
        new_keys = data.draw(st.lists(st.integers(0, 5), min_size=fill, max_size=fill, unique=True))
        for block, key in zip(taken[:fill], new_keys, strict=True):
            self.key_of[block] = key
            self.where.setdefault(key, []).append(block)
        self.pool.cache_full_blocks(taken[:fill], new_keys)
        self.held.append([*hits, *taken])

    @precondition(lambda self: self.held)
    @rule(data=st.data())
    def give_back(self, data: st.DataObject) -> None:
        blocks = self.held.pop(data.draw(st.integers(0, len(self.held) - 1)))
        keyed = sum(block in self.key_of for block in blocks)
        self.pool.free_blocks(blocks, keyed)
        keyless: list[int] = []
        for block in reversed(blocks):
            self.users[block] -= 1
            if self.users[block] == 0:
                (self.queue if block in self.key_of else keyless).append(block)
        self.queue[:0] = keyless

    @invariant()
    def same_number_free(self) -> None:
        assert self.pool.get_num_free_blocks() == len(self.queue)


ReferencePoolTest = ReferencePool.TestCase
ReferencePoolTest.settings = settings(max_examples=40, stateful_step_count=25, deadline=None)


def test_that_an_empty_pool_uses_everything():
    pool = BlockPool(3)
    pool.get_new_blocks(2)
    assert pool.get_usage() == pytest.approx(1.0)


def test_that_usage_is_the_share_of_what_is_not_reserved():
    pool = BlockPool(101)
    pool.reserve_blocks(60)
    assert pool.get_usage() == 0.0
    pool.get_new_blocks(10)
    assert pool.get_usage() == pytest.approx(0.25)
    pool.reserve_blocks(0)
    assert pool.get_usage() == pytest.approx(0.10)
