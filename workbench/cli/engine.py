"""`engine`: the embedded engine: serve it, replay a trace in virtual time, check it against vLLM, calibrate it."""

import argparse
import importlib
import importlib.util

HELP = "the embedded engine: serve, replay, check, calibrate"

_COMMANDS = {
    "serve": "workbench.engine.serve.command",
    "replay": "workbench.engine.replay.command",
    "check": "workbench.engine.check.command",
    "calibrate": "workbench.engine.calibrate.command",
}
"""Modules with `HELP`, `configure(parser)` and `run(arguments)`."""


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the subcommands that this installation has."""
    subparsers = parser.add_subparsers(dest="engine_command", metavar="COMMAND", required=True)
    for name, path in _COMMANDS.items():
        if _exists(path):
            module = importlib.import_module(path)
            subparser = subparsers.add_parser(name, help=module.HELP)
            module.configure(subparser)
            subparser.set_defaults(run_engine=module.run)


def _exists(path: str) -> bool:
    try:
        return importlib.util.find_spec(path) is not None
    except ModuleNotFoundError:
        return False


def run(arguments: argparse.Namespace) -> int:
    """Run the subcommand."""
    return int(arguments.run_engine(arguments))
