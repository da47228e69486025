"""The controls: kinds, ranges, interplay, flags."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.base import InputError
from workbench.controls import (
    CONTROLS,
    LIVE_LIMITS,
    NOT_CONTROLS,
    WITHHELD_BLOCKS,
    Value,
    check_interplay,
    check_value,
    control_flags,
    effective_mismatches,
    values_in_force,
)
from workbench.engine.live_limits import ATTRIBUTES
from workbench.servers.inside.workbench_scheduler import limits

SHARED = Path(__file__).parents[4] / "shared" / "data"


def test_that_an_unknown_control_is_refused_with_the_nearest_name() -> None:
    with pytest.raises(InputError, match="did you mean max_num_seqs"):
        check_value("max_num_seq", 4)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("max_num_seqs", 0),
        ("max_num_seqs", 2.5),
        ("max_num_seqs", True),
        ("max_num_seqs", "16"),
        ("watermark", 1.5),
        ("watermark", float("nan")),
        ("enable_chunked_prefill", 1),
        ("scheduling_policy", "lifo"),
        ("num_gpu_blocks_override", 1),
    ],
)
def test_that_a_value_of_the_wrong_kind_or_out_of_range_is_refused_by_name(name: str, value: object) -> None:
    with pytest.raises(InputError, match=name):
        check_value(name, value)


@given(st.integers(min_value=1, max_value=10**6))
def test_that_a_whole_number_in_range_passes_unchanged(value: int) -> None:
    assert check_value("max_num_seqs", value) == value


def test_that_flags_are_spelt_as_vllm_spells_them() -> None:
    words = control_flags(
        {"max_num_seqs": 16, "enable_chunked_prefill": False, "enable_prefix_caching": True}
    )
    assert words == ["--max-num-seqs", "16", "--no-enable-chunked-prefill", "--enable-prefix-caching"]


def test_that_the_loads_own_controls_have_no_flag() -> None:
    assert control_flags({"max_in_flight": 8}) == []


@pytest.mark.parametrize(
    "values",
    [
        {"max_num_batched_tokens": 8, "max_num_seqs": 16},
        {"max_num_batched_tokens": 512, "max_model_len": 4096, "enable_chunked_prefill": False},
        {"max_num_seqs": 8, "max_num_active_seqs": 9},
        {"max_num_batched_tokens": 512, "long_prefill_token_threshold": 513},
        {"num_gpu_blocks_override": 10, "block_size": 16, "max_model_len": 4096},
        {"mamba_block_size": 12},
        {"mamba_block_size": 64, "enable_prefix_caching": False},
        {"mamba_cache_mode": "align", "enable_chunked_prefill": False},
        {"mamba_cache_mode": "align", "disable_chunked_mm_input": True},
        {"use_replayssm": True, "kv_offloading_size": 4.0},
    ],
)
def test_that_values_which_vllm_refuses_together_are_refused_before_launch(values: dict[str, Value]) -> None:
    with pytest.raises(InputError):
        check_interplay(values)


def test_that_possible_values_together_pass() -> None:
    check_interplay({"max_num_batched_tokens": 8192, "max_num_seqs": 64, "max_model_len": 32768})
    check_interplay({"mamba_block_size": 512, "enable_prefix_caching": False, "max_model_len": 512})
    check_interplay({"use_replayssm": True, "kv_offloading_size": 0, "mamba_cache_mode": "align"})


def test_that_a_control_the_server_moved_is_named() -> None:
    asked = {"max_num_seqs": 16, "block_size": 16}
    (found,) = effective_mismatches(asked, {"max_num_seqs": 8, "block_size": None})
    assert str(found) == "max_num_seqs asked 16, effective 8"
    assert found.values == {"name": "max_num_seqs", "asked": 16, "effective": 8}
    assert effective_mismatches({"of_a_later_version": 1}, {"of_a_later_version": 2})
    assert effective_mismatches({"max_in_flight": 1}, {"max_in_flight": 2}) == []


@pytest.mark.parametrize(
    ("name", "asked", "effective", "as_asked"),
    [
        ("dtype", "auto", "bfloat16", True),
        ("dtype", "half", "float16", True),
        ("dtype", "float", "float32", True),
        ("dtype", "float16", "bfloat16", False),
        ("mamba_ssm_cache_dtype", "auto", "float32", True),
        ("gpu_memory_utilization", 0.9, 0.9000000001, True),
        ("mamba_cache_mode", "none", "align", False),
    ],
)
def test_that_what_a_server_makes_of_auto_and_of_other_names_is_as_asked(
    name: str, asked: Value, effective: object, as_asked: bool
) -> None:
    assert (effective_mismatches({name: asked}, {name: effective}) == []) is as_asked


def test_that_every_suggested_value_is_a_possible_one() -> None:
    for control in CONTROLS.values():
        for value in control.ladder:
            assert check_value(control.name, value) == value


@pytest.fixture
def flags() -> list[dict[str, Any]]:
    path = SHARED / "vllm" / "flags-0.32.json"
    if not path.exists():
        pytest.skip("the flag list of vLLM 0.32 is not here")
    found: list[dict[str, Any]] = json.loads(path.read_text())["flags"]
    return found


def test_that_every_flag_of_vllms_scheduler_and_cache_is_a_control_or_is_named_with_a_reason(
    flags: list[dict[str, Any]],
) -> None:
    ours = {control.flag for control in CONTROLS.values()}
    groups = ("SchedulerConfig", "CacheConfig")
    theirs = {flag["flags"][0]: set(flag["flags"]) for flag in flags if flag["group"] in groups}
    assert len(theirs) == 39
    missing = {flag for flag, words in theirs.items() if not words & ours}
    assert missing == set(NOT_CONTROLS)
    assert all(len(reason.split()) > 3 for reason in NOT_CONTROLS.values())


def test_that_every_flag_is_one_of_vllms_own_with_its_kind_and_choices(flags: list[dict[str, Any]]) -> None:
    known = {word: flag for flag in flags for word in flag["flags"]}
    for control in CONTROLS.values():
        if control.flag is None or control.name == "static_batching":
            continue
        assert control.flag in known, control.name
        words = known[control.flag]["flags"]
        assert any(word.startswith("--no-") for word in words) == (control.kind == "switch"), control.name
        choices = known[control.flag].get("choices")
        if choices:
            assert set(control.choices) <= set(choices), control.name


def test_that_what_changes_the_numbers_is_said_to_be_able_to_change_answers() -> None:
    altering = {control.name for control in CONTROLS.values() if control.alters_answers}
    assert altering == {
        *("dtype", "quantization", "kv_cache_dtype", "mamba_cache_dtype", "kv_sharing_fast_prefill"),
        *("mamba_ssm_cache_dtype", "use_replayssm"),
    }
    assert all("answer" in CONTROLS[name].limits for name in altering)


@pytest.mark.parametrize("value", [10**30, 2**64, -(2**70), 10**400, float("inf"), float("-inf")])
@pytest.mark.parametrize("name", ["max_num_seqs", "max_in_flight", "queue_timeout_s", "cpu_offload_gb"])
def test_that_a_number_beyond_all_use_is_refused_in_a_line(name: str, value: float) -> None:
    with pytest.raises(InputError, match=f"^{name} must be (a whole number|at least|between)") as caught:
        check_value(name, value)
    assert len(str(caught.value)) < 200


def test_that_a_refusal_shows_a_value_as_one_short_line() -> None:
    with pytest.raises(InputError) as caught:
        check_value("enable_chunked_prefill", "\x1b[2J\n" + "a" * 3000)
    assert len(str(caught.value)) < 150
    assert str(caught.value).isprintable()


@pytest.mark.parametrize(
    ("effective", "started_by_us", "held"),
    [
        ({"max_num_seqs": 40}, True, {"max_num_seqs": 40, "block_size": 16, "max_in_flight": 8}),
        ({"max_num_seqs": 40}, False, {"max_num_seqs": 40, "max_in_flight": 8}),
        ({"max_num_seqs": None}, False, {"max_in_flight": 8}),
        ({}, True, {"max_num_seqs": 16, "block_size": 16, "max_in_flight": 8}),
    ],
)
def test_what_a_server_reports_wins_over_what_was_asked_of_it(
    effective: dict[str, Value], started_by_us: bool, held: dict[str, Value]
) -> None:
    asked = {"max_num_seqs": 16, "block_size": 16, "max_in_flight": 8}
    assert values_in_force(asked, effective, started_by_us=started_by_us) == held


@pytest.mark.parametrize(
    ("name", "since"),
    [
        ("max_num_active_seqs", "0.31"),
        ("long_prefill_token_threshold_adaptive", "0.31"),
        ("scheduler_reserve_full_isl", "0.19"),
        ("watermark", "0.24"),
        ("prefill_schedule_interval", "0.24"),
        ("max_num_scheduled_tokens", "0.26"),
        ("max_num_queued_reqs", "0.29"),
        ("max_num_seqs", None),
        ("max_in_flight", None),
    ],
)
def test_a_control_knows_the_first_version_that_has_it(name: str, since: str | None) -> None:
    assert CONTROLS[name].since == since


def test_defaults_that_changed_say_when() -> None:
    assert CONTROLS["gpu_memory_utilization"].default == "0.92 (0.9 before 0.20)"
    assert CONTROLS["async_scheduling"].default == "on (off before 0.14), off on CPUs"
    assert "16384 (8192 before 0.28)" in CONTROLS["max_num_batched_tokens"].default


def test_every_live_limit_has_a_setter_in_both_engines() -> None:
    assert tuple(ATTRIBUTES) == LIVE_LIMITS
    assert (limits.SEATS, limits.BUDGET, limits.LONG_PREFILL, limits.RESERVED) == LIVE_LIMITS
    assert set(LIVE_LIMITS) - CONTROLS.keys() == {WITHHELD_BLOCKS}


@pytest.mark.parametrize("name", CONTROLS)
def test_a_control_has_chinese_words(name: str) -> None:
    words = CONTROLS[name].words("zh_CN")
    assert CONTROLS[name].words("en").title == CONTROLS[name].title
    assert all(re.search("[\u4e00-\u9fff]|TTFT", text) for text in (words.title, words.limits, words.watch))
