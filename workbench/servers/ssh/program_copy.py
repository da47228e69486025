"""A copy of this program on a machine over SSH that has no Python.

A frozen build's folder, without the window, is copied into `~/.cache/vllm-workbench/program-VERSION-HASH`.
All runs share it; the last one removes it, unless one of them asks to keep it.
"""

import asyncio
import gzip
import hashlib
import io
import os
import platform
import tarfile
import time
import uuid
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path

from workbench import __version__
from workbench.base import Record, Refusal, WorkbenchError, in_own_thread, own_build
from workbench.servers.run_command import CommandOutput
from workbench.servers.server import ServerFailedError
from workbench.servers.ssh.connection import SshConnection
from workbench.servers.target_spec import TargetSpec

COPY = "copy"
"""Value of `load_python` and `[load] hosts` python: this program is copied there and used."""
FOLDER_VARIABLE = "VLLM_WORKBENCH_BUILD"
"""Names the frozen folder to copy when this program isn't a frozen build itself."""
_EXECUTABLE = "workbench"
_WINDOW = ("PySide6", "shiboken6", "libQt6", "libpyside6", "libshiboken6", "libicu", "pyqtgraph")
"""Parts that only the window needs."""
_COPY_S = 1800.0
_LEVEL = 1
"""gzip level; higher ones cost more time than they save."""
_RENEW_S = 24 * 3600.0
"""Age of a mark that is renewed at the next use."""
_LOCK = """
cd && mkdir -p .cache/vllm-workbench && cd .cache/vllm-workbench && exec 9> lock || exit 1
flock 9 2>/dev/null
"""
"""Excludes other processes until the script ends, on machines that have flock."""
_CLAIM = f"""{_LOCK}
mkdir -p "$1/users" && : > "$1/users/$2" || exit 1
find "$1/users" -type f -mtime +7 -exec rm -f {{}} + 2>/dev/null
test -x "$1/program/$3" && there=yes || there=no
printf '%s\\n' "$HOME" "$(uname -sm)" "$there"
"""
"""Runs that died leave their mark. Marks older than a week are ignored."""
_UNPACK = f"""
cd && cd ".cache/vllm-workbench/$1" && mkdir "new-$2" || exit 1
tar -xzf - -C "new-$2" || {{ rm -rf "new-$2"; exit 1; }}
{_LOCK}
cd "$1" && {{ test -e program || mv "new-$2" program; }} || exit 1
rm -rf "new-$2" "program/new-$2"
"""
"""If two copies arrive first, one stays. Without flock, the second may have moved into the first."""
_ASK_PYTHON = "import sys; sys.exit(sys.version_info < (3, 9))"
_KEEP = 'cd && : > ".cache/vllm-workbench/$1/keep"'
_RELEASE = f"""{_LOCK}
rm -f "$1/users/$2" || exit 1
test -e "$1/keep" || {{ rmdir "$1/users" 2>/dev/null && mv "$1" "gone-$2"; }}
exec 9>&-
rm -rf "gone-$2"
"""
"""Moves the copy away before it is deleted, so that nobody finds half of one."""


def program_folder() -> Path | None:
    """Return the frozen folder that can be copied to other machines; None if there is none."""
    named = os.environ.get(FOLDER_VARIABLE)
    return own_build() or (Path(named) if named else None)


class _Copy(Record, frozen=True, kw_only=True):
    """A copy that this process uses."""

    name: str
    """Name of its folder in the cache there."""
    mark: str
    """Name of the mark that this process uses it."""
    program: str
    """Its executable there."""
    claimed: float
    """When the mark was made, on the monotonic clock."""


class ProgramCopies:
    """The copies that this process uses. They are released when the last holder ends."""

    def __init__(self) -> None:
        self._holders = 0
        self._copies: dict[str, _Copy] = {}
        self._kept: set[str] = set()
        """Hosts whose copies stay."""
        self._copying = asyncio.Lock()

    @asynccontextmanager
    async def hold(self) -> AsyncIterator[None]:
        """Keep all copies during the context; afterwards the last holder releases them."""
        self._holders += 1
        try:
            yield
        finally:
            self._holders -= 1
            if not self._holders:
                await self._release_all()

    async def provide(self, link: SshConnection, *, keep: bool) -> str:
        """Copy the program there unless it is there; return its executable.

        Args:
            link: the connection to the machine.
            keep: leave it there afterwards, whoever else uses it.

        Raises:
            Refusal: there is no build to copy, or the machine can't run it.
            ServerFailedError: the connection dropped.
        """
        assert self._holders
        async with self._copying:
            found = self._copies.get(link.host)
            if found is None:
                found = self._copies[link.host] = await _claimed(link, uuid.uuid4().hex[:12])
            elif time.monotonic() - found.claimed > _RENEW_S:
                found = self._copies[link.host] = await _claimed(link, found.mark)
            if keep and link.host not in self._kept:
                await _run(link, _KEEP, found.name)
                self._kept.add(link.host)
            return found.program

    async def _release_all(self) -> None:
        copies, self._copies = self._copies, {}
        self._kept.clear()
        self._copying = asyncio.Lock()  # the next event loop needs its own
        for host, copy in copies.items():
            # A machine that can't be reached any more keeps its copy; the mark ends in a week.
            with suppress(WorkbenchError):
                await _release(host, copy)


