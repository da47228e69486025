"""Registry of running plans, so that other processes find them: bench file, process and socket.

A record is `running/PID-RANDOM.json` in the user's data folder, which only the user can enter.
"""

import contextlib
import os
import platform
import secrets
import socket
import tempfile
from collections.abc import Iterator
from pathlib import Path

import msgspec

from workbench.base import UNREADABLE, data_folder, write_atomic
from workbench.servers.processes import ProcessIdentity, find, identify_process


class RunningPlan(msgspec.Struct, frozen=True, kw_only=True):
    """One plan that a process is running."""

    bench: str
    """Absolute path, links resolved."""
    host: str
    """Name of the machine; others may share the home folder, and have other process ids."""
    process: ProcessIdentity
    socket: str


def running_plan(bench: Path) -> RunningPlan | None:
    """Return the plan that runs into `bench` on this machine, or None."""
    asked = str(bench.resolve())
    return next((plan for plan in running_plans() if plan.bench == asked), None)


def running_plans() -> list[RunningPlan]:
    """Return the plans that run on this machine and can be followed."""
    return [plan for _, plan in _records() if _is_here(plan) and find(plan.process) is not None]


def has_sockets() -> bool:
    """Return whether this system has the sockets that connect to a running plan."""
    return hasattr(socket, "AF_UNIX") and os.name != "nt"


class PlanRegistration:
    """The record and the socket of this process's plan."""

    def __init__(self, bench: Path) -> None:
        self._bench = bench
        self._record: Path | None = None
        self._socket: Path | None = None
        self._scratch: Path | None = None
        """Folder of the socket, if the path beside the record is too long for a socket."""

    def bind(self) -> socket.socket:
        """Return the bound socket; connections are possible once it listens.

        Raises:
            OSError: it can't be created.
        """
        folder = running_folder()
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        folder.chmod(0o700)
        remove_stale()
        name = f"{os.getpid()}-{secrets.token_hex(4)}"
        self._record = folder / f"{name}.json"
        try:
            return self._bound(folder / f"{name}.sock")
        except OSError:
            # The path is too long (about 100 bytes), or the file system has no sockets.
            self._scratch = Path(tempfile.mkdtemp(prefix="workbench-"))
            return self._bound(self._scratch / "plan.sock")

    def write(self) -> None:
        """Write the record, so that other processes find the plan.

        Raises:
            InputError: the record can't be written.
        """
        mark = identify_process(os.getpid())
        if self._record is None or mark is None:
            return
        plan = RunningPlan(
            bench=str(self._bench.resolve()),
            host=platform.node(),
            process=mark,
            socket=str(self._socket),
        )
        write_atomic(self._record, msgspec.json.encode(plan))
        self._record.chmod(0o600)

    def remove(self) -> None:
        """Remove the record and the socket."""
        for path in (self._record, self._socket):
            _remove(path)
        if self._scratch is not None:
            with contextlib.suppress(OSError):
                self._scratch.rmdir()

    def _bound(self, path: Path) -> socket.socket:
        listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            listener.bind(str(path))
            path.chmod(0o600)
        except OSError:
            listener.close()
            raise
        self._socket = path
        return listener


@contextlib.contextmanager
def registration(bench: Path) -> Iterator[PlanRegistration]:
    """Yield the registration of a plan; remove it when the context ends."""
    announcement = PlanRegistration(bench)
    try:
        yield announcement
    finally:
        announcement.remove()


def remove_stale() -> None:
    """Remove the records and sockets of plans that were killed on this machine."""
    for path, plan in _records():
        if _is_here(plan) and find(plan.process) is None:
            _remove(path)
            left = Path(plan.socket)
            if left.is_socket():
                _remove(left)
                if left.parent != path.parent:
                    with contextlib.suppress(OSError):
                        left.parent.rmdir()


def running_folder() -> Path:
    """Return the folder of the records."""
    return data_folder() / "running"


def _records() -> Iterator[tuple[Path, RunningPlan]]:
    for path in sorted(running_folder().glob("*.json")):
        with contextlib.suppress(OSError, *UNREADABLE):
            yield path, msgspec.json.decode(path.read_bytes(), type=RunningPlan)


def _is_here(plan: RunningPlan) -> bool:
    return plan.host == platform.node()


def _remove(path: Path | None) -> None:
    if path is not None:
        with contextlib.suppress(OSError):
            path.unlink()
