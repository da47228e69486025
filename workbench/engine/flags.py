"""vLLM's flags for what the scheduler decides by, and the settings that follow from them and a profile."""

import argparse
from collections.abc import Mapping
from typing import Any

from workbench.base import InputError
from workbench.engine.scheduler import Policy, SchedulerConfig
from workbench.profiles import Profile

DEFAULTS: dict[str, Any] = {
    "max_num_seqs": None,
    "max_num_active_seqs": None,
    "max_num_batched_tokens": None,
    "max_num_queued_reqs": None,
    "enable_chunked_prefill": True,
    "enable_prefix_caching": True,
    "long_prefill_token_threshold": 0,
    "long_prefill_token_threshold_adaptive": False,
    "scheduling_policy": "fcfs",
    "scheduler_reserve_full_isl": True,
    "watermark": 0.0,
    "block_size": None,
    "num_gpu_blocks_override": None,
    "max_model_len": None,
    "async_scheduling": False,
    "static_batching": False,
}
"""By vLLM's names; None: what the profile's card has by default. Async is off: a replay's rules are sync."""

_HELP = {
    "async_scheduling": "schedule a step while the last one runs (vLLM's default on GPUs; here off)",
    "static_batching": "a batch runs until its last member ends; not vLLM's, to teach",
}
_SAME = (
    "max_num_active_seqs",
    "enable_chunked_prefill",
    "enable_prefix_caching",
    "scheduler_reserve_full_isl",
    "long_prefill_token_threshold",
    "long_prefill_token_threshold_adaptive",
    "watermark",
    "async_scheduling",
)


def add_scheduler_flags(parser: argparse.ArgumentParser) -> None:
    """Declare them all, as `vllm serve` has them."""
    group = parser.add_argument_group("scheduler and KV cache, as in `vllm serve`")
    for name, default in DEFAULTS.items():
        flag, text = "--" + name.replace("_", "-"), _HELP.get(name)
        if isinstance(default, bool):
            group.add_argument(flag, action=argparse.BooleanOptionalAction, default=default, help=text)
        elif name == "scheduling_policy":
            group.add_argument(flag, choices=("fcfs", "priority"), default=default)
        else:
            kind = float if isinstance(default, float) else int
            group.add_argument(flag, type=kind, default=default, metavar="N", help=text)


def scheduler_config(values: Mapping[str, Any], profile: Profile) -> SchedulerConfig:
    """The settings of these values (names as in `DEFAULTS`; others are ignored) on that profile.

    Raises:
        InputError: vLLM would refuse them; the message is vLLM's.
    """
    given = {name: values.get(name, default) for name, default in DEFAULTS.items()}
    block_size = profile.block_size if given["block_size"] is None else given["block_size"]
    if block_size < 1:
        raise InputError(f"block_size: {block_size} must be greater than or equal to 1")
    blocks = given["num_gpu_blocks_override"]
    if blocks is None:
        blocks = profile.num_gpu_blocks * profile.block_size // block_size
    length = profile.max_model_len if given["max_model_len"] is None else given["max_model_len"]
    budget, seats = _budget_and_seats(given, profile, length)
    policy: Policy = "static" if given["static_batching"] else given["scheduling_policy"]
    return SchedulerConfig(
        num_gpu_blocks=blocks,
        max_model_len=length,
        max_num_seqs=seats,
        max_num_batched_tokens=budget,
        block_size=block_size,
        policy=policy,
        **{name: given[name] for name in _SAME},
    ).validate()


def _budget_and_seats(given: Mapping[str, Any], profile: Profile, length: int) -> tuple[int, int]:
    """As vLLM adjusts values that were not given; given ones stay as they are."""
    budget, seats = given["max_num_batched_tokens"], given["max_num_seqs"]
    if budget is None:
        budget = profile.max_num_batched_tokens
        if not given["enable_chunked_prefill"]:
            budget = max(budget, length)
        budget = min(budget, (profile.max_num_seqs if seats is None else seats) * length)
    return budget, min(profile.max_num_seqs, budget) if seats is None else seats
