"""The GPUs of a machine now, from NVML or nvidia-smi, and a server's share of them."""

import csv
import importlib
import math
import shutil
import subprocess
from collections.abc import Callable, Collection, Iterable, Mapping
from typing import Any, Self

from workbench.base import Message, Record, message
from workbench.results import GpuSample

_THROTTLES = {
    0x4: "power cap",
    0x8: "hardware slowdown",
    0x20: "thermal, by software",
    0x40: "thermal, by hardware",
    0x80: "power brake",
}
"""Bits of NVML's clocks-event reasons that mean slower than asked; idle (1) and set clocks (2) are none."""


class GpuProcess(Record, frozen=True, kw_only=True):
    """A process that holds memory of a GPU."""

    pid: int
    memory: int | None
    """Bytes; None: unknown (in some containers)."""
    utilisation: float | None = None
    """Share of the last interval in which its kernels ran, 0 to 1."""


class Gpu(Record, frozen=True, kw_only=True):
    """One GPU now. None: unknown for this card."""

    index: int
    name: str
    memory_total: int | None
    """Bytes; None for a card that shares the machine's memory."""
    memory_used: int | None
    processes: tuple[GpuProcess, ...] = ()
    utilisation: float | None = None
    """Share of the last sampling period in which a kernel ran, 0 to 1."""
    power_w: float | None = None
    power_cap_w: float | None = None
    """The limit in force."""
    sm_clock_mhz: float | None = None
    throttling: tuple[str, ...] = ()


def throttling(reasons: int) -> tuple[str, ...]:
    """Return the reasons why a GPU runs slower than asked, from NVML's bits."""
    return tuple(text for bit, text in _THROTTLES.items() if reasons & bit)


def gpu_sample(gpu: Gpu, ours: Collection[int]) -> GpuSample:
    """Return a sample that separates our processes from others if the driver lists their memory."""
    listed = [one for one in gpu.processes if one.memory is not None]
    known = len(listed) == len(gpu.processes) and bool(listed)
    held = sum(one.memory or 0 for one in listed if one.pid in ours)
    others = [one for one in gpu.processes if one.pid not in ours]
    uses = [one.utilisation for one in others]
    return GpuSample(
        index=gpu.index,
        memory_used=gpu.memory_used,
        memory_total=gpu.memory_total or None,
        memory_ours=held if known else None,
        memory_others=max(0, gpu.memory_used - held) if known and gpu.memory_used is not None else None,
        others=len(others),
        others_utilisation=None if None in uses else min(1.0, sum(use or 0.0 for use in uses)),
        utilisation=gpu.utilisation,
        power_w=gpu.power_w,
        power_cap_w=gpu.power_cap_w,
        sm_clock_mhz=gpu.sm_clock_mhz,
        throttling=list(gpu.throttling),
    )


# GPUs of this machine from NVIDIA's library; a machine without it, or without a GPU, is normal.

NOT_INSTALLED = message("telemetry.nvml_not_installed")


class Nvml:
    """An open NVML. Use `open_nvml`."""

    def __init__(self, library: Any) -> None:
        self._library = library
        self._seen: dict[int, int] = {}
        """By GPU, the stamp of the last look at its processes' use."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Shut the library down."""
        self._library.nvmlShutdown()

    @property
    def driver(self) -> str | None:
        """The driver's version."""
        version: str | None = self._ask(self._library.nvmlSystemGetDriverVersion)
        return version

    def gpus(self) -> list[Gpu]:
        """Return all GPUs."""
        count = self._ask(self._library.nvmlDeviceGetCount) or 0
        handles = [self._ask(self._library.nvmlDeviceGetHandleByIndex, index) for index in range(count)]
        # One may be lost, or not ours to query.
        return [self._gpu(index, handle) for index, handle in enumerate(handles) if handle is not None]

    def _gpu(self, index: int, handle: Any) -> Gpu:
        library = self._library
        memory = self._ask(library.nvmlDeviceGetMemoryInfo, handle)
        rates = self._ask(library.nvmlDeviceGetUtilizationRates, handle)
        power = self._ask(library.nvmlDeviceGetPowerUsage, handle)
        cap = self._ask(library.nvmlDeviceGetEnforcedPowerLimit, handle)
        clock = self._ask(library.nvmlDeviceGetClockInfo, handle, library.NVML_CLOCK_SM)
        reasons = self._ask(library.nvmlDeviceGetCurrentClocksThrottleReasons, handle) or 0
        uses = self._uses(index, handle)
        return Gpu(
            index=index,
            name=str(self._ask(library.nvmlDeviceGetName, handle) or "GPU"),
            memory_total=memory.total if memory else None,
            memory_used=memory.used if memory else None,
            processes=tuple(
                GpuProcess(
                    pid=one.pid,
                    memory=one.usedGpuMemory,
                    utilisation=None if uses is None else uses.get(one.pid, 0.0),
                )
                for one in self._ask(library.nvmlDeviceGetComputeRunningProcesses, handle) or ()
            ),
            utilisation=rates.gpu / 100 if rates else None,
            power_w=power / 1000 if power is not None else None,
            power_cap_w=cap / 1000 if cap is not None else None,
            sm_clock_mhz=float(clock) if clock is not None else None,
            throttling=throttling(reasons),
        )

    def _uses(self, index: int, handle: Any) -> dict[int, float] | None:
        """Return by process the share of time since the last look in which its kernels ran; None: unknown."""
        question = getattr(self._library, "nvmlDeviceGetProcessUtilization", None)
        if question is None:
            return None
        try:
            samples = question(handle, self._seen.get(index, 0))
        except self._library.NVMLError as error:
            # No sample since then: nothing ran.
            nothing = getattr(self._library, "NVML_ERROR_NOT_FOUND", None)
            return {} if nothing is not None and getattr(error, "value", None) == nothing else None
        self._seen[index] = max((one.timeStamp for one in samples), default=self._seen.get(index, 0))
        by_pid: dict[int, list[float]] = {}
        for one in samples:
            by_pid.setdefault(one.pid, []).append(one.smUtil / 100)
        return {pid: sum(shares) / len(shares) for pid, shares in by_pid.items()}

    def _ask(self, question: Callable[..., Any], *arguments: Any) -> Any:
        """Return the answer; None: this card or driver has none."""
        try:
            return question(*arguments)
        except self._library.NVMLError:
            return None


