"""`peers`: results of other load generators as rows of a bench file, beside yours."""

import argparse
from collections.abc import Sequence
from pathlib import Path

import msgspec

from workbench.base import Place, Refusal, require_writable_folder
from workbench.cli.output import say
from workbench.results import BenchFile, Objectives, PeerRun, add_peer_runs, read_peer_runs

HELP = "add results of vllm bench serve, GuideLLM, AIPerf and GenAI-Perf to a bench file, names converted"

_LIMITS = ("ttft_p95_ms", "itl_p95_ms", "e2e_p95_ms")

_SHOWN = (
    ("ttft_ms", "TTFT"),
    ("itl_ms", "ITL"),
    ("event_gap_ms", "event gap"),
    ("tpot_ms", "TPOT"),
    ("e2e_ms", "E2E"),
    ("client_delay_ms", "client delay"),
)


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("bench", metavar="BENCH", type=Path, help="bench file; made if it is not there")
    parser.add_argument(
        "files",
        metavar="FILE",
        nargs="+",
        type=Path,
        help="JSON of vllm bench serve --save-result, GuideLLM, AIPerf or GenAI-Perf (profile_export_*.json)",
    )
    parser.add_argument(
        "--objective",
        metavar="NAME=MS",
        action="append",
        default=[],
        help=f"count accepted requests by this limit ({', '.join(_LIMITS)}); needs --save-detailed results",
    )


def run(arguments: argparse.Namespace) -> int:
    """Run the command; nothing is written unless every file can be read."""
    objectives = _objectives(arguments.objective)
    read = [(path, read_peer_runs(path, objectives=objectives)) for path in arguments.files]
    require_writable_folder(arguments.bench.absolute().parent)
    found = arguments.bench.exists()
    opened = BenchFile.open(arguments.bench, read_only=False) if found else BenchFile.create(arguments.bench)
    with opened as bench:
        for path, runs in read:
            for name, peer in zip(add_peer_runs(bench, runs, path, objectives=objectives), runs, strict=True):
                say(f"{name}\n{_told(peer)}")
    say(f"bench file: {arguments.bench}; python -m workbench export {arguments.bench} --csv FILE")
    return 0


def _objectives(stated: Sequence[str]) -> Objectives:
    """Read `ttft_p95_ms=500` and the like.

    Raises:
        Refusal: another name, or no number above 0.
    """
    limits: dict[str, float] = {}
    for text in stated:
        name, _, number = text.partition("=")
        if name not in _LIMITS:
            raise Refusal("base.not_one_of", Place(key="--objective"), value=name, choices=list(_LIMITS))
        try:
            limits[name] = float(number)
        except ValueError:
            raise Refusal("base.not_a_number", Place(key="--objective"), text=number) from None
        if not 0 < limits[name] < float("inf"):
            raise Refusal("base.not_above", Place(key="--objective"), value=limits[name], minimum=0)
    return msgspec.convert(limits, Objectives)


def _told(peer: PeerRun) -> str:
    counts = peer.counts
    of_all = "" if counts.scheduled is None else f" of {counts.scheduled}"
    lines = [f"  requests      {counts.completed}{of_all} completed"]
    if peer.accepted is not None:
        lines.append(f"  accepted      {peer.accepted}{of_all}")
    if peer.drift is not None:
        trend = "diverging" if peer.drift.diverging else "stable"
        lines.append(f"  TTFT slope    {peer.drift.slope:+.3g} s per s ({trend})")
    for name, title in _SHOWN:
        series = peer.series.get(name)
        if series is not None:
            figures = "  ".join(
                f"{figure} {getattr(series, figure):,.4g}"
                for figure in ("mean", "p50", "p95", "p99")
                if getattr(series, figure) is not None
            )
            lines.append(f"  {title:<14}{figures} ms" if figures else f"  {title:<11}too few requests")
    return "\n".join([*lines, *(f"  differs       {each}" for each in peer.differs)])
