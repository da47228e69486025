"""Counting tokens with a local tokenizer, where the user has one."""

import importlib
from pathlib import Path
from typing import Any

from workbench.base import InputError
from workbench.traces.texts import CountTokens


def local_tokenizer(path: Path | str) -> CountTokens:
    """A counter from a `tokenizer.json`, or from a folder that has one. Nothing is fetched.

    Raises:
        InputError: the package `tokenizers` isn't installed, or the file is none.
    """
    path = Path(path)
    file = path / "tokenizer.json" if path.is_dir() else path
    try:
        library: Any = importlib.import_module("tokenizers")
    except ImportError as error:
        raise InputError(
            "counting tokens needs the package tokenizers (pip install vllm-workbench[tokenizer])"
        ) from error
    if not file.is_file():
        raise InputError(f"{file}: no such tokenizer file")
    try:
        tokenizer = library.Tokenizer.from_file(str(file))
    except Exception as error:  # the library raises plain Exception for whatever is wrong
        raise InputError(f"{file}: not a tokenizer that this version of tokenizers reads") from error
    return lambda text: len(tokenizer.encode(text, add_special_tokens=False).ids)
