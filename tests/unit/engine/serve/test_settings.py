"""Flags, defaults by card, vLLM's adjustments and refusals."""

import argparse

import pytest

from workbench.base import InputError
from workbench.engine.server.command import _non_default
from workbench.engine.server.flags import configure
from workbench.engine.server.settings import Settings, VllmRefusal, api_keys, resolve
from workbench.vllm_dialect import human_readable_int


def parsed(*flags: str) -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    configure(parser)
    return parser.parse_args(flags)


def settings(*flags: str) -> Settings:
    arguments = parsed(*flags)
    return resolve(arguments, _non_default(arguments))


@pytest.mark.parametrize(
    ("text", "value"),
    [("512", 512), ("4k", 4000), ("4K", 4096), ("1M", 1_048_576), ("25.6k", 25_600), ("2m", 2_000_000)],
)
def test_that_token_counts_may_be_written_for_people(text: str, value: int) -> None:
    assert human_readable_int(text) == value
    assert parsed("--max-num-batched-tokens", text).max_num_batched_tokens == value


def test_that_defaults_are_the_cards() -> None:
    h100, rtx = settings().scheduler, settings("--profile", "rtx_4090/Llama-3.1-8B/tp1").scheduler
    assert (h100.max_num_batched_tokens, h100.max_num_seqs, h100.block_size) == (8192, 1024, 16)
    assert (rtx.max_num_batched_tokens, rtx.max_num_seqs) == (2048, 256)
    assert h100.async_scheduling
    assert h100.enable_chunked_prefill
    assert h100.enable_prefix_caching
    assert rtx.max_model_len <= (rtx.num_gpu_blocks - 1) * rtx.block_size


def test_that_values_not_given_are_adjusted_and_given_ones_are_kept() -> None:
    assert settings("--max-num-batched-tokens", "512").scheduler.max_num_seqs == 512
    whole = settings("--no-enable-chunked-prefill").scheduler
    assert whole.max_num_batched_tokens == whole.max_model_len
    assert settings("--max-num-seqs", "2", "--max-model-len", "1000").scheduler.max_num_batched_tokens == 2000


def test_that_an_automatic_length_is_the_longest_that_fits() -> None:
    flags = ("--num-gpu-blocks-override", "101", "--block-size", "32")
    assert settings("--max-model-len", "auto", *flags).scheduler.max_model_len == 3200
    assert settings("--max-model-len", "-1").scheduler.max_model_len == 131072


def test_that_another_block_size_keeps_the_pools_tokens() -> None:
    scheduler = settings("--block-size", "32").scheduler
    assert scheduler.num_gpu_blocks == settings().scheduler.num_gpu_blocks // 2


def test_that_a_pool_too_small_is_left_for_the_engine_to_refuse() -> None:
    scheduler = settings("--num-gpu-blocks-override", "64", "--max-model-len", "2048").scheduler
    assert scheduler.num_gpu_blocks == 64


@pytest.mark.parametrize(
    ("flags", "field"),
    [
        (("--max-num-seqs", "0"), "max_num_seqs"),
        (("--block-size", "0"), "block_size"),
        (("--num-gpu-blocks-override", "0"), "num_gpu_blocks_override"),
        (("--max-model-len", "0"), "max_model_len"),
        (("--watermark", "1"), "watermark"),
        (("--long-prefill-token-threshold", "-1"), "long_prefill_token_threshold"),
        (("--max-num-active-seqs", "9", "--max-num-seqs", "8"), "max_num_active_seqs"),
        (("--max-num-queued-reqs", "-1"), "max_num_queued_reqs"),
        (("--max-num-queued-tokens", "-1"), "max_num_queued_tokens"),
        (("--custom-histogram-buckets", '{"ttft": [1]}'), "custom_histogram_buckets"),
        (("--custom-histogram-buckets", '{"time_to_first_token": [2, 1]}'), "custom_histogram_buckets"),
        (("--custom-histogram-buckets", '{"time_to_first_token": []}'), "custom_histogram_buckets"),
        (("--max-num-seqs", "3000", "--profile", "rtx_4090/Llama-3.1-8B/tp1"), None),
    ],
)  # fmt: skip
def test_that_vllm_refuses_these(flags: tuple[str, ...], field: str | None) -> None:
    with pytest.raises(VllmRefusal) as refusal:
        settings(*flags)
    assert refusal.value.field == field


@pytest.mark.parametrize(
    "flags",
    [
        ("--port", "99999"),
        ("--time-scale", "nan"),
        ("--vocab-size", "0"),
        ("--step-model", "a=1"),
        ("--profile", "none"),
    ],
)
def test_that_our_own_flags_are_refused_in_one_line(flags: tuple[str, ...]) -> None:
    with pytest.raises(InputError) as refusal:
        settings(*flags)
    assert "\n" not in str(refusal.value)


def test_that_a_key_is_taken_from_the_environment_and_never_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VLLM_API_KEY", "from-environment")
    assert api_keys(parsed()) == ("from-environment",)
    arguments = parsed("--api-key", "one", "two")
    assert api_keys(arguments) == ("one", "two")
    assert "one" not in repr(_non_default(arguments)["api_key"])


def test_that_the_version_chooses_rules_and_defaults() -> None:
    old, usual = settings("--vllm-version", "0.13.0"), settings()
    assert (old.version, old.scheduler.vllm_version) == ("0.13.0", "0.13.0")
    assert not old.scheduler.rules.keyless_blocks_first
    assert (old.scheduler.async_scheduling, old.scheduler.scheduler_reserve_full_isl) == (False, False)
    assert (usual.scheduler.async_scheduling, usual.scheduler.scheduler_reserve_full_isl) == (True, True)


@pytest.mark.parametrize(
    ("flags", "field"),
    [
        (("--vllm-version", "0.23.0", "--watermark", "0.1"), "watermark"),
        (("--vllm-version", "0.28.0", "--max-num-queued-reqs", "4"), "max_num_queued_reqs"),
        (("--vllm-version", "0.28.0", "--max-num-queued-tokens", "4"), "max_num_queued_tokens"),
        (("--vllm-version", "0.18.1", "--scheduler-reserve-full-isl"), "scheduler_reserve_full_isl"),
    ],
)
def test_that_a_setting_which_the_version_lacks_is_refused(flags: tuple[str, ...], field: str) -> None:
    with pytest.raises(VllmRefusal, match="does not have this setting") as refused:
        settings(*flags)
    assert refused.value.field == field


def test_that_a_version_which_is_none_is_refused() -> None:
    with pytest.raises(InputError, match="--vllm-version: 'latest' is not a vLLM version"):
        settings("--vllm-version", "latest")
