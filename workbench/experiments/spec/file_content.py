"""Problems of an experiment file that show before its values are checked: keys, types, escapes in paths."""

import difflib
import math
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Literal, get_args, get_origin, get_type_hints

import msgspec

from workbench.base import Message, Place, Refusal, message, shown
from workbench.controls import CONTROLS

_MEANT = {
    "qps": "rates",
    "request_rate": "rates",
    "num_prompts": "requests",
    "num_requests": "requests",
    "max_concurrency": "concurrency",
    "timeout": "request_timeout_s",
}
"""Option names of other load generators, and our keys for them."""
_PATHS = frozenset(
    {"file", "tokenizer", "model", "executable", "load_python", "ca_file", "prompts", "mounts", "bench"}
)
_ESCAPES = {"\t": "\\t", "\n": "\\n", "\r": "\\r", "\b": "\\b", "\f": "\\f", "\x1b": "\\e"}
_MOST_NAMED = 20
"""Problems named in one refusal."""

Problem = tuple[Place, Message]


def check_content(content: Mapping[str, Any], kind: type[msgspec.Struct], where: str) -> None:
    """Check the keys of all tables, and refuse values that no key allows.

    Args:
        content: the parsed file.
        kind: the record that it is read into.
        where: the file's name.

    Raises:
        Refusal: names all problems: unknown keys with the nearest known ones, missing keys, numbers that
            aren't finite, paths whose backslashes were read as escapes.
    """
    unknown = list(_unknown(content, kind, ""))
    meant = {problem.values.get("meant") or problem.values.get("key") for _, problem in unknown}
    missing = [
        (place, problem)
        for place, problem in _missing(content, kind, "")
        if not meant & {problem.values.get("table"), problem.values.get("key")}
    ]
    problems = [*unknown, *missing, *_values(content, "")]
    if not problems:
        return
    places = [msgspec.structs.replace(place, file=where) for place, _ in problems[:1]]
    refused = problems[0][1]
    for place, problem in problems[1:_MOST_NAMED]:
        refused = message("base.both", first=refused, second=_at(place, problem))
    raise Refusal(refused.kind, places[0], **refused.values)


def _at(place: Place, problem: Message) -> Message:
    return message("base.at", place=str(place), problem=problem) if str(place) else problem


def _unknown(content: Mapping[str, Any], kind: type[msgspec.Struct], table: str) -> Iterator[Problem]:
    fields = {field.encode_name: field.type for field in msgspec.structs.fields(kind)}
    for key, value in content.items():
        if key not in fields:
            yield Place(table=table or None), _about_unknown(key, value, table, fields)
    for name, record, inner_content in _tables(content, kind, table):
        yield from _unknown(inner_content, record, name)
    baseline = content.get("baseline") if not table else None
    if isinstance(baseline, Mapping):
        for key in (key for key in baseline if key not in CONTROLS):
            yield Place(table="baseline"), _near(key, CONTROLS)


def _about_unknown(key: str, value: Any, table: str, known: Mapping[str, Any]) -> Message:
    meant = _nearest(key, known)
    if meant is None:
        belongs = _belongs(key, value, table)
        if belongs is not None:
            return message("base.key_elsewhere", key=key, place=belongs)
    return _near(key, known)


def _near(key: str, known: Iterable[str]) -> Message:
    names = sorted(known)
    meant = _nearest(key, names)
    if meant is not None:
        return message("base.unknown_key_meant", key=key, meant=meant)
    return message("base.unknown_key", key=key, known=names)


def _nearest(key: str, known: Iterable[str]) -> str | None:
    names = list(known)
    if _MEANT.get(key) in names:
        return _MEANT[key]
    near = difflib.get_close_matches(key.lower().replace("-", "_"), names, n=1)
    return near[0] if near else None


def _belongs(key: str, value: Any, table: str) -> Message | None:
    """Return the table of a key that belongs elsewhere; None for a key that no table has."""
    from workbench.experiments.spec.tables import ExperimentSpec  # noqa: PLC0415 - it is made of these tables

    top = {field.encode_name: field.type for field in msgspec.structs.fields(ExperimentSpec)}
    if table and key in top and not isinstance(value, Mapping):
        return message("base.at_the_top")
    if key in CONTROLS:
        return message("base.in_table", table="baseline")
    for name, annotation in top.items():
        inner = _struct_of(annotation)
        if inner is not None and key in {field.encode_name for field in msgspec.structs.fields(inner)}:
            return message("base.in_table", table=name)
    return None


