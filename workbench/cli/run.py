"""`run`: carry out experiment files and leave a bench file and a scorecard."""

import argparse
import json
import sys
from pathlib import Path

from workbench.cli.progress import ConsoleProgress
from workbench.cli.table import scorecard_table
from workbench.experiments import (
    Event,
    Experiment,
    ExperimentFinished,
    LineWriter,
    carry_out,
    default_bench_path,
    make_plan,
)

HELP = "carry out experiment files: baseline and variants, one scorecard"


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("experiments", nargs="+", type=Path, metavar="EXPERIMENT.toml")
    parser.add_argument("--bench", type=Path, help="bench file to write (a new one)")
    parser.add_argument("--out", type=Path, metavar="DIR", help="folder for the bench file and scorecard.csv")
    parser.add_argument(
        "--events", action="store_true", help="print events as JSON lines, take commands on stdin"
    )
    parser.add_argument("--plan", action="store_true", help="print the plan and end")


def run(arguments: argparse.Namespace) -> int:
    """Run the command."""
    experiments = [Experiment.load_file(path) for path in arguments.experiments]
    if arguments.plan:
        print_plan(experiments)
        return 0
    name = "+".join(experiment.name for experiment in experiments)
    bench = arguments.bench or default_bench_path(name, arguments.out)
    csv = arguments.out / "scorecard.csv" if arguments.out else None
    emit = LineWriter() if arguments.events else ConsoleProgress()
    finished: list[ExperimentFinished] = []

    def keep_last(event: Event) -> None:
        if isinstance(event, ExperimentFinished):
            finished.append(event)
        emit(event)

    base = arguments.experiments[0].parent
    status = carry_out(experiments, bench, keep_last, csv=csv, base=base, commands=arguments.events)
    if not arguments.events:
        report(bench, csv, finished[0].report if finished else [])
    return 0 if status == "done" else 1


def report(bench: Path, csv: Path | None, sentences: list[str]) -> None:
    """Print the scorecard, what was seen, and where everything is."""
    print(scorecard_table(bench))
    for sentence in sentences:
        print(sentence)
    print(f"bench file: {bench}")
    if csv is not None:
        print(f"scorecard:  {csv}")


def print_plan(experiments: list[Experiment]) -> None:
    """The runs, their order and what they cost in time (and money where a price is stated), as JSON."""
    plan = make_plan(experiments)
    runs = plan.described()
    seconds = sum(each.expected_s for each in runs)
    cost = experiments[0].cost
    keys = ("run", "control", "value", "rate", "concurrency", "repeat", "expected_s")
    amount = None if cost is None else round(cost.per_hour * seconds / 3600, 2)
    answer = {
        "runs": [{key: getattr(each, key) for key in keys} for each in runs],
        "restarts": plan.restarts(),
        "expected_s": round(seconds, 1),
        "cost": None if cost is None else {"amount": amount, "currency": cost.currency},
    }
    json.dump(answer, sys.stdout, indent=1)
    print()
