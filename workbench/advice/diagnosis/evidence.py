"""Evidence that several rules use: classes of requests, the machine meanwhile, pauses within answers."""

from collections.abc import Callable, Iterable

import numpy as np

from workbench.advice.diagnosis.array_operations import Bools
from workbench.advice.diagnosis.run_view import RunView
from workbench.advice.diagnosis.series import Series
from workbench.base import Message, message
from workbench.results import MachineSample

_SLOW = 2.0
"""Times the quickest class's TTFT from which a class is mentioned."""
_LATENCIES = {"itl": message("advice.inter_token_latency"), "e2e": message("advice.end_to_end")}


def class_notes(view: RunView) -> dict[str, list[Message]]:
    """Return what each class of requests felt; empty if there is only one class."""
    classes = view.figures.get("classes")
    if not isinstance(classes, dict) or len(classes) < 2:
        return {}
    known = [ttft for name in classes if (ttft := _ttft(view, name)) is not None]
    notes = {name: _of_class(view, name, min(known, default=None)) for name in classes}
    return {name: told for name, told in notes.items() if told}


def _ttft(view: RunView, name: str) -> float | None:
    p95 = view.figure("classes", name, "ttft_ms", "p95")
    return view.figure("classes", name, "ttft_ms", "p50") if p95 is None else p95


def _of_class(view: RunView, name: str, best: float | None) -> list[Message]:
    ttft = _ttft(view, name)
    if ttft is None:
        return []
    which = "p50" if view.figure("classes", name, "ttft_ms", "p95") is None else "p95"
    notes = []
    objectives = {**view.objectives, **view.class_objectives.get(name, {})}
    target = objectives.get("ttft_p95_ms")
    if target is not None:
        notes.append(_against(message("advice.ttft"), which, ttft, target))
    elif best is not None and ttft > _SLOW * best:
        notes.append(message("advice.class_slow", which=which, ttft=ttft, times=ttft / best))
    queue = view.figure("classes", name, "queue_ms", "p95")
    if notes and queue is not None and which == "p95":
        in_queue = message("advice.queue_part", queue=queue)
        notes.append(in_queue if queue < ttft else message("advice.all_in_queue"))
    for figure, words in _LATENCIES.items():
        value = view.figure("classes", name, f"{figure}_ms", "p95")
        limit = objectives.get(f"{figure}_p95_ms")
        if value is not None and limit is not None:
            notes.append(_against(words, "p95", value, limit))
    errors = view.figure("classes", name, "error_rate")
    if errors:
        notes.append(message("advice.class_errors", share=100 * errors))
    return notes


def _against(words: Message, which: str, value: float, target: float) -> Message:
    if value > target:
        return message("advice.misses", figure=words, which=which, value=value, target=target)
    return message("advice.meets", figure=words, which=which, value=value, target=target)


# The use of GPUs and processors while a limit applied: work may wait though the GPU has nothing to do.

_LEAST_SAMPLES = 3
_IDLE_GPU = 0.5
"""Share of the time in which kernels ran, below which the GPU waits for something."""
_FULL_CORE = 0.9
"""Share of one core, because Python runs on one at a time."""
FULL_HOST = 0.9
"""Share of all cores above which more processes find no room."""


def machine_samples(view: RunView, series: Series, mask: Bools) -> list[MachineSample]:
    """Return the machine's samples within a mask."""
    if not len(series) or not mask.any():
        return []
    found = []
    for sample in view.machine:
        t = sample.t * view.time_scale
        if series.t[0] <= t <= series.t[-1] and mask[int(np.argmin(np.abs(series.t - t)))]:
            found.append(sample)
    return found


def median_of(
    samples: Iterable[MachineSample], figure: Callable[[MachineSample], float | None]
) -> float | None:
    """Return the median of a figure; None if fewer than three samples have it."""
    known = [value for sample in samples if (value := figure(sample)) is not None]
    return float(np.median(known)) if len(known) >= _LEAST_SAMPLES else None


def gpu_use(sample: MachineSample) -> float | None:
    """Return the mean utilization of the server's own GPUs."""
    known = [gpu.utilisation for gpu in sample.gpus if gpu.memory_ours != 0 and gpu.utilisation is not None]
    return sum(known) / len(known) if known else None


def machine_meanwhile(view: RunView, series: Series, mask: Bools) -> list[Message]:
    """Return the GPU's use while requests waited, and why it was idle; empty without a GPU."""
    samples = machine_samples(view, series, mask)
    busy = median_of(samples, gpu_use)
    if busy is None:
        return []
    if busy >= _IDLE_GPU:
        return [message("advice.gpu_busy", share=busy)]
    engine = median_of(samples, lambda sample: sample.engine_cpu)
    host = median_of(samples, lambda sample: sample.host_cpu)
    if host is not None and host >= FULL_HOST:
        idle = message("advice.gpu_idle_host", share=busy, host=host)
    elif engine is not None and engine >= _FULL_CORE:
        idle = message("advice.gpu_idle_engine", share=busy, cores=engine)
    else:
        idle = message("advice.gpu_idle", share=busy)
    return [idle, message("advice.before_batching")]


def longest_pause(view: RunView) -> float | None:
    """Return the longest gap between two token events of a request, ms of the run; None: not recorded.

    Preemptions and long prefills make such pauses in answers.
    """
    gaps = np.frombuffer(b"".join(view.requests.gaps_ms), dtype="<f4")
    if not len(gaps):
        return view.figure("event_gap_ms", "max")
    return float(gaps.max()) * view.time_scale
