"""Writes what `vllm serve` takes, flags and variables, as JSON to the file named.

Runs with the Python of a vLLM, not with ours. Self-contained: it imports nothing of this program. vLLM's own
output goes wherever it likes; only the file counts.
"""

import importlib
import json
import sys
from pathlib import Path
from typing import Any

# Newest place first: 0.32, then before.
_PARSER = ("vllm.utils.argparse_utils", "vllm.utils")
_ARGUMENTS = ("vllm.entrypoints.launchers.cli_args", "vllm.entrypoints.openai.cli_args")


def _find(modules: tuple[str, ...], name: str) -> Any:
    for module in modules:
        try:
            return getattr(importlib.import_module(module), name)
        except (ImportError, AttributeError):
            continue
    raise SystemExit(f"this vLLM has no {name} where it is known to be: {', '.join(modules)}")


def _environment() -> list[str]:
    """The variables that this vLLM knows; empty: it doesn't tell them."""
    try:
        return sorted(importlib.import_module("vllm.envs").environment_variables)
    except (ImportError, AttributeError):
        return []


def _plain(value: object) -> object:
    return value if isinstance(value, (str, int, float, bool, type(None))) else str(value)


def main(path: str) -> None:
    """Build vLLM's own parser and write what it takes."""
    parser = _find(_ARGUMENTS, "make_arg_parser")(_find(_PARSER, "FlexibleArgumentParser")())
    flags = [
        {
            "flags": list(action.option_strings),
            "dest": action.dest,
            "choices": [_plain(choice) for choice in action.choices] if action.choices else None,
            "takes_value": action.nargs != 0,
        }
        for action in parser._actions  # noqa: SLF001  # argparse has no public list of its actions
        if action.option_strings
    ]
    Path(path).write_text(json.dumps({"form": 1, "flags": flags, "environment": _environment()}))


if __name__ == "__main__":
    main(sys.argv[1])
