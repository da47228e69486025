"""Cleanup after servers: files that vLLM leaves in shared places, and servers that outlived their owner.

vLLM's sockets lie in a private folder. A rendezvous file, which it names in its log, and shared memory, which
its processes map, stay behind after a kill, some even after an orderly end. A file is removed only if vLLM
uses such names, it was made since the server started, it belongs to our user, and no process maps it.
"""

import asyncio
import hashlib
import math
import os
import re
import shutil
import stat
import tempfile
import time
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Literal

import msgspec
import psutil

from workbench.base import UNREADABLE, Record, data_folder, write_atomic
from workbench.servers import processes
from workbench.servers.processes import ProcessIdentity
from workbench.vllm_dialect import rendezvous_file

_SHARED = Path("/dev/shm")  # noqa: S108  # where Linux has shared memory, not a scratch file of ours
_IN_MAPS = f" {_SHARED}/".encode()
_PASSING = re.compile(r"(?:psm_|sem\.mp-|nccl-|torch_|vllm_offload_|vllm_ec_)[\w.-]+", re.ASCII)
"""Names that are new for each process (Python, NCCL, torch, vLLM), so no later process looks for them."""
_MEETING = re.compile(r"vllm_dist_[0-9a-f]{32}", re.ASCII)
_PREFIX = "vllmwb-"
_SHORT = "/tmp"  # noqa: S108  # for a private folder in it
"""Used if the usual folder for temporary files has too long a name for sockets."""
_MOST_PATH = 103
"""Longest socket path in characters on macOS; Linux allows four more."""
_SOCKET_NAME = 37
"""A slash and a uuid, as vLLM names its sockets."""


class LeftFiles(Record, frozen=True, kw_only=True):
    """Files to remove once the server has ended."""

    folder: str | None = None
    """The private folder with the sockets."""
    files: tuple[str, ...] = ()

    def existing(self) -> tuple[str, ...]:
        """Return those that still exist."""
        return tuple(one for one in (self.folder, *self.files) if one is not None and os.path.lexists(one))

    def remove(self) -> tuple[str, ...]:
        """Remove them; no process of the server may live any more. Return those that remain."""
        if self.folder is not None and _is_private(self.folder):
            shutil.rmtree(self.folder, ignore_errors=True)
        shared = [path for path in self.files if Path(path).parent == _SHARED and os.path.lexists(path)]
        held = _mapped(psutil.pids()) if shared else set()
        for path in self.files:
            if (
                _is_own_file(path)
                and _is_named_so(path)
                and (path not in shared or _number(path) not in held)
            ):
                with suppress(OSError):
                    Path(path).unlink()
        return self.existing()


class LeftFilesWatch:
    """Collects the files that one server will leave, while it lives."""

    def __init__(self) -> None:
        self._folder: Path | None = None
        self._files: set[str] = set()
        self._since = math.inf
        self._others: set[str] = set()

    def begin(self, folder: Path | None) -> None:
        """Begin right before the server is started; `folder` is for its sockets."""
        self._folder, self._since, self._others = folder, time.time(), _shared_names()

    @property
    def known(self) -> LeftFiles:
        """The files known so far."""
        folder = None if self._folder is None else str(self._folder)
        return LeftFiles(folder=folder, files=tuple(sorted(self._files)))

    def read_line(self, line: str) -> None:
        """Read one line of its output: vLLM logs its rendezvous file."""
        path = rendezvous_file(line)
        # The file is made right after it is logged; an older one is another server's.
        if path is not None and _changed(path) >= self._since - 1.0:
            self._files.add(path)

    def scan(self, identities: Iterable[ProcessIdentity]) -> None:
        """Add shared memory that appeared since the start and that one of these processes maps.

        Their maps, some thousand lines each, are read only if there are new files.
        """
        new = {str(_SHARED / name) for name in _shared_names() - self._others if _PASSING.fullmatch(name)}
        new = {path for path in new - self._files if _is_own_file(path)}
        if new:
            held = _mapped(one.pid for one in identities if processes.find(one) is not None)
            self._files |= {path for path in new if _number(path) in held}


def private_folder() -> Path:
    """Make a private folder whose name is short enough for sockets in it."""
    usual = tempfile.gettempdir()
    long = len(os.fsencode(usual)) + len(f"/{_PREFIX}12345678") + _SOCKET_NAME > _MOST_PATH
    place = _SHORT if long and Path(_SHORT).is_dir() else usual
    return Path(tempfile.mkdtemp(prefix=_PREFIX, dir=place))


def _shared_names() -> set[str]:
    try:
        return set(os.listdir(_SHARED))  # noqa: PTH208  # names are wanted, hundreds of times
    except OSError:
        return set()


def _mapped(pids: Iterable[int]) -> set[int]:
    """Return the inodes of shared memory that these processes map, as far as we may read them.

    Names are no use: a semaphore gets its name after it is mapped.
    """
    found: set[int] = set()
    for pid in pids:
        with suppress(OSError), Path(f"/proc/{pid}/maps").open("rb") as maps:
            found |= {int(line.split(maxsplit=5)[4]) for line in maps if _IN_MAPS in line}
    return found


def _number(path: str) -> int:
    """Return its inode; 0 if it is gone."""
    try:
        return os.lstat(path).st_ino
    except OSError:
        return 0


