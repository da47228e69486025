"""Processes of this program itself: another Python in a checkout, the same executable in a frozen build."""

import sys


def is_frozen() -> bool:
    """Return whether this is a build with its own Python, which can run only this program's modules."""
    return bool(getattr(sys, "frozen", False))


def own_module(module: str, *words: str) -> list[str]:
    """Return the command that runs one of this program's modules in a process of its own.

    A frozen build's executable takes `-m MODULE` as Python does, and no code or script
    (`packaging/frozen/entry.py`).
    """
    return [sys.executable, "-m", module, *words]
