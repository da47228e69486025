"""Bottlenecks along a run: by the conductor's diagnosis, or so far by the samples. No Qt here.

Both use the conditions of `workbench.advice`. The diagnosis also sees requests and recorded steps. When the
run has ended it replaces what the samples show so far.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ui.live.series import RunSeries

if TYPE_CHECKING:
    from workbench.advice import LiveBottlenecks
    from workbench.base import Message
    from workbench.experiments import RunDiagnosed
    from workbench.results import LimitChange

NO_LIMIT = ("none", "idle", "unknown")
"""Labels of moments without a bottleneck."""
_NEWEST = 16
"""Samples that decide the newest one's label."""
_COLUMNS = (
    *("running", "waiting", "kv_usage", "preemptions", "input_tok_s", "output_tok_s", "rejected_rps"),
    *("in_flight", "held"),
)


@dataclass(frozen=True)
class Stretch:
    """A span of the run with one bottleneck; seconds since the schedule's start."""

    begin: float
    end: float
    bound: str
    """Value of `workbench.advice.Bottleneck`."""


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
    """The next single change worth trying."""

    text: "str | Message"
    control: str | None = None
    """The control that helps; None if there is none or it is unknown."""
    value: Any = None
    """The value to try; None if only a direction is known."""
    watch: "str | Message" = ""
    cost: "str | Message" = ""


@dataclass(frozen=True)
class Diagnosed:
    """The diagnosis of one run."""

    headline: "str | Message" = ""
    timeline: tuple[Stretch, ...] = ()
    shares: dict[str, float] = field(default_factory=dict)
    """Share of the run's time by bottleneck, largest first."""
    change: NextChange | None = None
    sentences: "tuple[str | Message, ...]" = ()
    against: "tuple[str | Message, ...]" = ()
    """Notes on a variant: its change, then what moved against the baseline, last its bottleneck."""
    final: bool = True
    """False: from the samples so far."""

    @property
    def main(self) -> str | None:
        """The bottleneck that lasted longest; None without any."""
        return next((name for name in self.shares if name not in NO_LIMIT), None)


def read_diagnosis(event: "RunDiagnosed") -> Diagnosed:
    """Return the conductor's diagnosis as the window keeps it."""
    timeline = tuple(Stretch(float(part["start"]), float(part["end"]), part["bound"]) for part in event.strip)
    data = event.messages
    return Diagnosed(
        headline=event.headline if data is None else data.headline,
        timeline=timeline,
        shares=dict(event.shares),
        change=_change_of(event),
        sentences=tuple(event.sentences if data is None else data.notes),
        against=tuple(event.against_baseline if data is None else data.against_baseline),
    )


def _change_of(event: "RunDiagnosed") -> NextChange | None:
    if event.next_change is None:
        return None
    # A bench file of an early version has the change in words only.
    stored: Mapping[str, Any] = event.change or {}
    known = {key: stored[key] for key in ("control", "value", "watch", "cost") if key in stored}
    data = event.messages
    if data is None or data.change is None:
        return NextChange(text=event.next_change, **known)
    known |= {key: text for key, text in (("watch", data.watch), ("cost", data.cost)) if text is not None}
    return NextChange(text=data.change, **known)


def diagnose_samples(
    series: RunSeries,
    limits: Mapping[str, Any],
    steps: Sequence[LimitStep] = (),
    concurrency: int | None = None,
    engines: int = 1,
) -> Diagnosed:
    """Return the bottlenecks of a run under way by its samples; costs some array operations."""
    if len(series) < 2:
        return Diagnosed(final=False)
    segments = _live(series, limits, steps, concurrency=concurrency, engines=engines).segments()
    timeline = tuple(Stretch(part.start, part.end, part.bottleneck.value) for part in segments)
    total = sum(part.end - part.begin for part in timeline)
    shares: dict[str, float] = {}
    for part in timeline:
        shares[part.bound] = shares.get(part.bound, 0.0) + (part.end - part.begin) / total
    ordered = dict(sorted(shares.items(), key=lambda item: -item[1]))
    return Diagnosed(timeline=timeline, shares=ordered, final=False)


def _live(
    series: RunSeries,
    limits: Mapping[str, Any],
    steps: Sequence[LimitStep],
    newest: int | None = None,
    concurrency: int | None = None,
    engines: int = 1,
) -> "LiveBottlenecks":
    """Return the conditions over a run's samples, or over the newest ones."""
    from workbench.advice import LiveBottlenecks  # noqa: PLC0415 - loaded with the first sample

    part = slice(None if newest is None else -newest, None)
    columns = {name: _column(series, name)[part] for name in _COLUMNS}
    return LiveBottlenecks(series.times()[part], columns, limits, _changes(steps), concurrency, engines)


def _column(series: RunSeries, name: str) -> NDArray[np.float64]:
    return series.column(name) if name in series.columns else np.full(len(series), np.nan)


def _changes(steps: Sequence[LimitStep]) -> "list[LimitChange]":
    from workbench.results import LimitChange  # noqa: PLC0415 - as above

    return [
        LimitChange(t=step.run_t, name=step.name, asked=step.new, old=step.old, new=step.new, by="user")
        for step in steps
    ]


def sequence_limit_over_time(
    times: NDArray[np.float64], limits: Mapping[str, Any], steps: Sequence[LimitStep], engines: int = 1
) -> NDArray[np.float64]:
    """Return how many requests may run at each time, over all engines; infinite if no limit is known."""
    from workbench.advice import running_limit  # noqa: PLC0415 - as above

    found = running_limit(times, limits, _changes(steps), engines)
    return np.where(np.isnan(found), np.inf, found)


def why_head_waits(
    series: RunSeries, limits: Mapping[str, Any], steps: Sequence[LimitStep] = (), engines: int = 1
) -> tuple[str, tuple[float, ...]] | None:
    """Return why the head of the queue waits at the newest sample: the bottleneck with its figures.

    `("seats", (running, limit))`, `("kv", (usage,))`, `("token_budget", (waiting,))`, for a closed batch
    `("blocked_head", (waiting,))`; `("client", (held, cap))` if the client holds requests back;
    None: nothing waits, or the reason is unknown.
    """
    waiting, held = series.last("waiting"), series.last("held")
    if not waiting and not held:
        return None
    name = _live(series, limits, steps, _NEWEST, engines=engines).newest().value
    if name == "client":
        cap = limits.get("max_in_flight")
        return (name, (held, float(cap))) if held and isinstance(cap, (int, float)) else None
    if not waiting:
        return None
    if name == "seats":
        limit = sequence_limit_over_time(series.times()[-1:], limits, steps, engines)[0]
        return name, (series.last("running") or 0.0, float(limit))
    if name == "kv":
        return name, (series.last("kv_usage") or 0.0,)
    return (name, (waiting,)) if name in {"token_budget", "blocked_head"} else None
