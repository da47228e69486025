"""`export`: a bench file's scorecard as CSV, workbook, report or JSON."""

import argparse
import sys
from pathlib import Path

from workbench.results import BenchFile, csv_text, json_text, write_csv, write_html, write_json, write_xlsx

HELP = "write a bench file's scorecard as CSV, XLSX, HTML or JSON"

_FORMATS = {
    "csv": (write_csv, "scorecard as CSV (- is standard output)"),
    "xlsx": (write_xlsx, "scorecard as a workbook; numbers are right in every locale"),
    "html": (write_html, "report for a decision: one file, no network"),
    "json": (write_json, "scorecard, figures and verdicts as JSON (- is standard output)"),
}
_TO_OUTPUT = {"csv": csv_text, "json": json_text}


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("bench", type=Path, help="bench file")
    for name, (_, words) in _FORMATS.items():
        parser.add_argument(f"--{name}", metavar="FILE", help=words)
    parser.set_defaults(usage_error=parser.error)


def run(arguments: argparse.Namespace) -> int:
    """Run the command."""
    wanted = {name: getattr(arguments, name) for name in _FORMATS if getattr(arguments, name) is not None}
    if not wanted:
        arguments.usage_error("say what to write: " + ", ".join(f"--{name} FILE" for name in _FORMATS))
    with BenchFile.open(arguments.bench) as bench:
        for name, target in wanted.items():
            if target == "-" and name in _TO_OUTPUT:
                sys.stdout.write(_TO_OUTPUT[name](bench))
            else:
                _FORMATS[name][0](bench, Path(target))
    return 0
