"""`compare`: bench files of several systems as a decision sheet: servers, cost per 1,000, sensitivities."""

import argparse
import sys
from datetime import datetime
from pathlib import Path

from workbench.advice import Decision, read_offers
from workbench.base import Place, Refusal, shown, write_atomic
from workbench.cli.output import say
from workbench.experiments import (
    MeasuredSystem,
    compare_measured,
    measured_systems,
    remarks_on,
    sheet_csv,
    sheet_json,
    sheet_lines,
)
from workbench.results import Demand, check_demand, read_curve

HELP = "compare systems by completed work: bench files of the same trace, your offers, your demand"


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument(
        "systems",
        metavar="BENCH[=OFFER]",
        nargs="+",
        help="a system's bench file, and the name of its offer where several are for its card",
    )
    parser.add_argument(
        "--offers",
        type=Path,
        metavar="FILE",
        help="TOML file of your offers, [[offer]] each; without: no cost",
    )
    parser.add_argument(
        "--curve", metavar="H:R,…", help="demand: hours and accepted requests a second, such as 8:2,16:6.5"
    )
    parser.add_argument("--headroom", type=float, metavar="X", help="share of the peak kept free (0.2)")
    parser.add_argument("--spare", type=int, metavar="N", help="systems that may fail (0)")
    parser.add_argument("--json", metavar="FILE", help="the sheet as JSON (- is standard output)")
    parser.add_argument(
        "--csv", metavar="FILE", help="the sheet as CSV, a line a system (- is standard output)"
    )


def run(arguments: argparse.Namespace) -> int:
    """Run the command."""
    if arguments.csv is not None and arguments.csv == arguments.json:
        raise Refusal("cli.same_output", Place(key="csv"), file=str(arguments.csv))
    offers = [] if arguments.offers is None else read_offers(arguments.offers)
    systems = measured_systems([_asked(word) for word in arguments.systems], offers)
    sheet = compare_measured(systems, _demand(arguments))
    contents = {
        arguments.json: sheet_json(sheet) + "\n",
        arguments.csv: sheet_csv(sheet_lines(sheet, systems)),
    }
    for target, content in contents.items():
        if target == "-":
            sys.stdout.write(content)
        elif target is not None:
            write_atomic(Path(target), content)
    if "-" not in contents:
        say("\n".join(_told(line, systems[line.position]) for line in sheet))
    for warning in remarks_on(systems, datetime.now().astimezone().date()):
        say(f"warning: {shown(str(warning), None)}", file=sys.stderr)
    return 0


def _asked(word: str) -> tuple[Path, str | None]:
    """Return bench file and offer of `BENCH=OFFER`; with several `=`, BENCH is the longest existing file."""
    parts = word.split("=")
    files = (most for most in range(len(parts), 0, -1) if Path("=".join(parts[:most])).is_file())
    end = next(files, 1)
    return Path("=".join(parts[:end])), "=".join(parts[end:]) or None


def _demand(arguments: argparse.Namespace) -> Demand | None:
    if arguments.curve is None:
        if arguments.headroom is not None or arguments.spare is not None:
            raise Refusal("cli.needs_curve")
        return None
    curve = read_curve(arguments.curve)
    headroom = 0.2 if arguments.headroom is None else arguments.headroom
    demand = Demand(curve=curve, headroom=headroom, spare=arguments.spare or 0)
    check_demand(demand)
    return demand


def _told(line: Decision, own: MeasuredSystem) -> str:
    accepted = (
        f"{own.result.accepted_rps:.3g} accepted/s as “{shown(own.run, None)}”" if own.run else "at no rate"
    )
    said = [f"{shown(line.name, None)}: {accepted}, {own.result.runs} runs"]
    if own.run:
        most = "" if line.capacity_found else "at most "
        servers = "1 server" if line.servers == 1 else f"{line.servers} servers"
        said.append(f"  {most}{servers} for the demand, busy {100 * line.utilisation:.0f} %")
    if line.per_1k_reserved is not None and line.per_1k_used is not None:
        money = line.currency
        band = f"{line.sensitivity_low:.3g} to {line.sensitivity_high:.3g}"
        said += [
            (
                f"  {line.per_1k_reserved:.3g} {money} per 1,000 accepted, idle hours paid;"
                f" {line.per_1k_used:.3g} while busy; {line.cost_per_hour:.4g} an hour for all"
            ),
            f"  {band} {money} with price, rate and demand a tenth better or worse",
        ]
    return "\n".join([*said, *(f"  {shown(str(mark), None)}" for mark in line.marks)])
