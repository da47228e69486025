"""The command line: every capability without a screen, one file a command.

A command's module has `HELP` (one line), `configure(parser)` and `run(arguments) -> exit code`; `SETTINGS`
names the flags of settings that its arguments call otherwise, `KINDS` its own texts for messages that name
keys of an experiment file. A module is imported only when its command is
named, so that no command pays for another's libraries.
"""

import argparse
import importlib
import importlib.util
import logging
import os
import sys
from collections.abc import Sequence
from typing import NoReturn

from workbench import __version__
from workbench.base import WorkbenchError, is_frozen, mask_sentence, shown
from workbench.cli.flags import CommandWords
from workbench.cli.output import say

COMMANDS = (
    "demo",
    "run",
    "tune",
    "measure",
    "watch",
    "trace",
    "engine",
    "export",
    "pack",
    "explain",
    "compare",
    "peers",
    "size",
    "doctor",
)
"""In the order of the help text; `workbench.cli.<name>` is the module."""


def available() -> list[str]:
    """Return the commands whose modules this installation has."""
    return [name for name in COMMANDS if importlib.util.find_spec(f"workbench.cli.{name}")]


class _Parser(argparse.ArgumentParser):
    """Bad usage is one line, as all bad input is; --help shows the rest."""

    def error(self, message: str) -> NoReturn:
        """Say it and end."""
        self.exit(2, f"error: {self.prog}: {message} (--help says every option)\n")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; returns the exit code (0 done, 1 failed or stopped, 2 bad usage or input)."""
    words = list(sys.argv[1:] if arguments is None else arguments)
    names = available()
    parser = _Parser(
        prog="workbench" if is_frozen() else "python -m workbench",
        description="Tunes continuous batching in vLLM on your own requests and your own GPU.",
    )
    parser.add_argument("--version", action="version", version=f"vLLM Workbench {__version__}")
    subparsers = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    chosen = next((word for word in words if not word.startswith("-")), None)
    for name in names:
        module = importlib.import_module(f"workbench.cli.{name}") if chosen in (name, None) else None
        subparser = subparsers.add_parser(name, help=module.HELP if module else None)
        if module:
            module.configure(subparser)
            own = (getattr(module, "SETTINGS", {}), getattr(module, "KINDS", {}))
            subparser.set_defaults(run=module.run, words_of=CommandWords(name, subparser, *own))
    parsed = parser.parse_args(words, argparse.Namespace(words=words))
    logging.basicConfig(level=logging.WARNING, format="%(levelname)s %(name)s: %(message)s")
    return _carry_out(parsed)


def _carry_out(parsed: argparse.Namespace) -> int:
    try:
        return int(parsed.run(parsed))
    except WorkbenchError as error:
        say(f"error: {shown(mask_sentence(parsed.words_of.error_text(error)), None)}", file=sys.stderr)
        return error.exit_code
    except KeyboardInterrupt:
        say("stopped", file=sys.stderr)
        return 1
    except OSError as error:
        # A reader that closed our output gets nothing more; a full disk is an error.
        if not isinstance(error, BrokenPipeError):
            said = f"{error.filename or 'output'}: {error.strerror or error}"
            say(f"error: {shown(said, None)}", file=sys.stderr)
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
