"""The flags of `engine serve`: vLLM's names, kinds and defaults for what it models, then its own."""

import argparse
import json
import re
from typing import Any

DEFAULT_PROFILE = "h100_sxm/Llama-3.1-8B/tp1"
_SUFFIXES = {
    "k": 10**3, "m": 10**6, "g": 10**9, "t": 10**12,
    "K": 2**10, "M": 2**20, "G": 2**30, "T": 2**40,
}  # fmt: skip
_HUMAN = re.compile(r"(\d+(?:\.\d+)?)([kKmMgGtT])")


def human_readable_int(text: str) -> int:
    """vLLM's: `4k` is 4,000 and `4K` is 4,096; decimals only with a decimal suffix."""
    found = _HUMAN.fullmatch(text.strip())
    if not found:
        return int(text)
    number, suffix = found.groups()
    if suffix.islower():
        return int(float(number) * _SUFFIXES[suffix])
    return int(number) * _SUFFIXES[suffix]


def human_readable_int_or_auto(text: str) -> int:
    """The same, and `auto` or -1: the longest that fits the KV cache."""
    return -1 if text.strip().lower() in {"-1", "auto"} else human_readable_int(text)


def json_object(text: str) -> dict[str, Any]:
    """A JSON object on the command line."""
    value = json.loads(text)
    if not isinstance(value, dict):
        raise argparse.ArgumentTypeError(f"{text!r} is not a JSON object")
    return value


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare all flags."""
    parser.allow_abbrev = False
    _scheduler_flags(parser.add_argument_group("SchedulerConfig"))
    _cache_flags(parser.add_argument_group("CacheConfig and ModelConfig"))
    _front_flags(parser.add_argument_group("Frontend"))
    _own_flags(parser.add_argument_group("Simulation"))


def _scheduler_flags(group: Any) -> None:
    switch = argparse.BooleanOptionalAction
    group.add_argument("--max-num-seqs", type=int)
    group.add_argument("--max-num-active-seqs", type=int)
    group.add_argument("--max-num-batched-tokens", type=human_readable_int)
    group.add_argument("--max-num-queued-reqs", type=int)
    group.add_argument("--max-num-queued-tokens", type=human_readable_int)
    group.add_argument("--enable-chunked-prefill", action=switch)
    group.add_argument("--long-prefill-token-threshold", type=int, default=0)
    group.add_argument("--long-prefill-token-threshold-adaptive", action=switch, default=False)
    group.add_argument("--scheduling-policy", choices=("fcfs", "priority"), default="fcfs")
    group.add_argument("--scheduler-reserve-full-isl", action=switch, default=True)
    group.add_argument("--watermark", type=float, default=0.0)
    group.add_argument("--async-scheduling", action=switch)
    group.add_argument("--stream-interval", type=int, default=1)


def _cache_flags(group: Any) -> None:
    group.add_argument("--block-size", type=int)
    group.add_argument("--num-gpu-blocks-override", type=int)
    group.add_argument("--enable-prefix-caching", action=argparse.BooleanOptionalAction)
    group.add_argument("--max-model-len", type=human_readable_int_or_auto)
    group.add_argument("--served-model-name", nargs="+")


def _front_flags(group: Any) -> None:
    switch = argparse.BooleanOptionalAction
    group.add_argument("--host", default="127.0.0.1")
    group.add_argument("--port", type=int, default=8000, help="0 takes a free one and says which")
    group.add_argument(
        "--api-key", nargs="+", help="also VLLM_API_KEY in the environment, which no process list shows"
    )
    group.add_argument("--enable-per-request-metrics", action=switch, default=False)
    group.add_argument("--enable-prompt-tokens-details", action=switch, default=False)
    group.add_argument("--enable-request-id-headers", action=switch, default=False)
    group.add_argument("--enable-server-load-tracking", action=switch, default=False)
    group.add_argument("--custom-histogram-buckets", type=json_object)
    group.add_argument("--disable-log-stats", action="store_true")
    group.add_argument("--disable-uvicorn-access-log", action="store_true")


def _own_flags(group: Any) -> None:
    times = group.add_mutually_exclusive_group()
    times.add_argument(
        "--profile",
        metavar="NAME",
        help=f"gpu/model/tpN, whose step times are used (default {DEFAULT_PROFILE})",
    )
    times.add_argument(
        "--step-model", metavar="a=…,b=…,c=…,d=…,e=…", help="coefficients of a step's time in µs"
    )
    group.add_argument("--time-scale", type=float, default=1.0, metavar="S", help="run S times faster")
    group.add_argument("--vocab-size", type=int, help="ids of prompts and outputs are below it")
    group.add_argument(
        "--static-batching",
        action="store_true",
        help="a batch runs until its last member ends; not vLLM's, to teach",
    )
    group.add_argument("--log-steps", metavar="FILE", help="record every step, for `engine check`")
    group.add_argument(
        "--control-socket", metavar="PATH", help="take live changes of limits on this Unix socket"
    )
    group.add_argument(
        "--exit-with-stdin", action="store_true", help="end when standard input closes: no orphan is left"
    )
