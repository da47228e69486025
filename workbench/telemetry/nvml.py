"""GPUs of this machine as NVIDIA's library tells them; a machine without it, or without a GPU, is normal."""

import importlib
from collections.abc import Callable
from typing import Any, Self

from workbench.telemetry.gpu import Gpu, GpuProcess, throttling

NOT_INSTALLED = "nvidia-ml-py is not installed"


class Nvml:
    """An open NVML. Use `open_nvml`."""

    def __init__(self, library: Any) -> None:
        self._library = library
        self._seen: dict[int, int] = {}
        """By GPU, the stamp of the last look at what its processes use."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Let go of the library."""
        self._library.nvmlShutdown()

    @property
    def driver(self) -> str | None:
        """The driver's version."""
        version: str | None = self._ask(self._library.nvmlSystemGetDriverVersion)
        return version

    def gpus(self) -> list[Gpu]:
        """All GPUs."""
        count = self._ask(self._library.nvmlDeviceGetCount) or 0
        handles = [self._ask(self._library.nvmlDeviceGetHandleByIndex, index) for index in range(count)]
        # One may be lost, or none of ours to ask.
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
        """Share of the time since the last look in which each process's kernels ran; None: not told."""
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
        """The answer; None where this card or driver has none."""
        try:
            return question(*arguments)
        except self._library.NVMLError:
            return None


def open_nvml() -> tuple[Nvml | None, str]:
    """NVML if it is there, else the reason why not.

    The reason is empty where nothing is wrong: no NVIDIA driver on this machine.
    """
    try:
        library = importlib.import_module("pynvml")
    except ImportError:
        return None, NOT_INSTALLED
    try:
        library.nvmlInit()
    except library.NVMLError as error:
        no_driver = (library.NVML_ERROR_LIBRARY_NOT_FOUND, library.NVML_ERROR_DRIVER_NOT_LOADED)
        return None, "" if getattr(error, "value", None) in no_driver else f"NVML: {error}"
    return Nvml(library), ""
