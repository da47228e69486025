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
