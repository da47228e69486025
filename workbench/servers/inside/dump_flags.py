"""Writes the flags and environment variables of `vllm serve` as JSON to the named file.

Runs with the Python of a vLLM, not with ours. Self-contained: it imports nothing of this program. vLLM's own
output goes wherever it likes; only the file counts.
"""

import importlib
import json
import sys
from pathlib import Path
from typing import Any

# Newest place first.
_PARSER = ("vllm.utils.argparse_utils", "vllm.utils")
_ARGUMENTS = (
    "vllm.entrypoints.common.cli_args",  # 0.33
    "vllm.entrypoints.launchers.cli_args",  # 0.29 to 0.32
    "vllm.entrypoints.openai.cli_args",
)
_MAKER = "make_arg_parser"

# Trial values: a converter is described by those that it takes.
_TRIED = ("word", "{}", "1", "1.5", "1k", "auto", "None", "")
_REFUSED = object()


def _moved_modules() -> tuple[str, ...]:
    """Find modules below vLLM's entry points that define the parser, in case a new version moved it."""
    package = importlib.import_module("vllm.entrypoints")
    found = []
    for folder in map(Path, package.__path__):
        for path in sorted(folder.rglob("cli_args.py")):
            if f"def {_MAKER}(" in path.read_text(encoding="utf-8", errors="replace"):
                parts = path.relative_to(folder).with_suffix("").parts
                found.append(".".join(("vllm.entrypoints", *parts)))
    return tuple(found)


def _find(modules: tuple[str, ...], name: str) -> Any:
    for module in modules:
        try:
            return getattr(importlib.import_module(module), name)
        except (ImportError, AttributeError):
            continue
    raise SystemExit(f"this vLLM has no {name} where it is known to be: {', '.join(modules)}")


def _environment() -> list[str]:
    """Return the environment variables that this vLLM knows; empty if it has no list."""
    try:
        return sorted(importlib.import_module("vllm.envs").environment_variables)
    except (ImportError, AttributeError):
        return []


def _plain(value: object) -> object:
    return value if isinstance(value, (str, int, float, bool, type(None))) else str(value)


def _converted(kind: Any, text: str) -> object:
    """Return the parser's conversion of a value, or `_REFUSED`."""
    try:
        return kind(text)
    except Exception:  # noqa: BLE001  # converters raise what they like
        return _REFUSED


def _choices(action: Any) -> "list[object] | None":
    """Return the choices, if each is its own text on a command line."""
    kind = action.type or str
    if not action.choices or any(_converted(kind, str(one)) != one for one in action.choices):
        return None
    return [_plain(one) for one in action.choices]


def _folds(action: Any) -> bool:
    """Return whether case and dashes don't matter."""
    names = [one for one in action.choices or () if isinstance(one, str) and one.upper() != one]
    return bool(names) and _converted(action.type or str, names[0].upper()) == names[0]


def _values(nargs: object) -> str:
    return {None: "one", 0: "none", "?": "optional"}.get(nargs, "many")  # type: ignore[call-overload,no-any-return]


def _spellings(parser: Any, action: Any) -> "list[str]":
    """Return all spellings of an action: since 0.33 the parser hides `--no-enable-x` but takes it."""
    taken = [word for word, target in parser._option_string_actions.items() if target is action]  # noqa: SLF001  # argparse has no public list
    return [*action.option_strings, *(word for word in taken if word not in action.option_strings)]


def main(path: str) -> None:
    """Build vLLM's own parser and write what it takes."""
    make = _find((*_ARGUMENTS, *_moved_modules()), _MAKER)
    parser = make(_find(_PARSER, "FlexibleArgumentParser")())
    flags = [
        {
            "flags": _spellings(parser, action),
            "dest": action.dest,
            "choices": _choices(action),
            "folds": _folds(action),
            "values": _values(action.nargs),
            "accepts": [text for text in _TRIED if _converted(action.type or str, text) is not _REFUSED],
        }
        for action in parser._actions  # noqa: SLF001  # argparse has no public list of its actions
        if action.option_strings
    ]
    Path(path).write_text(json.dumps({"form": 3, "flags": flags, "environment": _environment()}))


if __name__ == "__main__":
    main(sys.argv[1])
