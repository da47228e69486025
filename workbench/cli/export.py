"""`export`: a bench file's scorecard as CSV, workbook, report, JSON or a pack that can be verified."""

import argparse
import sys
from pathlib import Path

from workbench.cli.output import say
from workbench.experiments import check_pack, pack, write_report
from workbench.results import (
    BenchFile,
    csv_text,
    json_text,
    pack_changed,
    pack_other_definitions,
    pack_report_differs,
    write_csv,
    write_json,
    write_xlsx,
)

HELP = "write a bench file's scorecard as CSV, XLSX, HTML, JSON or a pack; verify a pack"

_FORMATS = {
    "csv": (write_csv, "scorecard as CSV (- is standard output)"),
    "xlsx": (write_xlsx, "scorecard as a workbook; numbers are right in every locale"),
    "html": (write_report, "report for a decision: one file, no network"),
    "pack": (pack, "zip of report, CSV, experiments, traces, logs, raw rows and hashes, for --verify"),
    "json": (write_json, "scorecard, figures and verdicts as JSON (- is standard output)"),
}
_TO_OUTPUT = {"csv": csv_text, "json": json_text}


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("bench", nargs="?", type=Path, help="bench file")
    for name, (_, words) in _FORMATS.items():
        parser.add_argument(f"--{name}", metavar="FILE", help=words)
    parser.add_argument(
        "--verify", metavar="PACK", type=Path, help="compute every figure of a pack again from its raw rows"
    )
    parser.set_defaults(usage_error=parser.error)


def run(arguments: argparse.Namespace) -> int:
    """Run the command."""
    wanted = {name: getattr(arguments, name) for name in _FORMATS if getattr(arguments, name) is not None}
    if arguments.verify is not None and not wanted and arguments.bench is None:
        return _verify(arguments.verify)
    if arguments.bench is None or not wanted or arguments.verify is not None:
        arguments.usage_error(
            "give a bench file and what to write: " + ", ".join(f"--{name} FILE" for name in _FORMATS)
        )
    with BenchFile.open(arguments.bench) as bench:
        for name, target in wanted.items():
            if target == "-" and name in _TO_OUTPUT:
                sys.stdout.write(_TO_OUTPUT[name](bench))
            else:
                for note in _FORMATS[name][0](bench, Path(target)) or ():
                    say(f"note: {note}", file=sys.stderr)
    return 0


def _verify(path: Path) -> int:
    """Say which figures do not follow from the raw rows; 1 if there are some."""
    lines = check_pack(path)
    changed = pack_changed(path) if lines else []
    unexplained = any(line not in changed for line in lines)
    otherwise = pack_other_definitions(path) if unexplained else None
    for line in lines:
        say(f"{'does not follow' if otherwise is None or line in changed else 'differs'}: {line}")
    if otherwise is not None:
        say(f"note: {otherwise}")
    if not lines:
        say("every figure follows from the raw rows")
    report = pack_report_differs(path)
    if report is not None:
        say(f"note: {report}")
    return 1 if lines else 0
