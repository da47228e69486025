"""GPUs as the text of `nvidia-smi` tells them: where NVML can't be asked, as on another machine."""

import csv
import math
import shutil
import subprocess
from collections.abc import Iterable, Mapping
from typing import Self

from workbench.telemetry.gpu import Gpu, GpuProcess, throttling

GPU_FIELDS = (
    *("index", "uuid", "name", "memory.total", "memory.used", "utilization.gpu"),
    *("power.draw", "power.limit", "clocks.sm", "clocks_throttle_reasons.active"),
)
PROCESS_FIELDS = ("gpu_uuid", "pid", "used_memory")
GPU_QUERY = f"--query-gpu={','.join(GPU_FIELDS)}"
PROCESS_QUERY = f"--query-compute-apps={','.join(PROCESS_FIELDS)}"
SMI_FORMAT = "--format=csv,noheader,nounits"
"""Of both calls."""
_MIB = 1 << 20
_ANSWER_S = 10.0


class Smi:
    """The command on this machine, asked anew each time."""

    def __init__(self, command: str) -> None:
        self._command = command

    @classmethod
    def find(cls) -> Self | None:
        """None: it isn't there."""
        command = shutil.which("nvidia-smi")
        return cls(command) if command else None

    def gpus(self) -> list[Gpu]:
        """All GPUs; none while it doesn't answer."""
        cards = self._ask(GPU_QUERY)
        return gpus_from(cards, self._ask(PROCESS_QUERY)) if cards else []

    def close(self) -> None:
        """Nothing is held."""

    def _ask(self, query: str) -> str:
        words = [self._command, query, SMI_FORMAT]
        try:
            said = subprocess.run(words, capture_output=True, text=True, check=False, timeout=_ANSWER_S)
        except (OSError, subprocess.TimeoutExpired):
            return ""
        # One card that is lost ends the command with an error, and the others are told all the same.
        return said.stdout


def gpus_from(cards: str, processes: str) -> list[Gpu]:
    """The GPUs from the output of both queries; a field that isn't told ("[N/A]") is None.

    A line that isn't one of theirs (a warning, an error) is left out.
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
