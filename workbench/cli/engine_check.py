"""`engine check`: golden cases and recordings of live servers against the scheduler's decisions."""

import argparse
from pathlib import Path

from workbench.cli.saying import say
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
    """One line a file; 0 only if all are identical."""
    different = 0
    for path in arguments.files:
        verdict = check_file(path)
        say(str(verdict), flush=True)
        different += not verdict.identical
    return 1 if different else 0
