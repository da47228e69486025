"""Rule R13: another process holds the memory that a server is about to ask for, so that it can't start."""

import math
from collections.abc import Mapping

from workbench.advice.diagnosis.changes import advise
from workbench.advice.diagnosis.records import Finding
from workbench.advice.diagnosis.words import number
from workbench.telemetry import Gpu

_GIB = 2**30
_LEAST_SHARE = 0.05
"""Of the card; with less no model is served."""


def memory_held(gpu: Gpu, share: float, names: Mapping[int, str]) -> Finding | None:
    """Said before a start, where less is free than `gpu_memory_utilization` asks for; None: it is enough.

    vLLM compares the same two figures when it starts, and gives up.

    Args:
        gpu: as its driver tells it now.
        share: what the server will ask for of the whole card.
        names: of the processes on it, by pid, as far as they are known.
    """
    if gpu.memory_total is None or gpu.memory_used is None:
        return None
    total, free = gpu.memory_total / _GIB, (gpu.memory_total - gpu.memory_used) / _GIB
    if free >= share * total:
        return None
    holders = ", ".join(
        f"{names.get(one.pid, 'a process of somebody else')} ({one.pid})"
        + ("" if one.memory is None else f" {one.memory / _GIB:.1f} GiB")
        for one in gpu.processes
    )
    least = math.floor(100 * free / total) / 100
    lower = f", or set gpu_memory_utilization to {least:g} at most" if least >= _LEAST_SHARE else ""
    return Finding(
        rule="R13",
        bound=None,
        verdict=(
            f"GPU {gpu.index} ({gpu.name}) has {free:.1f} of {total:.1f} GiB free, and gpu_memory_utilization"
            f" {number(share)} wants {share * total:.1f}: vLLM won't start there."
        ),
        evidence=[
            f"Held by {holders}." if holders else "Its driver doesn't tell from here who holds the rest."
        ],
        moments=[],
        share=None,
        confidence="high",
        change=advise(f"end what isn't needed there{lower}.", "free memory before the start"),
        source="vLLM issues 10439, 34643; model-serving-minefield issue 53",
    )
