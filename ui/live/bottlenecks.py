"""Which limit binds, along a run: as the conductor's diagnosis says, or so far from the samples. No Qt here.

While a run goes on there is no diagnosis yet. `so_far` names the limit at each sample by those conditions of
`workbench.advice` that the samples alone decide: preemptions, seats, KV blocks, else the token budget; the
diagnosis, which also sees requests, rejections and recorded steps, replaces it when the run has ended.
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
"""Share of the pool from which waiting is put down to it, as in R3 of docs/reference/diagnosis.md."""
LASTING = 3
"""Samples in a row that make a state; fewer are noise."""
_AFTER_PREEMPTION = 4
_SEATS = ("max_num_seqs", "max_num_active_seqs")

UNKNOWN, NONE, IDLE, SEATS, KV, BUDGET, BLOCKED = range(7)
NAMES = ("unknown", "none", "idle", "seats", "kv", "token_budget", "blocked_head")
NO_LIMIT = ("none", "idle", "unknown")
"""Bounds that are no limit."""


@dataclass(frozen=True)
class Stretch:
    """A span of the run in which one limit binds; seconds since the schedule's start."""

    begin: float
    end: float
    bound: str
    """By the name of `workbench.advice.Bottleneck`."""


@dataclass(frozen=True)
class LimitStep:
    """A limit that was changed while a run went on."""

    run_t: float
    """Seconds since the schedule's start."""
    name: str
    old: int | None
    new: int


@dataclass(frozen=True)
class NextChange:
    """The next single change worth trying."""

    text: str
    control: str | None = None
    """None: no control helps, or nobody knows which."""
    value: Any = None
    """None: only a direction can be said."""
    watch: str = ""
    cost: str = ""


@dataclass(frozen=True)
class Diagnosed:
    """What is said about one run."""

    headline: str = ""
    strip: tuple[Stretch, ...] = ()
    shares: dict[str, float] = field(default_factory=dict)
    """Of the run's time by bound, largest first."""
    change: NextChange | None = None
    sentences: tuple[str, ...] = ()
    against: tuple[str, ...] = ()
    """Of a variant: what it changed, then what moved against the baseline, last whether the limit did."""
    final: bool = True
    """False: from the samples so far."""

    @property
    def main(self) -> str | None:
        """The limit that held longest; None where none did."""
        return next((name for name in self.shares if name not in NO_LIMIT), None)


def from_event(event: "RunDiagnosed") -> Diagnosed:
    """The conductor's diagnosis as the window keeps it."""
    strip = tuple(Stretch(float(part["start"]), float(part["end"]), part["bound"]) for part in event.strip)
    return Diagnosed(
        headline=event.headline,
        strip=strip,
        shares=dict(event.shares),
        change=_change_of(event),
        sentences=tuple(event.sentences),
        against=tuple(event.against_baseline),
    )


def _change_of(event: "RunDiagnosed") -> NextChange | None:
    if event.next_change is None:
        return None
    # A bench file from before `change` was told has it in words only.
    told: Mapping[str, Any] = event.change or {}
    known = {key: told[key] for key in ("control", "value", "watch", "cost") if key in told}
    return NextChange(text=event.next_change, **known)


def so_far(series: RunSeries, limits: Mapping[str, Any], steps: Sequence[LimitStep] = ()) -> Diagnosed:
    """What the samples say about a run under way; costs a few array operations."""
    labels = _bridged(labels_of(series, limits, steps))
    strip = _stretches(series, labels)
    total = sum(part.end - part.begin for part in strip)
    shares: dict[str, float] = {}
    for part in strip:
        shares[part.bound] = shares.get(part.bound, 0.0) + (part.end - part.begin) / total
    ordered = dict(sorted(shares.items(), key=lambda item: -item[1]))
    return Diagnosed(strip=strip, shares=ordered, final=False)


def seats_along(
    times: NDArray[np.float64], limits: Mapping[str, Any], steps: Sequence[LimitStep]
) -> NDArray[np.float64]:
    """How many may run at each time; infinite where no limit is known."""
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
    """One bound a sample, as an index of `NAMES`; the last that is written here ranks first."""
    running, waiting, kv = series.column("running"), series.column("waiting"), series.column("kv_usage")
    labels = np.full(len(series), NONE, dtype=np.int8)
    labels[(running + waiting) == 0] = IDLE
    waits = waiting > 0
    labels[waits] = BUDGET
    labels[waits & (kv >= KV_FULL)] = KV
    labels[waits & (running >= seats_along(series.times(), limits, steps))] = SEATS
    if limits.get("static_batching") is True:
        # The batch is closed: who waits, waits for its last member, as the diagnosis has it too.
        labels[waits] = BLOCKED
    labels[_preempting(series.column("preemptions"))] = KV
    labels[np.isnan(running) | np.isnan(waiting)] = UNKNOWN
    return labels


def _preempting(counts: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Where a preemption was counted within the last few samples."""
    rises = np.zeros(len(counts), dtype=np.bool_)
    if len(counts) > 1:
        rises[1:] = np.diff(np.nan_to_num(counts)) > 0
    held = rises.copy()
    for back in range(1, min(_AFTER_PREEMPTION, len(held))):
        held[back:] |= rises[:-back]
    return held


def _bridged(labels: Labels) -> Labels:
    """The same, with stretches of fewer than `LASTING` samples taken by what stands before them."""
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


def head_waits(
    series: RunSeries, limits: Mapping[str, Any], steps: Sequence[LimitStep] = ()
) -> tuple[str, tuple[float, ...]] | None:
    """Why the head of the queue waits at the newest sample: the bound's name with the figures behind it.

    `("seats", (running, limit))`, `("kv", (usage,))`, `("token_budget", (waiting,))`, of a closed batch
    `("blocked_head", (waiting,))`; None: nothing waits, or nobody knows.
    """
    waiting = series.last("waiting")
    if not waiting:
        return None
    name = NAMES[labels_of(series, limits, steps)[-1]]
    if name == "seats":
        cap = seats_along(series.times()[-1:], limits, steps)[0]
        return name, (series.last("running") or 0.0, float(cap))
    if name == "kv":
        return name, (series.last("kv_usage") or 0.0,)
    return (name, (waiting,)) if name in {"token_budget", "blocked_head"} else None
