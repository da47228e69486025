"""The arguments of `measure`, by what they say: what is sent, how hard, how callers behave, where to."""

import argparse
from pathlib import Path

PROFILES = "ramp:FROM:TO:SECONDS, steps:RATE@SECONDS,… or bursts:BASE:PEAK:EVERY:FOR"


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare all of them."""
    parser.add_argument("url", metavar="URL", nargs="?", help="such as http://127.0.0.1:8000")
    parser.add_argument(
        "--calibrate", action="store_true", help="this client's own floor, against a null server"
    )
    parser.add_argument(
        "--probe-tokenizer", action="store_true", help="what text costs where ids are spared it"
    )
    _requests(parser.add_argument_group("what is sent"))
    _pace(parser.add_argument_group("how hard"))
    _callers(parser.add_argument_group("how callers behave"))
    _server(parser.add_argument_group("where to"))
    parser.add_argument(
        "--workers", type=int, metavar="W", help="load processes (default: by this machine's cores)"
    )
    parser.add_argument("--json", metavar="FILE|-", help="all figures as JSON")
    parser.add_argument("--per-request", type=Path, metavar="FILE", help="CSV of every request's stamps")


def _requests(group: argparse._ArgumentGroup) -> None:
    trace = group.add_mutually_exclusive_group()
    trace.add_argument("--trace", metavar="FILE", help="a trace of any known format")
    trace.add_argument(
        "--synthetic", metavar="IN:OUT", help="equal requests: prompt tokens and output tokens"
    )
    trace.add_argument("--mix", metavar="NAME", help="a generated mix: chat, long-context or agent")
    group.add_argument("--format", metavar="F", help="read the trace as this format instead of by content")
    group.add_argument(
        "--time-unit",
        choices=("s", "ms", "us", "ns", "days"),
        help="unit of the trace's numeric times, where the file doesn't say it",
    )
    group.add_argument(
        "--max-len",
        choices=("refuse", "drop", "clamp"),
        default="refuse",
        help="what to do with requests longer than the server's context (default refuse)",
    )
    group.add_argument(
        "--seed", type=int, default=1, metavar="S", help="of prompts and random arrivals (default 1)"
    )
    group.add_argument(
        "--input",
        choices=("ids", "text"),
        help="prompts as token ids (completions' default), which spares the server its tokeniser, or as text",
    )
    group.add_argument(
        "--replay-text",
        action="store_true",
        help="send the prompts that the file holds, not invented ones; they stay in memory",
    )
    group.add_argument(
        "--tokenizer", metavar="FILE", help="local tokenizer.json to count texts with (else estimated)"
    )


def _pace(group: argparse._ArgumentGroup) -> None:
    pace = group.add_mutually_exclusive_group()
    pace.add_argument("--rate", type=float, metavar="R", help="requests per second, open loop")
    pace.add_argument("--concurrency", type=int, metavar="N", help="requests at once, closed loop")
    group.add_argument(
        "--requests",
        type=int,
        metavar="N",
        help="how many requests (a file: once if not given, and it repeats if shorter; "
        "--synthetic and --mix need this or --duration)",
    )
    group.add_argument("--duration", type=float, metavar="S", help="seconds of the schedule")
    group.add_argument(
        "--arrivals",
        choices=("trace", "poisson", "constant", "gamma"),
        help="trace (a file's and a mix's default): own times, scaled to --rate; "
        "poisson (--synthetic's default), constant, gamma: random or even times in their place",
    )
    group.add_argument(
        "--burstiness", type=float, default=1.0, metavar="B", help="of gamma arrivals: 1 is Poisson"
    )
    changing = group.add_mutually_exclusive_group()
    changing.add_argument(
        "--burst", metavar="FACTOR:SECONDS@START", help="the rate times FACTOR for a while, such as 3:10@20"
    )
    changing.add_argument(
        "--profile", metavar="PROFILE", help=f"a rate that changes, scaled to --rate if given: {PROFILES}"
    )
    group.add_argument("--speedup", type=float, default=1.0, metavar="F", help="of a trace's own times")
    group.add_argument(
        "--warmup", type=float, default=0.0, metavar="S", help="seconds of warm-up requests before"
    )


def _callers(group: argparse._ArgumentGroup) -> None:
    group.add_argument(
        "--max-in-flight", type=int, metavar="N", help="requests open at once; others wait here"
    )
    group.add_argument(
        "--queue-timeout",
        type=float,
        metavar="S",
        help="give a request up that --max-in-flight has held so long",
    )
    group.add_argument(
        "--request-timeout",
        type=float,
        metavar="S",
        help="give a request up that has no whole answer so long after it was sent",
    )
    group.add_argument(
        "--retries",
        type=int,
        default=0,
        metavar="N",
        help="send a request that was rejected, or failed before its first token, up to N times more (0)",
    )
    group.add_argument(
        "--retry-backoff",
        type=float,
        default=0.5,
        metavar="S",
        help="wait before the first retry; doubles with each one, up to 8 s (0.5)",
    )


def _server(group: argparse._ArgumentGroup) -> None:
    group.add_argument(
        "--model", metavar="NAME", help="served model to ask for (default: the server's first)"
    )
    group.add_argument(
        "--endpoint", choices=("completions", "chat"), default="completions", help="which API (completions)"
    )
    group.add_argument("--api-key-env", metavar="NAME", help="environment variable that holds the key")
    group.add_argument(
        "--header",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="one more header of every request; a secret as NAME=env:VARIABLE; may be repeated",
    )
    group.add_argument(
        "--ca-file", metavar="FILE", help="certificates to verify the server's with, besides the system's"
    )
