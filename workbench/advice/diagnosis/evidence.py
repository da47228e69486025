"""What each class of requests felt: where its first tokens lose time, against the others and the targets."""

from collections.abc import Callable, Iterable

import numpy as np

from workbench.advice.diagnosis.figure_text import millis, number, percent
from workbench.advice.diagnosis.run_view import RunView
from workbench.advice.diagnosis.sample_arrays import Bools, Series
from workbench.results import MachineSample


def class_sentences(view: RunView) -> dict[str, list[str]]:
    """By class, only where there is more than one."""
    classes = view.figures.get("classes")
    if not isinstance(classes, dict) or len(classes) < 2:
        return {}
    best = _best(view, list(classes))
    said = {name: _of_class(view, name, best) for name in classes}
    return {name: sentences for name, sentences in said.items() if sentences}


def _best(view: RunView, names: list[str]) -> float | None:
    known = [ttft for name in names if (ttft := _ttft(view, name)) is not None]
    return min(known, default=None)


def _ttft(view: RunView, name: str) -> float | None:
    p95 = view.figure("classes", name, "ttft_ms", "p95")
    return view.figure("classes", name, "ttft_ms", "p50") if p95 is None else p95


def _of_class(view: RunView, name: str, best: float | None) -> list[str]:
    ttft = _ttft(view, name)
    if ttft is None:
        return []
    which = "p50" if view.figure("classes", name, "ttft_ms", "p95") is None else "p95"
    sentences = []
    held = {**view.objectives, **view.class_objectives.get(name, {})}
    target = held.get("ttft_p95_ms")
    if target is not None:
        sentences.append(_against("TTFT", which, ttft, target))
    elif best is not None and ttft > 2 * best:
        sentences.append(f"TTFT {which} {millis(ttft)}, {number(ttft / best)} times the quickest class's.")
    queue = view.figure("classes", name, "queue_ms", "p95")
    if sentences and queue is not None and which == "p95":
        sentences.append(
            f"{millis(queue)} of it in the queue." if queue < ttft else "All of it in the queue."
        )
    for figure, words in (("itl", "inter-token latency"), ("e2e", "end to end")):
        value, limit = view.figure("classes", name, f"{figure}_ms", "p95"), held.get(f"{figure}_p95_ms")
        if value is not None and limit is not None:
            sentences.append(_against(words, "p95", value, limit))
    errors = view.figure("classes", name, "error_rate")
    if errors:
        sentences.append(f"{errors * 100:.1f} % failed or were refused.")
    return sentences


def _against(words: str, which: str, value: float, target: float) -> str:
    return f"{words} {which} {millis(value)} {'misses' if value > target else 'meets'} {millis(target)}."


# How busy GPUs and processors were while a limit bound: work may wait though the GPU has nothing to do.

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


# How long answers stood still: what a preemption or a long prefill does to those who read along.


def longest_pause(view: RunView) -> float | None:
    """The longest gap between two token events of any request, ms of the run; None: not recorded."""
    gaps = np.frombuffer(b"".join(view.requests.gaps_ms), dtype="<f4")
    if not len(gaps):
        return view.figure("event_gap_ms", "max")
    return float(gaps.max()) * view.time_scale
