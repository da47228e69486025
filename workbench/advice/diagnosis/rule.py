"""Verdicts of rules: the text with its evidence, and what a rule consists of."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from workbench.advice.diagnosis.array_operations import Bools, Floats
from workbench.advice.diagnosis.bottleneck import Bottleneck
from workbench.advice.diagnosis.conditions import BottleneckConditions
from workbench.advice.diagnosis.findings import Change, Confidence
from workbench.advice.diagnosis.run_view import RunView
from workbench.advice.diagnosis.series import Series
from workbench.base import Message, message

GUIDE = "tuning guide, diagnosis"


@dataclass(frozen=True)
class RuleVerdict:
    """A rule's verdict on a run."""

    verdict: Message
    evidence: list[Message]
    confidence: Confidence
    change: Change | None


@dataclass(frozen=True)
class BottleneckRule:
    """A bottleneck: when it limits, what is said then, and the next change."""

    id: str
    bottleneck: Bottleneck
    mask: Callable[[BottleneckConditions], Bools]
    """Moments at which it limits."""
    judge: Callable[[RunView, Series, Bools], RuleVerdict]
    """Verdict, given the limits in force when it last limited."""
    source: str
    controls: tuple[str, ...] = ()
    """Controls whose changes during the run belong to the evidence."""


@dataclass(frozen=True)
class RunRule:
    """A rule about the run as a whole."""

    id: str
    judge: Callable[[RunView, Series], RuleVerdict | None]
    """Judge a run; None if the condition doesn't hold or is unknown."""
    source: str


def largest(values: Floats, mask: Bools) -> float | None:
    """Return the largest known value within a mask."""
    chosen = values[mask]
    chosen = chosen[~np.isnan(chosen)]
    return float(chosen.max()) if len(chosen) else None


def mean(values: Floats, mask: Bools) -> float | None:
    """Return the mean of the known values within a mask."""
    chosen = values[mask]
    chosen = chosen[~np.isnan(chosen)]
    return float(chosen.mean()) if len(chosen) else None


def peak_load(series: Series, mask: Bools) -> Message:
    """Return the most running and waiting requests and the highest KV use within a mask."""
    running, waiting, kv = (largest(values, mask) for values in (series.running, series.waiting, series.kv))
    parts = [
        *([] if running is None else [message("advice.peak_running", count=running)]),
        *([] if waiting is None else [message("advice.peak_waiting", count=waiting)]),
        *([] if kv is None else [message("advice.peak_kv", share=kv)]),
    ]
    return message("advice.peak_load", parts=parts)
