"""Processes of ours, identified by pid and start time, and ended without touching others."""

import asyncio
from collections.abc import Iterable

import psutil

from workbench.base import Record

_SAME_START_S = 1.0
"""Tolerance of start times: they follow the boot time, which moves when the clock is set."""

_KILLED_S = 15.0
"""Wait for a killed process: the kernel has to free gigabytes first."""


class ProcessIdentity(Record, frozen=True, kw_only=True):
    """One process, unmistakable even if its pid is reused."""

    pid: int
    started: float
    """Unix seconds."""
    name: str

    def __str__(self) -> str:
        """Return `NAME (PID)`."""
        return f"{self.name} ({self.pid})"


def identify_process(pid: int) -> ProcessIdentity | None:
    """Return the identity of a living process; None if it is gone."""
    try:
        process = psutil.Process(pid)
        return ProcessIdentity(pid=pid, started=process.create_time(), name=process.name())
    except psutil.Error:
        return None


def find(marked: ProcessIdentity) -> psutil.Process | None:
    """Return the process if it still lives; a zombie counts as dead."""
    try:
        process = psutil.Process(marked.pid)
        same = abs(process.create_time() - marked.started) < _SAME_START_S
        return process if same and process.status() != psutil.STATUS_ZOMBIE else None
    except psutil.Error:
        return None


def descendants(pid: int) -> list[ProcessIdentity]:
    """Return all living descendants of `pid`."""
    try:
        children = psutil.Process(pid).children(recursive=True)
    except psutil.Error:
        return []
    return [known for child in children if (known := identify_process(child.pid)) is not None]


def listens(pid: int, port: int) -> bool:
    """Return whether `pid` or a descendant listens on `port`; True if the system doesn't let us look."""
    for known in (pid, *(child.pid for child in descendants(pid))):
        try:
            connections = psutil.Process(known).net_connections(kind="tcp")
        except psutil.NoSuchProcess:
            continue
        except psutil.Error:
            return True
        if any(one.status == psutil.CONN_LISTEN and one.laddr.port == port for one in connections):
            return True
    return False


async def end(identities: Iterable[ProcessIdentity], *, patience_s: float) -> list[ProcessIdentity]:
    """Ask the processes to end, wait, kill the rest; return those that still live."""
    living = [known for known in identities if find(known) is not None]
    for known in living:
        _signal(known, gently=True)
    if await vanished(living, patience_s):
        return []
    for known in living:
        _signal(known, gently=False)
    await vanished(living, max(patience_s, _KILLED_S))
    return [known for known in living if find(known) is not None]


async def vanished(identities: Iterable[ProcessIdentity], patience_s: float) -> bool:
    """Wait until none of the processes lives; return False after `patience_s`."""
    watched = list(identities)
    deadline = asyncio.get_running_loop().time() + patience_s
    while any(find(known) is not None for known in watched):
        if asyncio.get_running_loop().time() >= deadline:
            return False
        await asyncio.sleep(0.05)
    return True


def _signal(known: ProcessIdentity, *, gently: bool) -> None:
    process = find(known)
    if process is None:
        return
    try:
        if gently:
            process.terminate()
        else:
            process.kill()
    except psutil.Error:
        return
