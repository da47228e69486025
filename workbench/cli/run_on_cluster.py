"""`run --on ray`: independent experiments on the nodes of a Ray cluster, shown as one table."""

import argparse
import sys
from pathlib import Path

from workbench.base import Place, Refusal, utc_now
from workbench.cli.output import say
from workbench.cli.progress import ConsoleProgress
from workbench.cli.table import rows_table
from workbench.experiments import LineWriter, node_effects, run_session, session_rows, unmet

_NOT_WITH = ("bench", "plan", "known", "calibrate", "again")
_FIRST = (("run_group", "experiment"), ("node", "node"))


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the argument."""
    parser.add_argument(
        "--on",
        metavar="CLUSTER",
        help="carry out each file as an experiment of its own on a node of a Ray cluster: `ray` (the cluster "
        "of this machine), `ray://HOST:PORT` or `HOST:PORT`; --out names the folder of the bench files",
    )


def run(arguments: argparse.Namespace) -> int:
    """Carry out the files, and print their rows as one table."""
    for name in _NOT_WITH:
        if getattr(arguments, name):
            raise Refusal("cli.exclude", Place(key=name), flag="--on")
    if not arguments.experiments:
        raise Refusal("cli.nothing_to_run")
    if arguments.resume and arguments.out is None:
        raise Refusal("cli.belongs_to", Place(key="resume"), flag="--out")
    ended = run_session(
        arguments.experiments,
        arguments.out or Path(f"ray-{utc_now()[:19].replace(':', '').replace('-', '')}Z"),
        "auto" if arguments.on == "ray" else arguments.on,
        LineWriter() if arguments.events else ConsoleProgress(),
        resume=arguments.resume,
        calibrated=not arguments.no_calibrate,
    )
    if not arguments.events:
        say(rows_table(session_rows(ended.benches), _FIRST))
        for effect in node_effects(ended.benches):
            say(str(effect))
        say(f"bench files: {ended.csv.parent}")
        say(f"scorecard:   {ended.csv}")
    reasons = [f"{bench.stem}: {why}" for bench in ended.benches for why in unmet(bench, arguments.require)]
    for reason in reasons:
        say(reason, file=sys.stderr)
    return 1 if reasons or any(status != "done" for status in ended.statuses.values()) else 0
