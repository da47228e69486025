"""The limit of files and connections that this process may have open."""

import sys
from contextlib import suppress

_ENOUGH = 1 << 20
_FEWER = (1 << 16, 10_240, 4096)
"""Limits to try on a system that grants less than its hard limit."""


def raise_open_files() -> int | None:
    """Raise the soft limit as far as the hard one allows and return it; None: there is no limit."""
    if sys.platform == "win32":
        return None
    import resource  # noqa: PLC0415 - not on every platform

    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft == resource.RLIM_INFINITY:
        return None
    most = _ENOUGH if hard == resource.RLIM_INFINITY else min(hard, _ENOUGH)
    for wanted in (most, *_FEWER):
        if wanted <= soft:
            break
        with suppress(ValueError, OSError):
            resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
            return wanted
    return soft
