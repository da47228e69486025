"""How busy GPUs and processors were while a limit bound: work may wait though the GPU has nothing to do."""

from collections.abc import Callable, Iterable

import numpy as np

from workbench.advice.diagnosis.series import Bools, Series
from workbench.advice.diagnosis.view import RunView
from workbench.advice.diagnosis.words import number, percent
from workbench.results import MachineSample

_LEAST_LOOKS = 3
_IDLE_GPU = 0.5
"""Share of the time in which kernels ran, below which the GPU waits for somebody."""
_FULL_CORE = 0.9
"""Of one core: Python runs on one at a time."""
FULL_HOST = 0.9
"""Of all cores: more processes find no room."""


def looks_at(view: RunView, series: Series, mask: Bools) -> list[MachineSample]:
    """The looks at the machine that fall on the moments of a mask."""
    if not len(series) or not mask.any():
        return []
    found = []
    for look in view.machine:
        t = look.t * view.time_scale
        if series.t[0] <= t <= series.t[-1] and mask[int(np.argmin(np.abs(series.t - t)))]:
            found.append(look)
    return found


def usual(looks: Iterable[MachineSample], of: Callable[[MachineSample], float | None]) -> float | None:
    """The median of a figure; None where fewer than three looks tell it."""
    told = [value for look in looks if (value := of(look)) is not None]
    return float(np.median(told)) if len(told) >= _LEAST_LOOKS else None


def gpu_use(look: MachineSample) -> float | None:
    """Mean utilisation of the server's own GPUs."""
    told = [gpu.utilisation for gpu in look.gpus if gpu.memory_ours != 0 and gpu.utilisation is not None]
    return sum(told) / len(told) if told else None


def machine_meanwhile(view: RunView, series: Series, mask: Bools) -> list[str]:
    """What the GPU did while requests waited, and who else may have held it up; nothing without a GPU."""
    looks = looks_at(view, series, mask)
    busy = usual(looks, gpu_use)
    if busy is None:
        return []
    if busy >= _IDLE_GPU:
        return [f"The GPU was busy {percent(busy)} of the time meanwhile."]
    engine, host = usual(looks, lambda look: look.engine_cpu), usual(looks, lambda look: look.host_cpu)
    why = ""
    if host is not None and host >= FULL_HOST:
        why = f"; the machine's cores are {percent(host)} busy"
    elif engine is not None and engine >= _FULL_CORE:
        why = f"; the engine's process has {number(engine)} of a core busy: it holds the GPU up"
    said = f"The GPU was busy only {percent(busy)} of the time meanwhile{why}."
    return [said, "Processors, network and model loading come before batching then."]
