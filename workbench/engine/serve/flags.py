"""The flags of `engine serve`: vLLM's names, kinds and defaults for what it models, then its own."""

import argparse
import json
from typing import Any

from workbench.engine.flags import add_scheduler_flags, add_step_time_flags, human_readable_int


def json_object(text: str) -> dict[str, Any]:
    """A JSON object on the command line."""
    value = json.loads(text)
    if not isinstance(value, dict):
        raise argparse.ArgumentTypeError(f"{text!r} is not a JSON object")
    return value


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare all flags."""
    parser.allow_abbrev = False
    scheduler, cache = add_scheduler_flags(parser)
    scheduler.add_argument("--max-num-queued-tokens", type=human_readable_int)
    scheduler.add_argument("--stream-interval", type=int, default=1)
    cache.add_argument("--served-model-name", nargs="+")
    _front_flags(parser.add_argument_group("Frontend"))
    add_step_time_flags(parser)
    _own_flags(parser.add_argument_group("Simulation"))


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
    group.add_argument("--time-scale", type=float, default=1.0, metavar="S", help="run S times faster")
    group.add_argument("--vocab-size", type=int, help="ids of prompts and outputs are below it")
    group.add_argument("--log-steps", metavar="FILE", help="record every step, for `engine check`")
    group.add_argument(
        "--control-socket", metavar="PATH", help="take live changes of limits on this Unix socket"
    )
    group.add_argument(
        "--exit-with-stdin", action="store_true", help="end when standard input closes: no orphan is left"
    )
