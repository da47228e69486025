"""Processes of this program itself: another Python in a checkout, the same executable in a frozen build."""

import sys
from pathlib import Path


def is_frozen() -> bool:
    """Return whether this is a build with its own Python, which can run only this program's modules."""
    return bool(getattr(sys, "frozen", False))


def own_build() -> Path | None:
    """Return the folder of this frozen build; None in a checkout or an installed package."""
    return Path(sys.executable).parent if is_frozen() else None


def own_module(module: str, *words: str) -> list[str]:
    """Return the command that runs one of this program's modules in a process of its own.

    A frozen build's executable takes `-m MODULE` as Python does, and no code or script
    (`packaging/frozen/entry.py`).
    """
    return [sys.executable, "-m", module, *words]
