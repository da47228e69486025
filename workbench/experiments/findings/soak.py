"""Findings of a soak: figures that grow while one configuration serves one rate for long."""

from collections.abc import Sequence

from workbench.base import Message, message
from workbench.experiments.findings.repeat_groups import share
from workbench.experiments.plan.estimate import minutes_text
from workbench.results import BenchFile, RunEntry, Sample

_MORE_PREEMPTIONS = 1.5
_FEW_PREEMPTIONS = 3.0
_MORE_KV = 0.10


def soak_findings(bench: BenchFile) -> list[Message]:
    """Return one finding for each run that ended as planned."""
    return [
        soak_finding(run, bench.samples(run.id))
        for run in bench.runs()
        if run.status == "done" and run.summary is not None
    ]


def soak_finding(run: RunEntry, samples: Sequence[Sample]) -> Message:
    """Judge the run by TTFT's drift, and by the preemptions and KV use of its two halves."""
    stored = run.figures
    if stored.valid is False:
        return message("experiments.soak_invalid", run=run.name)
    growing, figures = _growth_and_figures(run, samples)
    if growing:
        verdict = message("experiments.soak_unstable", growing=growing)
    elif stored.drift:
        verdict = message("experiments.soak_stable")
    elif figures:
        verdict = message("experiments.soak_no_growth")
    else:
        verdict = message("experiments.soak_unknown")
    if not stored.drift:
        figures.append(message("experiments.drift_unknown"))
    length = minutes_text((stored.duration_s or 0.0) / 60)
    return message("experiments.soak", run=run.name, length=length, verdict=verdict, figures=figures)


def growth_of(run: RunEntry, samples: Sequence[Sample]) -> list[Message]:
    """Return the figures that grew over the run; empty if none grew, as far as known."""
    return _growth_and_figures(run, samples)[0]


def _growth_and_figures(run: RunEntry, samples: Sequence[Sample]) -> tuple[list[Message], list[Message]]:
    """Return the figures that grew, and the figures of both halves."""
    stored = run.figures
    half = (stored.duration_s or 0.0) / run.time_scale / 2
    first, second = _half(samples, 0.0, half), _half(samples, half, 2 * half)
    growing, figures = [], []
    if stored.drift:
        figures.append(message("experiments.soak_drift", low=stored.drift.lo, high=stored.drift.hi))
    if stored.diverging:
        growing.append(message("experiments.ttft_climbs"))
    before, after = _preemptions(first), _preemptions(second)
    if before is not None and after is not None:
        figures.append(message("experiments.soak_preemptions", before=before, after=after))
        if after > _MORE_PREEMPTIONS * before + _FEW_PREEMPTIONS:
            growing.append(message("experiments.preemptions_grow"))
    low, high = _kv_peak(first), _kv_peak(second)
    if low is not None and high is not None:
        figures.append(message("experiments.soak_kv_peaks", before=share(low), after=share(high)))
        if high > low + _MORE_KV:
            growing.append(message("experiments.kv_grows"))
    return growing, figures


def _half(samples: Sequence[Sample], begin: float, end: float) -> list[Sample]:
    return [sample for sample in samples if begin <= sample.t <= end]


def _preemptions(samples: Sequence[Sample]) -> float | None:
    """Return the preemptions of all engines over these samples; None if no sample has them."""
    by_engine: dict[str, list[float]] = {}
    for sample in samples:
        if sample.preemptions is not None:
            by_engine.setdefault(sample.engine, []).append(sample.preemptions)
    return sum(values[-1] - values[0] for values in by_engine.values()) if by_engine else None


def _kv_peak(samples: Sequence[Sample]) -> float | None:
    return max((sample.kv_usage for sample in samples if sample.kv_usage is not None), default=None)
