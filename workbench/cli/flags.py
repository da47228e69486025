"""Names of settings on the command line: a refusal's key becomes the command's own flag."""

import argparse
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

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


@dataclass(frozen=True)
class CommandWords:
    """The words of one command: its name, its flags, its own texts."""

    command: str
    parser: argparse.ArgumentParser
    """Has the command's arguments by the time of an error; parts of `engine` declare theirs late."""
    settings: Mapping[str, str] = field(default_factory=dict)
    """Flags of settings that the arguments call otherwise."""
    kinds: Mapping[str, str] = field(default_factory=dict)
    """Message kinds that say the same in flags, by the kinds that name an experiment file's keys."""

    def error_text(self, error: WorkbenchError) -> str:
        """Return an error's English line; a setting outside a file is named by its flag."""
        if not isinstance(error, Refusal | WorkFailure):
            return str(error)
        kind = self.kinds.get(error.kind)
        if kind is not None:
            error = type(error)(kind, error.place, **error.values)
        place = error.place
        if place.file not in (None, self.command):
            return str(error)
        flag = {**flags_of(self.parser), **self.settings}.get(place.key or "")
        if flag is not None:
            return error.text(place=flag)
        return error.text(place="") if place.file == self.command else str(error)
