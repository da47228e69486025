"""Figures of demos, computed from a replay."""

import math
from collections.abc import Callable, Iterable

import numpy as np

from workbench.base import Refusal
from workbench.engine.demos.demo import Expectation, Played
from workbench.engine.replay import RequestTimes

Figure = Callable[[Played, Expectation], float]


def demo_figure(played: Played, asked: Expectation) -> float:
    """Compute the figure that `asked` names.

    Raises:
        Refusal: no such figure.
    """
    if asked.figure not in FIGURES:
        raise Refusal("engine.unknown_figure", name=asked.figure, known=list(FIGURES))
    return FIGURES[asked.figure](played, asked)


def _worst(values: Iterable[float | None]) -> float:
    """Return the largest value; infinite if a request has none."""
    return max(math.inf if value is None else value for value in values)


def _after_due(life: RequestTimes, moment: float | None) -> float | None:
    return None if moment is None else moment - life.due


def _end_s(played: Played, asked: Expectation) -> float:
    return _worst(life.last_token for life in played.of(asked.cls))


def _queue_ms(played: Played, asked: Expectation) -> float:
    return 1000 * _worst(_after_due(life, life.queue_end) for life in played.of(asked.cls))


def _ttft_ms(played: Played, asked: Expectation) -> float:
    return 1000 * _worst(_after_due(life, life.first_token) for life in played.of(asked.cls))


def _ttft_p95_ms(played: Played, asked: Expectation) -> float:
    waits = [_after_due(life, life.first_token) for life in played.of(asked.cls)]
    return 1000 * float(np.quantile([math.inf if wait is None else wait for wait in waits], 0.95))


def _worst_gap_ms(played: Played, asked: Expectation) -> float:
    return 1000 * _worst(life.worst_gap for life in played.of(asked.cls))


def _completed_rps(played: Played, asked: Expectation) -> float:
    until = played.figures.virtual_s if asked.to_s is None else asked.to_s
    ends = [life.last_token or 0.0 for life in played.of(asked.cls) if life.completed]
    return sum(asked.from_s < end <= until for end in ends) / (until - asked.from_s)


def _waiting(played: Played, asked: Expectation) -> float:
    at = played.figures.virtual_s if asked.to_s is None else asked.to_s
    return sum(
        life.due <= at and (life.queue_end is None or life.queue_end > at) for life in played.of(asked.cls)
    )


FIGURES: dict[str, Figure] = {
    "end_s": _end_s,
    "queue_ms": _queue_ms,
    "ttft_ms": _ttft_ms,
    "ttft_p95_ms": _ttft_p95_ms,
    "worst_gap_ms": _worst_gap_ms,
    "completed_rps": _completed_rps,
    "waiting": _waiting,
    "running_max": lambda played, _: played.figures.running_max,
    "preemptions": lambda played, _: played.figures.preemptions,
    "recomputed_tokens": lambda played, _: played.figures.recomputed_tokens,
    "output_tok_s": lambda played, _: played.figures.output_tok_s or 0.0,
    "rejected": lambda played, _: played.figures.rejected,
}
"""Figures by name, for several requests the worst value. `completed_rps` counts from `from_s` to `to_s`;
`waiting` is the number at `to_s`."""
