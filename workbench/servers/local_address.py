"""Addresses of this machine, and the processes that serve them."""

import socket
from contextlib import suppress
from urllib.parse import urlsplit

import psutil

from workbench.telemetry import listening_processes

_PORTS = {"http": 80, "https": 443}


def is_local_address(url: str) -> bool:
    """Return whether an address is this machine's; a tunnel there may still lead to another one."""
    with suppress(OSError, ValueError):
        host = urlsplit(url).hostname or ""
        found = {entry[4][0] for entry in socket.getaddrinfo(host, None)}
        own = {each.address for card in psutil.net_if_addrs().values() for each in card}
        return bool(found & own)
    return False


def processes_serving(url: str) -> tuple[int, ...] | None:
    """Return the processes of this machine that serve an address; empty for another machine's address.

    None if the system doesn't show the processes.
    """
    if not is_local_address(url):
        return ()
    parts = urlsplit(url)
    return listening_processes(parts.port or _PORTS.get(parts.scheme, 0))
