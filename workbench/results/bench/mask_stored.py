"""No key reaches a bench file: everything is masked before it is stored."""

import re
import tomllib
from collections.abc import Iterable
from typing import Any

import msgspec
import tomlkit

from workbench.base import UNREADABLE, mask_sentence, mask_text, mask_value


def mask_toml(text: str) -> str:
    """The text with secret values replaced; comments, which may hold anything, are left out.

    Text that is not TOML is masked by what its lines look like.
    """
    try:
        plain = tomllib.loads(text)
        masked = mask_value(plain)
        return text if masked == plain and "#" not in text else tomlkit.dumps(masked)
    except UNREADABLE:
        return mask_text(re.sub(r"(?m)^\s*#.*", "", text))


def mask_stored(field: str, value: Any) -> Any:
    """A field of a run or an experiment as it may be stored: plain data, without secrets."""
    if field == "toml" and isinstance(value, str):
        return mask_toml(value)
    return mask_value(msgspec.to_builtins(value), field)


def mask_line(kind: str, text: str, known: Iterable[str] = ()) -> str:
    """A line of the log table without secrets; `known` are those of what is measured."""
    if kind == "server":
        return mask_text(text, known)
    # An event is JSON, a warning a sentence of ours.
    return str(mask_value(text)) if text.startswith("{") else mask_sentence(text, known)
