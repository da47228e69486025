"""What a command tells people may hold names from files; a terminal must show them and obey nothing."""

import ast
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import workbench.cli
from workbench.base import is_terminal_control, shown, shown_lines
from workbench.cli import main
from workbench.cli.output import say

EVIL = "H100\x1b[2J\x9b31m\rall is well\u202e\u2028"


def test_that_control_characters_are_escaped_and_lines_stay(capsys: pytest.CaptureFixture[str]) -> None:
    say(f"one\n{EVIL}")
    assert capsys.readouterr().out == (
        "one\nH100\\x1b[2J\\x9b31m\\rall is well\\u202e\\u2028\n"
    )  # the same words, none of them an order
    say(EVIL, file=sys.stderr)
    assert "\x1b" not in capsys.readouterr().err


@given(st.text(st.characters()))
def test_that_no_character_of_any_text_steers_once_it_is_shown(text: str) -> None:
    assert not any(is_terminal_control(mark) for mark in shown(text))
    assert not any(is_terminal_control(mark) for mark in shown_lines(text) if mark != "\n")
    assert shown_lines(text).count("\n") == text.count("\n")


def test_that_words_of_any_language_are_shown_as_they_are() -> None:
    assert shown_lines("前缀 é λ –\ntwo") == "前缀 é λ –\ntwo"
    assert shown("x" * 300) == "x" * 200 + "…"


def test_that_every_command_talks_through_say() -> None:
    around = [
        f"{path.name}: line {node.lineno}"
        for path in sorted(Path(workbench.cli.__file__).parent.glob("*.py"))
        for function in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(function, ast.FunctionDef) and function.name not in {"say", "progress"}
        for node in ast.walk(function)
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id == "print"
        # The share of a file that was read renews its line, and holds no name.
        and function.name != "_progress"
    ]
    assert around == []


def test_that_a_bad_file_of_an_evil_name_is_refused_in_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["size", "--config", str(tmp_path / "a\nb\x1b[2J")]) == 2
    said = capsys.readouterr().err
    assert said.count("\n") == 1
    assert "a\\nb\\x1b[2J" in said
