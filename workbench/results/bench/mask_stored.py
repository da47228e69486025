"""No key reaches a bench file: an experiment's text is masked before it is stored."""

import tomllib
from collections.abc import Iterator, Mapping
from typing import Any

from workbench.base import MASK, UNREADABLE, mask_arguments, mask_environment, mask_text


def mask_toml(text: str) -> str:
    """The text with secret values replaced: of secret names, and after secret flags in lists of arguments.

    Text that is not TOML is masked by what its lines look like.
    """
    try:
        known = set(_secrets(tomllib.loads(text)))
    except UNREADABLE:
        known = set()
    return mask_text(text, sorted(known, key=len, reverse=True))


def without_secrets(field: str, value: Any) -> Any:
    """A field of a run or an experiment as it may be stored: secrets in mappings and commands are masked."""
    if isinstance(value, Mapping):
        return {name: MASK if inner and _is_secret(name) else inner for name, inner in value.items()}
    return mask_text(value) if field == "command" and isinstance(value, str) else value


def _is_secret(name: str) -> bool:
    return mask_environment({name: ""})[name] == MASK


def _secrets(value: Any, name: str = "") -> Iterator[str]:
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from _secrets(inner, key)
    elif isinstance(value, list):
        yield from _secret_arguments([item for item in value if isinstance(item, str)])
        for item in value:
            if isinstance(item, dict | list):
                yield from _secrets(item)
    # `api_key_env` and `env:NAME` name a variable; they hold no key.
    elif isinstance(value, str) and not name.endswith("_env") and _is_secret(name):
        if value.startswith("env:"):
            return
        yield value


def _secret_arguments(arguments: list[str]) -> Iterator[str]:
    for given, masked in zip(arguments, mask_arguments(arguments), strict=True):
        if masked != given:
            yield given.partition("=")[2] if masked != MASK else given
