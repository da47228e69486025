"""The core stands alone: no Qt, no vLLM, and the size limits that keep rooms readable."""

import ast
import subprocess
import sys
from pathlib import Path

REPOSITORY = Path(__file__).parents[2]
IMPORT_ALL = """
import importlib, pkgutil, sys
for name in ("PySide6", "pyqtgraph", "qasync", "ui", "vllm", "torch"):
    sys.modules[name] = None
import workbench
for module in pkgutil.walk_packages(workbench.__path__, "workbench."):
    if module.name.startswith("workbench.servers.inside.") or module.name == "workbench.__main__":
        continue
    importlib.import_module(module.name)
print("all")
"""


def test_that_the_whole_core_imports_where_qt_and_vllm_cannot_be() -> None:
    # What lies in servers/inside runs inside vLLM's own Python and imports it.
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", IMPORT_ALL],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.stdout == "all\n", done.stderr


def sources() -> list[Path]:
    return [path for room in ("workbench", "ui") for path in sorted((REPOSITORY / room).rglob("*.py"))]


def test_that_no_file_is_longer_than_600_lines() -> None:
    long = {str(path): len(path.read_text().splitlines()) for path in sources()}
    assert not {name: lines for name, lines in long.items() if lines > 600}


def test_that_no_function_is_longer_than_80_lines() -> None:
    long = []
    for path in sources():
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                lines = (node.end_lineno or node.lineno) - node.lineno + 1
                if lines > 80:
                    long.append(f"{path}:{node.lineno} {node.name} {lines}")
    assert not long


def test_that_every_process_of_this_program_starts_through_one_function() -> None:
    """A frozen build's executable runs modules of its own, no code and no script."""
    # What runs inside another Python starts that one; the search for a vLLM looks beside this one.
    others = ("workbench/base/own_process.py", "workbench/servers/install.py", "workbench/servers/inside/")
    found = [
        f"{name}:{number}"
        for room in ("workbench", "ui")
        for path in sorted((REPOSITORY / room).rglob("*.py"))
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
        if "sys.executable" in line
        and not (name := path.relative_to(REPOSITORY).as_posix()).startswith(others)
    ]
    assert not found


def test_that_the_entry_of_a_frozen_build_runs_modules_and_commands() -> None:
    entry = REPOSITORY / "packaging" / "frozen" / "entry.py"
    for words in (["-m", "workbench", "--version"], ["--version"]):
        done = subprocess.run(
            [sys.executable, str(entry), *words], capture_output=True, text=True, check=False
        )
        assert done.stdout.startswith("vLLM Workbench "), (words, done.stderr)


def test_that_the_spec_of_the_frozen_build_collects_every_file_that_is_read_at_run_time() -> None:
    spec = (REPOSITORY / "packaging" / "frozen" / "workbench.spec").read_text(encoding="utf-8")
    ast.parse(spec)
    others = {
        path.relative_to(REPOSITORY).as_posix()
        for room in ("workbench", "ui")
        for path in (REPOSITORY / room).rglob("*")
        if path.is_file() and path.suffix not in (".py", ".pyi", ".pyc")
    }
    assert all(name.startswith("workbench/servers/inside/") for name in others), others
    for part in ("resources", "ui/_docs", '"workbench", "*.pyi"', "servers/inside", "null_server.py"):
        assert part in spec
