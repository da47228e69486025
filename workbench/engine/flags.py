"""vLLM's flags for what the scheduler decides by, and the settings that follow from them and a profile."""

import argparse
from typing import Any

from workbench.engine.scheduler import Policy, SchedulerConfig
from workbench.profiles import Profile


def add_scheduler_flags(parser: argparse.ArgumentParser) -> None:
    """Declare them under vLLM's names; what is not given is vLLM's default for the profile's card."""
    group = parser.add_argument_group("scheduler and KV cache, as in `vllm serve`")
    switch = argparse.BooleanOptionalAction
    group.add_argument("--max-num-seqs", type=int, metavar="N")
    group.add_argument("--max-num-active-seqs", type=int, metavar="N")
    group.add_argument("--max-num-batched-tokens", type=int, metavar="N")
    group.add_argument("--max-num-queued-reqs", type=int, metavar="N")
    group.add_argument("--enable-chunked-prefill", action=switch, default=True)
    group.add_argument("--enable-prefix-caching", action=switch, default=True)
    group.add_argument("--long-prefill-token-threshold", type=int, default=0, metavar="N")
    group.add_argument("--long-prefill-token-threshold-adaptive", action=switch, default=False)
    group.add_argument("--scheduling-policy", choices=("fcfs", "priority"), default="fcfs")
    group.add_argument("--scheduler-reserve-full-isl", action=switch, default=True)
    group.add_argument("--watermark", type=float, default=0.0, metavar="SHARE")
    group.add_argument("--block-size", type=int, metavar="TOKENS")
    group.add_argument("--num-gpu-blocks-override", "--num-gpu-blocks", type=int, metavar="N")
    group.add_argument("--max-model-len", type=int, metavar="TOKENS")
    group.add_argument(
        "--static-batching",
        action="store_true",
        help="a batch runs until its last member ends; not vLLM's, to teach",
    )


def scheduler_config(arguments: argparse.Namespace, profile: Profile, *, is_async: bool) -> SchedulerConfig:
    """The settings of these flags on that profile.

    Raises:
        InputError: vLLM would refuse them; the message is vLLM's.
    """
    block_size = arguments.block_size or profile.block_size
    length = profile.max_model_len if arguments.max_model_len is None else arguments.max_model_len
    budget, seats = _budget_and_seats(arguments, profile, length)
    policy: Policy = "static" if arguments.static_batching else arguments.scheduling_policy
    blocks = arguments.num_gpu_blocks_override
    if blocks is None:
        blocks = profile.num_gpu_blocks * profile.block_size // block_size
    same: dict[str, Any] = {name: getattr(arguments, name) for name in _SAME}
    return SchedulerConfig(
        num_gpu_blocks=blocks,
        max_model_len=length,
        max_num_seqs=seats,
        max_num_batched_tokens=budget,
        block_size=block_size,
        policy=policy,
        async_scheduling=is_async,
        **same,
    ).validate()


_SAME = (
    "max_num_active_seqs",
    "enable_chunked_prefill",
    "enable_prefix_caching",
    "scheduler_reserve_full_isl",
    "long_prefill_token_threshold",
    "long_prefill_token_threshold_adaptive",
    "watermark",
)


def _budget_and_seats(arguments: argparse.Namespace, profile: Profile, length: int) -> tuple[int, int]:
    """As vLLM adjusts values that were not given; given ones stay as they are."""
    budget, seats = arguments.max_num_batched_tokens, arguments.max_num_seqs
    if budget is None:
        budget = profile.max_num_batched_tokens
        if not arguments.enable_chunked_prefill:
            budget = max(budget, length)
        budget = min(budget, (profile.max_num_seqs if seats is None else seats) * length)
    return budget, min(profile.max_num_seqs, budget) if seats is None else seats
