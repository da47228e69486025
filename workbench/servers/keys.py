"""API keys of servers: from the environment, else the system's keyring, else the terminal.

No file and no command line of ours holds a key. The keyring stores it under the name of its variable or the
address of the server. The keyring is a desktop service that may hang: it is queried only if a key is needed,
and given up after `KEYRING_S`.
"""

import getpass
import importlib
import os
import queue
import sys
import threading
from collections.abc import Callable, Mapping
from typing import Any, TypeVar
from urllib.parse import urlsplit

from workbench.base import InputError, Place, Refusal

T = TypeVar("T")

KEYRING_S = 5.0
"""Timeout of the keyring."""
SERVICE = "vllm-workbench"
"""Service name of our keys in the keyring."""
_typed_in: dict[str, str] = {}
"""Typed in by the user; kept by this process only."""
_looked_up: dict[str, str | None] = {}
"""Found keys by address, so that a locked keyring asks to be unlocked once and not for each run."""
_silent = threading.Event()
"""Set once the keyring gave no answer, so that it isn't queried again."""


class KeyringSilentError(Refusal):
    """The keyring gave no answer."""


def find_key(
    variable: str | None, url: str | None, environment: Mapping[str, str] | None = None
) -> str | None:
    """Return the key of a server by its variable; None if the server has none.

    Without a variable, the key of a server at `url` is known only once the server has asked for one
    (`key_at`).

    Raises:
        Refusal: the key of a named variable isn't found.
    """
    if variable is None:
        return _looked_up.get(address_of(url)) if url else None
    key = (os.environ if environment is None else environment).get(variable)
    silent = False
    if not key:
        try:
            key = stored_key(variable)
        except KeyringSilentError:
            silent = True
    if not key and environment is None:
        key = _ask_user(variable)
    if not key and silent:
        place = Place(table="target", key="api_key_env")
        raise Refusal("servers.no_key_keyring_silent", place, variable=variable, seconds=KEYRING_S)
    if not key:
        raise Refusal("servers.no_key", Place(table="target", key="api_key_env"), variable=variable)
    return key


def key_at(url: str) -> str | None:
    """Return the keyring's key of a server that asked for one; look it up once a process.

    Raises:
        KeyringSilentError: the keyring gave no answer.
    """
    address = address_of(url)
    if address not in _looked_up:
        try:
            _looked_up[address] = stored_key(address)
        except KeyringSilentError as error:
            raise KeyringSilentError(
                "servers.key_wanted_keyring_silent", address=address, seconds=KEYRING_S
            ) from error
    return _looked_up[address]


def address_of(url: str) -> str:
    """Return the name of a server's key: its address without path, query and user."""
    try:
        parts = urlsplit(url)
        return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}".lower()
    except ValueError:
        return url


def stored_key(name: str) -> str | None:
    """Return the keyring's key; None if it has none of that name, or there is no keyring.

    Raises:
        KeyringSilentError: the keyring gave no answer.
    """

    def look() -> str | None:
        keyring = _keyring()
        found: str | None = None if keyring is None else keyring.get_password(SERVICE, name)
        return found

    try:
        return _with_timeout(look)
    except KeyringSilentError:
        raise
    except Exception:  # noqa: BLE001  # locked, refused; backends of other projects raise what they like
        return None


def keep_key(name: str, key: str) -> None:
    """Have the keyring keep a key (empty: forget it).

    Raises:
        Refusal: there is no keyring, it refuses, or it gave no answer.
    """

    def keep() -> None:
        keyring = _keyring()
        if keyring is None:
            raise Refusal("servers.no_keyring")
        if key:
            keyring.set_password(SERVICE, name, key)
        elif keyring.get_password(SERVICE, name) is not None:
            keyring.delete_password(SERVICE, name)

    try:
        _with_timeout(keep)
    except InputError:
        raise
    except Exception as error:
        raise Refusal("servers.keyring_refuses", cause=str(error)) from error


def _ask_user(variable: str) -> str | None:
    """Ask the user at a terminal; return None without one."""
    if variable not in _typed_in and sys.stdin is not None and sys.stdin.isatty():
        _typed_in[variable] = getpass.getpass(f"Key ({variable}): ")
    return _typed_in.get(variable)


def keyring_name() -> str | None:
    """Return the name of the system's keyring; None where none is usable.

    Raises:
        KeyringSilentError: the keyring gave no answer.
    """

    def look() -> str | None:
        keyring = _keyring()
        backend = None if keyring is None else keyring.get_keyring()
        return None if backend is None else str(getattr(backend, "name", backend))

    return _with_timeout(look)


def _with_timeout(call: Callable[[], T]) -> T:
    """Run `call` in a thread, and abandon it if it takes too long.

    Raises:
        KeyringSilentError: it took longer than `KEYRING_S`, now or earlier.
    """
    answers: queue.SimpleQueue[tuple[T | None, Exception | None]] = queue.SimpleQueue()

    def work() -> None:
        try:
            answers.put((call(), None))
        except Exception as error:  # noqa: BLE001 - it is raised where it is waited for
            answers.put((None, error))

    if not _silent.is_set():
        threading.Thread(target=work, name="keyring", daemon=True).start()
        try:
            found, error = answers.get(timeout=KEYRING_S)
        except queue.Empty:
            _silent.set()
        else:
            if error is not None:
                raise error
            return found  # type: ignore[return-value]  # T may be None itself
    raise KeyringSilentError("servers.keyring_silent", seconds=KEYRING_S)


def _keyring() -> Any:
    """Return the keyring module if a backend of the system is usable."""
    try:
        keyring = importlib.import_module("keyring")
        return keyring if float(keyring.get_keyring().priority) > 0 else None
    except Exception:  # noqa: BLE001  # not installed, or its backend is broken
        return None
