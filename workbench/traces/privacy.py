"""The salt of a user's own imports: theirs to keep, never written anywhere else."""

import os
import secrets
from pathlib import Path

from workbench.base import Place, Refusal

SALT_BYTES = 32
_LEAST_BYTES = 16
_MOST_BYTES = 4096


def read_or_make_salt(path: Path | str) -> bytes:
    """The salt in a file; a missing file is made with a random one, readable by its owner only.

    Raises:
        InputError: it can't be read or made, or is shorter than 16 bytes.
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
