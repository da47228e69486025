"""`measure`: replay a trace against a running server and print the figures."""

import argparse
import asyncio
import json
import sys
from pathlib import Path
from typing import Any

import msgspec

from workbench.base import require_writable_file, write_atomic
from workbench.cli import measure_instrument
from workbench.cli.measure_arguments import configure
from workbench.cli.measure_order import KINDS, SETTINGS, order_of
from workbench.cli.measure_text import per_request_csv, resent, summary_text
from workbench.cli.output import say
from workbench.experiments import Measured, measure_once
from workbench.load import Resolution, stored_resolution
from workbench.servers import complete_address

__all__ = ["HELP", "KINDS", "SETTINGS", "configure", "run"]

HELP = "replay a trace against a server that is up"


def run(arguments: argparse.Namespace) -> int:
    """Run the command."""
    if arguments.url is not None:
        arguments.url = complete_address(arguments.url)
    if arguments.calibrate or arguments.probe_tokenizer:
        return measure_instrument.run(arguments)
    order = order_of(arguments)
    for path in (arguments.per_request, arguments.json if arguments.json != "-" else None):
        if path is not None:
            require_writable_file(Path(path))
    measured = asyncio.run(measure_once(order))
    if arguments.per_request is not None:
        write_atomic(arguments.per_request, per_request_csv(measured.records))
    _answer(measured, stored_resolution(order.url), order.url, arguments.json)
    return 1 if measured.summary.partial else 0


def _answer(measured: Measured, floor: Resolution | None, url: str, where: str | None) -> None:
    told = summary_text(measured, floor, url)
    if where is None:
        say(told)
        return
    text = json.dumps(_figures(measured, floor), indent=1, allow_nan=False)
    if where == "-":
        say(text)
    else:
        write_atomic(Path(where), text + "\n")
        say(told, file=sys.stderr)


def _figures(measured: Measured, floor: Resolution | None) -> dict[str, Any]:
    """Return all figures of `measure --json` (docs/reference/commands.md)."""
    requests, times = resent(measured.records)
    return {
        **measured.summary.to_json(),
        "input_mode": next((record.input_mode for record in measured.records), None),
        "real_texts": measured.real_texts,
        "trace_notes": list(map(str, measured.notes)),
        "server_note": "; ".join(map(str, measured.server_notes)) or None,
        "host_others_cpu": measured.host_others_cpu,
        "retries": {"requests": requests, "times": times},
        "client_floor": msgspec.to_builtins(floor),
    }