def open_nvml() -> tuple[Nvml | None, Message | None]:
    """Open NVML, or return why it can't be opened.

    Both are None on a machine without an NVIDIA driver, where nothing is wrong.
    """
    try:
        library = importlib.import_module("pynvml")
    except ImportError:
        return None, NOT_INSTALLED
    try:
        library.nvmlInit()
    except library.NVMLError as error:
        no_driver = (library.NVML_ERROR_LIBRARY_NOT_FOUND, library.NVML_ERROR_DRIVER_NOT_LOADED)
        if getattr(error, "value", None) in no_driver:
            return None, None
        return None, message("telemetry.nvml_error", error=str(error))
    return Nvml(library), None


# GPUs from the text of `nvidia-smi`, for machines whose NVML can't be called, such as a remote one.

GPU_FIELDS = (
    *("index", "uuid", "name", "memory.total", "memory.used", "utilization.gpu"),
    *("power.draw", "power.limit", "clocks.sm", "clocks_throttle_reasons.active"),
)
PROCESS_FIELDS = ("gpu_uuid", "pid", "used_memory")
GPU_QUERY = f"--query-gpu={','.join(GPU_FIELDS)}"
PROCESS_QUERY = f"--query-compute-apps={','.join(PROCESS_FIELDS)}"
SMI_FORMAT = "--format=csv,noheader,nounits"
"""The format of both queries."""
_MIB = 1 << 20
_ANSWER_S = 10.0


class Smi:
    """The command `nvidia-smi` on this machine, run for each look."""

    def __init__(self, command: str) -> None:
        self._command = command

    @classmethod
    def find(cls) -> Self | None:
        """Find the command; None: it isn't there."""
        command = shutil.which("nvidia-smi")
        return cls(command) if command else None

    def gpus(self) -> list[Gpu]:
        """Return all GPUs; none while the command doesn't answer."""
        cards = self._ask(GPU_QUERY)
        return gpus_from(cards, self._ask(PROCESS_QUERY)) if cards else []

    def close(self) -> None:
        """Do nothing: nothing is held open."""

    def _ask(self, query: str) -> str:
        words = [self._command, query, SMI_FORMAT]
        try:
            said = subprocess.run(words, capture_output=True, text=True, check=False, timeout=_ANSWER_S)
        except (OSError, subprocess.TimeoutExpired):
            return ""
        # A lost card ends the command with an error, but the others are still listed.
        return said.stdout


def gpus_from(cards: str, processes: str) -> list[Gpu]:
    """Return the GPUs from the output of both queries; a field without a value ("[N/A]") is None.

    Other lines (a warning, an error) are left out.
    """
    holding: dict[str, list[GpuProcess]] = {}
    for row in _rows(processes, PROCESS_FIELDS):
        pid = _number(row["pid"])
        if pid is not None:
            one = GpuProcess(pid=int(pid), memory=_bytes(row["used_memory"]))
            holding.setdefault(row["gpu_uuid"], []).append(one)
    return [
        _gpu(row, tuple(holding.get(row["uuid"], ())))
        for row in _rows(cards, GPU_FIELDS)
        if row["index"].isdigit()
    ]


def _gpu(row: Mapping[str, str], processes: tuple[GpuProcess, ...]) -> Gpu:
    utilisation = _number(row["utilization.gpu"])
    return Gpu(
        index=int(row["index"]),
        name=row["name"],
        memory_total=_bytes(row["memory.total"]),
        memory_used=_bytes(row["memory.used"]),
        processes=processes,
        utilisation=None if utilisation is None else utilisation / 100,
        power_w=_number(row["power.draw"]),
        power_cap_w=_number(row["power.limit"]),
        sm_clock_mhz=_number(row["clocks.sm"]),
        throttling=throttling(_bits(row["clocks_throttle_reasons.active"])),
    )


def _rows(text: str, fields: tuple[str, ...]) -> Iterable[dict[str, str]]:
    for cells in csv.reader(text.splitlines(), skipinitialspace=True):
        if len(cells) == len(fields):
            yield dict(zip(fields, (cell.strip() for cell in cells), strict=True))


def _number(text: str) -> float | None:
    try:
        number = float(text)
    except ValueError:
        return None
    return number if math.isfinite(number) else None


def _bytes(mib: str) -> int | None:
    number = _number(mib)
    return None if number is None else int(number * _MIB)


def _bits(text: str) -> int:
    try:
        return int(text, 16)
    except ValueError:
        return 0
