"""Help texts: every option says what it is, and takes a value of a short name."""

import argparse
import importlib

import pytest

COMMANDS = (
    "workbench.cli.measure",
    "workbench.cli.watch",
    "workbench.cli.doctor",
    "workbench.cli.size",
    "workbench.cli.engine_replay",
    "workbench.cli.engine_calibrate",
    "workbench.engine.server.command",
)


def options(module: str) -> list[argparse.Action]:
    parser = argparse.ArgumentParser()
    importlib.import_module(module).configure(parser)
    return parser._actions


@pytest.mark.parametrize("module", COMMANDS)
def test_that_every_option_says_what_it_is(module: str) -> None:
    assert [action.dest for action in options(module) if not action.help] == []


@pytest.mark.parametrize("module", COMMANDS)
def test_that_no_option_s_value_is_named_by_its_own_long_name(module: str) -> None:
    bare = [
        action.dest
        for action in options(module)
        if action.nargs != 0 and action.choices is None and action.metavar is None
    ]
    assert bare == []
