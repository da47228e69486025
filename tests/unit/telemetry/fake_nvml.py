"""A stand-in for the module `pynvml`: two cards, one of which tells little."""

from types import ModuleType, SimpleNamespace
from typing import Any


class NVMLError(Exception):
    def __init__(self, value: int) -> None:
        super().__init__(f"error {value}")
        self.value = value


def module(*, fails: int | None = None, processes: tuple[tuple[int, int | None], ...] = ()) -> Any:
    """With `fails`, initialising ends with this error; `processes` hold memory of the first card."""
    library: Any = ModuleType("pynvml")
    library.closed = 0

    def start() -> None:
        if fails is not None:
            raise NVMLError(fails)

    def stop() -> None:
        library.closed += 1

    def only_first(value: Any) -> Any:
        def answer(handle: int, *_: Any) -> Any:
            if handle:
                raise NVMLError(3)
            return value

        return answer

    library.NVMLError = NVMLError
    library.NVML_ERROR_DRIVER_NOT_LOADED, library.NVML_ERROR_LIBRARY_NOT_FOUND = 9, 12
    library.NVML_CLOCK_SM = 1
    library.nvmlInit, library.nvmlShutdown = start, stop
    library.nvmlSystemGetDriverVersion = lambda: "570.1"
    library.nvmlDeviceGetCount = lambda: 2
    library.nvmlDeviceGetHandleByIndex = lambda index: index
    library.nvmlDeviceGetName = lambda _: "H200"
    library.nvmlDeviceGetMemoryInfo = lambda _: SimpleNamespace(total=100 << 30, used=60 << 30)
    library.nvmlDeviceGetUtilizationRates = only_first(SimpleNamespace(gpu=85))
    library.nvmlDeviceGetPowerUsage = only_first(412_500)
    library.nvmlDeviceGetEnforcedPowerLimit = only_first(700_000)
    library.nvmlDeviceGetClockInfo = only_first(1980)
    library.nvmlDeviceGetCurrentClocksThrottleReasons = only_first(0x1 | 0x4 | 0x40)
    library.nvmlDeviceGetComputeRunningProcesses = only_first(
        [SimpleNamespace(pid=pid, usedGpuMemory=memory) for pid, memory in processes]
    )
    return library
