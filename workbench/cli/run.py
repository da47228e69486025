"""`run`: carry out experiment files and leave a bench file and a scorecard."""

import argparse
import asyncio
import json
import sys
from pathlib import Path

import msgspec

from workbench.advice import Saturation
from workbench.base import Place, Refusal, message, require_writable_folder, write_atomic
from workbench.cli import run_on_cluster, running_plan
from workbench.cli.measure_text import calibration_text
from workbench.cli.output import say
from workbench.cli.progress import ConsoleProgress
from workbench.cli.table import repeat_offered, scorecard_table
from workbench.experiments import (
    VERDICTS,
    Event,
    Experiment,
    ExperimentFinished,
    LineWriter,
    RunPrediction,
    calibrate_whole,
    default_bench_path,
    estimate_plan,
    experiments_in,
    learned_model,
    make_plan,
    measured_saturation,
    next_experiments,
    parts_planned,
    predict_plan,
    predict_saturation,
    prepare,
    read_experiments,
    run_experiments,
    search_planned,
    start_problem,
    too_few_requests,
    too_short_runs,
    unmet,
)
from workbench.servers import TargetSpec

HELP = "carry out experiment files: baseline and variants, one scorecard"


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("experiments", nargs="*", type=Path, metavar="EXPERIMENT.toml")
    parser.add_argument("--bench", type=Path, help="bench file to write (a new one)")
    parser.add_argument("--out", type=Path, metavar="DIR", help="folder for the bench file and scorecard.csv")
    parser.add_argument(
        "--events", action="store_true", help="print events as JSON lines, take commands on stdin"
    )
    parser.add_argument("--plan", action="store_true", help="print the plan and what it takes, and end")
    parser.add_argument(
        "--known",
        type=Path,
        metavar="BENCH",
        help="with --plan: a bench file of this server, baseline and workload, which says where it saturates",
    )
    parser.add_argument(
        "--calibrate",
        action="store_true",
        help="first find out what this machine's load generator can resolve, at all rates (some 20 s)",
    )
    parser.add_argument(
        "--no-calibrate",
        action="store_true",
        help="leave out the short calibration (some 8 s, once a day) before a session on a real server",
    )
    parser.add_argument(
        "--resume",
        action="store_true",
        help="go on with the bench file that --bench names; without experiment files by its own",
    )
    parser.add_argument(
        "--again", action="store_true", help="with --resume: do the runs again that came out invalid, too"
    )
    parser.add_argument(
        "--require",
        action="append",
        choices=list(VERDICTS),
        default=[],
        metavar="VERDICT",
        help="exit with 1 unless the finished plan gives this verdict, for a gate in CI: "
        "valid (every run is), objectives (a configuration meets all), better (a variant is, and worse in no "
        "figure), not_worse (no figure of any variant can be worse)",
    )
    parser.add_argument(
        "--plan-next",
        type=Path,
        metavar="BENCH",
        help="which questions a bench file leaves open; writes the experiments that answer them into --out",
    )
    run_on_cluster.configure(parser)
    running_plan.configure(parser)


def run(arguments: argparse.Namespace) -> int:
    """Run the command."""
    if arguments.follow is not None or arguments.stop is not None:
        return _reach_running(arguments)
    if arguments.plan_next is not None:
        if arguments.experiments:
            raise Refusal("cli.plan_next_alone", Place(key="plan_next"))
        plan_next(arguments.plan_next, arguments.out or Path.cwd())
        return 0
    if arguments.on is not None:
        return run_on_cluster.run(arguments)
    experiments, base = _asked_for(arguments)
    if arguments.plan:
        return print_plan(experiments, base, arguments.known)
    if arguments.known is not None:
        raise Refusal("cli.belongs_to", Place(key="known"), flag="--plan")
    if arguments.calibrate and arguments.no_calibrate:
        raise Refusal("cli.exclude", Place(key="calibrate"), flag="--no-calibrate")
    if arguments.calibrate:
        _calibrate(experiments[0].target)
    name = "+".join(experiment.name for experiment in experiments)
    bench = arguments.bench or default_bench_path(name, arguments.out)
    if _carried_out(arguments, experiments, base, bench) != "done":
        return 1
    reasons = unmet(bench, arguments.require)
    for reason in reasons:
        say(str(reason), file=sys.stderr)
    return 1 if reasons else 0


def _reach_running(arguments: argparse.Namespace) -> int:
    """Follow or stop the plan of another process."""
    running_plan.require_alone(arguments)
    if arguments.stop is not None:
        return running_plan.stop(arguments.stop)
    return running_plan.follow(
        arguments.follow,
        events=arguments.events,
        report=lambda bench, sentences: report(bench, None, sentences),
    )


def _asked_for(arguments: argparse.Namespace) -> tuple[list[Experiment], Path]:
    """Return the experiments, and the folder of their relative paths."""
    if arguments.resume and arguments.bench is None:
        raise Refusal("cli.resume_needs_bench", Place(key="resume"))
    if arguments.again and not arguments.resume:
        raise Refusal("cli.belongs_to", Place(key="again"), flag="--resume")
    if arguments.experiments:
        return read_experiments(arguments.experiments), arguments.experiments[0].parent
    if arguments.resume:
        return experiments_in(arguments.bench)
    raise Refusal("cli.nothing_to_run")


