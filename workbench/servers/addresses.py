"""A server's address: it is stored and shown, so it holds no secret, and it may be this machine's."""

import socket
from contextlib import suppress
from urllib.parse import urlsplit

import psutil

from workbench.base import InputError
from workbench.telemetry import listeners

_PORTS = {"http": 80, "https": 443}


def refuse_secrets_in_url(url: str, where: str) -> None:
    """Whether the URL carries user information or a query string, as secrets often are.

    Raises:
        InputError: it does; the URL is not repeated.
    """
    try:
        parts = urlsplit(url)
        user, query = "@" in parts.netloc, bool(parts.query)
        # Without a scheme nothing is a netloc; what can't be an address can still be a secret.
        doubtful = not parts.netloc and ("@" in url or "?" in url)
    except ValueError:
        user = query = False
        doubtful = "@" in url or "?" in url
    if user or query or doubtful:
        raise InputError(
            f"{where}: must hold no user, password or query string, for it is stored and shown: name the"
            " variable that holds the key (api_key_env), or give a header the value env:VARIABLE (headers)"
        )


def is_here(url: str) -> bool:
    """Whether an address is one of this machine's; what listens there may lead to another machine."""
    with suppress(OSError, ValueError):
        host = urlsplit(url).hostname or ""
        found = {entry[4][0] for entry in socket.getaddrinfo(host, None)}
        own = {each.address for card in psutil.net_if_addrs().values() for each in card}
        return bool(found & own)
    return False


def servers_here(url: str) -> tuple[int, ...] | None:
    """Return the processes of this machine that serve an address; empty: it is another machine's.

    None: they are on this machine, and the system doesn't show them.
    """
    if not is_here(url):
        return ()
    parts = urlsplit(url)
    return listeners(parts.port or _PORTS.get(parts.scheme, 0))
