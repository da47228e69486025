"""What a soak finds: does anything creep up when one configuration serves one rate for long?"""

from collections.abc import Sequence
from typing import Any

from workbench.experiments.findings.pairs import share
from workbench.experiments.plan.estimate import minutes
from workbench.results import BenchFile, RunEntry, Sample

_MORE_PREEMPTIONS = 1.5
_FEW_PREEMPTIONS = 3.0
_MORE_KV = 0.10


def soak_findings(bench: BenchFile) -> list[str]:
    """One sentence a run that ended as planned."""
    return [
        soak_sentence(run, bench.samples(run.id))
        for run in bench.runs()
        if run.status == "done" and run.summary is not None
    ]


def soak_sentence(run: RunEntry, samples: Sequence[Sample]) -> str:
    """Stable or not, by TTFT's drift, preemptions and KV use of both halves; nothing of an invalid run."""
    summary: dict[str, Any] = run.summary or {}
    if summary.get("valid") is False:
        return f"{run.name}: no conclusion, the run is invalid."
    against, told = _looked_at(run, samples)
    verdict = (
        f"not stable: {', '.join(against)}"
        if against
        else "stable"
        if summary.get("drift")
        else "no growth was seen"
        if told
        else "nothing was told"
    )
    told += [] if summary.get("drift") else ["TTFT's drift isn't known"]
    figures = f" ({'; '.join(told)})" if told else ""
    return f"{run.name} over {minutes(float(summary.get('duration_s') or 0.0) / 60)}: {verdict}{figures}."


def growth_of(run: RunEntry, samples: Sequence[Sample]) -> list[str]:
    """What grew over the run, in words; empty: nothing did, as far as was told."""
    return _looked_at(run, samples)[0]


def _looked_at(run: RunEntry, samples: Sequence[Sample]) -> tuple[list[str], list[str]]:
    """What grew, and the figures of both halves."""
    summary: dict[str, Any] = run.summary or {}
    half = float(summary.get("duration_s") or 0.0) / run.time_scale / 2
    first, second = _half(samples, 0.0, half), _half(samples, half, 2 * half)
    against, told = [], []
    drift = summary.get("drift")
    if drift:
        told.append(f"TTFT drifts by {drift['lo']:.2g} to {drift['hi']:.2g} s per s")
    if summary.get("diverging"):
        against.append("TTFT climbs")
    before, after = _preemptions(first), _preemptions(second)
    if before is not None and after is not None:
        told.append(f"{before:.0f} and {after:.0f} preemptions in its halves")
        if after > _MORE_PREEMPTIONS * before + _FEW_PREEMPTIONS:
            against.append("preemptions grow")
    low, high = _kv_peak(first), _kv_peak(second)
    if low is not None and high is not None:
        told.append(f"KV peak {share(low)} and {share(high)}")
        if high > low + _MORE_KV:
            against.append("KV use grows")
    return against, told


def _half(samples: Sequence[Sample], begin: float, end: float) -> list[Sample]:
    return [sample for sample in samples if begin <= sample.t <= end]


def _preemptions(samples: Sequence[Sample]) -> float | None:
    """Over the stretch, all engines together."""
    by_engine: dict[str, list[float]] = {}
    for sample in samples:
        if sample.preemptions is not None:
            by_engine.setdefault(sample.engine, []).append(sample.preemptions)
    return sum(values[-1] - values[0] for values in by_engine.values()) if by_engine else None


def _kv_peak(samples: Sequence[Sample]) -> float | None:
    return max((sample.kv_usage for sample in samples if sample.kv_usage is not None), default=None)
