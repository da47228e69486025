"""`run --follow` and `run --stop`: a plan that another process carries out."""

import argparse
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import msgspec

from workbench.base import Refusal, message
from workbench.cli.output import say
from workbench.cli.progress import ConsoleProgress
from workbench.experiments import (
    Event,
    ExperimentFinished,
    decode_event,
    lines_of,
    require_running,
    wait_closed,
)

STOP_PATIENCE_S = 600.0
"""A server that is being started may take minutes to end."""
_PUT_AWAY_S = 30.0
_OF_A_PLAN = (
    *("follow", "bench", "out", "events", "plan", "known", "calibrate", "no_calibrate"),
    *("resume", "again", "require", "plan_next", "on"),
)


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument(
        "--follow",
        type=Path,
        metavar="BENCH",
        help="show the progress of the plan that runs into this bench file (with --events: its events); "
        "Ctrl+C only leaves it",
    )
    parser.add_argument(
        "--stop",
        type=Path,
        metavar="BENCH",
        help="stop the plan that runs into this bench file, and wait until it has ended",
    )


def require_alone(arguments: argparse.Namespace) -> None:
    """Check that no option of a new plan is given.

    Raises:
        Refusal: one is given.
    """
    option = "--stop" if arguments.stop is not None else "--follow"
    taken = ("follow", "events") if option == "--follow" else ("stop",)
    given = vars(arguments)
    others = [_flag(name) for name in _OF_A_PLAN if name not in taken and given.get(name)]
    if given.get("experiments"):
        others.insert(0, str(message("experiments.files")))
    if others:
        raise Refusal("experiments.stands_alone", option=option, others=others)


def _flag(name: str) -> str:
    return f"--{name.replace('_', '-')}"


def follow(bench: Path, *, events: bool, report: Callable[[Path, list[str]], None]) -> int:
    """Show the plan's progress, or its events, until it ends; return its exit code.

    Raises:
        Refusal: no plan runs into the bench file.
    """
    plan = require_running(bench)
    show = ConsoleProgress()
    finished: ExperimentFinished | None = None
    try:
        for line, event in _events(lines_of(plan)):
            if events:
                sys.stdout.buffer.write(line + b"\n")
                sys.stdout.buffer.flush()
            elif event is not None:
                show(event)
            if isinstance(event, ExperimentFinished):
                finished = event
    except KeyboardInterrupt:
        say(str(message("experiments.left")), file=sys.stderr)
        return 1
    if finished is None:
        say(str(message("experiments.ended_unfinished")), file=sys.stderr)
        return 1
    if not events:
        report(bench, finished.report)
    return 0 if finished.status == "done" else 1


def stop(bench: Path, *, patience_s: float = STOP_PATIENCE_S) -> int:
    """Stop the plan, wait until it has ended, and say what ended.

    Raises:
        Refusal: no plan runs into the bench file.
        WorkbenchError: it still runs after `patience_s`.
    """
    plan = require_running(bench)
    show = ConsoleProgress()
    status = ""
    for _, event in _events(lines_of(plan, "stop", patience_s=patience_s)):
        if event is None:
            continue
        show(event)
        if isinstance(event, ExperimentFinished):
            status = event.status
    wait_closed(bench, _PUT_AWAY_S)
    if status:
        say(str(message("experiments.plan_ended", bench=plan.bench, status=status)))
    else:
        say(str(message("experiments.ended_unfinished")))
    return 0


def _events(lines: Iterator[bytes]) -> Iterator[tuple[bytes, Event | None]]:
    """Yield each line with its event; None: an event of a newer program."""
    for line in lines:
        try:
            yield line, decode_event(line)
        except msgspec.MsgspecError:
            yield line, None
