"""What the regression is given: times, and what was in the steps that took them."""

import math
import statistics
from collections.abc import Hashable, Iterable
from typing import Literal, NamedTuple

from workbench.engine.scheduler import Step

Kind = Literal["decode", "prefill", "mixed"]
_BUCKETS_PER_OCTAVE = 4
_TO_JUDGE = 3
_PAUSE = 1.5
"""So many times what is usual for its composition: the machine paused, which is no property of the step."""


class Row(NamedTuple):
    """Some steps together, by their sums: us = steps*a + P*b + D*c + K*d + Q*e + requests*overhead.

    Letters as in `workbench.profiles.StepModel`; `us` are microseconds.
    """

    us: float
    steps: float
    P: float = 0.0
    D: float = 0.0
    K: float = 0.0
    Q: float = 0.0
    requests: int = 0
    """How many times the front's own time is in it: 1 for a prompt as its client saw it, else 0."""

    @property
    def kind(self) -> Kind:
        """What the steps do."""
        if not self.P:
            return "decode"
        return "mixed" if self.D else "prefill"

    @classmethod
    def of(cls, step: Step, us: float) -> "Row":
        """One step of our scheduler with its time."""
        return cls(us, 1, step.P, step.D, step.K, step.Q)


def merged(rows: Iterable[Row]) -> list[Row]:
    """One row for each composition, so that a step's chance delays average out before they are weighed.

    Alike are steps of as many decodes and of context and prompt within a quarter of an octave.
    """
    return [Row(*map(sum, zip(*_without_pauses(group), strict=True))) for group in _alike(rows)]


def spread_pct(rows: Iterable[Row]) -> float:
    """How far apart the times of one composition lie: half the range of the middle 80 %, over compositions.

    What the model can't explain, whatever its coefficients. 0 where nothing was seen three times.
    """
    spreads = []
    for group in _alike(rows):
        if len(group) >= _TO_JUDGE:
            times = sorted(row.us / row.steps for row in group)
            cut = len(times) // 10
            low, high = times[cut], times[-1 - cut]
            spreads.append(50 * (high - low) / statistics.median(times))
    return statistics.fmean(spreads) if spreads else 0.0


def _alike(rows: Iterable[Row]) -> list[list[Row]]:
    groups: dict[Hashable, list[Row]] = {}
    for row in rows:
        if row.us > 0:
            groups.setdefault(_composition(row), []).append(row)
    return list(groups.values())


def _without_pauses(alike: list[Row]) -> list[Row]:
    usual = statistics.median(row.us / row.steps for row in alike)
    return [row for row in alike if row.us / row.steps <= _PAUSE * usual]


def _composition(row: Row) -> Hashable:
    decodes, context = row.D / row.steps, row.K / row.steps
    return row.kind, round(decodes), _bucket(context), _bucket(row.P), _bucket(row.Q), row.requests


def _bucket(tokens: float) -> int:
    return round(_BUCKETS_PER_OCTAVE * math.log2(1 + tokens))
