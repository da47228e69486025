"""Find an installed vLLM: its script, Python and version, without importing it."""

import os
import shutil
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import msgspec

from workbench.base import UNREADABLE, InputError, Place, Record, Refusal
from workbench.servers.run_command import run_program

_QUERY = (
    "import importlib.metadata as m, json; d = m.distribution('vllm'); "
    "print(json.dumps({'version': d.version, 'site_packages': str(d.locate_file(''))}))"
)
_QUERY_TIMEOUT_S = 60.0
"""A metadata look-up takes 0.2 s; a cold network disk much longer."""
_SCRIPT = "vllm.exe" if sys.platform == "win32" else "vllm"
_PYTHON = "python.exe" if sys.platform == "win32" else "python"
_EXECUTABLE = Place(table="target", key="executable")
_BIN = "Scripts" if sys.platform == "win32" else "bin"


class Install(Record, frozen=True, kw_only=True):
    """One vLLM on this machine."""

    script: Path
    python: Path
    version: str
    site_packages: Path


class _Distribution(Record, frozen=True, kw_only=True):
    version: str
    site_packages: str


async def find_install(executable: str | None) -> Install:
    """Return the vLLM that `executable` names (script, environment, Python); None: the nearest.

    Raises:
        Refusal: there is none, or the named one isn't vLLM.
    """
    return await _find(executable, "servers.not_vllm_named")


async def _find(executable: str | None, not_vllm: str) -> Install:
    script, python = _locate(executable)
    distribution = await _query(python)
    if distribution is None:
        raise Refusal(not_vllm, Place(file=executable or str(python)), python=str(python))
    if not script.is_file():
        raise Refusal("servers.no_script", Place(file=str(script)), version=distribution.version)
    return Install(
        script=script,
        python=python,
        version=distribution.version,
        site_packages=Path(distribution.site_packages),
    )


@dataclass(frozen=True, slots=True)
class FoundInstalls:
    """Everything on this machine that looks like vLLM."""

    installs: tuple[Install, ...]
    problems: tuple[InputError, ...]
    """One for each script that isn't usable."""


async def find_installs(named: Sequence[str] = ()) -> FoundInstalls:
    """Return every vLLM on PATH, beside this Python, and among the named environments."""
    installs: dict[Path, Install] = {}
    problems: list[InputError] = []
    for candidate in [*named, *_scripts_at_hand()]:
        try:
            install = await _find(candidate, "servers.not_vllm")
            installs.setdefault(install.site_packages.resolve(), install)
        except InputError as error:
            problems.append(error)
    return FoundInstalls(installs=tuple(installs.values()), problems=tuple(problems))


def _scripts_at_hand() -> list[str]:
    folders = [*os.environ.get("PATH", "").split(os.pathsep), str(Path(sys.executable).parent)]
    scripts = [Path(folder) / _SCRIPT for folder in dict.fromkeys(folders) if folder]
    return [str(script) for script in scripts if script.is_file()]


def _locate(executable: str | None) -> tuple[Path, Path]:
    """Return script and Python. Links are not followed: an environment's Python is a link."""
    if executable is None:
        found = shutil.which(_SCRIPT)
        here = Path(sys.executable).parent
        script = Path(found) if found else here / _SCRIPT
        return script, _python_of(script) if found else Path(sys.executable)
    path = Path(executable).expanduser()
    if not path.exists():
        on_path = shutil.which(executable) if os.sep not in executable else None
        if on_path is None:
            raise Refusal("servers.no_executable", _EXECUTABLE, executable=executable)
        path = Path(on_path)
    if path.is_dir():
        return path / _BIN / _SCRIPT, path / _BIN / _PYTHON
    if path.name.startswith("python"):
        return path.with_name(_SCRIPT), path
    return path, _python_of(path)


def _python_of(script: Path) -> Path:
    """Return the Python that a script's first line names, else the one beside it.

    Raises:
        Refusal: the script has neither.
    """
    try:
        with script.open("rb") as file:
            first = file.readline(4096)
    except OSError as error:
        raise Refusal("base.unreadable_file", Place(file=str(script)), cause=error.strerror) from error
    words = first[2:].decode(errors="replace").split() if first.startswith(b"#!") else []
    for candidate in (
        words[-1] if words else "",
        str(script.with_name("python3")),
        str(script.with_name("python")),
    ):
        found = shutil.which(candidate) if candidate else None
        if found and "python" in Path(found).name:
            return Path(found)
    raise Refusal("servers.script_without_python", Place(file=str(script)))


async def _query(python: Path) -> _Distribution | None:
    said = await run_program([str(python), "-c", _QUERY], timeout_s=_QUERY_TIMEOUT_S)
    try:
        return msgspec.json.decode(said.output, type=_Distribution) if said.exit_code == 0 else None
    except UNREADABLE:
        return None
