"""Findings of a switchback: both values on one server, compared block by block.

The order within each pair is drawn by a fair coin, so without a difference every order is equally likely.
The p-value is the share of orders with as large a difference: a randomization test, exact for any queue. The
interval comes from pairs drawn again.
"""

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from workbench.base import Message, Record, message
from workbench.experiments.findings.repeat_groups import figures_for
from workbench.results import (
    FIGURES,
    BenchFile,
    Difference,
    RunEntry,
    Verdict,
    arm_of,
    holm,
    judge,
    zero_share_difference,
)

_DRAWS = 2000
_ALL_ORDERS = 11
"""Largest number of pairs for which all orders are tried."""
_MANY_VALUES = 50_000
"""Number of values, such as gaps between tokens, above which fewer orders are drawn."""
Floats = NDArray[np.float64]


class _Blocks(Record, frozen=True, kw_only=True):
    """One figure's values by block; blocks 2i and 2i + 1 are a pair."""

    values: list[Floats]
    variant: list[bool]

    def pairs(self) -> list[tuple[Floats, Floats]]:
        """Return the baseline's and the variant's values of each pair that has both."""
        found = []
        for first in range(0, len(self.values) - 1, 2):
            one, other = self.values[first], self.values[first + 1]
            if one.size and other.size:
                found.append((other, one) if self.variant[first] else (one, other))
        return found


def switchback_verdicts(bench: BenchFile, washout_s: float) -> list[Verdict]:
    """Return a verdict for each figure of each valid run."""
    figures = figures_for([entry.objectives for entry in bench.experiments()])
    found: list[tuple[RunEntry, str, Difference]] = []
    for run in bench.runs():
        if run.status == "done" and run.figures.valid and run.facts.get("blocks"):
            for figure in figures:
                change = _difference(_blocks(bench, run, figure, washout_s), FIGURES[figure])
                if change is not None:
                    found.append((run, figure, change))
    adjusted = holm([change.p_value for _, _, change in found])
    return [_verdict(*each, p_value) for each, p_value in zip(found, adjusted, strict=True)]


def _state(run: RunEntry) -> Message:
    if run.status != "done" or run.summary is None:
        return message("experiments.run_state", run=run.name, state=run.status)
    if run.figures.valid:
        return message("experiments.run_state", run=run.name, state=message("experiments.too_few_requests"))
    return message("experiments.run_state", run=run.name, state="; ".join(run.figures.reasons or []))


def _verdict(run: RunEntry, figure: str, change: Difference, p_adjusted: float) -> Verdict:
    begin, end, _ = run.facts["blocks"][0]
    word, above, more = judge(change, p_adjusted, run_minutes=(end - begin) / run.time_scale / 60)
    return Verdict(
        figure=figure,
        cls=None,
        variant=run.name,
        rate=run.rate,
        word=word,
        difference=change,
        above=above,
        p_adjusted=p_adjusted,
        minutes_more=more,
        note=message("experiments.pairs_of_blocks", count=change.repeats),
    )


def _blocks(bench: BenchFile, run: RunEntry, figure: str, washout_s: float) -> _Blocks:
    """Return the values of requests due in each block after its washout, by block."""
    seen = arm_of(bench, [run], figure).runs[0]
    columns = bench.request_columns(run.id)
    columns = columns.select(np.asarray(columns.phase == "measured", dtype=np.bool_))
    due = np.full(seen.requests, np.nan)
    due[columns.index.astype(np.int64)] = columns.due * run.time_scale
    when = due[seen.owner]
    blocks: Sequence[tuple[float, float, int]] = run.facts["blocks"]
    return _Blocks(
        values=[seen.values[(when >= begin + washout_s) & (when < end)] for begin, end, _ in blocks],
        variant=[bool(variant) for _, _, variant in blocks],
    )


def _difference(blocks: _Blocks, q: float | None) -> Difference | None:
    pairs = blocks.pairs()
    if len(pairs) < 2:
        return None
    from scipy import stats  # noqa: PLC0415  # slow to import, and only a switchback needs it

    before, after = _level([one for one, _ in pairs], q), _level([other for _, other in pairs], q)
    error = _error(pairs, q)
    freedom = len(pairs) - 1
    margin = float(stats.t.ppf(0.975, freedom)) * error
    found = Difference(
        baseline=before,
        variant=after,
        estimate=after - before,
        lo=after - before - margin,
        hi=after - before + margin,
        p_value=_p_value(pairs, q, after - before),
        error=error,
        freedom=float(freedom),
        repeats=len(pairs),
        effective_n=float(len(pairs)),
        restarts_assumed=False,
    )
    if q is not None or before or after:
        return found
    return zero_share_difference(
        found, sum(one.size for one, _ in pairs), sum(other.size for _, other in pairs)
    )


def _level(parts: Sequence[Floats], q: float | None) -> float:
    values = np.concatenate(parts)
    return float(values.mean() if q is None else np.quantile(values, q))


def _error(pairs: Sequence[tuple[Floats, Floats]], q: float | None) -> float:
    rng = np.random.default_rng(1)
    found = []
    for drawn in rng.integers(0, len(pairs), (_DRAWS // 5, len(pairs))):
        chosen = [pairs[index] for index in drawn]
        found.append(_level([b for _, b in chosen], q) - _level([a for a, _ in chosen], q))
    # A bootstrap of n pairs is too narrow by the root of (n - 1) / n.
    return float(np.std(found, ddof=1)) * math.sqrt(len(pairs) / (len(pairs) - 1))


def _p_value(pairs: Sequence[tuple[Floats, Floats]], q: float | None, estimate: float) -> float:
    """Return the share of possible orders, the real one included, with at least as large a difference."""
    n = len(pairs)
    many = sum(a.size + b.size for a, b in pairs) > _MANY_VALUES
    if n <= _ALL_ORDERS and not many:
        orders = (np.arange(2**n)[:, None] >> np.arange(n)) & 1
    else:
        orders = np.random.default_rng(2).integers(0, 2, (_DRAWS // 5 if many else _DRAWS, n))
        orders[0] = 0
    as_large = 0
    for order in orders:
        a = [pair[swap] for pair, swap in zip(pairs, order, strict=True)]
        b = [pair[1 - swap] for pair, swap in zip(pairs, order, strict=True)]
        as_large += abs(_level(b, q) - _level(a, q)) >= abs(estimate) * (1 - 1e-9)
    return as_large / len(orders)


def switchback_findings(bench: BenchFile, verdicts: Sequence[Verdict]) -> list[Message]:
    """Return one finding for each run; without verdicts one that gives the runs' states."""
    if not verdicts:
        return [message("experiments.no_conclusion", runs=[_state(run) for run in bench.runs()])]
    by_run: dict[str, list[Message | str]] = {}
    for verdict in verdicts:
        by_run.setdefault(verdict.variant, []).append(verdict.sentence())
    return [message("experiments.run_verdicts", run=run, verdicts=own) for run, own in by_run.items()]
