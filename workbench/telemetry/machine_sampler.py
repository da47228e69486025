"""Sample the machine under a server once a second: CPUs, network, disks and GPUs."""

import asyncio
from collections.abc import Callable, Collection
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Protocol, TypeVar

import psutil

from workbench.base import in_own_thread, now
from workbench.results import MachineSample
from workbench.telemetry.gpu import Nvml, Smi, gpu_sample, open_nvml
from workbench.telemetry.other_processes import OtherProcesses

_LOOK_EVERY = 5
"""Ticks between two searches for new descendants; vLLM has started all of them when it is ready."""
_LOOPBACK = ("lo", "Loopback")
_LAST_LOOK_S = 2.0
"""Time for a look that is under way at the stop; a driver may never answer."""
_OTHER_ACCELERATORS = (Path("/dev/kfd"), Path("/dev/accel"), Path("/dev/dxg"))
"""Devices of AMD's, Google's and Intel's accelerators, and of a GPU under WSL."""
T = TypeVar("T")


class OthersSampler(Protocol):
    """A source of the share of this machine that other processes took since the last look."""

    def share(self) -> float | None:
        """Return the share of the usable cores, 0 to 1; None: unknown."""


class MachineSampler:
    """Samples the machine and the servers' processes on it.

    Args:
        pids: the servers' first processes; their descendants are found. Empty: the machine alone.
        interval_s: seconds between samples.
        zero: the clock's value at t = 0; may be set when the schedule's start is known.
        gpus: look at GPUs; a simulated server has none.
        others: the source of the share that other processes take.
    """

    def __init__(
        self,
        pids: Collection[int],
        interval_s: float = 1.0,
        *,
        zero: float = 0.0,
        gpus: bool = True,
        others: OthersSampler | None = None,
    ) -> None:
        self.zero = zero
        self._others = others or OtherProcesses(pids)
        self._gpus = gpus
        self._interval_s = interval_s
        self._processes = _Processes(pids)
        self._host = _Host()

    async def run(self, on_sample: Callable[[MachineSample], None], stop: asyncio.Event) -> None:
        """Sample until `stop` is set; the first sample comes after one interval, as rates need two looks.

        A look that hangs is a gap, and doesn't delay the stop.
        """
        library = await _unless(stop, open_gpus) if self._gpus else None
        look, seen = partial(self._look, library), None
        try:
            seen = await _unless(stop, look)
            while seen is not None and not stop.is_set():
                with suppress(TimeoutError):
                    await asyncio.wait_for(stop.wait(), self._interval_s)
                    break
                seen = await _unless(stop, look)
                if seen is not None:
                    on_sample(seen)
        finally:
            # A look that hangs still uses the library.
            if library is not None and seen is not None:
                library.close()

    def _look(self, library: Nvml | Smi | None) -> MachineSample:
        t = now() - self.zero
        cpu = self._processes.cpu()
        host = self._host.rates()
        gpus = [gpu_sample(gpu, self._processes.pids) for gpu in library.gpus()] if library else []
        return MachineSample(t=t, gpus=gpus, others_cpu=self._others.share(), **cpu, **host)


async def _unless(stop: asyncio.Event, call: Callable[[], T]) -> T | None:
    """Return the result of `call`; None: `stop` was set and it didn't return in time."""
    calling, stopping = asyncio.create_task(in_own_thread(call)), asyncio.create_task(stop.wait())
    try:
        await asyncio.wait({calling, stopping}, return_when=asyncio.FIRST_COMPLETED)
        await asyncio.wait({calling}, timeout=_LAST_LOOK_S)
        return calling.result() if calling.done() else None
    finally:
        calling.cancel()
        stopping.cancel()


def open_gpus() -> Nvml | Smi | None:
    """Open NVML, else find `nvidia-smi`; None: there is neither."""
    return open_nvml()[0] or Smi.find()


def has_gpu() -> bool:
    """Return whether this machine has a GPU or another accelerator that vLLM could run on."""
    if any(path.exists() for path in _OTHER_ACCELERATORS):
        return True
    gpus = open_gpus()
    if gpus is None:
        return False
    try:
        return bool(gpus.gpus())
    finally:
        gpus.close()


