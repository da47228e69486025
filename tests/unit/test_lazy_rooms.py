"""Rooms whose names are loaded when first asked for offer all that they say, and cost nothing before."""

import ast
import subprocess
import sys
from importlib import import_module
from pathlib import Path
from types import ModuleType

import pytest

ROOMS = ("experiments", "results", "advice", "servers")


@pytest.mark.parametrize("room", ROOMS)
def test_that_every_name_a_room_offers_is_there_and_no_module_hides_it(room):
    package = import_module(f"workbench.{room}")
    folder = Path(package.__file__ or "").parent
    modules = {path.stem for path in folder.iterdir()}
    assert not modules & set(package.__all__)
    for name in package.__all__:
        assert not isinstance(getattr(package, name), ModuleType)


@pytest.mark.parametrize("room", ROOMS)
def test_that_a_name_no_room_has_is_an_attribute_error(room):
    with pytest.raises(AttributeError, match="attribute nobody"):
        import_module(f"workbench.{room}").nobody  # noqa: B018 - asking is what is tested


def test_that_an_event_and_an_experiment_file_are_read_without_loading_the_slow_libraries():
    code = (
        "import sys; from workbench.experiments import Experiment, decode_event, to_toml;"
        "print([name for name in ('numpy', 'scipy', 'httpx', 'asyncssh', 'asyncio') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_that_a_plan_starts_without_loading_scipy():
    code = "import sys, workbench.cli.run; print('scipy' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


def test_that_every_name_that_is_imported_from_such_a_room_is_offered_by_it():
    """Types don't tell: such a room has an attribute for any name. Imports within functions count too."""
    root = Path(__file__).parents[2]
    offered = {f"workbench.{room}": set(import_module(f"workbench.{room}").__all__) for room in ROOMS}
    lacking = [
        f"{path.relative_to(root)}:{node.lineno}: {name.name}"
        for path in [*root.glob("workbench/**/*.py"), *root.glob("ui/**/*.py"), *root.glob("tests/**/*.py")]
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.ImportFrom) and node.module in offered
        for name in node.names
        if name.name not in offered[node.module]
        and not (root / f"{node.module.replace('.', '/')}/{name.name}.py").is_file()
        and not (root / f"{node.module.replace('.', '/')}/{name.name}").is_dir()
    ]
    assert not lacking
