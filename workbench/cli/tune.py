"""`tune`: improve a server one control at a time, each step with its evidence."""

import argparse
import json
import math
import sys
from collections.abc import Sequence
from pathlib import Path

import msgspec

from workbench.base import Message, Place, Refusal, Value, require_writable_folder, write_atomic
from workbench.cli.output import say
from workbench.cli.progress import ConsoleProgress
from workbench.controls import CONTROLS
from workbench.experiments import (
    Experiment,
    LoadShape,
    TraceChoice,
    expected_after,
    make_plan,
    prepare,
    run_experiments,
)
from workbench.experiments.session import (
    SESSION_SUFFIX,
    Measure,
    TuneEnd,
    TuneSettings,
    tune,
    tuning_start,
    write_session,
)
from workbench.results import Objectives
from workbench.servers import TargetSpec

HELP = "tune a server by itself: one control at a time, until none is expected to gain more"
_DURATION_S = 60.0


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("experiment", nargs="?", type=Path, metavar="EXPERIMENT.toml")
    parser.add_argument(
        "--target", metavar="URL", help="without a file: a running server, which isn't changed"
    )
    load = parser.add_argument_group("load and objectives with --target")
    load.add_argument("--trace", metavar="FILE", help="requests to replay")
    load.add_argument("--synthetic", metavar="IN:OUT", help="equal requests of so many tokens")
    load.add_argument("--rate", type=float, metavar="R", help="requests a second, above the capacity")
    load.add_argument("--duration", type=float, metavar="S", default=_DURATION_S, help="of each run (60)")
    load.add_argument("--model", metavar="NAME")
    load.add_argument("--api-key-env", metavar="NAME")
    load.add_argument("--ttft-p95-ms", type=float, metavar="MS")
    load.add_argument("--itl-p95-ms", type=float, metavar="MS")
    parser.add_argument(
        "--control", action="append", default=[], metavar="NAME", help="may change; repeatable"
    )
    parser.add_argument("--gain", type=float, default=0.02, metavar="SHARE", help="worth a run (0.02)")
    parser.add_argument("--minutes", type=float, metavar="M", help="wall time of all runs")
    parser.add_argument(
        "--go-on",
        action="store_true",
        help="continue after a surprising result without asking",
    )
    parser.add_argument("--out", type=Path, metavar="DIR", help="folder for bench files and the session")
    parser.add_argument("--no-calibrate", action="store_true", help="leave out the client's calibration")
    parser.add_argument("--json", metavar="FILE", help="the end as JSON (- is standard output)")


def run(arguments: argparse.Namespace) -> int:
    """Run the command."""
    start, base = _start(arguments)
    start = tuning_start(start)
    for name in ("gain", "minutes"):
        value = getattr(arguments, name)
        if value is not None and not 0 < value < math.inf:
            raise Refusal("base.not_above", Place(key=name), value=value, minimum=0)
    for name in arguments.control:
        if name not in CONTROLS:
            raise Refusal("base.not_one_of", Place(key="control"), value=name, choices=[*CONTROLS])
    folder = arguments.out or Path.cwd()
    require_writable_folder(folder)
    trace, _ = prepare(make_plan([start]), base)
    session = folder / f"tune{SESSION_SUFFIX}"
    end = tune(
        start,
        folder,
        _measure(arguments, base),
        TuneSettings(gain=arguments.gain, minutes=arguments.minutes, controls=tuple(arguments.control)),
        keep=lambda kept: write_session(kept, session),
        say=lambda said: say(str(said), file=sys.stderr),
        predict=lambda experiments, bench, name, value: expected_after(
            experiments, bench, trace, name, value
        ),
        go_on=(lambda _reason: True) if arguments.go_on else _ask,
    )
    _report(end, session, arguments.json)
    return 0 if end.state == "done" else 1


def _ask(reason: Message) -> bool:
    """Ask on a terminal whether to go on after a surprise; elsewhere nobody answers, so pause."""
    if not sys.stdin.isatty():
        return False
    say(f"paused: {reason}", file=sys.stderr)
    say("Go on with the measured result? [y/N]", file=sys.stderr, flush=True)
    return sys.stdin.readline().strip().lower() in {"y", "yes"}


def _measure(arguments: argparse.Namespace, base: Path) -> Measure:
    progress = ConsoleProgress()

    def measure(experiments: Sequence[Experiment], bench: Path) -> str:
        return run_experiments(experiments, bench, progress, base=base, calibrated=not arguments.no_calibrate)

    return measure


def _start(arguments: argparse.Namespace) -> tuple[Experiment, Path]:
    """Return the experiment to start from, and the folder of its relative paths."""
    if arguments.experiment is not None:
        if arguments.target is not None:
            raise Refusal("cli.exclude", Place(key="target"), flag="EXPERIMENT.toml")
        return Experiment.load_file(arguments.experiment), arguments.experiment.parent
    if arguments.target is None:
        raise Refusal("cli.nothing_to_tune")
    if arguments.rate is None:
        raise Refusal("experiments.tune_needs_rate", Place(key="rate"))
    limits = {name: getattr(arguments, name) for name in ("ttft_p95_ms", "itl_p95_ms")}
    experiment = Experiment(
        name="tune",
        target=TargetSpec(
            kind="attached",
            url=arguments.target,
            model=arguments.model,
            api_key_env=arguments.api_key_env,
        ),
        trace=TraceChoice(file=arguments.trace, synthetic=arguments.synthetic),
        load=LoadShape(rates=[arguments.rate], duration_s=arguments.duration),
        objectives=Objectives(**{name: value for name, value in limits.items() if value is not None}),
    )
    return experiment, Path.cwd()


def _report(end: TuneEnd, session: Path, file: str | None) -> None:
    """Print the configuration found and the steps, or write them as JSON."""
    if file is not None:
        content = {
            **msgspec.to_builtins(end),
            "reason": str(end.reason),
            "session": str(session),
            "steps": [
                {
                    "experiment": step.experiment.name,
                    "bench": step.bench,
                    "note": step.note,
                    "chosen": msgspec.to_builtins(step.chosen),
                }
                for step in end.session.steps
            ],
        }
        text = json.dumps(content, indent=1)
        if file == "-":
            say(text)
        else:
            write_atomic(Path(file), text + "\n")
        return
    for step in end.session.steps:
        say(f"{step.bench}: {step.note}")
    found: dict[str, Value] = dict(end.baseline)
    say(f"{end.state}: {end.reason}")
    say(f"configuration: {', '.join(f'{name} = {value}' for name, value in found.items()) or 'unchanged'}")
    if end.accepted_rps is not None:
        say(f"accepted: {end.accepted_rps:.3g} requests/s")
    say(f"{end.runs} runs, {end.minutes:.1f} min; session: {session}")
