"""vLLM's scheduler flags, and the settings that follow from them and a profile."""

import argparse
from collections.abc import Mapping
from typing import Any

from workbench.base import Place, Refusal
from workbench.engine.scheduler import Policy, SchedulerConfig
from workbench.profiles import Profile
from workbench.vllm_dialect import (
    MODELLED_RELEASE,
    default_of,
    first_version_with,
    human_readable_int,
    version_has,
)

DEFAULT_PROFILE = "h100_sxm/Llama-3.1-8B/tp1"
AUTO = -1
"""Value of `max_model_len`: the longest that fits the KV cache."""

_SCHEDULER: dict[str, Any] = {
    "max_num_seqs": None,
    "max_num_active_seqs": None,
    "max_num_batched_tokens": None,
    "max_num_queued_reqs": None,
    "enable_chunked_prefill": None,
    "long_prefill_token_threshold": 0,
    "long_prefill_token_threshold_adaptive": False,
    "scheduling_policy": "fcfs",
    "scheduler_reserve_full_isl": None,
    "watermark": 0.0,
    "async_scheduling": None,
    "static_batching": False,
}
_CACHE_AND_MODEL: dict[str, Any] = {
    "block_size": None,
    "num_gpu_blocks_override": None,
    "enable_prefix_caching": None,
    "max_model_len": None,
}
DEFAULTS = _SCHEDULER | _CACHE_AND_MODEL
"""vLLM's names and defaults; None: from the profile, the version or `_USUAL`."""

