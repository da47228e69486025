"""The scheduler's rules by version: one workload for each switch, on both sides of its boundary."""

from pathlib import Path

import msgspec
import pytest

from tests.unit.engine.drive import Log, engine, one_step, request, run_out, shares
from workbench.base import Refusal
from workbench.engine.parity import check_file
from workbench.engine.parity.check_files import read_case
from workbench.engine.parity.play_golden import check_case
from workbench.engine.scheduler import Request, Rules, SchedulerConfig, all_rules, rules_caveat, rules_for
from workbench.engine.scheduler.block_pool import BlockPool, SingleQueueBlockPool
from workbench.engine.scheduler.rules import RULES, row_for, rules_span

MODES = ("open", "open_async")


def scheduled(log: Log) -> list[list[tuple[str, int]]]:
    """The shares of each step that scheduled something."""
    return [shares(step) for step, _ in log if step.num_scheduled_tokens]


# -- the table -----------------------------------------------------------------------------------------


def test_each_row_switches_one_more_rule_on():
    counts = [len(row.rules.switched_on()) for row in RULES]
    assert counts == list(range(len(Rules.__struct_fields__) + 1))
    assert [str(row.since) for row in RULES] == ["0.0", "0.12", "0.24", "0.31", "0.33"]


@pytest.mark.parametrize(
    ("version", "since", "span"),
    [
        ("0.11.2", "0.0", "0.11"),
        ("0.12.0", "0.12", "0.12 to 0.23"),
        ("0.23.0", "0.12", "0.12 to 0.23"),
        ("0.24.0+cpu", "0.24", "0.24 to 0.30"),
        ("0.30.1rc1", "0.24", "0.24 to 0.30"),
        ("v0.32", "0.31", "0.31 to 0.32"),
        ("0.33.0", "0.33", "0.33"),
        ("0.41.0", "0.33", "0.33"),
        ("1.0.0", "0.33", "0.33"),
        (None, "0.31", "0.31 to 0.32"),
        ("dev", "0.31", "0.31 to 0.32"),
    ],
)
def test_a_version_has_the_rules_of_the_newest_row_that_is_not_newer(
    version: str | None, since: str, span: str
):
    row = row_for(version)
    assert (str(row.since), rules_span(row)) == (since, span)
    assert rules_for(version) == row.rules


def test_only_versions_that_were_not_checked_have_a_caveat():
    assert rules_caveat("0.11.0") is None
    assert rules_caveat("0.33.0") is None
    newer, older, unknown = rules_caveat("0.34.0"), rules_caveat("0.10.2"), rules_caveat(None)
    assert newer is not None
    assert newer.values["span"] == "0.33"
    assert older is not None
    assert older.values["span"] == "0.11"
    assert unknown is not None
    assert unknown.values == {"modelled": "0.32"}


def test_all_combinations_of_switches_are_there_once():
    combinations = all_rules()
    assert len(combinations) == 16
    assert all(row.rules in combinations for row in RULES)


# -- one workload for each switch ----------------------------------------------------------------------


@pytest.mark.parametrize(("version", "first"), [("0.30.0", 64), ("0.31.0", 100)])
def test_the_long_prefill_threshold_holds_for_a_lone_request_before_0_31(version: str, first: int):
    scheduler = engine(
        [request("r0", 100, 2)], long_prefill_token_threshold=64, vllm_version=version, max_model_len=256
    )
    assert scheduled(run_out(scheduler))[0] == [("r0", first)]


@pytest.mark.parametrize(("version", "hit", "evictions"), [("0.23.0", 0, 2), ("0.24.0", 16, 0)])
def test_freed_blocks_without_a_hash_are_reused_first_from_0_24(version: str, hit: int, evictions: int):
    """Four prompts of 20 tokens one after the other in 4 blocks of 16; the fourth repeats the first."""
    scheduler = engine(num_gpu_blocks=5, max_model_len=64, vllm_version=version)
    hits = []
    for name, keys in (("r0", ["a"]), ("r1", ["b"]), ("r2", ["c"]), ("r3", ["a"])):
        scheduler.add_request(Request(name, 20, 1, block_hashes=keys))
        hits += [found for step, _ in run_out(scheduler) for _, found in step.scheduled_new_reqs]
    assert hits == [0, 0, 0, hit]
    assert scheduler.num_evictions == evictions


