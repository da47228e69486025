"""R13: another process holds the memory that a server is about to ask for, so it can't start."""

import math
from collections.abc import Mapping

from workbench.advice.diagnosis.changes import advise
from workbench.advice.diagnosis.findings import Finding
from workbench.base import Message, message
from workbench.telemetry import Gpu, GpuProcess

_GIB = 2**30
_LEAST_SHARE = 0.05
"""Share of the card below which no model can be served."""


def memory_held(gpu: Gpu, share: float, names: Mapping[int, str]) -> Finding | None:
    """Return a finding before a start if less memory is free than `gpu_memory_utilization` asks for.

    vLLM compares the same two figures when it starts, and gives up.

    Args:
        gpu: current figures of its driver.
        share: share of the card that the server will ask for.
        names: names of the processes on it, by pid, as far as known.
    """
    if gpu.memory_total is None or gpu.memory_used is None:
        return None
    total, free = gpu.memory_total / _GIB, (gpu.memory_total - gpu.memory_used) / _GIB
    if free >= share * total:
        return None
    holders = [
        message("advice.memory_holder", process=_process(one, names))
        if one.memory is None
        else message("advice.memory_holder_gib", process=_process(one, names), gib=one.memory / _GIB)
        for one in gpu.processes
    ]
    least = math.floor(100 * free / total) / 100
    change = message("advice.free_memory")
    if least >= _LEAST_SHARE:
        change = message("advice.free_memory_or_lower", share=least)
    return Finding(
        rule="R13",
        bottleneck=None,
        verdict=message(
            "advice.memory_short",
            index=gpu.index,
            gpu=gpu.name,
            free=free,
            total=total,
            share=share,
            wanted=share * total,
        ),
        evidence=[
            message("advice.memory_held_by", holders=holders)
            if holders
            else message("advice.memory_holder_unknown")
        ],
        moments=[],
        share=None,
        confidence="high",
        change=advise(change, message("advice.free_before_start")),
        source="vLLM issues 10439, 34643; model-serving-minefield issue 53",
    )


def _process(process: GpuProcess, names: Mapping[int, str]) -> Message:
    name = names.get(process.pid)
    if name is None:
        return message("advice.process_unknown", pid=process.pid)
    return message("advice.process", name=name, pid=process.pid)
