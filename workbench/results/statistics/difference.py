"""The difference of a figure between two configurations, with an interval for all chance.

Two runs differ by chance in three ways: the requests that happened to come (drawn again in blocks, the
same blocks in both arms), the effect of a restart (seen only between repeats), and the noise of a run.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import msgspec
import numpy as np

from workbench.base import Message, Record, message
from workbench.results.percentiles import Floats
from workbench.results.statistics.bootstrap import (
    TWO_SIDED,
    RunValues,
    block_length,
    draws,
    effective_n,
    replicate,
    share_at_most,
)
from workbench.results.statistics.figure_values import RESTART_SHARES

REPLICATES = 400
RESTART_SHARE = 0.25
"""The assumed effect of a restart on the tail of a queue (one sd), used for few repeats.

Near capacity a few percent of speed change the p95 of waiting times by tens of percent.
"""
ENOUGH_REPEATS = 5
"""Repeats from which the effect of a restart is measured, not assumed."""
# The assumption counts as this many degrees of freedom.
_PRIOR_FREEDOM = 3
_LEAST_EFFECTIVE = 12.0


class Difference(Record, frozen=True, kw_only=True):
    """Variant minus baseline, in the unit of the values, with its 95 % interval."""

    baseline: float
    variant: float
    estimate: float
    lo: float
    hi: float
    p_value: float
    """Two-sided, for no difference."""
    error: float
    """Standard error of the estimate."""
    freedom: float
    repeats: int
    """The smaller number of repeats of the two arms."""
    repeats_most: int | None = None
    """The larger one; None: as `repeats`."""
    effective_n: float
    """The smallest number of independent requests behind a run."""
    restarts_assumed: bool
    """There were too few repeats to measure the effect of a restart, so it was assumed."""

    def runs(self) -> Message:
        """Return the number of runs compared: `one run each`, `2 runs against 3`."""
        most = self.repeats_most or self.repeats
        if most != self.repeats:
            return message("results.runs_against", first=self.repeats, second=most)
        if self.repeats == 1:
            return message("results.one_run_each")
        return message("results.runs_each", count=self.repeats)

    def assumed(self, figure: str) -> Message | None:
        """Return what the interval assumes about restarts, and how many repeats would measure it.

        None: there are enough repeats, or both arms show 0.
        """
        if not self.restarts_assumed or not (self.baseline or self.variant):
            return None
        share = RESTART_SHARES.get(figure, RESTART_SHARE)
        if self.repeats == 1:
            return message("results.restart_assumed", share=share, repeats=ENOUGH_REPEATS)
        return message(
            "results.restart_partly_assumed", share=share, runs=self.runs(), repeats=ENOUGH_REPEATS
        )


@dataclass(frozen=True, slots=True)
class Arm:
    """One configuration's repeats; `schedules` holds the hash of each one's schedule."""

    runs: Sequence[RunValues]
    schedules: Sequence[str]


@dataclass(frozen=True, slots=True)
class _Spread:
    """Variance of the estimate and the degrees of freedom behind it."""

    variance: float
    freedom: float


def difference(
    baseline: Arm, variant: Arm, q: float | None, *, restart_share: float = RESTART_SHARE, seed: int = 1
) -> Difference | None:
    """Compare the q-quantile (None: the mean) of two arms; None: a run has no values."""
    a = np.array([run.level(q) for run in baseline.runs], dtype=np.float64)
    b = np.array([run.level(q) for run in variant.runs], dtype=np.float64)
    if not a.size or not b.size or np.isnan(a).any() or np.isnan(b).any():
        return None
    rng = np.random.default_rng(seed)
    pairs = list(zip(baseline.runs, variant.runs, strict=False))
    assumed = (restart_share * float(np.concatenate([a, b]).mean())) ** 2
    if _own_schedules(baseline, variant):
        spread = _paired(b - a, pairs, assumed, q, rng)
    else:
        spread = _pooled(a, b, pairs[0], assumed, q, rng)
    worth = min(effective_n(run, q) for run in (*baseline.runs, *variant.runs))
    found = _interval(a, b, spread, worth)
    if q is not None or a.any() or b.any():
        return found
    return zero_share_difference(
        found, *(sum(run.values.size for run in arm.runs) for arm in (baseline, variant))
    )


def zero_share_difference(found: Difference, before: int, after: int) -> Difference:
    """Return the difference with the interval that so many requests without any case allow."""
    least, most = -share_at_most(0, before, TWO_SIDED), share_at_most(0, after, TWO_SIDED)
    return msgspec.structs.replace(found, lo=least, hi=most)


def _own_schedules(baseline: Arm, variant: Arm) -> bool:
    """Return whether repeat i replayed the same schedule in both arms, and each repeat another one."""
    schedules = list(baseline.schedules)
    return (
        len(schedules) > 1 and schedules == list(variant.schedules) and len(set(schedules)) == len(schedules)
    )


def _paired(
    differences: Floats,
    pairs: Sequence[tuple[RunValues, RunValues]],
    assumed: float,
    q: float | None,
    rng: np.random.Generator,
) -> _Spread:
    """Return the spread of paired repeats: each is a sample of traffic, so their scatter holds all chance."""
    n = differences.size
    seen = float(differences.var(ddof=1))
    if n >= ENOUGH_REPEATS:
        return _Spread(seen / n, n - 1)
    traffic = float(np.mean([_traffic(a, b, q, rng) for a, b in pairs]))
    return _moderated(seen, n - 1, traffic + 2 * assumed, 1 / n)


def _pooled(
    a: Floats,
    b: Floats,
    pair: tuple[RunValues, RunValues],
    assumed: float,
    q: float | None,
    rng: np.random.Generator,
) -> _Spread:
    """Return the spread of repeats of the same traffic: they average restarts, but not the traffic."""
    share = 1 / a.size + 1 / b.size
    freedom = a.size + b.size - 2
    seen = float(a.var() * a.size + b.var() * b.size) / freedom if freedom else 0.0
    enough = min(a.size, b.size) >= ENOUGH_REPEATS
    between = _Spread(seen * share, freedom) if enough else _moderated(seen, freedom, assumed, share)
    traffic = _traffic(*pair, q, rng)
    total = between.variance + traffic
    # Welch and Satterthwaite: each part of the variance has its own degrees of freedom.
    worth = max(min(effective_n(run, q) for run in pair), _LEAST_EFFECTIVE)
    parts = between.variance**2 / between.freedom + traffic**2 / worth
    return _Spread(total, total**2 / parts if parts > 0 else between.freedom)


def _moderated(seen: float, freedom: int, assumed: float, share: float) -> _Spread:
    """Return the measured and the assumed variance, weighted by their degrees of freedom."""
    together = freedom + _PRIOR_FREEDOM
    return _Spread((freedom * seen + _PRIOR_FREEDOM * assumed) / together * share, together)


def _traffic(a: RunValues, b: RunValues, q: float | None, rng: np.random.Generator) -> float:
    """Return the variance by traffic: blocks of the schedule drawn again, the same in both arms."""
    length = block_length([a, b], q)
    drawn = draws(max(1, max(a.requests, b.requests) // length), REPLICATES, rng)
    found = replicate(b, drawn, length, q) - replicate(a, drawn, length, q)
    return float(np.nanvar(found, ddof=1)) if np.count_nonzero(~np.isnan(found)) > 1 else 0.0


def _interval(a: Floats, b: Floats, spread: _Spread, worth: float) -> Difference:
    from scipy import stats  # noqa: PLC0415  # slow to import, and only verdicts need it

    estimate = float(b.mean() - a.mean())
    error = float(np.sqrt(spread.variance))
    margin = float(stats.t.ppf(0.975, spread.freedom)) * error
    by_chance = float(2 * stats.t.sf(abs(estimate) / error, spread.freedom)) if error > 0 else 0.0
    repeats = min(a.size, b.size)
    return Difference(
        baseline=float(a.mean()),
        variant=float(b.mean()),
        estimate=estimate,
        lo=estimate - margin,
        hi=estimate + margin,
        p_value=by_chance if estimate else 1.0,
        error=error,
        freedom=float(spread.freedom),
        repeats=repeats,
        repeats_most=max(a.size, b.size),
        effective_n=float(worth),
        restarts_assumed=repeats < ENOUGH_REPEATS,
    )


def holm(p_values: Sequence[float]) -> list[float]:
    """Return Holm's adjusted p-values, in the order given."""
    order = sorted(range(len(p_values)), key=lambda index: p_values[index])
    adjusted = [0.0] * len(p_values)
    running = 0.0
    for rank, index in enumerate(order):
        running = max(running, min(1.0, (len(p_values) - rank) * p_values[index]))
        adjusted[index] = running
    return adjusted
