"""How a value of the wrong kind in an experiment file would be written right."""

import re
from collections.abc import Mapping
from typing import Any

from workbench.base import message, shown

_NUMBER = re.compile(r"[-+]?\d+(\.\d+)?([eE][-+]?\d+)?")
_SHOWN = 60


def hint_for(path: str, content: Mapping[str, Any]) -> str:
    """Return how the value at msgspec's path is written, to stand behind its error; empty where unknown.

    Args:
        path: such as `load.rates[1]`.
        content: the parsed file.
    """
    value = value_at(path, content)
    right = _written_right(path, value)
    return "" if right is None else f"; {message('experiments.write', right=shown(right, _SHOWN))}"


def value_at(path: str, content: Mapping[str, Any]) -> Any:
    """Return the value at msgspec's path; None where there is none."""
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
