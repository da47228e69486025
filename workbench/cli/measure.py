"""`measure`: replay a trace against a server that is up, and say what was measured."""

import argparse
import asyncio
import json
import shlex
import sys
from pathlib import Path

from workbench.base import InputError, require_writable_folder, write_atomic
from workbench.cli import measure_instrument
from workbench.cli.measure_text import per_request_csv, summary_text
from workbench.experiments import LoadShape, MeasureOrder, TraceChoice, measure_once
from workbench.results import RunSummary
from workbench.servers import plain_url
from workbench.traces import parse_synthetic

HELP = "replay a trace against a server that is up"


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("url", metavar="URL", nargs="?", help="such as http://127.0.0.1:8000")
    parser.add_argument(
        "--calibrate", action="store_true", help="this client's own floor, against a null server"
    )
    parser.add_argument(
        "--probe-tokenizer", action="store_true", help="what text costs where ids are spared it"
    )
    trace = parser.add_mutually_exclusive_group()
    trace.add_argument("--trace", metavar="FILE", help="a trace of any known format")
    trace.add_argument(
        "--synthetic", metavar="IN:OUT", help="equal requests: prompt tokens and output tokens"
    )
    trace.add_argument("--mix", metavar="NAME", help="a generated mix: chat, long-context or agent")
    pace = parser.add_mutually_exclusive_group()
    pace.add_argument("--rate", type=float, metavar="R", help="requests per second, open loop")
    pace.add_argument("--concurrency", type=int, metavar="N", help="requests at once, closed loop")
    parser.add_argument(
        "--requests",
        type=int,
        metavar="N",
        help="how many requests (default: the trace once; it repeats if shorter)",
    )
    parser.add_argument("--duration", type=float, metavar="S", help="seconds of the schedule")
    parser.add_argument(
        "--arrivals",
        choices=("trace", "poisson", "constant", "gamma"),
        help="trace (a file's and a mix's default): own times, scaled to --rate; "
        "poisson (--synthetic's default), constant, gamma: random or even times in their place",
    )
    parser.add_argument(
        "--burstiness", type=float, default=1.0, metavar="B", help="of gamma arrivals: 1 is Poisson"
    )
    parser.add_argument("--speedup", type=float, default=1.0, metavar="F", help="of a trace's own times")
    parser.add_argument(
        "--max-len",
        choices=("refuse", "drop", "clamp"),
        default="refuse",
        help="what to do with requests longer than the server's context (default refuse)",
    )
    parser.add_argument(
        "--seed", type=int, default=1, metavar="S", help="of prompts and random arrivals (default 1)"
    )
    parser.add_argument(
        "--warmup", type=float, default=0.0, metavar="S", help="seconds of warm-up requests before"
    )
    parser.add_argument(
        "--workers", type=int, metavar="W", help="load processes (default: by this machine's cores)"
    )
    parser.add_argument(
        "--max-in-flight", type=int, metavar="N", help="requests open at once; others wait here"
    )
    parser.add_argument(
        "--queue-timeout",
        type=float,
        metavar="S",
        help="give a request up after S seconds without a first token",
    )
    parser.add_argument(
        "--model", metavar="NAME", help="served model to ask for (default: the server's first)"
    )
    parser.add_argument(
        "--endpoint", choices=("completions", "chat"), default="completions", help="which API (completions)"
    )
    parser.add_argument("--api-key-env", metavar="NAME", help="environment variable that holds the key")
    parser.add_argument("--json", metavar="FILE|-", help="all figures as JSON")
    parser.add_argument("--per-request", type=Path, metavar="FILE", help="CSV of every request's stamps")


def run(arguments: argparse.Namespace) -> int:
    """Run the command."""
    if arguments.calibrate or arguments.probe_tokenizer:
        return measure_instrument.run(arguments)
    order = order_of(arguments)
    for path in (arguments.per_request, Path(arguments.json) if arguments.json not in (None, "-") else None):
        if path is not None:
            require_writable_folder(path.absolute().parent)
    measured = asyncio.run(measure_once(order))
    if arguments.per_request is not None:
        write_atomic(arguments.per_request, per_request_csv(measured.records))
    _answer(measured.summary, arguments.json)
    return 1 if measured.summary.partial else 0


def _answer(summary: RunSummary, where: str | None) -> None:
    if where is None:
        print(summary_text(summary))
        return
    text = json.dumps(summary.to_json(), indent=1, allow_nan=False)
    if where == "-":
        print(text)
    else:
        write_atomic(Path(where), text + "\n")
        print(summary_text(summary), file=sys.stderr)


def order_of(arguments: argparse.Namespace) -> MeasureOrder:
    """What the command line asks for.

    Raises:
        InputError: arguments that can't stand together or are out of range.
    """
    if arguments.url is None:
        raise InputError("URL is missing; only --calibrate needs none")
    plain_url(arguments.url, where="URL")
    if not (arguments.trace or arguments.synthetic or arguments.mix):
        raise InputError("give one of --trace FILE, --synthetic IN:OUT, --mix NAME")
    if arguments.synthetic:
        parse_synthetic(arguments.synthetic)
    paced = arguments.rate is not None or arguments.concurrency is not None
    if not paced and not (arguments.trace and arguments.arrivals in (None, "trace")):
        raise InputError("give --rate or --concurrency; only a trace can keep its own times")
    bounded = arguments.requests is not None or arguments.duration is not None
    if not bounded and not arguments.trace:
        raise InputError("give --requests or --duration: a synthetic load has no end of its own")
    return MeasureOrder(
        url=arguments.url,
        model=arguments.model,
        api_key_env=arguments.api_key_env,
        trace=TraceChoice(
            file=arguments.trace,
            synthetic=arguments.synthetic,
            mix=arguments.mix,
            seed=arguments.seed,
            max_len=arguments.max_len,
            speedup=arguments.speedup,
        ),
        load=LoadShape(
            rates=None if arguments.rate is None else [arguments.rate],
            concurrency=None if arguments.concurrency is None else [arguments.concurrency],
            requests=arguments.requests,
            duration_s=arguments.duration,
            warmup_s=arguments.warmup,
            max_in_flight=arguments.max_in_flight,
            queue_timeout_s=arguments.queue_timeout,
            arrivals=arguments.arrivals,
            burstiness=arguments.burstiness,
            endpoint=arguments.endpoint,
            workers=arguments.workers,
        ),
        command=shlex.join(["python", "-m", "workbench", *sys.argv[1:]]),
    )
