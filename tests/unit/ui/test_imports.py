"""Each module of the window can be the first that is imported: no circle holds only by a lucky order."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
PREAMBLE = "import importlib, os, sys; import PySide6.QtWidgets, msgspec, numpy, pyqtgraph"
"""Loaded once: what others made can't be part of a circle of ours."""
EACH_ALONE = f"""
{PREAMBLE}
for name in sys.argv[1:]:
    child = os.fork()
    if not child:
        try:
            importlib.import_module(name)
        except BaseException as error:
            print(name, repr(error), flush=True)
            os._exit(1)
        os._exit(0)
    os.waitpid(child, 0)
"""


def modules(*, packages):
    """Of the window by name; packages alone, or all but them and what starts the program."""
    for path in sorted((ROOT / "ui").rglob("*.py")):
        if path.stem != "__main__" and (path.stem == "__init__") is packages:
            yield ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")


def said_of(names):
    """What went wrong, a line a module, each in a process that has imported none of ours."""
    done = subprocess.run(
        [sys.executable, "-c", EACH_ALONE, *names],
        cwd=ROOT,
        env={**os.environ, "QT_QPA_PLATFORM": "offscreen"},
        capture_output=True,
        text=True,
        check=True,
        timeout=300,
    )
    return done.stdout.splitlines()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="each module needs a process of its own, cheaply")
def test_that_each_room_can_be_imported_first():
    names = list(modules(packages=True))
    assert len(names) > 15
    assert said_of(names) == []


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "fork"), reason="as above")
def test_that_each_module_can_be_imported_first():
    names = list(modules(packages=False))
    assert len(names) > 100
    assert said_of(names) == []


@pytest.mark.skipif(not hasattr(os, "fork"), reason="as above")
def test_that_a_module_that_can_not_be_imported_is_named():
    (said,) = said_of(["ui.language.number_text", "ui.no_such_room"])
    assert said.startswith("ui.no_such_room ModuleNotFoundError")