_USUAL = {"enable_chunked_prefill": True, "enable_prefix_caching": True, "async_scheduling": False}
"""Async is vLLM's default on GPUs; here it is off by default, since a replay's rules are sync."""
_BY_VERSION = ("scheduler_reserve_full_isl",)
_SWITCHES = {
    *(name for name, default in DEFAULTS.items() if isinstance(default, bool)),
    *_USUAL,
    *_BY_VERSION,
}
_HELP = {
    "max_num_seqs": "sequence limit: requests processed in one step (default: the profile's)",
    "max_num_active_seqs": "running requests, below the sequence limit (default: the sequence limit)",
    "max_num_batched_tokens": "token budget: prefill and decode tokens of one step (default: the profile's)",
    "max_num_queued_reqs": "requests in the server; one more is rejected with 503 (default: no limit)",
    "enable_chunked_prefill": "split a long prefill over several steps (default: on)",
    "long_prefill_token_threshold": "prompt tokens that one request may take of a step (default 0: off)",
    "long_prefill_token_threshold_adaptive": "raise it while few requests are there (default: off)",
    "scheduling_policy": "who is next of the waiting and who is preempted (default: fcfs)",
    "scheduler_reserve_full_isl": "admit a request only if its whole prompt fits free blocks (on since 0.19)",
    "watermark": "share of KV blocks that admission leaves free, 0 to 1 (default 0)",
    "async_scheduling": "schedule a step while the last one runs (vLLM's default on GPUs; default here: off)",
    "static_batching": "a batch runs until its last member ends; not vLLM's, to teach (default: off)",
    "block_size": "tokens that share one KV block (default: the profile's)",
    "num_gpu_blocks_override": "KV blocks, one of them unusable (default: the profile's)",
    "enable_prefix_caching": "keep blocks of finished prompts for requests that begin alike (default: on)",
    "max_model_len": "prompt and output of one request together; auto: the longest that fits the KV cache",
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


def human_readable_int_or_auto(text: str) -> int:
    """Parse such an integer, `auto` or -1."""
    return AUTO if text.strip().lower() in {"-1", "auto"} else human_readable_int(text)


_KINDS = {
    "max_num_batched_tokens": human_readable_int,
    "max_model_len": human_readable_int_or_auto,
    "watermark": float,
}


def add_scheduler_flags(parser: argparse.ArgumentParser) -> tuple[Any, Any]:
    """Declare the flags as in `vllm serve`; returns the groups, the scheduler's first."""
    scheduler = parser.add_argument_group("SchedulerConfig")
    cache = parser.add_argument_group("CacheConfig and ModelConfig")
    for group, flags in ((scheduler, _SCHEDULER), (cache, _CACHE_AND_MODEL)):
        for name, default in flags.items():
            _add(group, name, default)
    return scheduler, cache


def _add(group: Any, name: str, default: Any) -> None:
    flag, text = "--" + name.replace("_", "-"), _HELP[name]
    if name in _SWITCHES:
        group.add_argument(flag, action=argparse.BooleanOptionalAction, default=default, help=text)
    elif name == "scheduling_policy":
        group.add_argument(flag, choices=("fcfs", "priority"), default=default, help=text)
    else:
        group.add_argument(flag, type=_KINDS.get(name, int), default=default, metavar="N", help=text)


def add_step_time_flags(parser: argparse.ArgumentParser) -> None:
    """Declare the source of step times: a profile by name, or coefficients."""
    times = parser.add_argument_group("step times").add_mutually_exclusive_group()
    times.add_argument(
        "--profile", metavar="NAME", help=f"gpu/model/tpN or a .json file (default {DEFAULT_PROFILE})"
    )
    times.add_argument(
        "--step-model", metavar="a=…,b=…,c=…,d=…,e=…", help="coefficients of a step's time in µs"
    )


def scheduler_config(values: Mapping[str, Any], profile: Profile) -> SchedulerConfig:
    """Return the settings for values (names as in `DEFAULTS`, others are ignored) on a profile.

    `vllm_version` chooses the scheduler's rules and defaults; without it, those of the modelled version.

    Raises:
        Refusal: vLLM would refuse them.
    """
    version = values.get("vllm_version") or MODELLED_RELEASE
    given = {name: values.get(name, default) for name, default in DEFAULTS.items()}
    given |= {name: value for name, value in _USUAL.items() if given[name] is None}
    given |= {name: default_of(name, version) for name in _BY_VERSION if given[name] is None}
    _require_queue_limits(values, version)
    block_size = profile.block_size if given["block_size"] is None else given["block_size"]
    if block_size < 1:
        raise Refusal("base.too_small", Place(key="block_size"), value=block_size, minimum=1)
    blocks = given["num_gpu_blocks_override"]
    if blocks is None:
        blocks = profile.num_gpu_blocks * profile.block_size // block_size
    length = profile.max_model_len if given["max_model_len"] is None else given["max_model_len"]
    if length == AUTO:
        length = max(1, min(profile.max_model_len, (blocks - 1) * block_size))
    limit = given["max_num_queued_reqs"]
    if limit is not None and limit < 0:
        raise Refusal("base.too_small", Place(key="max_num_queued_reqs"), value=limit, minimum=0)
    budget, sequences = _budget_and_sequences(given, profile, length)
    policy: Policy = "static" if given["static_batching"] else given["scheduling_policy"]
    return SchedulerConfig(
        num_gpu_blocks=blocks,
        max_model_len=length,
        max_num_seqs=sequences,
        max_num_batched_tokens=budget,
        block_size=block_size,
        policy=policy,
        vllm_version=version,
        **{name: given[name] for name in _SAME},
    ).validate()


def _require_queue_limits(values: Mapping[str, Any], version: str) -> None:
    for name in ("max_num_queued_reqs", "max_num_queued_tokens"):
        flag = "--" + name.replace("_", "-")
        if values.get(name) is not None and version_has("flag", flag, version) is False:
            raise Refusal(
                "engine.setting_unknown",
                Place(key=name),
                version=version,
                since=first_version_with("flag", flag),
            )


def _budget_and_sequences(given: Mapping[str, Any], profile: Profile, length: int) -> tuple[int, int]:
    """Choose values that were not given, as vLLM does."""
    budget, sequences = given["max_num_batched_tokens"], given["max_num_seqs"]
    if budget is None:
        budget = profile.max_num_batched_tokens
        if not given["enable_chunked_prefill"]:
            budget = max(budget, length)
        budget = min(budget, (profile.max_num_seqs if sequences is None else sequences) * length)
    return budget, min(profile.max_num_seqs, budget) if sequences is None else sequences
