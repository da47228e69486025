"""The bottleneck along a run: from the conductor's diagnosis, or so far from the samples. No Qt.

A running run has no diagnosis yet. `so_far` names the bottleneck at each sample by those conditions of
`workbench.advice` that need samples only: preemptions, sequence limit, KV blocks, else the token budget. The
diagnosis, which also uses requests, rejections and recorded steps, replaces it at the run's end.
"""

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ui.live.series import RunSeries

if TYPE_CHECKING:
    from workbench.experiments import RunDiagnosed

Labels = NDArray[np.int8]

KV_FULL = 0.9
"""Share of the pool from which the KV cache explains waiting, as in R3 of docs/reference/diagnosis.md."""
LASTING = 3
"""Consecutive samples that make a state; fewer are noise."""
_AFTER_PREEMPTION = 4
_SEATS = ("max_num_seqs", "max_num_active_seqs")

UNKNOWN, NONE, IDLE, SEATS, KV, BUDGET, BLOCKED = range(7)
NAMES = ("unknown", "none", "idle", "seats", "kv", "token_budget", "blocked_head")
NO_LIMIT = ("none", "idle", "unknown")
"""States without a bottleneck."""


@dataclass(frozen=True)
class Stretch:
    """A span of the run with one bottleneck; seconds since the schedule's start."""

    begin: float
    end: float
    bound: str
    """A name of `workbench.advice.Bottleneck`."""


@dataclass(frozen=True)
class LimitStep:
    """A limit that changed during a run."""

    run_t: float
    """Seconds since the schedule's start."""
    name: str
    old: int | None
    new: int


@dataclass(frozen=True)
class NextChange:
    """The next single change to try."""

    text: str
    control: str | None = None
    """The control to change; None if no control helps, or none is known."""
    value: Any = None
    """The value to try; None if only a direction is known."""
    watch: str = ""
    cost: str = ""


@dataclass(frozen=True)
class Diagnosed:
    """The diagnosis of one run."""

    headline: str = ""
    timeline: tuple[Stretch, ...] = ()
    shares: dict[str, float] = field(default_factory=dict)
    """Share of the run's time by bottleneck, largest first."""
    change: NextChange | None = None
    sentences: tuple[str, ...] = ()
    against: tuple[str, ...] = ()
    """For a variant: its change, then the differences from the baseline, then those of the bottleneck."""
    final: bool = True
    """False if it comes from the samples so far."""

    @property
    def main(self) -> str | None:
        """The bottleneck that lasted longest; None without any."""
        return next((name for name in self.shares if name not in NO_LIMIT), None)


def from_event(event: "RunDiagnosed") -> Diagnosed:
    """Return the conductor's diagnosis as the window keeps it."""
    timeline = tuple(Stretch(float(part["start"]), float(part["end"]), part["bound"]) for part in event.strip)
    return Diagnosed(
        headline=event.headline,
        timeline=timeline,
        shares=dict(event.shares),
        change=_change_of(event),
        sentences=tuple(event.sentences),
        against=tuple(event.against_baseline),
    )


def _change_of(event: "RunDiagnosed") -> NextChange | None:
    if event.next_change is None:
        return None
    # Older bench files have the change as text only.
    told: Mapping[str, Any] = event.change or {}
    known = {key: told[key] for key in ("control", "value", "watch", "cost") if key in told}
    return NextChange(text=event.next_change, **known)


def so_far(series: RunSeries, limits: Mapping[str, Any], steps: Sequence[LimitStep] = ()) -> Diagnosed:
    """Return the bottlenecks from the samples of a running run; costs a few array operations."""
    labels = _bridged(labels_of(series, limits, steps))
    timeline = _stretches(series, labels)
    total = sum(part.end - part.begin for part in timeline)
    shares: dict[str, float] = {}
    for part in timeline:
        shares[part.bound] = shares.get(part.bound, 0.0) + (part.end - part.begin) / total
    ordered = dict(sorted(shares.items(), key=lambda item: -item[1]))
    return Diagnosed(timeline=timeline, shares=ordered, final=False)


