"""Names of settings on the command line: a refusal's key becomes the command's own flag."""

import argparse
from collections.abc import Iterator, Mapping

from workbench.base import Refusal, WorkbenchError, WorkFailure


def flags_of(parser: argparse.ArgumentParser) -> dict[str, str]:
    """Return the flag (or the positional's name) of each argument of a command and its subcommands."""
    return dict(_flags(parser))


def _flags(parser: argparse.ArgumentParser) -> Iterator[tuple[str, str]]:
    for action in parser._actions:  # noqa: SLF001 - argparse has no public list of arguments
        if isinstance(action, argparse._SubParsersAction):  # noqa: SLF001 - as above
            for inner in action.choices.values():
                yield from _flags(inner)
        elif action.option_strings:
            yield action.dest, max(action.option_strings, key=len)
        else:
            yield action.dest, str(action.metavar or action.dest)


def error_text(error: WorkbenchError, flags: Mapping[str, str]) -> str:
    """Return an error's English line; a setting outside a file is named by its flag."""
    if isinstance(error, Refusal | WorkFailure) and error.place.file is None:
        flag = flags.get(error.place.key or "")
        if flag is not None:
            return error.text(place=flag)
    return str(error)