def _is_own_file(path: str) -> bool:
    return _is_own(path, stat.S_ISREG)


def _is_named_so(path: str) -> bool:
    """Return whether vLLM gives such names; a record read from disk may name any file."""
    name = _PASSING if Path(path).parent == _SHARED else _MEETING
    return name.fullmatch(Path(path).name) is not None


def _is_private(folder: str) -> bool:
    return Path(folder).name.startswith(_PREFIX) and _is_own(folder, stat.S_ISDIR)


def _is_own(path: str, is_kind: Callable[[int], bool]) -> bool:
    try:
        found = os.lstat(path)
    except OSError:
        return False
    return is_kind(found.st_mode) and (not hasattr(os, "getuid") or found.st_uid == os.getuid())


def _changed(path: str) -> float:
    """Return the modification time; infinity if it doesn't exist yet."""
    try:
        return os.lstat(path).st_mtime
    except OSError:
        return math.inf


# Servers that outlived this program: recorded while they live, found and ended at the next start.
#
# vLLM's engine and workers survive a killed parent and keep the GPU's memory. They are identified by pid and
# start time; no other process is ever touched. Their files in shared places are removed with them.

_PATIENCE_S = 15.0


class ServerRecord(Record, frozen=True, kw_only=True):
    """The processes of one server on this machine, and their owner."""

    owner: ProcessIdentity
    """The process that started the server and that ends it, while it lives."""
    command: str
    """Secrets masked."""
    processes: tuple[ProcessIdentity, ...]
    left_files: LeftFiles = msgspec.field(default=LeftFiles(), name="remains")


class OrphanServer(Record, frozen=True, kw_only=True):
    """A server whose owner died."""

    path: Path
    command: str
    living: tuple[ProcessIdentity, ...]
    """Empty if only files are left."""
    left_files: LeftFiles = LeftFiles()

    def contents(self) -> list[str]:
        """Return its living processes and its files."""
        return [*(str(one) for one in self.living), *self.left_files.existing()]


def server_records_folder() -> Path:
    """Return the folder of the records."""
    return data_folder() / "servers"


def write_server_record(
    path: Path, command: str, identities: Sequence[ProcessIdentity], left_files: LeftFiles
) -> None:
    """Record the processes that belong to this one, and the files that they will leave."""
    owner = processes.identify_process(os.getpid())
    assert owner is not None
    path.parent.mkdir(parents=True, exist_ok=True)
    record = ServerRecord(owner=owner, command=command, processes=tuple(identities), left_files=left_files)
    write_atomic(path, msgspec.json.encode(record))


def find_orphans() -> list[OrphanServer]:
    """Return servers whose owner died; remove records of servers that are wholly gone."""
    found = []
    for path in sorted(server_records_folder().glob("*.json")):
        try:
            record = msgspec.json.decode(path.read_bytes(), type=ServerRecord)
        except (OSError, *UNREADABLE):
            # Records are written atomically, so this is another program's file.
            continue
        if processes.find(record.owner) is not None:
            continue
        living = tuple(one for one in record.processes if processes.find(one) is not None)
        if living or record.left_files.existing():
            found.append(
                OrphanServer(path=path, command=record.command, living=living, left_files=record.left_files)
            )
        else:
            path.unlink(missing_ok=True)
    return found


async def end_orphan(orphan: OrphanServer) -> list[ProcessIdentity]:
    """End its processes and remove their files; return the processes that still live."""
    stubborn = await processes.end(orphan.living, patience_s=_PATIENCE_S)
    if not stubborn:
        await asyncio.to_thread(orphan.left_files.remove)
        orphan.path.unlink(missing_ok=True)
    return stubborn


# Servers in containers and on other machines, recorded here while they live.
#
# The next start in the same place ends those whose owner died.

RemoteKind = Literal["ssh", "container"]


class RemoteServerRecord(Record, frozen=True, kw_only=True):
    """One server in a container or on another machine, and the process here that owns it."""

    owner: ProcessIdentity
    kind: RemoteKind
    place: str
    """The host as it stands in the target; the command of the container engine."""
    name: str
    """The keeper's folder on that machine, or the container's name."""
    command: str
    """Secrets masked."""


def write_remote_record(kind: RemoteKind, place: str, name: str, command: str) -> Path:
    """Record it for this process; return the record's path."""
    owner = processes.identify_process(os.getpid())
    assert owner is not None
    digest = hashlib.sha256(f"{kind} {place} {name}".encode()).hexdigest()[:16]
    path = server_records_folder() / "elsewhere" / f"{digest}.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    record = RemoteServerRecord(owner=owner, kind=kind, place=place, name=name, command=command)
    write_atomic(path, msgspec.json.encode(record))
    return path


def find_remote_orphans(
    kind: RemoteKind | None = None, place: str | None = None
) -> list[tuple[Path, RemoteServerRecord]]:
    """Return servers whose owner here died; None: of any kind, in any place."""
    found = []
    for path in sorted((server_records_folder() / "elsewhere").glob("*.json")):
        try:
            record = msgspec.json.decode(path.read_bytes(), type=RemoteServerRecord)
        except (OSError, *UNREADABLE):
            continue
        matches = kind in (None, record.kind) and place in (None, record.place)
        if matches and processes.find(record.owner) is None:
            found.append((path, record))
    return found