def sequence_limit_over_time(
    times: NDArray[np.float64], limits: Mapping[str, Any], steps: Sequence[LimitStep]
) -> NDArray[np.float64]:
    """Return the number of sequences that may run at each time; infinite if no limit is known."""
    caps = np.full(len(times), np.inf)
    for name in _SEATS:
        launched = limits.get(name)
        known = isinstance(launched, (int, float)) and not isinstance(launched, bool)
        cap = np.full(len(times), launched if known else np.inf, dtype=np.float64)
        for step in steps:
            if step.name == name:
                cap[times >= step.run_t] = step.new
        caps = np.minimum(caps, cap)
    return caps


def labels_of(series: RunSeries, limits: Mapping[str, Any], steps: Sequence[LimitStep] = ()) -> Labels:
    """Return one state for each sample, as an index of `NAMES`; later assignments take precedence."""
    running, waiting, kv = series.column("running"), series.column("waiting"), series.column("kv_usage")
    labels = np.full(len(series), NONE, dtype=np.int8)
    labels[(running + waiting) == 0] = IDLE
    waits = waiting > 0
    labels[waits] = BUDGET
    labels[waits & (kv >= KV_FULL)] = KV
    labels[waits & (running >= sequence_limit_over_time(series.times(), limits, steps))] = SEATS
    if limits.get("static_batching") is True:
        # The batch is closed: waiting requests wait for its last member, as in the diagnosis.
        labels[waits] = BLOCKED
    labels[_preempting(series.column("preemptions"))] = KV
    labels[np.isnan(running) | np.isnan(waiting)] = UNKNOWN
    return labels


def _preempting(counts: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Return a mask of samples with a preemption in the last few samples."""
    rises = np.zeros(len(counts), dtype=np.bool_)
    if len(counts) > 1:
        rises[1:] = np.diff(np.nan_to_num(counts)) > 0
    held = rises.copy()
    for back in range(1, min(_AFTER_PREEMPTION, len(held))):
        held[back:] |= rises[:-back]
    return held


def _bridged(labels: Labels) -> Labels:
    """Return the labels with stretches of fewer than `LASTING` samples replaced by the state before them."""
    edges = [0, *(np.flatnonzero(np.diff(labels)) + 1), len(labels)]
    bridged = labels.copy()
    for begin, end in itertools.pairwise(edges):
        if begin > 0 and end - begin < LASTING:
            bridged[begin:end] = bridged[begin - 1]
    return bridged


def _stretches(series: RunSeries, labels: Labels) -> tuple[Stretch, ...]:
    if len(labels) < 2:
        return ()
    times = series.times()
    edges = [0, *(np.flatnonzero(np.diff(labels)) + 1), len(labels) - 1]
    return tuple(
        Stretch(float(times[begin]), float(times[end]), NAMES[labels[begin]])
        for begin, end in itertools.pairwise(edges)
        if end > begin
    )


def why_head_waits(
    series: RunSeries, limits: Mapping[str, Any], steps: Sequence[LimitStep] = ()
) -> tuple[str, tuple[float, ...]] | None:
    """Return the bottleneck at the head of the queue at the newest sample, with the figures behind it.

    `("seats", (running, limit))`, `("kv", (usage,))`, `("token_budget", (waiting,))`, for a closed batch
    `("blocked_head", (waiting,))`; None if nothing waits or the reason is unknown.
    """
    waiting = series.last("waiting")
    if not waiting:
        return None
    name = NAMES[labels_of(series, limits, steps)[-1]]
    if name == "seats":
        cap = sequence_limit_over_time(series.times()[-1:], limits, steps)[0]
        return name, (series.last("running") or 0.0, float(cap))
    if name == "kv":
        return name, (series.last("kv_usage") or 0.0,)
    return (name, (waiting,)) if name in {"token_budget", "blocked_head"} else None
