"""`demo`: baseline, token budget changed, sequence limit changed, on the embedded engine, on any laptop."""

import argparse
import math
from pathlib import Path

import msgspec

from workbench.base import Place, Refusal, require_writable_folder, resource
from workbench.cli.progress import ConsoleProgress
from workbench.cli.run import report
from workbench.experiments import Event, Experiment, ExperimentFinished, default_bench_path, run_experiments

HELP = "a first tuning session on the embedded engine, no GPU needed"
FILES = ("first-run-budget.toml", "first-run-seats.toml")


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument(
        "--out", type=Path, default=Path("out/demo"), metavar="DIR", help="folder for all results"
    )
    parser.add_argument("--seconds", type=float, metavar="S", help="simulated seconds of each run")


def run(arguments: argparse.Namespace) -> int:
    """Run the command."""
    experiments = demo_experiments(arguments.seconds)
    require_writable_folder(arguments.out)
    bench = default_bench_path("demo", arguments.out)
    csv = arguments.out / "scorecard.csv"
    progress = ConsoleProgress()
    sentences: list[str] = []

    def show(event: Event) -> None:
        progress(event)
        if isinstance(event, ExperimentFinished):
            sentences.extend(event.report)

    status = run_experiments(experiments, bench, show, csv=csv)
    report(bench, csv, sentences)
    return 0 if status == "done" else 1


def demo_experiments(seconds: float | None = None) -> list[Experiment]:
    """Return the two experiments of the demo, each run `seconds` long.

    Raises:
        Refusal: `seconds` is not a length of time.
    """
    if seconds is not None and not (math.isfinite(seconds) and seconds > 0):
        raise Refusal("base.not_above", Place(key="seconds"), value=seconds, minimum=0)
    experiments = [Experiment.load_file(resource("experiments", name)) for name in FILES]
    if seconds is None:
        return experiments
    return [
        msgspec.structs.replace(each, load=msgspec.structs.replace(each.load, duration_s=seconds))
        for each in experiments
    ]
