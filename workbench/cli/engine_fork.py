"""`engine fork`: what a recorded run would have become with a limit changed at one of its steps."""

import argparse
import math
import sys
from pathlib import Path

import msgspec

from workbench.base import Place, Refusal, write_atomic
from workbench.cli.explain import parse_change
from workbench.cli.output import say
from workbench.engine import Estimate, ForkOrder, ForkResult, play_fork, read_recording
from workbench.experiments import bench_recording

_TITLES = {
    "ttft_ms": "TTFT mean, ms",
    "ttft_p95_ms": "TTFT p95, ms",
    "tpot_ms": "TPOT mean, ms",
    "itl_ms": "ITL mean, ms",
    "itl_p95_ms": "ITL p95, ms",
    "e2e_ms": "E2E mean, ms",
    "e2e_p95_ms": "E2E p95, ms",
    "waiting_ms": "waiting mean, ms",
    "preemptions": "preemptions",
    "span_s": "last request ends, s",
}


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the record, the step and the change."""
    parser.add_argument(
        "record", type=Path, metavar="RECORD|BENCH", help="a step record, a golden case, or a bench file"
    )
    parser.add_argument(
        "--run", dest="run_name", metavar="R", help="of a bench file (default: its first record)"
    )
    parser.add_argument(
        "--at",
        required=True,
        metavar="STEP|TIME",
        help="a call of the scheduler, as 120, or a time, as 12.5s",
    )
    parser.add_argument(
        "--set",
        dest="set",
        metavar="CONTROL=VALUE",
        action="append",
        default=[],
        help="what changes there; may be repeated; without it only the decisions are compared",
    )
    parser.add_argument(
        "--draws", type=int, default=5, metavar="N", help="modelled futures, for the band (5)"
    )
    parser.add_argument("--seed", type=int, default=1, metavar="S", help="of the draws (1)")
    parser.add_argument("--json", metavar="FILE", help="all figures as JSON (- is standard output)")


def run(arguments: argparse.Namespace) -> int:
    """Play both futures and print how they differ."""
    if arguments.draws < 1:
        raise Refusal("base.too_small", Place(key="draws"), value=arguments.draws, minimum=1)
    step, at_s = _moment(arguments.at)
    order = ForkOrder(
        step=step,
        at_s=at_s,
        changes=dict(parse_change(text, "set") for text in arguments.set),
        draws=arguments.draws,
        seed=arguments.seed,
    )
    if _is_bench(arguments.record):
        recording = bench_recording(arguments.record, arguments.run_name)
    elif arguments.run_name is not None:
        raise Refusal("cli.run_of_record", Place(key="run"), file=str(arguments.record))
    else:
        recording = read_recording(arguments.record)
    result = play_fork(recording, order)
    if arguments.json is None:
        _print(result, order, timed=recording.timed)
        return 0
    text = msgspec.json.format(msgspec.json.encode(_object(result))).decode() + "\n"
    if arguments.json == "-":
        sys.stdout.write(text)
    else:
        write_atomic(Path(arguments.json), text)
    return 0


def _is_bench(path: Path) -> bool:
    try:
        with path.open("rb") as file:
            return file.read(15) == b"SQLite format 3"
    except OSError as error:
        raise Refusal("base.unreadable_file", Place(file=str(path)), cause=error.strerror) from error


def _moment(text: str) -> tuple[int | None, float | None]:
    in_seconds = text.endswith("s")
    try:
        moment = float(text[:-1]) if in_seconds else int(text)
    except ValueError as error:
        raise Refusal("cli.fork_moment", Place(key="at"), text=text) from error
    if not 0 <= moment < math.inf:
        raise Refusal("cli.fork_moment", Place(key="at"), text=text)
    return (None, moment) if in_seconds else (int(moment), None)


def _object(result: ForkResult) -> dict[str, object]:
    """Return the result with each estimate's `certain`."""
    content: dict[str, object] = msgspec.to_builtins(result)
    content["figures"] = _estimates(result.figures)
    content["classes"] = [
        {**msgspec.to_builtins(one), "figures": _estimates(one.figures)} for one in result.classes
    ]
    return content


def _estimates(figures: dict[str, Estimate]) -> dict[str, object]:
    return {name: {**msgspec.to_builtins(one), "certain": one.certain} for name, one in figures.items()}


def _print(result: ForkResult, order: ForkOrder, *, timed: bool) -> None:
    changed = ", ".join(f"{name} = {value}" for name, value in order.changes.items()) or "nothing changed"
    say(f"fork at call {result.step} ({result.at_s:.3f} s): {changed}")
    say(f"  {result.same} of {result.decisions} decisions as recorded")
    if not timed:
        say("  a golden case has no clock: each step counts a millisecond")
    if result.differs_at is None:
        say("  no decision differs, so nothing changes")
        return
    say(f"  another batch from call {result.differs_at} ({result.differs_at_s:.3f} s) on, modelled")
    say(
        f"  {result.draws} draws, {result.model_error_pct:.1f} % mean error of a step; the band holds all"
        " draws and the error of the recorded future when it is modelled"
    )
    _print_figures(result.figures, result)
    for one in result.classes if len(result.classes) > 1 else ():
        say(f"  {one.cls}, {one.requests} requests")
        _print_figures(one.figures, None)
    for title, several in (("gain", result.gain), ("lose", result.lose)):
        for change in several:
            difference = change.changed_ms - change.recorded_ms
            whose = f"{title}s  {change.request} ({change.cls})"
            say(f"  {whose}  {change.recorded_ms:,.1f} ms  {difference:+,.1f} ms")
    if result.unfinished:
        say(f"  {result.unfinished} requests never end with the change")


def _print_figures(figures: dict[str, Estimate], result: ForkResult | None) -> None:
    say(f"    {'':<22}{'recorded':>12}{'changed':>12}{'band':>25}{'':>5}modelled as recorded")
    for name, one in figures.items():
        band = f"{one.low:,.2f} … {one.high:,.2f}"
        mark = "" if one.certain else " ="
        error = result.replay_error.get(name) if result else None
        off = "" if error is None else f"{100 * error:+.1f} %"
        say(f"    {_TITLES[name]:<22}{one.recorded:>12,.2f}{one.changed:>12,.2f}{band:>25}{mark:<5}{off:>9}")
    if result is not None and not all(one.certain for one in figures.values()):
        say("    =: the recorded value is inside the band: no clear difference")