class _Processes:
    """CPU time of the servers' processes, by their role."""

    def __init__(self, pids: Collection[int]) -> None:
        self.pids: set[int] = set()
        self._first = list(pids)
        self._known: dict[int, tuple[psutil.Process, str]] = {}
        self._before: dict[int, tuple[float, float]] = {}
        """By pid: when looked, CPU seconds then."""
        self._looks = 0

    def cpu(self) -> dict[str, float | None]:
        """Return the cores busy since the last look, by role; None: no such process."""
        if self._looks % _LOOK_EVERY == 0:
            self._find()
        self._looks += 1
        busy: dict[str, float | None] = {"api_cpu": None, "engine_cpu": None, "worker_cpu": None}
        for pid, (process, role) in list(self._known.items()):
            cores = self._cores(pid, process)
            if cores is not None:
                busy[role] = (busy[role] or 0.0) + cores
        return busy

    def _cores(self, pid: int, process: psutil.Process) -> float | None:
        try:
            times = process.cpu_times()
        except psutil.Error:
            self._known.pop(pid, None)
            return None
        at, used = now(), times.user + times.system
        before = self._before.get(pid)
        self._before[pid] = (at, used)
        return (used - before[1]) / (at - before[0]) if before and at > before[0] else None

    def _find(self) -> None:
        for first in self._first:
            with suppress(psutil.Error):
                root = psutil.Process(first)
                for process in (root, *root.children(recursive=True)):
                    if process.pid not in self._known:
                        self._known[process.pid] = (process, _role(process, is_first=process.pid == first))
        self.pids = set(self._known)


def _role(process: psutil.Process, *, is_first: bool) -> str:
    words = [process.name()]
    with suppress(psutil.Error):
        words += process.cmdline()
    return role_of(" ".join(words), is_first=is_first)


def role_of(text: str, *, is_first: bool) -> str:
    """Return the field of a `MachineSample` that a server's process counts for.

    vLLM's processes are recognized by their names, the embedded engine's by their command.
    """
    if is_first:
        return "api_cpu"
    if "EngineCor" in text or "workbench.engine" in text:
        return "engine_cpu"
    return "worker_cpu" if "VLLM::Worker" in text else "api_cpu"


class _Host:
    """Rates of the whole machine between two looks."""

    def __init__(self) -> None:
        self._before: dict[str, float] = {}
        self._at = now()

    def rates(self) -> dict[str, float | None]:
        """Return CPU as a share of all cores, network and disk in bytes a second; None at the first look."""
        totals, at = self._totals(), now()
        seconds, self._at = at - self._at, at
        before, self._before = self._before, totals
        change = {name: totals[name] - before[name] for name in totals if name in before}
        cpu_s = change.pop("cpu_s", None)
        # The kernel's iowait may go back, so that more seems busy than there was.
        busy = min(1.0, max(0.0, change.pop("busy_s", 0.0) / cpu_s)) if cpu_s else None
        names = ("net_received", "net_sent", "disk_read")
        return {"host_cpu": busy, **{name: _rate(change.get(name), seconds) for name in names}}

    @staticmethod
    def _totals() -> dict[str, float]:
        cpu = psutil.cpu_times()
        whole = sum(cpu) - getattr(cpu, "guest", 0.0) - getattr(cpu, "guest_nice", 0.0)
        idle = cpu.idle + getattr(cpu, "iowait", 0.0)
        totals = {"cpu_s": whole, "busy_s": whole - idle}
        cards = psutil.net_io_counters(pernic=True)
        outside = [card for name, card in cards.items() if not name.startswith(_LOOPBACK)]
        totals["net_received"] = float(sum(card.bytes_recv for card in outside))
        totals["net_sent"] = float(sum(card.bytes_sent for card in outside))
        disks = psutil.disk_io_counters()
        return totals if disks is None else totals | {"disk_read": float(disks.read_bytes)}


def _rate(change: float | None, seconds: float) -> float | None:
    return None if change is None or seconds <= 0 else max(0.0, change / seconds)


# CPU of the load generator's own processes: one that fills its core sends late.


class BusiestChild:
    """CPU of this process's children whose command line has a word."""

    def __init__(self, word: str) -> None:
        self._word = word
        self._children: list[psutil.Process] = []
        self._before: dict[int, tuple[float, float]] = {}
        """By pid: when looked, CPU seconds then."""

    def find(self) -> None:
        """Search for the children again; takes some milliseconds."""
        self._children = [child for child in psutil.Process().children() if self._is_one(child)]
        self.cores()

    def cores(self) -> float | None:
        """Return the cores that the busiest has used since the last look; None: nothing to compare with."""
        found = [used for child in self._children if (used := self._used(child)) is not None]
        return max(found, default=None)

    def _is_one(self, child: psutil.Process) -> bool:
        with suppress(psutil.Error):
            return any(self._word in part for part in child.cmdline())
        return False

    def _used(self, child: psutil.Process) -> float | None:
        try:
            times = child.cpu_times()
        except psutil.Error:
            return None
        at, used = now(), times.user + times.system
        before = self._before.get(child.pid)
        self._before[child.pid] = (at, used)
        return (used - before[1]) / (at - before[0]) if before and at > before[0] else None