def _carried_out(
    arguments: argparse.Namespace, experiments: list[Experiment], base: Path, bench: Path
) -> str:
    """Carry them out with their progress and what was seen printed, or their events; how it ended."""
    csv = arguments.out / "scorecard.csv" if arguments.out else None
    emit = LineWriter() if arguments.events else ConsoleProgress()
    finished: list[ExperimentFinished] = []

    def keep_last(event: Event) -> None:
        if isinstance(event, ExperimentFinished):
            finished.append(event)
        emit(event)

    status = run_experiments(
        experiments,
        bench,
        keep_last,
        csv=csv,
        base=base,
        commands=arguments.events,
        resume=("invalid" if arguments.again else "unfinished") if arguments.resume else "no",
        calibrated=not arguments.no_calibrate,
    )
    if not arguments.events:
        report(bench, csv, finished[0].report if finished else [])
    return status


def _calibrate(target: TargetSpec) -> None:
    """Measure the load generator's resolution to the target; it is stored with the runs."""
    found = asyncio.run(calibrate_whole(target))
    say(calibration_text(found), file=sys.stderr)


def plan_next(bench: Path, folder: Path) -> None:
    """ChecklistAnswer the guide's questions from a bench file; each open one's experiment goes into `folder`.

    Raises:
        InputError: no bench file, or the folder can't be written to.
    """
    require_writable_folder(folder)
    written = 0
    for each in next_experiments(bench):
        say(f"{each.answer.verdict:<17} {each.answer.question} {each.answer.why}")
        if each.toml is not None:
            path = folder / f"{bench.stem}-{each.name}.toml"
            write_atomic(path, each.toml)
            written += 1
            say(f"{'':<17} planned, written to {path}")
    say(f"{written} experiment files written into {folder}" if written else "No experiment file was written.")


def report(bench: Path, csv: Path | None, sentences: list[str]) -> None:
    """Print the scorecard, what was seen, and where everything is."""
    say(scorecard_table(bench))
    for sentence in [*sentences, *repeat_offered(bench)]:
        say(sentence)
    say(f"bench file: {bench}")
    # Where it could not be written, that was said; the bench file holds all the same.
    if csv is not None and csv.exists():
        say(f"scorecard:  {csv}")


def print_plan(experiments: list[Experiment], base: Path, known: Path | None = None) -> int:
    """Print the plan as JSON: runs, time, GPU-hours, money if priced, disk, and the saturation.

    Return 2 if a start from here would be refused, else 0.

    `refused` is the reason why a start would fail, if known.
    `known` is a bench file whose measured capacity replaces the profile's prediction.
    """
    plan = make_plan(experiments)
    trace, _ = prepare(plan, base)
    costs = estimate_plan(plan, trace)
    first = experiments[0]
    saturates = (
        predict_saturation(first, trace) if known is None else measured_saturation(known, first, trace)
    )
    model = learned_model(first.target)
    predicted = {} if model is None else predict_plan(plan, trace, model)
    keys = ("run", "control", "value", "rate", "concurrency", "repeat", "expected_s")
    refused = start_problem(plan, trace)
    answer = {
        "runs": [
            {**{key: getattr(each, key) for key in keys}, "predicted": _predicted(predicted.get(each.run))}
            for each in plan.planned_runs()
        ],
        "search": [
            {"control": each.tested.name, "candidates": each.tested.values, "runs_at_most": len(plan.runs)}
            for each in experiments
            if each.kind == "search"
        ],
        "restarts": costs.restarts,
        "expected_s": costs.wall_s,
        "cost": None if costs.money is None else {"amount": costs.money, "currency": costs.currency},
        "gpus": costs.gpus,
        "gpu_hours": costs.gpu_hours,
        "requests": costs.requests,
        "disk_bytes": costs.disk_bytes,
        "refused": None if refused is None else str(refused),
        "saturation": None if saturates is None else _saturation(saturates),
        "notes": [
            *([] if model is None else [str(message("experiments.predicted_from", runs=len(model.runs)))]),
            *map(str, search_planned(plan)),
            *map(str, parts_planned(plan, trace)),
            *map(str, too_few_requests(plan, trace)),
            *([] if saturates is None else map(str, too_short_runs(plan, trace, saturates.rate_rps))),
        ],
    }
    json.dump(answer, sys.stdout, indent=1)
    say()
    if answer["refused"] is not None:
        say(f"a start would be refused: {answer['refused']}", file=sys.stderr)
        return 2
    return 0


def _saturation(found: Saturation) -> dict[str, object]:
    """Return the saturation as JSON; its notes as English sentences."""
    fields: dict[str, object] = msgspec.to_builtins(found)
    del fields["notes"]
    return fields | {"sentences": list(map(str, found.notes))}


def _predicted(prediction: RunPrediction | None) -> dict[str, object] | None:
    """Return a run's prediction for JSON; None: the server is new, or the run can't be modelled."""
    if prediction is None:
        return None
    figures = {name: msgspec.to_builtins(band) for name, band in prediction.figures.items()}
    return {
        "figures": figures,
        "requests": prediction.requests,
        "beyond": [str(each) for each in prediction.beyond],
    }
