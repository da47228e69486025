"""Keys of servers: from the environment, else from the system's keyring, else from whoever sits there.

A key stands in no file and on no command line of ours. In the keyring it goes by the name of its variable, or
by the address of the server.
"""

import getpass
import importlib
import os
import sys
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

from workbench.base import InputError

SERVICE = "vllm-workbench"
"""Under which the keyring has our keys."""
_asked: dict[str, str] = {}
"""Given by hand to this process; forgotten with it."""
_sought: dict[str, str | None] = {}
"""By address: a locked keyring asks to be unlocked, and whoever declines isn't asked again for each run."""


def find_key(
    variable: str | None, url: str | None, environment: Mapping[str, str] | None = None
) -> str | None:
    """The key of a server, by the variable that should hold it, or of one at `url`; None: it has none.

    Raises:
        InputError: a variable is named, and nobody has its key.
    """
    if variable is None:
        return _by_address(address_of(url)) if url else None
    given = (os.environ if environment is None else environment).get(variable)
    key = given or stored_key(variable) or (_ask(variable) if environment is None else None)
    if not key:
        raise InputError(
            f"[target] api_key_env: the environment has no {variable}, and the keyring neither;"
            f" `python -m workbench doctor --keep-key {variable}` keeps it there"
        )
    return key


def _by_address(address: str) -> str | None:
    if address not in _sought:
        _sought[address] = stored_key(address)
    return _sought[address]


def address_of(url: str) -> str:
    """Under which a server's key is kept: its address without path, query and user."""
    try:
        parts = urlsplit(url)
        return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}".lower()
    except ValueError:
        return url


def stored_key(name: str) -> str | None:
    """The keyring's; None: it has none of that name, or there is no keyring."""
    keyring = _keyring()
    if keyring is None:
        return None
    try:
        found: str | None = keyring.get_password(SERVICE, name)
    except Exception:  # noqa: BLE001  # locked, refused; backends of other projects raise what they like
        return None
    return found


def keep_key(name: str, key: str) -> None:
    """Have the keyring keep a key (empty: forget it).

    Raises:
        InputError: there is no keyring, or it refuses.
    """
    keyring = _keyring()
    if keyring is None:
        raise InputError("no keyring of this system is usable: the key is not kept; set the variable instead")
    try:
        if key:
            keyring.set_password(SERVICE, name, key)
        elif keyring.get_password(SERVICE, name) is not None:
            keyring.delete_password(SERVICE, name)
    except Exception as error:
        raise InputError(f"the keyring refuses: {error}") from error


def _ask(variable: str) -> str | None:
    """From whoever sits there; a pipe is nobody."""
    if variable not in _asked and sys.stdin is not None and sys.stdin.isatty():
        _asked[variable] = getpass.getpass(f"Key ({variable}): ")
    return _asked.get(variable)


def _keyring() -> Any:
    """The module, where a backend of the system is usable."""
    try:
        keyring = importlib.import_module("keyring")
        return keyring if float(keyring.get_keyring().priority) > 0 else None
    except Exception:  # noqa: BLE001  # not installed, or its backend can't say
        return None
