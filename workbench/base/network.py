"""Addresses of this machine, and proxies that the environment names."""

import ipaddress
from contextlib import suppress
from urllib.parse import urlsplit


def is_loopback(host: str | None) -> bool:
    """Return whether the address is this machine's own; a user's tunnel may begin there."""
    if host is None:
        return False
    name = host.lower().rstrip(".")
    if name == "localhost" or name.endswith(".localhost"):
        return True
    with suppress(ValueError):
        return ipaddress.ip_address(name.strip("[]").partition("%")[0]).is_loopback
    return False


def ignored_proxy(url: str) -> str | None:
    """Return the setting that names a proxy for this URL, which this program ignores; None: there is none.

    A proxy buffers, and its time would be part of every figure; so pages and load both go straight to
    the server.
    """
    from urllib.request import getproxies, proxy_bypass  # noqa: PLC0415 - slow to load, and seldom needed

    parts = urlsplit(url)
    host = parts.hostname or ""
    if is_loopback(host):
        return None
    proxies = getproxies()
    found = next((name for name in (parts.scheme, "all") if proxies.get(name)), None)
    return None if found is None or proxy_bypass(host) else f"{found.upper()}_PROXY"
