"""`engine check`: golden cases and recordings of live servers against the scheduler's decisions."""

import argparse
from pathlib import Path

from workbench.cli.output import say
from workbench.engine import check_file


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the files."""
    parser.add_argument(
        "files",
        nargs="+",
        type=Path,
        metavar="FILE",
        help="a golden case or a step recording, gzipped or not",
    )


def run(arguments: argparse.Namespace) -> int:
    """Print one line a file, and one for each version and its rules; return 0 only if all are identical."""
    different, told = 0, None
    for path in arguments.files:
        verdict = check_file(path)
        if (rules := verdict.rules_used()) != told:
            told = rules
            for line in rules:
                say(f"rules  {line}", flush=True)
        say(str(verdict), flush=True)
        different += not verdict.identical
    return 1 if different else 0
