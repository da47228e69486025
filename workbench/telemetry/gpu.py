"""One GPU right now, whoever tells it, and what of it is a server's."""

from collections.abc import Collection

from workbench.base import Record
from workbench.results import GpuSample

_THROTTLES = {
    0x4: "power cap",
    0x8: "hardware slowdown",
    0x20: "thermal, by software",
    0x40: "thermal, by hardware",
    0x80: "power brake",
}
"""Bits of NVML's clocks-event reasons that mean slower than asked; idle (1) and set clocks (2) don't."""


class GpuProcess(Record, frozen=True, kw_only=True):
    """A process that holds memory of a GPU."""

    pid: int
    memory: int | None
    """Bytes; None: the driver doesn't tell (in some containers)."""
    utilisation: float | None = None
    """Share of the last interval in which its kernels ran, 0 to 1."""


class Gpu(Record, frozen=True, kw_only=True):
    """One GPU right now. None: this card doesn't tell."""

    index: int
    name: str
    memory_total: int | None
    """Bytes. A card that shares the machine's memory tells neither."""
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
    """Why a GPU runs slower than asked, in words, from NVML's bits."""
    return tuple(text for bit, text in _THROTTLES.items() if reasons & bit)


def gpu_sample(gpu: Gpu, ours: Collection[int]) -> GpuSample:
    """Where the driver tells who holds what, the memory of our processes and the others' apart."""
    told = [one for one in gpu.processes if one.memory is not None]
    knows = len(told) == len(gpu.processes) and bool(told)
    held = sum(one.memory or 0 for one in told if one.pid in ours)
    others = [one for one in gpu.processes if one.pid not in ours]
    uses = [one.utilisation for one in others]
    return GpuSample(
        index=gpu.index,
        memory_used=gpu.memory_used,
        memory_total=gpu.memory_total or None,
        memory_ours=held if knows else None,
        memory_others=max(0, gpu.memory_used - held) if knows and gpu.memory_used is not None else None,
        others=len(others),
        others_utilisation=None if None in uses else min(1.0, sum(use or 0.0 for use in uses)),
        utilisation=gpu.utilisation,
        power_w=gpu.power_w,
        power_cap_w=gpu.power_cap_w,
        sm_clock_mhz=gpu.sm_clock_mhz,
        throttling=list(gpu.throttling),
    )
