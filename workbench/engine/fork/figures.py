"""Figures of one future after the fork, over the requests that ended in the record."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np

from workbench.engine.replay.request_tally import ReplayTally, RequestTimes

FIGURES = (
    "ttft_ms",
    "ttft_p95_ms",
    "itl_ms",
    "itl_p95_ms",
    "e2e_ms",
    "e2e_p95_ms",
    "waiting_ms",
    "preemptions",
    "span_s",
)
CLASS_FIGURES = ("ttft_ms", "tpot_ms", "e2e_ms")


@dataclass(frozen=True, slots=True)
class Mark:
    """Counters of a tally at the fork."""

    at: float
    gaps: int
    preemptions: int

    @classmethod
    def of(cls, tally: ReplayTally, at: float) -> "Mark":
        """Return the present counters."""
        return cls(at, len(tally.gaps), tally.steps.preemptions)


@dataclass(frozen=True, slots=True)
class FutureFigures:
    """Means and percentiles by name; a figure without requests is missing."""

    figures: dict[str, float]
    classes: dict[str, dict[str, float]]
    e2e_ms: dict[str, float]
    """E2E latency of each completed request."""


def future_figures(
    tally: ReplayTally, mark: Mark, names: Iterable[str], classes: Mapping[str, str]
) -> FutureFigures:
    """Compute the figures of a future that has been played.

    Args:
        tally: of the whole replay.
        mark: its counters at the fork; only what came after it counts.
        names: the requests to compare.
        classes: class of each request.
    """
    tally.settle()
    wanted = set(names)
    lives = {
        request.request_id: life for request, life in tally.lives.items() if request.request_id in wanted
    }
    figures = _means(lives.values(), mark)
    gaps = np.repeat(tally.gaps[mark.gaps :], tally.gap_counts[mark.gaps :]) * 1000
    if gaps.size:
        figures["itl_ms"], figures["itl_p95_ms"] = float(gaps.mean()), float(np.quantile(gaps, 0.95))
    figures["preemptions"] = float(tally.steps.preemptions - mark.preemptions)
    ends = [life.last_token for life in lives.values() if life.last_token is not None]
    figures["span_s"] = max(ends, default=mark.at) - mark.at
    groups: dict[str, list[RequestTimes]] = {}
    for name, life in lives.items():
        groups.setdefault(classes.get(name, "all"), []).append(life)
    return FutureFigures(
        figures={name: figures[name] for name in FIGURES if name in figures},
        classes={cls: _by_class(group, mark) for cls, group in sorted(groups.items())},
        e2e_ms={name: _e2e_ms(life) for name, life in lives.items() if life.completed},
    )


def _means(lives: Iterable[RequestTimes], mark: Mark) -> dict[str, float]:
    values: dict[str, list[float]] = {"ttft": [], "e2e": [], "waiting": []}
    for life in lives:
        if life.first_token is not None and life.first_token > mark.at:
            values["ttft"].append(1000 * (life.first_token - life.due))
        if life.queue_end is not None and life.queue_end >= mark.at:
            values["waiting"].append(1000 * max(0.0, life.queue_end - life.due))
        if life.completed:
            values["e2e"].append(_e2e_ms(life))
    figures = {}
    for name, several in values.items():
        if several:
            figures[f"{name}_ms"] = float(np.mean(several))
            if name != "waiting":
                figures[f"{name}_p95_ms"] = float(np.quantile(several, 0.95))
    return figures


def _by_class(lives: list[RequestTimes], mark: Mark) -> dict[str, float]:
    means = _means(lives, mark)
    paces = [
        1000 * (life.last_token - life.first_token) / (life.tokens - 1)
        for life in lives
        if life.completed and life.tokens > 1 and life.last_token and life.first_token is not None
    ]
    if paces:
        means["tpot_ms"] = float(np.mean(paces))
    return {name: means[name] for name in CLASS_FIGURES if name in means}


def _e2e_ms(life: RequestTimes) -> float:
    assert life.last_token is not None
    return 1000 * (life.last_token - life.due)
