# ruff: noqa: INP001  # a folder on PYTHONPATH and no package: Python looks for a module of this name there
"""Stands in for packages that a vLLM imports and golden cases don't need, in each process of its Python.

The folder of this file is put on PYTHONPATH only where a package is missing; Python imports a module of this
name by itself. Environment: WORKBENCH_STUBS, the packages, separated by commas.
"""

import os
import sys
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any

NAMES = frozenset(filter(None, os.environ.get("WORKBENCH_STUBS", "").split(",")))


class _Stub(ModuleType):
    """A module that only needs to be importable."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return type(name, (), {})


class Stubs(MetaPathFinder, Loader):
    """Finds the packages that are stubs, and all that may be imported from them."""

    def find_spec(self, fullname: str, path: Any = None, target: Any = None) -> "ModuleSpec | None":
        """Return a stub's spec; None for another package."""
        del path, target
        return ModuleSpec(fullname, self, is_package=True) if fullname.partition(".")[0] in NAMES else None

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        """Return the stub module."""
        return _Stub(spec.name)

    def exec_module(self, module: ModuleType) -> None:
        """Do nothing: a stub is empty."""


sys.meta_path.append(Stubs())
