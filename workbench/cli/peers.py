"""`peers`: results of other load generators as rows of a bench file, beside yours."""

import argparse
from pathlib import Path

from workbench.base import require_writable_folder
from workbench.cli.saying import say
from workbench.results import BenchFile, PeerRun, add_peer_runs, read_peer_runs

HELP = "add results of vllm bench serve, GuideLLM and AIPerf to a bench file, names converted"

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
        help="JSON of vllm bench serve --save-result, GuideLLM, or AIPerf's profile_export_aiperf.json",
    )


def run(arguments: argparse.Namespace) -> int:
    """Run the command; nothing is written unless every file can be read."""
    read = [(path, read_peer_runs(path)) for path in arguments.files]
    require_writable_folder(arguments.bench.absolute().parent)
    found = arguments.bench.exists()
    opened = BenchFile.open(arguments.bench, read_only=False) if found else BenchFile.create(arguments.bench)
    with opened as bench:
        for path, runs in read:
            for name, peer in zip(add_peer_runs(bench, runs, path), runs, strict=True):
                say(f"{name}\n{_told(peer)}")
    say(f"bench file: {arguments.bench}; python -m workbench export {arguments.bench} --csv FILE")
    return 0


def _told(peer: PeerRun) -> str:
    counts = peer.counts
    lines = [f"  requests      {counts.completed} of {counts.scheduled} completed"]
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
