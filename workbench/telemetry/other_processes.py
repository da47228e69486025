"""The share of this machine's cores that processes take which are neither ours nor the server's."""

import os
from collections.abc import Collection, Iterator
from contextlib import suppress
from typing import NamedTuple

import psutil

from workbench.base import now
from workbench.telemetry.usable_cores import allowed_cores, usable_cores

_LOOK_EVERY = 5
"""Looks between two searches for new descendants."""
_NOT_OF_PROCESSES = ("idle", "iowait", "irq", "softirq", "guest", "guest_nice")
"""CPU times that no process causes: interrupts serve mostly our own load; guests' time is in the user's."""


class _Totals(NamedTuple):
    """CPU seconds so far."""

    at: float
    processes: float
    """All processes on the cores that we may use, with the time that a virtual machine's host took."""
    ours: float
    """Our processes and the server's, with their ended children."""


class OtherProcesses:
    """The share of the usable cores that others took since the last look.

    Args:
        servers: the first processes of the servers on this machine; their descendants are found.
    """

    def __init__(self, servers: Collection[int] = ()) -> None:
        self._servers = tuple(servers)
        self._known: dict[int, psutil.Process] = {}
        self._before: _Totals | None = None
        self._looks = 0

    def share(self) -> float | None:
        """Return the share, 0 to 1; None: the first look, or a server's process can't be seen."""
        totals, before = self._totals(), self._before
        self._before = totals
        if totals is None or before is None:
            return None
        seconds, ours = totals.at - before.at, totals.ours - before.ours
        busy = totals.processes - before.processes
        # The CPU time of a descendant that ended without its parent is lost, so the share is unknown.
        if seconds <= 0 or busy <= 0 or ours < 0:
            return None
        return share_taken((busy - ours) / seconds, len(allowed_cores()), usable_cores())

    def _totals(self) -> _Totals | None:
        if self._looks % _LOOK_EVERY == 0 and not self._find():
            return None
        self._looks += 1
        at, processes = now(), _busy_s()
        used = [seconds for process in list(self._known.values()) if (seconds := _cpu_s(process)) is not None]
        return _Totals(at=at, processes=processes, ours=sum(used))

    def _find(self) -> bool:
        """Find our processes and the servers'; return whether all servers can be seen."""
        found: dict[int, psutil.Process] = {}
        for first in (os.getpid(), *self._servers):
            for process in _tree(first):
                found[process.pid] = process
            if first not in found:
                return False
        # The parent is the window that started this process, or the shell.
        with suppress(psutil.Error):
            parent = psutil.Process(os.getppid())
            found[parent.pid] = parent
        self._known = {pid: self._known.get(pid, process) for pid, process in found.items()}
        return True


def share_taken(others: float, allowed: float, usable: float) -> float:
    """Return the share of the usable cores that others took.

    If a quota leaves us `usable` of `allowed` cores, others first take those that we may not use.
    """
    taken = max(0.0, others - (allowed - usable))
    return min(1.0, taken / usable)


_PASS_ON = (
    *("docker-proxy", "rootlessport", "rootlesskit", "slirp4netns", "pasta", "com.docker.backend", "gvproxy"),
    *("nginx", "haproxy", "envoy", "traefik", "caddy", "litellm", "socat", "kubectl"),
)
"""Programs that forward requests to another process, perhaps on this machine."""


def listening_processes(port: int) -> tuple[int, ...] | None:
    """Return the processes of this machine that listen on a port.

    None: the system doesn't show them, or they forward to unknown processes.
    """
    try:
        connections = psutil.net_connections(kind="tcp")
        listening = [one for one in connections if one.status == psutil.CONN_LISTEN]
        pids = {one.pid for one in listening if one.laddr and one.laddr.port == port}
        names = [psutil.Process(pid).name() for pid in pids if pid]
    except (psutil.Error, OSError):
        return None
    if len(names) < max(1, len(pids)) or any(name.startswith(_PASS_ON) for name in names):
        return None
    return tuple(pid for pid in pids if pid)


def _tree(first: int) -> Iterator[psutil.Process]:
    with suppress(psutil.Error):
        root = psutil.Process(first)
        yield root
        yield from root.children(recursive=True)


def _busy_s() -> float:
    cores = set(allowed_cores())
    return sum(
        sum(value for name, value in one._asdict().items() if name not in _NOT_OF_PROCESSES)
        for core, one in enumerate(psutil.cpu_times(percpu=True))
        if core in cores
    )


def _cpu_s(process: psutil.Process) -> float | None:
    try:
        times = process.cpu_times()
    except psutil.Error:
        return None
    return float(sum(times[:4]))
