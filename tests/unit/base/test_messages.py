"""Messages are data: each kind used in the code has a template in every language, with the same fields."""

import ast
import pickle
import string
import tomllib
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from workbench.base import (
    Message,
    Place,
    Refusal,
    WorkFailure,
    decode_json,
    encode_line,
    message,
    render,
    resource,
)

ROOT = Path(__file__).parents[3]
LANGUAGES = ("en", "zh_CN")
MAKERS = {"Refusal", "WorkFailure", "message"}


def catalogue(language: str) -> dict[str, str]:
    """Every template of a language by its whole kind."""
    return {
        f"{path.stem}.{name}": template
        for path in sorted(resource("messages", language).glob("*.toml"))
        for name, template in tomllib.loads(path.read_text("utf-8")).items()
    }


def fields(template: str) -> set[str]:
    """The values that a template names."""
    return {name for _, name, _, _ in string.Formatter().parse(template) if name}


@cache
def made_in_the_code() -> list[tuple[str, str, set[str] | None]]:
    """Where each message is made, its kind and its values; None where they are given as a mapping."""
    return list(_made_in_the_code())


def _made_in_the_code() -> Iterator[tuple[str, str, set[str] | None]]:
    for path in [*ROOT.glob("workbench/**/*.py"), *ROOT.glob("ui/**/*.py")]:
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in MAKERS:
                where = f"{path.relative_to(ROOT)}:{node.lineno}"
                kind = node.args[0] if node.args else None
                if not isinstance(kind, ast.Constant):
                    continue
                names = {keyword.arg for keyword in node.keywords}
                given = None if None in names else {name for name in names if name}
                yield where, str(kind.value), given


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_kind_made_in_the_code_has_a_template_and_gives_its_fields(language: str) -> None:
    templates = catalogue(language)
    missing = [f"{where}: {kind}" for where, kind, _ in made_in_the_code() if kind not in templates]
    assert not missing
    lacking = [
        f"{where}: {kind} lacks {fields(templates[kind]) - given}"
        for where, kind, given in made_in_the_code()
        if given is not None and not fields(templates[kind]) <= given
    ]
    assert not lacking


def test_every_language_has_every_kind_with_the_same_fields() -> None:
    english, chinese = catalogue("en"), catalogue("zh_CN")
    assert english.keys() == chinese.keys()
    assert {kind for kind in english if fields(english[kind]) != fields(chinese[kind])} == set()


def test_a_refusal_survives_the_way_between_processes() -> None:
    refusal = Refusal("base.out_of_range", Place(table="load", key="rates"), value=7, minimum=1, maximum=5)
    again = pickle.loads(pickle.dumps(refusal))
    assert (again.kind, again.place, again.values) == (refusal.kind, refusal.place, refusal.values)
    assert str(again) == "[load] rates: 7 is out of range: must be from 1 to 5"


@pytest.mark.parametrize(("kind", "exit_code"), [(Refusal, 2), (WorkFailure, 1)])
def test_a_command_ends_with_the_status_of_the_errors_kind(
    kind: type[Refusal | WorkFailure], exit_code: int
) -> None:
    assert kind("base.not_finite", value="inf").exit_code == exit_code


def test_the_front_end_names_the_place_in_its_own_way() -> None:
    refusal = Refusal("base.not_above", Place(table="load", key="rates"), value=0, minimum=0)
    assert refusal.text(place="--rate") == "--rate: 0 must be greater than 0"


def test_a_place_tells_file_line_table_and_key_as_far_as_known() -> None:
    assert str(Place(file="a.toml", line=3, key="seed")) == "a.toml:3: seed"
    assert str(Place()) == ""


def test_a_message_within_a_message_is_said_in_the_same_language() -> None:
    inner = message("base.not_finite", value="inf")
    outer = message("base.unreadable_file", cause=inner)
    assert render(outer) == "can't be read: inf is not a finite number"
    assert "inf 不是有限的数" in render(outer, "zh_CN")


def test_a_kind_without_a_template_shows_its_figures() -> None:
    assert render(Message(kind="base.no_such", values={"value": 3})) == "base.no_such (value 3)"


def test_a_message_survives_a_line_of_json() -> None:
    said = message("base.unreadable_file", cause=message("base.not_finite", value="inf"))
    assert decode_json(encode_line(said), Message, where="line") == said


def test_a_list_may_hold_messages_and_an_unknown_value_renders_as_nothing() -> None:
    said = message(
        "results.none_completed",
        scheduled=4,
        broken=[message("results.failed", count=1), message("results.timed_out", count=3)],
        error=None,
    )
    assert render(said) == "0 of 4 requests completed, 1 failed, 3 timed out"
    assert render(said, "zh_CN") == "4 个请求完成 0 个，1 个失败, 3 个超时"


@pytest.mark.parametrize(("value", "shown"), [(83.4, "83"), (10.0, "10"), (2.345, "2.3"), (0.0, "0")])
def test_a_figure_shows_the_digits_that_matter(value: float, shown: str) -> None:
    said = message("results.client_delay", p99_ms=value, limit_ms=value)
    assert render(said) == f"client delay p99 {shown} ms > {shown} ms"
