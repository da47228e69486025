"""The experiment: a target, a baseline, exactly one control under test, a trace, a load, objectives.

Read from and written to TOML (docs/explanation/figures.md, "Experiment file"). Two configurations that differ in more
than one control can't be put into one experiment.
"""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal, Self, get_args, get_origin, get_type_hints

import msgspec

from workbench.base import InputError, Place, Refusal, decode_text, read_toml
from workbench.experiments.spec.file_content import check_content, hint_for, value_at
from workbench.experiments.spec.tables import StatedExperiment
from workbench.experiments.spec.validate import check_experiment, refuse_second_control


class Experiment(StatedExperiment, frozen=True, kw_only=True):
    """One experiment whose statements can stand together, read from its file."""

    @classmethod
    def load_file(cls, path: Path) -> Self:
        """Read and check one file.

        Raises:
            InputError: unreadable, not TOML, unknown key, wrong value, second control; names the place.
        """
        try:
            data = path.read_bytes()
        except OSError as error:
            cause = error.strerror or ""
            raise Refusal("base.unreadable_file", Place(file=str(path)), cause=cause) from error
        return cls.from_toml(decode_text(data, str(path)), where=str(path))

    @classmethod
    def from_toml(cls, text: str, *, where: str) -> Self:
        """As `load_file`, from text; paths inside stay as written.

        Raises:
            InputError: as `load_file`.
        """
        content = read_toml(text, where)
        if not content:
            raise InputError(
                f"{where}: empty: an experiment needs a name, [target], [control], [trace] and [load]"
            )
        refuse_second_control(content, where)
        if content.get("kind") == "reproduce":
            raise InputError(
                f'{where}: kind = "reproduce" takes everything from the bench file it names; run it with'
                " `workbench run`"
            )
        check_content(content, cls, where)
        try:
            experiment = msgspec.convert(content, cls)
        except msgspec.ValidationError as error:
            raise InputError(f"{where}: {_in_toml_words(str(error), content)}") from error
        check_experiment(experiment, where)
        return experiment


_WORDS = {
    "Object contains unknown field": "unknown key",
    "Object missing required field": "missing key",
    "`object`": "a table",
    "`array`": "a list",
    "`str`": "text",
    "`int`": "a whole number",
    "`float`": "a number",
    "`bool`": "true or false",
    "`date`": "a date",
    "`null`": "nothing",
    "Expected": "must be",
    ", got": ", not",
    " | ": " or ",
    "Invalid RFC3339 encoded date": "must be a date such as 2026-11-01",
    "Invalid enum value": "not a possible value:",
    "`": "",
}


def _kinds(names: str) -> str:
    """`int | null` as `int` | …, each between backticks of its own."""
    kinds = names.split(" | ")
    return " | ".join(f"`{kind}`" for kind in kinds if kind != "null" or len(kinds) == 1)


def _in_toml_words(message: str, content: Mapping[str, Any]) -> str:
    """`Object contains unknown field `x` - at `$.load`` as `[load] unknown key x`."""
    problem, _, place = message.partition(" - at ")
    path = place.strip("`").removeprefix("$").strip(".")
    table, _, key = path.partition(".")
    # What may be left out is told without its `null`.
    problem = re.sub(r"`([^`]*)`", lambda found: _kinds(found[1]), problem)
    for theirs, ours in _WORDS.items():
        problem = problem.replace(theirs, ours)
    value = value_at(path, content)
    if isinstance(value, float):
        problem = problem.replace(", not a number", f", not {value:g}")
    choices = _choices(path) if "not a possible value" in problem else ()
    hint = f"; possible are {', '.join(map(str, choices))}" if choices else hint_for(path, content)
    opening = f"{table} " if table in _PLAIN_KEYS else f"[{table}] " if table else ""
    return f"{opening}{f'{key} ' if key else ''}{problem}{hint}"


_PLAIN_KEYS = ("name", "kind", "reproduces")


def _table(kind: Any) -> Any:
    """The kind without its `| None`: what may be left out."""
    parts = [part for part in get_args(kind) if part is not type(None)]
    return parts[0] if len(parts) == 1 and get_origin(kind) is not Literal else kind


def _choices(path: str) -> tuple[Any, ...]:
    """What a key that takes a few words only may be."""
    kind: Any = Experiment
    for key in path.split("."):
        kind = _table(get_type_hints(kind).get(key)) if isinstance(kind, type) else None
    return get_args(kind) if get_origin(kind) is Literal else ()