def _missing(content: Mapping[str, Any], kind: type[msgspec.Struct], table: str) -> Iterator[Problem]:
    for field in msgspec.structs.fields(kind):
        if field.required and field.encode_name not in content:
            name = field.encode_name
            is_table = not table and _struct_of(field.type) is not None
            problem = message("base.missing_table", table=name) if is_table else _missing_key(name)
            yield Place(table=table or None), problem
    for name, record, inner_content in _tables(content, kind, table):
        yield from _missing(inner_content, record, name)


def _missing_key(name: str) -> Message:
    return message("base.missing_key", key=name)


def _tables(
    content: Mapping[str, Any], kind: type[msgspec.Struct], table: str
) -> Iterator[tuple[str, type[msgspec.Struct], Mapping[str, Any]]]:
    """Yield each table inside `content`: its name, its record, its content."""
    prefix = f"{table}." if table else ""
    for field in msgspec.structs.fields(kind):
        inner_content = content.get(field.encode_name)
        if not isinstance(inner_content, Mapping):
            continue
        name = f"{prefix}{field.encode_name}"
        record = _struct_of(field.type)
        if record is not None:
            yield name, record, inner_content
        elif get_origin(field.type) is dict and (each := _struct_of(get_args(field.type)[1])) is not None:
            yield from (
                (f"{name}.{key}", each, one) for key, one in inner_content.items() if isinstance(one, Mapping)
            )


def _struct_of(annotation: Any) -> type[msgspec.Struct] | None:
    """Return the record in an annotation such as `Burst | None`; None for other types."""
    for part in (annotation, *(() if get_origin(annotation) in (dict, list) else get_args(annotation))):
        if isinstance(part, type) and issubclass(part, msgspec.Struct):
            return part
    return None


def _values(content: Mapping[str, Any], table: str) -> Iterator[Problem]:
    for key, value in content.items():
        if isinstance(value, Mapping):
            yield from _values(value, f"{table}.{key}" if table else key)
            continue
        place = Place(table=table or None, key=key)
        for one in value if isinstance(value, list) else [value]:
            if isinstance(one, float) and not math.isfinite(one):
                yield place, not_finite(table, key, one)
            elif isinstance(one, str) and key in _PATHS and any(mark in _ESCAPES for mark in one):
                yield place, message("base.toml_backslash", text=_as_written(one))


def _as_written(text: str) -> str:
    """Return the text with its control characters written as escapes again."""
    return "".join(_ESCAPES.get(mark, mark) for mark in text)


# Values of the wrong type.

_NUMBER = re.compile(r"[-+]?\d+(\.\d+)?([eE][-+]?\d+)?")
_INDEX = re.compile(r"\[[^\]]*\]")
_SHOWN = 60


def wrong_value(error: msgspec.ValidationError, content: Mapping[str, Any], where: str) -> Refusal:
    """Return the refusal for the value that msgspec could not convert, with the right way to write it.

    Args:
        error: such as "Expected `int`, got `str` - at `$.load.requests`".
        content: the parsed file.
        where: the file's name.
    """
    from workbench.experiments.spec.tables import ExperimentSpec  # noqa: PLC0415 - it is made of these tables

    problem, _, at = str(error).partition(" - at ")
    path = at.strip("`").removeprefix("$").strip(".")
    table, _, key = _INDEX.sub("", path).rpartition(".")
    if not table and key not in _PLAIN_KEYS:
        table, key = key, ""
    place = Place(file=where, table=table or None, key=key or None)
    value = value_at(path, content)
    choices = _choices(ExperimentSpec, path)
    if choices and "Invalid enum value" in problem:
        return Refusal("base.not_one_of", place, value=_as_stated(value), choices=choices)
    if "RFC3339" in problem:
        return Refusal("experiments.not_a_date", place)
    found = re.fullmatch(r"Expected `([^`]*)`(.*?), got `([^`]*)`(.*)", problem)
    if found is None:
        return Refusal("experiments.unusable_value", place, problem=problem)
    hint = hint_for(path, content)
    values: dict[str, str | Message | list[Message] | None] = {
        "expected": [_type(name) for name in found[1].split(" | ") if name != "null"],
        "given": f"{value:g}" if isinstance(value, float) else _type(found[3]),
    }
    if hint is None:
        return Refusal("experiments.wrong_type", place, **values)
    return Refusal("experiments.wrong_type_written", place, **values, hint=hint)


