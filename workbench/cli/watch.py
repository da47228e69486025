"""`watch`: what limits a server under its own traffic; sends it nothing."""

import argparse
import json
import math
import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import msgspec

from workbench.base import Place, Refusal, require_writable_file, short_number, write_atomic
from workbench.cli.diagnosis_text import diagnosis_lines
from workbench.cli.measure_order import KINDS, headers_of
from workbench.cli.output import say
from workbench.cli.progress import ConsoleProgress
from workbench.experiments import (
    Event,
    LineWriter,
    Notice,
    SampleTaken,
    ServerState,
    Watched,
    WatchOrder,
    default_bench_path,
    watch_server,
)
from workbench.results import ServerTimes
from workbench.servers import TargetSpec, plain_url

__all__ = ["HELP", "KINDS", "configure", "run"]

HELP = "watch a server under its own traffic, and say what limits it"
_TIME = re.compile(r"(?P<number>\d+(\.\d+)?)(?P<unit>[smh]?)")
_SECONDS = {"": 1.0, "s": 1.0, "m": 60.0, "h": 3600.0}
_LONGEST_S = 7 * 86400.0


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("url", metavar="URL", help="such as http://127.0.0.1:8000")
    parser.add_argument(
        "--for",
        dest="length",
        metavar="TIME",
        help="how long, such as 60s, 5m or 1h (default: until Ctrl+C)",
    )
    parser.add_argument("--bench", type=Path, metavar="FILE", help="bench file to write (a new one)")
    parser.add_argument("--json", metavar="FILE|-", help="figures and diagnosis as JSON")
    parser.add_argument(
        "--events", action="store_true", help="print events as JSON lines, take commands on stdin"
    )
    parser.add_argument("--model", metavar="NAME", help="served model (default: the server's first)")
    parser.add_argument("--api-key-env", metavar="NAME", help="environment variable that holds the key")
    parser.add_argument(
        "--header",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="one more header; a secret as NAME=env:VARIABLE; may be repeated",
    )
    parser.add_argument("--ca-file", metavar="FILE", help="certificates to verify the server's with")


def run(arguments: argparse.Namespace) -> int:
    """Run the command."""
    if arguments.events and arguments.json == "-":
        raise Refusal("cli.exclude", Place(key="json"), flag="--events")
    if arguments.json not in (None, "-"):
        require_writable_file(Path(arguments.json))
    order = order_of(arguments)
    emit = LineWriter() if arguments.events else _console()
    watched = watch_server(order, emit, commands=arguments.events)
    if watched is None:
        return 1
    if not arguments.events:
        _answer(watched, order, arguments.json)
    elif arguments.json is not None:
        write_atomic(Path(arguments.json), _json(watched, order))
    return 0


def _console() -> Callable[[Event], None]:
    """Return what shows the server's state and samples; the figures follow at the end."""
    show = ConsoleProgress()

    def emit(event: Event) -> None:
        if isinstance(event, ServerState | SampleTaken | Notice):
            show(event)

    return emit


def order_of(arguments: argparse.Namespace) -> WatchOrder:
    """Return the watch that the command line asks for.

    Raises:
        Refusal: no URL or no time.
    """
    url = plain_url(arguments.url, Place(key="url"))
    host = urlsplit(url).netloc.rpartition("@")[2]
    target = TargetSpec(
        kind="attached",
        url=url,
        model=arguments.model,
        api_key_env=arguments.api_key_env,
        headers=headers_of(arguments.header),
        ca_file=arguments.ca_file,
    )
    return WatchOrder(
        target=target,
        bench=arguments.bench or default_bench_path(f"watch-{host}"),
        length_s=None if arguments.length is None else parse_time(arguments.length),
    )


def parse_time(text: str) -> float:
    """Return the seconds of `90`, `60s`, `5m` or `1h`.

    Raises:
        Refusal: another form, 0, or more than a week.
    """
    found = _TIME.fullmatch(text.strip())
    seconds = float(found["number"]) * _SECONDS[found["unit"]] if found else math.nan
    if not 0 < seconds <= _LONGEST_S:
        raise Refusal("cli.time_form", Place(key="length"), text=text)
    return seconds


def _answer(watched: Watched, order: WatchOrder, where: str | None) -> None:
    if where == "-":
        sys.stdout.write(_json(watched, order))
        return
    for line in watch_lines(watched):
        say(line)
    say(f"bench file: {order.bench}")
    if where is not None:
        write_atomic(Path(where), _json(watched, order))


def watch_lines(watched: Watched) -> list[str]:
    """Return the server, its figures and the diagnosis as lines."""
    seen, server = watched.figures, watched.server
    times = "simulated s" if server.simulated else "s"
    head = f"{server.model or 'unknown model'}, vLLM {server.version or 'of unknown version'}"
    lines = [
        f"{head}, watched for {seen.seconds:.0f} {times}",
        f"requests finished  {_number(seen.requests_per_s)} /s   rejected {_number(seen.rejected_per_s)} /s",
        f"tokens             in {_number(seen.input_tok_s)} /s   out {_number(seen.output_tok_s)} /s",
        f"running            mean {_number(seen.running_mean)}   most {_number(seen.running_max)}",
        f"waiting            mean {_number(seen.waiting_mean)}   most {_number(seen.waiting_max)}",
        f"KV cache           mean {_percent(seen.kv_mean)}   most {_percent(seen.kv_peak)}",
        f"preemptions        {_number(seen.preemptions)}",
    ]
    parts = (("TTFT", seen.ttft_ms), ("queue", seen.queue_ms), ("ITL", seen.itl_ms), ("E2E", seen.e2e_ms))
    lines += [f"{name:<18} {_times(times)}" for name, times in parts if times is not None]
    return [*lines, *diagnosis_lines(watched.diagnosis)]


def _times(times: ServerTimes) -> str:
    """Return mean and p95 by the server's buckets."""
    low, high = times.p95 or (None, None)
    bounds = f"above {_number(low)}" if high is None else f"{_number(low)} to {_number(high)}"
    return f"mean {_number(times.mean)} ms   p95 {bounds} ms   (the server's own, {times.n} values)"


def _number(value: float | None) -> str:
    return "–" if value is None else short_number(value)


def _percent(share: float | None) -> str:
    return "–" if share is None else f"{100 * share:.0f} %"


def _json(watched: Watched, order: WatchOrder) -> str:
    """Return all figures of `watch --json` (docs/reference/commands.md)."""
    server: dict[str, Any] = msgspec.to_builtins(watched.server)
    diagnosis: dict[str, Any] = msgspec.to_builtins(watched.diagnosis)
    for name in ("type", "t", "run", "messages", "against_baseline"):
        diagnosis.pop(name, None)
    found = {
        "url": order.target.url,
        "bench": str(order.bench),
        "server": {name: value for name, value in server.items() if name != "notes"},
        "figures": {
            **msgspec.to_builtins(watched.figures),
            "notes": list(map(str, watched.figures.notes)),
        },
        "diagnosis": diagnosis,
    }
    return json.dumps(found, indent=1, allow_nan=False) + "\n"