@pytest.mark.parametrize(("version", "after"), [("0.32.0", []), ("0.33.0", [("r1", 1)])])
def test_a_self_preemption_ends_the_running_loop_before_0_33(version: str, after: list[tuple[str, int]]):
    """4 blocks; r0 (priority 5) needs a third block when r1 (priority 0) has the other two."""
    config = {
        "num_gpu_blocks": 5,
        "max_model_len": 64,
        "policy": "priority",
        "enable_prefix_caching": False,
        "scheduler_reserve_full_isl": False,
    }
    scheduler = engine([request("r0", 30, 20, priority=5)], vllm_version=version, **config)
    scheduler.update_from_output(scheduler.schedule())
    scheduler.add_request(request("r1", 30, 20, priority=0, arrival_time=1.0))
    log = run_out(scheduler)
    step = next(step for step, _ in log if step.preempted_reqs)
    assert step.preempted_reqs[0][0].request_id == "r0"
    assert shares(step) == after


def test_the_running_loop_goes_on_behind_a_self_preemption_with_a_victim_ahead_of_it():
    """12 blocks: the third chunk of `long` needs 4, 2 are free; `small`, ahead of it, frees only one."""
    scheduler = engine(
        num_gpu_blocks=13,
        policy="priority",
        long_prefill_token_threshold=64,
        enable_prefix_caching=False,
        scheduler_reserve_full_isl=False,
        vllm_version="0.33.0",
    )
    for arrival in (
        request("small", 10, 5, priority=9),
        request("long", 200, 5, priority=5),
        request("last", 10, 5, priority=1),
    ):
        scheduler.add_request(arrival)
        step, _ = one_step(scheduler)
        assert not step.preempted_reqs
    assert [each.request_id for each in scheduler.running] == ["small", "long", "last"]
    step, _ = one_step(scheduler)
    assert [each.request_id for each, _ in step.preempted_reqs] == ["small", "long"]
    assert shares(step) == [("last", 1)]


@pytest.mark.parametrize(
    ("version", "first"), [("0.11.2", [("r0", 10), ("r2", 10)]), ("0.12.0", [("r0", 10)])]
)
def test_a_prompt_above_the_budget_lets_others_pass_before_0_12(version: str, first: list[tuple[str, int]]):
    scheduler = engine(
        [request("r0", 10, 3), request("r1", 60, 2), request("r2", 10, 3)],
        max_num_batched_tokens=64,
        max_model_len=64,
        enable_chunked_prefill=False,
        scheduler_reserve_full_isl=False,
        vllm_version=version,
    )
    step = scheduler.schedule()
    assert shares(step) == first
    assert step.head_wait is not None
    assert (step.head_wait.request_id, step.head_wait.reason) == ("r1", "budget")


def test_prompts_set_aside_go_back_in_reversed_order_before_0_12():
    scheduler = engine(
        [request("r0", 10, 3), request("r1", 60, 2), request("r2", 61, 2)],
        max_num_batched_tokens=64,
        max_model_len=64,
        enable_chunked_prefill=False,
        scheduler_reserve_full_isl=False,
        vllm_version="0.11.2",
    )
    scheduler.schedule()
    assert [each.request_id for each in scheduler.waiting] == ["r2", "r1"]


# -- the pool with one queue ---------------------------------------------------------------------------


def test_a_pool_with_one_queue_takes_blocks_in_the_order_in_which_they_were_freed():
    pool = SingleQueueBlockPool(6)
    first, second = pool.get_new_blocks(2), pool.get_new_blocks(3)
    pool.free_blocks(first, 0)
    pool.free_blocks(second, 0)
    assert pool.get_new_blocks(5) == [2, 1, 5, 4, 3]


