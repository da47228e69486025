"""Check of an `engine serve` command line without a start."""

import argparse
from collections.abc import Sequence
from typing import NoReturn

from workbench.base import Message, Place, Refusal, message
from workbench.engine.flags import DEFAULT_PROFILE, scheduler_config
from workbench.engine.server import flags
from workbench.engine.server.settings import VllmRefusal, resolve
from workbench.profiles import load_profile


class _RefusingParser(argparse.ArgumentParser):
    """Raises a Refusal instead of ending the program."""

    def error(self, text: str) -> NoReturn:
        """Raise a Refusal."""
        raise Refusal("engine.impossible_flags", said=text)


def check_flags(words: Sequence[str]) -> None:
    """Check that the embedded engine would start with these words.

    Raises:
        Refusal: an unknown flag, a value that its flag doesn't take, or values that exclude each other.
    """
    parser = _RefusingParser(prog="engine serve", add_help=False)
    flags.configure(parser)
    arguments = parser.parse_args(list(words))
    try:
        resolve(arguments, {})
        # resolve() leaves a pool too small for one request to the engine's own process.
        values = {name: value for name, value in vars(arguments).items() if value is not None}
        profile = load_profile(arguments.profile or DEFAULT_PROFILE)
        scheduler_config({"async_scheduling": True, **values}, profile)
    except VllmRefusal as refusal:
        raise refusal.refusal from refusal


def check_extra_flags(words: Sequence[str], extra: Sequence[str]) -> None:
    """Check the user's own words after ours.

    Raises:
        Refusal: as `check_flags`, at the user's words.
    """
    if not extra:
        return
    try:
        check_flags([*words, *extra])
    except Refusal as error:
        raise Refusal(
            "engine.impossible_flags", Place(table="target", key="args"), said=_whole(error)
        ) from error


def _whole(error: Refusal) -> Message:
    """Return the refusal with its own place."""
    place = str(error.place)
    return message("base.at", place=f"{place}:", problem=error.message) if place else error.message
