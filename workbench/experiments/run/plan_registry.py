"""A running plan is written down, so that it can be found: its bench file, its process and its socket.

The record is `running/PID-RANDOM.json` in the user's data folder, which only the user can enter.
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
from workbench.servers.processes import ProcessMark, find, mark_of


class RunningPlan(msgspec.Struct, frozen=True, kw_only=True):
    """One plan that a process carries out now."""

    bench: str
    """Absolute, links resolved."""
    host: str
    """Another machine may share the home folder; its process numbers mean nothing here."""
    process: ProcessMark
    socket: str


def running_plan(bench: Path) -> RunningPlan | None:
    """Return the plan that runs into `bench` on this machine; None: there is none."""
    asked = str(bench.resolve())
    plans = (plan for _, plan in _records() if plan.bench == asked and _is_here(plan))
    return next((plan for plan in plans if find(plan.process) is not None), None)


def has_sockets() -> bool:
    """Whether this system has the sockets by which a running plan is reached."""
    return hasattr(socket, "AF_UNIX") and os.name != "nt"


class PlanRegistration:
    """The record of the plan of this process, and its socket."""

    def __init__(self, bench: Path) -> None:
        self._bench = bench
        self._record: Path | None = None
        self._socket: Path | None = None
        self._scratch: Path | None = None
        """The socket's own folder, where the path beside the record is too long for a socket."""

    def bind(self) -> socket.socket:
        """Return the bound socket; nobody can connect before it listens.

        Raises:
            OSError: there is no place for it.
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
        """Write the record: from now on the plan is found.

        Raises:
            InputError: the record can't be written.
        """
        mark = mark_of(os.getpid())
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
        """Remove what was written."""
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
    """Give the announcement of a plan; what it wrote is removed when the context ends."""
    announcement = PlanRegistration(bench)
    try:
        yield announcement
    finally:
        announcement.remove()


def remove_stale() -> None:
    """Remove what plans left that were killed on this machine."""
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
    """Where running plans are written down."""
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
