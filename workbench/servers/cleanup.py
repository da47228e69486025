"""What a vLLM leaves in places that it shares with others, and what of it is ours to remove.

Its sockets lie in a private folder. A rendezvous file that it names in its log and shared memory that its
processes map stay behind where it is killed, some even where it ends in order. Only what is provably of our
own server is ever removed: of its names, made since it began, ours, and no longer held by anybody.
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
"""Named anew by each process that makes them (Python, NCCL, torch, vLLM): nobody looks for them later."""
_MEETING = re.compile(r"vllm_dist_[0-9a-f]{32}", re.ASCII)
_PREFIX = "vllmwb-"
_SHORT = "/tmp"  # noqa: S108  # for a private folder in it
"""Where the usual place for temporary files has a name too long for sockets."""
_MOST_PATH = 103
"""Characters of a socket's path on macOS; Linux has four more."""
_SOCKET_NAME = 37
"""A slash and a uuid, as vLLM names its sockets."""


class LeftFiles(Record, frozen=True, kw_only=True):
    """What must go once the server has ended."""

    folder: str | None = None
    """Ours alone, with the sockets."""
    files: tuple[str, ...] = ()

    def existing(self) -> tuple[str, ...]:
        """Of all this what still lies there."""
        return tuple(one for one in (self.folder, *self.files) if one is not None and os.path.lexists(one))

    def remove(self) -> tuple[str, ...]:
        """Remove it; no process of the server may live any more. Returns what is left even so."""
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
    """Learns what one server will leave, while it lives."""

    def __init__(self) -> None:
        self._folder: Path | None = None
        self._files: set[str] = set()
        self._since = math.inf
        self._others: set[str] = set()

    def begin(self, folder: Path | None) -> None:
        """Right before the server is started; `folder`: where its sockets will lie."""
        self._folder, self._since, self._others = folder, time.time(), _shared_names()

    @property
    def known(self) -> LeftFiles:
        """What is known so far."""
        folder = None if self._folder is None else str(self._folder)
        return LeftFiles(folder=folder, files=tuple(sorted(self._files)))

    def read_line(self, line: str) -> None:
        """One line of its output: vLLM says where its processes meet."""
        path = rendezvous_file(line)
        # It is made right after it is named; one that is older is another server's.
        if path is not None and _changed(path) >= self._since - 1.0:
            self._files.add(path)

    def scan(self, identities: Iterable[ProcessIdentity]) -> None:
        """Shared memory that came since the start and is mapped by one of these processes.

        Their maps, of some thousand lines each, are read only where there is something new.
        """
        new = {str(_SHARED / name) for name in _shared_names() - self._others if _PASSING.fullmatch(name)}
        new = {path for path in new - self._files if _is_own_file(path)}
        if new:
            held = _mapped(one.pid for one in identities if processes.find(one) is not None)
            self._files |= {path for path in new if _number(path) in held}


def private_folder() -> Path:
    """A new folder for us alone, of a name short enough for the sockets in it."""
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
    """The inodes of shared memory that these processes map, as far as we may look.

    Names don't tell: a semaphore gets its own when it is mapped already.
    """
    found: set[int] = set()
    for pid in pids:
        with suppress(OSError), Path(f"/proc/{pid}/maps").open("rb") as maps:
            found |= {int(line.split(maxsplit=5)[4]) for line in maps if _IN_MAPS in line}
    return found


def _number(path: str) -> int:
    """Its inode; 0: it has gone."""
    try:
        return os.lstat(path).st_ino
    except OSError:
        return 0


def _is_own_file(path: str) -> bool:
    return _is_own(path, stat.S_ISREG)


def _is_named_so(path: str) -> bool:
    """What we read from a file of ours, someone may have written otherwise: only such names are removed."""
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
    """Endless: it isn't there yet."""
    try:
        return os.lstat(path).st_mtime
    except OSError:
        return math.inf


# What of our servers outlived us: written down while they live, found and ended at the next start.
#
# vLLM's engine and workers survive a killed parent, keep the GPU's memory and belong to nobody. They are
# told by pid and start time; no other process is ever touched. With them goes what they leave in shared
# places.

_PATIENCE_S = 15.0


class ServerRecord(Record, frozen=True, kw_only=True):
    """Whose processes these are."""

    owner: ProcessIdentity
    """The process that started the server; while it lives, the server is its business."""
    command: str
    """Secrets masked."""
    processes: tuple[ProcessIdentity, ...]
    left_files: LeftFiles = msgspec.field(default=LeftFiles(), name="remains")


class OrphanServer(Record, frozen=True, kw_only=True):
    """A server whose owner is gone."""

    path: Path
    command: str
    living: tuple[ProcessIdentity, ...]
    """None lives: it has left things behind."""
    left_files: LeftFiles = LeftFiles()

    def contents(self) -> list[str]:
        """Return its living processes and its files."""
        return [*(str(one) for one in self.living), *self.left_files.existing()]


def server_records_folder() -> Path:
    """Where the rolls lie."""
    return data_folder() / "servers"


def write_server_record(
    path: Path, command: str, identities: Sequence[ProcessIdentity], left_files: LeftFiles
) -> None:
    """Write down what lives for this process, and what will be left of it."""
    owner = processes.identify_process(os.getpid())
    assert owner is not None
    path.parent.mkdir(parents=True, exist_ok=True)
    record = ServerRecord(owner=owner, command=command, processes=tuple(identities), left_files=left_files)
    write_atomic(path, msgspec.json.encode(record))


def find_orphans() -> list[OrphanServer]:
    """Servers of ours whose owner died; rolls of which nothing is left are removed."""
    found = []
    for path in sorted(server_records_folder().glob("*.json")):
        try:
            record = msgspec.json.decode(path.read_bytes(), type=ServerRecord)
        except (OSError, *UNREADABLE):
            # Half a roll can't be: it is written in one step. A foreign file is left alone.
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
    """End its processes and remove what they leave; returns those that live even so."""
    stubborn = await processes.end(orphan.living, patience_s=_PATIENCE_S)
    if not stubborn:
        await asyncio.to_thread(orphan.left_files.remove)
        orphan.path.unlink(missing_ok=True)
    return stubborn


# Servers in containers and on other machines, written down here while they live.
#
# Whoever starts the next one in the same place ends those whose owner has died.

RemoteKind = Literal["ssh", "container"]


class RemoteServerRecord(Record, frozen=True, kw_only=True):
    """One server elsewhere, and the process here whose business it is."""

    owner: ProcessIdentity
    kind: RemoteKind
    place: str
    """The host as it stands in the target; the command of the container engine."""
    name: str
    """There: the folder of the server's keeper; the container's name."""
    command: str
    """Secrets masked."""


def write_remote_record(kind: RemoteKind, place: str, name: str, command: str) -> Path:
    """Write it down for this process; returns where."""
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
    """Servers (None: of any kind, in any place) whose owner here has died."""
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