COPIES = ProgramCopies()


async def program_there(link: SshConnection, spec: TargetSpec) -> str | None:
    """Return the executable of a copy on the machine; None if its own Python is used. Copies must be held.

    A copy is made if the target asks for one, or if there is no python3 and this program is a frozen build.

    Raises:
        Refusal: a copy is asked for, but can't be made or can't run there.
        ServerFailedError: the connection dropped.
    """
    if spec.load_python != COPY and (program_folder() is None or await _has_python(link)):
        return None
    return await COPIES.provide(link, keep=spec.keep_copy)


async def _has_python(link: SshConnection) -> bool:
    return not (await link.call(["python3", "-c", _ASK_PYTHON])).exit_code


def inside_command(program: str | None, folder: str, name: str) -> list[str]:
    """Return the command of one of our files there: in `folder` for python3, or in a copy of the program."""
    if program is None:
        return ["python3", f"{folder}/{name}.py"]
    return [program, "-m", f"workbench.servers.inside.{name}"]


async def _claimed(link: SshConnection, mark: str) -> _Copy:
    folder = program_folder()
    if folder is None:
        raise Refusal("servers.no_build_to_copy", host=link.host, variable=FOLDER_VARIABLE)
    name = f"program-{__version__}-{await in_own_thread(lambda: _identity(folder))}"
    said = (await _run(link, _CLAIM, name, mark, _EXECUTABLE)).output.decode(errors="replace").splitlines()
    home, machine, there = said[-3:]
    program = f"{home}/.cache/vllm-workbench/{name}/program/{_EXECUTABLE}"
    copy = _Copy(name=name, mark=mark, program=program, claimed=time.monotonic())
    try:
        await _require_same_machine(link.host, machine)
        if there != "yes":
            archive = await in_own_thread(lambda: _packed(folder))
            await _run(link, _UNPACK, name, mark, stdin=archive, timeout_s=_COPY_S)
        await _require_running(link, copy.program)
    except BaseException:
        with suppress(WorkbenchError):
            await _run(link, _RELEASE, name, mark)
        raise
    return copy


async def _require_same_machine(host: str, machine: str) -> None:
    ours = f"{platform.system()} {platform.machine()}"
    if machine != ours:
        raise Refusal("servers.build_for_another_machine", host=host, machine=machine, ours=ours)


async def _require_running(link: SshConnection, program: str) -> None:
    """Refuse a machine whose C library is too old for the build."""
    said = await link.call([program, "-m", "workbench.base.tell_version"])
    if said.exit_code or said.output.split()[:1] != [__version__.encode()]:
        raise Refusal("servers.build_does_not_run", host=link.host, said=said.last_error)


async def _release(host: str, copy: _Copy) -> None:
    link = SshConnection(host)
    try:
        await _run(link, _RELEASE, copy.name, copy.mark)
    finally:
        await link.close()


async def _run(
    link: SshConnection, script: str, *words: str, stdin: bytes | None = None, timeout_s: float = 60.0
) -> CommandOutput:
    """Run a shell script there; raises ServerFailedError if it fails."""
    said = await link.call(["sh", "-c", script, "sh", *words], stdin=stdin, timeout_s=timeout_s)
    if said.exit_code:
        raise ServerFailedError("servers.copy_failed", host=link.host, said=said.last_error)
    return said


def _identity(folder: Path) -> str:
    """Return a short hash of the build: its executable holds all of our code, the names the libraries."""
    content = hashlib.sha256((folder / _EXECUTABLE).read_bytes())
    for path in _files(folder):
        content.update(f"{path.relative_to(folder)} {path.lstat().st_size}\n".encode())
    return content.hexdigest()[:12]


def _files(folder: Path) -> list[Path]:
    """Return what is copied, sorted: all but the window's libraries."""
    found: list[Path] = []
    for root, folders, files in os.walk(folder):
        folders[:] = [name for name in folders if not name.startswith(_WINDOW)]
        found += [Path(root, name) for name in (*files, *folders)]
    return sorted(path for path in found if not path.is_dir() or path.is_symlink() if _is_copied(path))


def _is_copied(path: Path) -> bool:
    return not path.name.startswith(_WINDOW) and path.name != "vllm-workbench"


def _packed(folder: Path) -> bytes:
    """Return the folder as a compressed tar archive."""
    out = io.BytesIO()
    with (
        gzip.GzipFile(fileobj=out, mode="wb", compresslevel=_LEVEL) as packed,
        tarfile.open(fileobj=packed, mode="w|") as archive,
    ):
        for path in _files(folder):
            archive.add(path, arcname=str(path.relative_to(folder)), recursive=False)
    return out.getvalue()
