"""The model that a target names: an existing folder, or a Hugging Face name."""

import re
from collections.abc import Collection, Sequence
from pathlib import Path

from workbench.base import Place, Refusal

_PLACE = Place(table="target", key="model")
_CONFIGURATIONS = ("config.json", "params.json")
_ELSEWHERE = ("--hf-config-path", "--config-format", "--hf-overrides")
"""Flags with which a folder needs no configuration of its own."""
_GGUF = ".gguf"


def is_path(model: str) -> bool:
    """Return whether a model's name can only be a path: Hugging Face names have one slash at most."""
    if "://" in model:
        return False
    if model.startswith(("/", ".", "~")) or "\\" in model or re.match(r"[A-Za-z]:", model):
        return True
    return model.endswith("/") or (model.count("/") > 1 and not model.endswith(_GGUF))


def expand_home(model: str, home: Path | str) -> str:
    """Return the path with `~` replaced by the home folder, since no shell expands it here."""
    return f"{home}{model[1:]}" if model == "~" or model.startswith("~/") else model


def check_local_model(model: str, arguments: Sequence[str] = ()) -> None:
    """Check that a model named by its path exists.

    Raises:
        Refusal: it doesn't exist, or it is no model's folder.
    """
    if not is_path(model):
        return
    path = Path(model)
    try:
        names = {each.name for each in path.iterdir()} if path.is_dir() else None
        there = path.exists()
    except OSError as error:
        raise Refusal("servers.model_unreadable", _PLACE, model=model, cause=error.strerror or "") from error
    check_model(model, names, arguments, there=there)


def check_model(
    model: str,
    names: Collection[str] | None,
    arguments: Sequence[str],
    *,
    there: bool,
    host: str | None = None,
) -> None:
    """Check the files at the model's path.

    Args:
        model: the path.
        names: the names in that folder; None if it is no folder.
        arguments: the target's own arguments; some replace a configuration file.
        there: True if the path exists.
        host: the other machine's name; None for this one.

    Raises:
        Refusal: there is no model.
    """
    if not there and host is None:
        raise Refusal("servers.no_model", _PLACE, model=model)
    if not there:
        raise Refusal("servers.no_model_there", _PLACE, model=model, host=host)
    if names is None:
        if not model.endswith(_GGUF):
            raise Refusal("servers.model_is_file", _PLACE, model=model)
        return
    configured = any(name in names for name in _CONFIGURATIONS) or any(name.endswith(_GGUF) for name in names)
    if not configured and not any(word.startswith(_ELSEWHERE) for word in arguments):
        raise Refusal("servers.model_without_config", _PLACE, model=model)
