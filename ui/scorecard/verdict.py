"""One word on a run beside its baseline. No Qt here; what the results room decided is only put into words."""

import math
from dataclasses import dataclass
from typing import Any, Literal

from ui import words

Tone = Literal["good", "bad", "mixed", "neutral", "warning"]

_ALIKE = 0.05
"""Differences up to this share are called alike; one run each gives no interval to judge by."""

_OBJECTIVES = {
    "ttft_p95_ms": ("ttft_p95_ms", "p95 TTFT", "s", 1e-3),
    "itl_p95_ms": ("itl_p95_ms", "p95 ITL", "ms", 1.0),
    "e2e_p95_ms": ("e2e_p95_ms", "p95 E2E", "s", 1e-3),
    "queue_p95_ms": ("queue_p95_ms", "p95 queue", "s", 1e-3),
    "error_rate": ("error_rate", "errors", "%", 100.0),
    "preemptions": ("preemptions", "preemptions", "", 1.0),
}
"""Objective by its name in the experiment file: column, words, unit, scale."""


@dataclass(frozen=True)
class Verdict:
    """What is said of a run."""

    text: str
    symbol: str
    tone: Tone
    why: str = ""
    """In a sentence."""

    def __str__(self) -> str:
        return f"{self.symbol} {self.text}".strip()


def slope_of(row: dict[str, Any]) -> float | None:
    """How fast TTFT drifts up, seconds a second, where the run diverges; NaN: it does, slope unknown."""
    if row.get("diverging") is not True:
        return None
    slope = row.get("ttft_drift_s_per_s")
    return float(slope) if isinstance(slope, (int, float)) else math.nan


def reasons_of(row: dict[str, Any]) -> list[str]:
    """Why the run is invalid; empty when it is valid or nobody knows."""
    if row.get("valid") is not False:
        return []
    reasons = row.get("reasons") or []
    if isinstance(reasons, str):
        reasons = [part.strip() for part in reasons.split(";") if part.strip()]
    return [str(reason) for reason in reasons] or ["no reason given"]


def missed(row: dict[str, Any], objectives: dict[str, Any]) -> list[str]:
    """The objectives that this run misses, each with its figure and bound."""
    said = []
    for name, bound in objectives.items():
        if name not in _OBJECTIVES or not isinstance(bound, (int, float)):
            continue
        column, title, unit, scale = _OBJECTIVES[name]
        value = row.get(column)
        if isinstance(value, (int, float)) and value > bound:
            figures = f"{words.significant(value * scale)} > {words.significant(bound * scale)} {unit}"
            said.append(f"{title} {figures}".rstrip())
    return said


def judge(row: dict[str, Any], baseline: dict[str, Any] | None, objectives: dict[str, Any]) -> Verdict:
    """The verdict on a finished row; `baseline` is None for the baseline itself."""
    if reasons := reasons_of(row):
        return Verdict("invalid", "⚠", "warning", "; ".join(reasons))
    if objectives:
        fails = missed(row, objectives)
        if fails:
            return Verdict(f"misses {fails[0]}", "✗", "bad", "; ".join(fails))
        if slope_of(row) is None:
            return Verdict("meets objectives", "✓", "good")
    if baseline is None or reasons_of(baseline):
        return (
            Verdict("diverging", "↗", "warning", _DRIFTS)
            if slope_of(row) is not None
            else Verdict("", "", "neutral")
        )
    return _beside(row, baseline)


_DRIFTS = "TTFT grows as long as the run lasts: the server can't keep up, percentiles depend on its length"


def _beside(row: dict[str, Any], baseline: dict[str, Any]) -> Verdict:
    drifts, drifted = slope_of(row) is not None, slope_of(baseline) is not None
    if drifts != drifted:
        if drifts:
            return Verdict("worse", "▼", "bad", f"the baseline holds this rate, this run does not: {_DRIFTS}")
        return Verdict("better", "▲", "good", "holds a rate that the baseline does not hold")
    ttft = _share(row, baseline, "ttft_p95_ms")
    done = _share(row, baseline, "completed_rps")
    gains = (ttft is not None and ttft < -_ALIKE) + (done is not None and done > _ALIKE)
    losses = (ttft is not None and ttft > _ALIKE) + (done is not None and done < -_ALIKE)
    why = "by p95 TTFT and completed requests, one run each; repeat the runs for an interval"
    if gains and losses:
        return Verdict("mixed", "◆", "mixed", why)
    if gains:
        return Verdict("better", "▲", "good", why)
    if losses:
        return Verdict("worse", "▼", "bad", why)
    return Verdict("alike", "=", "neutral", why) if ttft is not None else Verdict("", "", "neutral")


def _share(row: dict[str, Any], baseline: dict[str, Any], key: str) -> float | None:
    value, base = row.get(key), baseline.get(key)
    if not isinstance(value, (int, float)) or not isinstance(base, (int, float)) or not base:
        return None
    return (value - base) / base
