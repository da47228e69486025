"""The salt of a user's own imports, stored only in the user's file."""

import os
import secrets
from pathlib import Path

from workbench.base import Place, Refusal

SALT_BYTES = 32
_LEAST_BYTES = 16
_MOST_BYTES = 4096


def read_or_make_salt(path: Path | str) -> bytes:
    """Return the salt in a file; make a missing file with a random salt, readable by its owner only.

    Raises:
        Refusal: the file can't be read or made, or has fewer than 16 bytes.
    """
    path = Path(path)
    try:
        if not path.exists():
            _make(path)
        with path.open("rb") as file:
            salt = file.read(_MOST_BYTES)
    except OSError as error:
        raise Refusal("traces.salt_unusable", Place(file=str(path)), cause=error.strerror) from error
    if len(salt) < _LEAST_BYTES:
        raise Refusal("traces.salt_too_short", Place(file=str(path)), minimum=_LEAST_BYTES)
    return salt


def _make(path: Path) -> None:
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(handle, "wb") as file:
        file.write(secrets.token_bytes(SALT_BYTES))
