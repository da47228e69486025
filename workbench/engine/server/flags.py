"""Flags of `engine serve`: vLLM's own, as far as they are modelled, then ours."""

import argparse
import json
from typing import Any

from workbench.base import message
from workbench.engine.flags import add_scheduler_flags, add_step_time_flags
from workbench.vllm_dialect import MODELLED_RELEASE, human_readable_int

_FRONT_SWITCHES = {
    "enable-per-request-metrics": "tell each answer's queue, prefill and decode times with its usage",
    "enable-prompt-tokens-details": "tell with the usage how many prompt tokens the prefix cache had",
    "enable-request-id-headers": "answer with an X-Request-Id header",
    "enable-server-load-tracking": "count requests in flight for GET /load",
}
"""Off by default, as in vLLM."""


def json_object(text: str) -> dict[str, Any]:
    """Parse a JSON object from the command line."""
    value = json.loads(text)
    if not isinstance(value, dict):
        raise argparse.ArgumentTypeError(str(message("engine.not_json_object", text=text)))
    return value


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare all flags."""
    parser.allow_abbrev = False
    scheduler, cache = add_scheduler_flags(parser)
    scheduler.add_argument(
        "--max-num-queued-tokens",
        type=human_readable_int,
        metavar="N",
        help="backlog of prompt tokens at which requests are rejected with 503 (default: no limit)",
    )
    scheduler.add_argument(
        "--stream-interval",
        type=int,
        default=1,
        metavar="N",
        help="tokens sent to the client together (default 1)",
    )
    cache.add_argument(
        "--served-model-name",
        nargs="+",
        metavar="NAME",
        help="what clients call the model (default: its own name)",
    )
    _front_flags(parser.add_argument_group("Frontend"))
    add_step_time_flags(parser)
    _own_flags(parser.add_argument_group("Simulation"))


def _front_flags(group: Any) -> None:
    group.add_argument(
        "--host", default="127.0.0.1", metavar="HOST", help="address to listen on (default 127.0.0.1)"
    )
    group.add_argument(
        "--port", type=int, default=8000, metavar="N", help="default 8000; 0 takes a free one and says which"
    )
    group.add_argument(
        "--api-key",
        nargs="+",
        metavar="KEY",
        help="keys to accept; also VLLM_API_KEY in the environment, which no process list shows",
    )
    for name, text in _FRONT_SWITCHES.items():
        group.add_argument(f"--{name}", action=argparse.BooleanOptionalAction, default=False, help=text)
    group.add_argument(
        "--custom-histogram-buckets",
        type=json_object,
        metavar="JSON",
        help="bucket bounds by histogram family, as a JSON object",
    )
    group.add_argument(
        "--disable-log-stats", action="store_true", help="no periodic line of statistics, no vllm: metrics"
    )
    group.add_argument(
        "--disable-uvicorn-access-log", action="store_true", help="no line in the log for each request"
    )


def _own_flags(group: Any) -> None:
    group.add_argument(
        "--time-scale", type=float, default=1.0, metavar="S", help="run S times faster (default 1)"
    )
    group.add_argument(
        "--vllm-version",
        default=MODELLED_RELEASE,
        metavar="V",
        help=f"vLLM to stand for: its scheduler rules and defaults (default {MODELLED_RELEASE})",
    )
    group.add_argument(
        "--vocab-size",
        type=int,
        metavar="N",
        help="ids of prompts and outputs are below it (default: the profile's model's)",
    )
    group.add_argument("--log-steps", metavar="FILE", help="record every step, for `engine check`")
    group.add_argument(
        "--control-socket", metavar="PATH", help="take live changes of limits on this Unix socket"
    )
    group.add_argument(
        "--exit-with-stdin", action="store_true", help="end when standard input closes: no orphan is left"
    )
