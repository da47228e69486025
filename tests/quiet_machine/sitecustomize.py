"""Injects the quiet machine where programs look at other processes.

This folder is in PYTHONPATH of every program that the tests start, so that Python runs this file first. Tests
of the real sampler load it by its path, or start a program without this folder.
"""

import importlib.abc
import importlib.machinery
import importlib.util
import sys
from collections.abc import Sequence
from types import ModuleType

_MODULE = "workbench.telemetry.other_processes"


class _QuietLoader(importlib.machinery.SourceFileLoader):
    """Loads the module with a sampler that sees no other process."""

    def exec_module(self, module: ModuleType) -> None:
        """Run the module, then replace what it says of others."""
        super().exec_module(module)
        # Here, and on a machine over SSH, which in tests is this one too.
        module.OtherProcesses.share = lambda _self: 0.0  # type: ignore[attr-defined]  # of the module loaded
        module.share_taken = lambda *_: 0.0  # type: ignore[attr-defined]  # as above


class _QuietFinder(importlib.abc.MetaPathFinder):
    """Finds that one module for the loader above."""

    def find_spec(
        self, name: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        """Answer for the module that looks at other processes; for any other, leave it to Python."""
        if name != _MODULE:
            return None
        spec = importlib.machinery.PathFinder.find_spec(name, path, target)
        if spec is not None and spec.origin is not None:
            spec.loader = _QuietLoader(name, spec.origin)
        return spec


sys.meta_path.insert(0, _QuietFinder())