def test_both_pools_count_alike_whatever_is_shared_reserved_and_reset():
    for pool in (BlockPool(8), SingleQueueBlockPool(8)):
        blocks = pool.get_new_blocks(3)
        pool.cache_full_blocks(blocks[:2], ["a", "b"])
        pool.touch(blocks[:2])
        pool.free_blocks(blocks, 2)
        assert (pool.get_num_free_blocks(), pool.get_cached_blocks(["a", "b"])) == (5, blocks[:2])
        pool.reserve_blocks(4)
        assert (pool.get_num_free_blocks(), pool.num_reserved_blocks, pool.reset_prefix_cache()) == (
            1,
            4,
            False,
        )
        pool.reserve_blocks(1)
        pool.free_blocks(blocks[:2], 2)
        assert (
            pool.get_num_free_blocks(),
            pool.num_reserved_blocks,
            pool.get_num_evictable_blocks(blocks[:2]),
        ) == (6, 1, 2)
        assert pool.reset_prefix_cache()
        assert (pool.get_cached_blocks(["a"]), pool.get_num_free_blocks(), pool.num_evictions) == ([], 6, 0)


# -- settings ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("version", "settings"),
    [
        ("0.18.1", {"scheduler_reserve_full_isl": True}),
        ("0.23.0", {"watermark": 0.1}),
        ("0.30.0", {"max_num_active_seqs": 4}),
        ("0.30.0", {"long_prefill_token_threshold_adaptive": True}),
    ],
)
def test_a_setting_that_the_version_lacks_is_refused(version: str, settings: dict[str, object]):
    others = {"scheduler_reserve_full_isl": False, **settings}
    config = SchedulerConfig(
        num_gpu_blocks=100,
        max_model_len=128,
        vllm_version=version,
        **others,  # type: ignore[arg-type]  # by name
    )
    with pytest.raises(Refusal) as refused:
        config.validate()
    assert refused.value.place.key == next(iter(settings))
    assert refused.value.values["version"] == version


# -- golden cases of other versions ----------------------------------------------------------------------

CASES = sorted((Path(__file__).parents[2] / "data" / "parity" / "versions").glob("*.json.gz"))
SWITCHED = {
    "0.11.2": "oversized_prompt_blocks",
    "0.16.0": "keyless_blocks_first",
    "0.24.0": "threshold_in_company_only",
    "0.33.0": "self_preemption_goes_on",
}
"""By version the switch that its cases are for."""


def test_each_switch_has_its_cases():
    assert [path.name.partition("-")[0] for path in CASES] == [name for name in SWITCHED for _ in range(2)]


@pytest.mark.parametrize("path", CASES, ids=lambda path: path.name.partition(".json")[0])
def test_a_case_is_decided_alike_and_otherwise_with_its_switch_turned(path: Path):
    verdict = check_file(path)
    assert verdict.identical, str(verdict)
    case = read_case(path)
    switch = SWITCHED[case.vllm_version]
    own = rules_for(case.vllm_version)
    turned = msgspec.structs.replace(own, **{switch: not getattr(own, switch)})
    assert not check_case(case, turned).identical


# -- golden cases of seven versions --------------------------------------------------------------------


@pytest.mark.parametrize("version", ["0.11.2", "0.16.0", "0.19.1", "0.24.0", "0.28.0", "0.31.0", "0.33.0"])
@pytest.mark.parametrize("mode", MODES)
def test_every_step_of_other_versions_is_decided_alike(shared: Path, version: str, mode: str):
    paths = sorted((shared / "data" / "parity" / "versions" / version / mode).glob("*.json.gz"))
    verdicts = [check_file(path) for path in paths]
    assert len(verdicts) >= 8
    assert [str(verdict) for verdict in verdicts if not verdict.identical] == []