_PLAIN_KEYS = ("name", "kind", "reproduces")


def _type(name: str) -> Message:
    return _TYPES.get(name) or message("experiments.type_other", name=name)


_TYPES = {
    "object": message("experiments.type_table"),
    "array": message("experiments.type_list"),
    "str": message("experiments.type_text"),
    "int": message("experiments.type_integer"),
    "float": message("experiments.type_number"),
    "bool": message("experiments.type_boolean"),
    "date": message("experiments.type_date"),
    "null": message("experiments.type_nothing"),
}
"""msgspec's names of types."""


def _choices(kind: Any, path: str) -> list[str]:
    """Return the words that a key may be; empty for a key that takes other values."""
    for key in _INDEX.sub("", path).split("."):
        kind = _without_none(get_type_hints(kind).get(key)) if isinstance(kind, type) else None
    return [str(word) for word in get_args(kind)] if get_origin(kind) is Literal else []


def _without_none(kind: Any) -> Any:
    parts = [part for part in get_args(kind) if part is not type(None)]
    return parts[0] if len(parts) == 1 and get_origin(kind) is not Literal else kind


def _as_stated(value: Any) -> str:
    return value if isinstance(value, str) else str(value)


def hint_for(path: str, content: Mapping[str, Any]) -> Message | None:
    """Return the right way to write the value at msgspec's path; None if it is unknown.

    Args:
        path: such as `load.rates[1]`.
        content: the parsed file.
    """
    right = _written_right(path, value_at(path, content))
    return None if right is None else message("experiments.write", right=shown(right, _SHOWN))


def value_at(path: str, content: Mapping[str, Any]) -> Any:
    """Return the value at msgspec's path; None if nothing is there."""
    value: Any = content
    for part in re.findall(r"[^.\[\]]+", path):
        try:
            value = value[int(part) if isinstance(value, list) else part]
        except (KeyError, IndexError, ValueError, TypeError):
            return None
    return value


def _written_right(path: str, value: Any) -> str | None:
    key = path.rpartition(".")[2]
    if isinstance(value, str) and _NUMBER.fullmatch(value.strip()):
        number = value.strip()
        return f"{key} = [{number}]" if key in _LISTS else _without_index(key, number)
    if isinstance(value, str) and value.strip().lower() in ("true", "false"):
        return f"{key} = {value.strip().lower()}"
    if isinstance(value, float) and value.is_integer():
        return f"{key} = {int(value)}"
    if isinstance(value, list) and len(value) == 1 and isinstance(value[0], Mapping):
        return f"[{path}]"
    if key in _LISTS and isinstance(value, int | float):
        return f"{key} = [{value}]"
    if key in _TEXT_LISTS and isinstance(value, str):
        return f'{key} = ["{value}"]'
    return None


def _without_index(key: str, number: str) -> str:
    return number if "[" in key else f"{key} = {number}"


_LISTS = frozenset({"rates", "concurrency", "values"})
_TEXT_LISTS = frozenset({"args", "mounts", "security_opt"})


# Numbers that aren't finite.


def require_finite(record: msgspec.Struct, table: str, where: str) -> None:
    """Check that every number of a table is finite.

    Raises:
        Refusal: names the number.
    """
    for key, value in _numbers(msgspec.structs.asdict(record)):
        if not math.isfinite(value):
            place = Place(file=where or None, table=table, key=key)
            problem = not_finite(table, key, value)
            raise Refusal(problem.kind, place, **problem.values)


def not_finite(table: str, key: str, value: float) -> Message:
    """Return the problem; an infinite rate gets a hint, because other tools use it for a closed loop."""
    if (table, key, value) == ("load", "rates", math.inf):
        return message("experiments.no_rate", value=str(value))
    return message("base.not_finite", value=str(value))


def _numbers(fields: dict[str, Any]) -> Iterator[tuple[str, float]]:
    for key, value in fields.items():
        if isinstance(value, msgspec.Struct):
            yield from ((key, number) for _, number in _numbers(msgspec.structs.asdict(value)))
        for one in value if isinstance(value, list) else [value]:
            if isinstance(one, float):
                yield key, one
