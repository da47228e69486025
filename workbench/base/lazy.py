"""Public names of a room that are loaded when they are first asked for.

A room's `__init__` names everything it offers; loading all of it takes up to a second (numpy, httpx, every
export), and who reads one event needs a hundredth of that.
"""

import sys
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from typing import Any


def on_first_use(package: str, modules: Mapping[str, Sequence[str]]) -> Callable[[str], Any]:
    """A package's `__getattr__` (PEP 562); `modules` are the names it offers by the module that has them.

    No module may be called like a name: Python binds a loaded module to its package under its own name.
    """
    where = {name: f"{package}.{module}" for module, names in modules.items() for name in names}

    def find(name: str) -> Any:
        if name not in where:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        found = getattr(import_module(where[name]), name)
        setattr(sys.modules[package], name, found)
        return found

    return find
