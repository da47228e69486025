"""Percentiles with their sample floors, also with unanswered requests in the tail."""

import math
from collections.abc import Sequence

import msgspec
import numpy as np
from numpy.typing import ArrayLike, NDArray

from workbench.base import Record

Floats = NDArray[np.float64]

# A tail percentile is given only if its 95 % interval has an upper end: if the largest of n values
# exceeds the true quantile with a chance of at least 97.5 %, 1 - q^n >= 0.975: p90 from 36 values, p95 from
# 72, p99 from 368.
_CHANCE_MISSED = 0.025

QUANTILES = {"p50": 0.50, "p90": 0.90, "p95": 0.95, "p99": 0.99}
"""The percentiles of every distribution, by name."""


def sample_floor(q: float) -> int:
    """Return the smallest number of requests that allows the q-quantile (0..1): 72 for 0.95, 368 for 0.99."""
    return math.ceil(math.log(_CHANCE_MISSED) / math.log(q)) if 0.5 < q < 1 else 1


def percentile(values: ArrayLike, q: float, *, requests: int | None = None) -> float | None:
    """Return the q-quantile (0..1) by numpy's linear interpolation; None below the sample floor.

    `requests` is the number of requests behind pooled values such as token gaps; by default one a value.
    """
    array = np.asarray(values, dtype=np.float64)
    if array.size == 0 or (array.size if requests is None else requests) < sample_floor(q):
        return None
    return float(np.quantile(array, q))


class Distribution(Record, frozen=True, kw_only=True):
    """Figures of one series in its own unit. None: unknown, or too few requests for that percentile."""

    n: int = 0
    """Requests behind the figures."""
    censored: int = 0
    """Requests that were still unanswered at the end; they count with the time that they had waited."""
    at_least: list[str] = msgspec.field(default_factory=list)
    """Names of the figures that are lower bounds because of them: read "p95" as ">= p95"."""
    mean: float | None = None
    p50: float | None = None
    p90: float | None = None
    p95: float | None = None
    p99: float | None = None
    max: float | None = None

    def to_json(self) -> dict[str, object]:
        """Return the fields by name, in the JSON form."""
        return {field: getattr(self, field) for field in self.__struct_fields__}


def distribution(values: ArrayLike, *, censored: ArrayLike = (), requests: int | None = None) -> Distribution:
    """Return the figures of `values` together with `censored` ones, which are lower bounds.

    A figure that would change if a censored value grew is named in `at_least`.
    """
    known = np.asarray(values, dtype=np.float64)
    bounds = np.asarray(censored, dtype=np.float64)
    if known.size + bounds.size == 0:
        return Distribution()
    merged = np.concatenate([known, bounds])
    n = merged.size if requests is None else requests
    first_open = _first_open_rank(known, bounds)
    figures: dict[str, float | None] = {"mean": float(merged.mean()), "max": float(merged.max())}
    at_least = ["mean"] if bounds.size else []
    for name, value in _quantiles(merged, n).items():
        figures[name] = value
        if value is not None and math.ceil(QUANTILES[name] * (merged.size - 1)) >= first_open:
            at_least.append(name)
    if bounds.size:
        at_least.append("max")
    return Distribution(n=n, censored=int(bounds.size), at_least=at_least, **figures)


def _quantiles(merged: Floats, n: int) -> dict[str, float | None]:
    """Return all quantiles that n allows, from one partial sort."""
    allowed = [name for name, q in QUANTILES.items() if n >= sample_floor(q)]
    found = np.quantile(merged, [QUANTILES[name] for name in allowed]) if allowed else ()
    given = dict(zip(allowed, (float(value) for value in found), strict=True))
    return {name: given.get(name) for name in QUANTILES}


def _first_open_rank(known: Floats, bounds: Floats) -> int:
    """Return the rank (from 0) of the lowest censored value, ties behind the known; else the size."""
    if not bounds.size:
        return known.size
    return int(np.count_nonzero(known <= bounds.min()))


def spread(values: Sequence[float]) -> float | None:
    """Return the coefficient of variation over repeats (sample standard deviation / mean); None below two."""
    if len(values) < 2:
        return None
    mean = float(np.mean(values))
    return float(np.std(values, ddof=1)) / mean if mean else None


__all__ = [
    "QUANTILES",
    "Distribution",
    "Floats",
    "distribution",
    "percentile",
    "sample_floor",
    "spread",
]
