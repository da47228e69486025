"""Mask secrets in everything that is stored in a bench file."""

import re
import tomllib
from collections.abc import Iterable
from typing import Any

import msgspec
import tomlkit

from workbench.base import UNREADABLE, mask_sentence, mask_text, mask_value


def mask_toml(text: str) -> str:
    """Return the TOML with secret values replaced and without comments, which may hold secrets.

    Text that is not TOML is masked by the form of its lines.
    """
    try:
        plain = tomllib.loads(text)
        masked = mask_value(plain)
        return text if masked == plain and "#" not in text else tomlkit.dumps(masked)
    except UNREADABLE:
        return mask_text(re.sub(r"(?m)^\s*#.*", "", text))


def mask_stored(field: str, value: Any) -> Any:
    """Return a field of a run or an experiment as plain data without secrets."""
    if field == "toml" and isinstance(value, str):
        return mask_toml(value)
    return mask_value(msgspec.to_builtins(value), field)


def mask_line(kind: str, text: str, known: Iterable[str] = ()) -> str:
    """Return a line of the log table without secrets; `known` are those of the measured server."""
    if kind == "server":
        return mask_text(text, known)
    # An event is JSON; a warning is a sentence of ours.
    return str(mask_value(text)) if text.startswith("{") else mask_sentence(text, known)
