"""Block bootstrap: neighboring requests share a queue, so they are drawn in blocks."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from workbench.results.percentiles import Floats

Ints = NDArray[np.int64]

_LEAST_BLOCKS = 12
_LEAST_LENGTH = 5
# A block must be much longer than the autocorrelation of the queue.
_LENGTHS_OF_MEMORY = 3.0


@dataclass(frozen=True, slots=True)
class RunValues:
    """The values of one run in ascending order, each with its request's place in the schedule."""

    values: Floats
    owner: Ints
    requests: int
    """Requests in the schedule, with or without a value."""

    @classmethod
    def of(cls, values: Floats, owner: Ints | None = None, requests: int | None = None) -> "RunValues":
        """Sort values of any order; by default one for each request in schedule order. NaN: no value."""
        owners = np.arange(values.size, dtype=np.int64) if owner is None else owner
        known = ~np.isnan(values)
        order = np.argsort(values[known], kind="stable")
        count = values.size if requests is None else requests
        return cls(values[known][order], owners[known][order], count)

    def level(self, q: float | None) -> float:
        """Return the q-quantile, linear as numpy's, or the mean for None; NaN without values."""
        if not self.values.size:
            return float("nan")
        return float(self.values.mean() if q is None else np.quantile(self.values, q))

    def by_request(self, q: float | None) -> Floats:
        """Return by request, in schedule order, the share of its values above the level, or their mean."""
        parts = self.values if q is None else (self.values > self.level(q)).astype(np.float64)
        added = np.bincount(self.owner, weights=parts, minlength=self.requests)
        count = np.bincount(self.owner, minlength=self.requests)
        return added[count > 0] / count[count > 0]


def autocorrelation_time(series: Floats) -> float:
    """Return the integrated autocorrelation time in requests: n / time of n requests are independent.

    At least 1. Correlations are summed in pairs while they stay positive (Geyer's initial positive sequence).
    """
    centred = series - series.mean()
    n = centred.size
    power = float(centred @ centred)
    if n < 8 or power == 0:
        return 1.0
    size = 1 << (2 * n - 1).bit_length()
    spectrum = np.fft.rfft(centred, size)
    correlation = np.fft.irfft(spectrum * np.conj(spectrum), size)[: n // 4] / power
    pairs = correlation[: correlation.size // 2 * 2].reshape(-1, 2).sum(axis=1)
    negative = np.flatnonzero(pairs <= 0)
    kept = pairs[: negative[0]] if negative.size else pairs
    return max(1.0, 2.0 * float(kept.sum()) - 1.0)


def effective_n(run: RunValues, q: float | None) -> float:
    """Return the number of independent requests behind the run's q-quantile (None: its mean)."""
    series = run.by_request(q)
    return series.size / autocorrelation_time(series)


def block_length(runs: Sequence[RunValues], q: float | None) -> int:
    """Return the requests in a block: longer than any autocorrelation, short enough for a dozen blocks."""
    longest = max(autocorrelation_time(run.by_request(q)) for run in runs)
    most = max(1, min(run.requests for run in runs) // _LEAST_BLOCKS)
    return int(min(max(np.ceil(_LENGTHS_OF_MEMORY * longest), _LEAST_LENGTH), most))


def draws(blocks: int, replicates: int, rng: np.random.Generator) -> Ints:
    """Return how often each block is drawn in each replicate, shape (replicates, blocks)."""
    return rng.multinomial(blocks, np.full(blocks, 1 / blocks), size=replicates)


def replicate(run: RunValues, drawn: Ints, length: int, q: float | None) -> Floats:
    """Return the level in each replicate, shape (replicates,); NaN: the replicate drew no value."""
    block = np.minimum(run.owner // length, drawn.shape[1] - 1)
    found = np.full(drawn.shape[0], np.nan)
    for index, times in enumerate(drawn):
        weights = times[block]
        total = int(weights.sum())
        if total == 0:
            continue
        if q is None:
            found[index] = float(weights @ run.values) / total
        else:
            place = np.searchsorted(np.cumsum(weights), q * (total - 1), side="right")
            found[index] = run.values[min(int(place), run.values.size - 1)]
    return found


# Upper bounds of a share with few observed cases, or none.

ONE_SIDED, TWO_SIDED = 1.645, 1.960
"""Normal quantiles: 95 % that the share is no larger; 95 % that it is neither larger nor smaller."""


def share_at_most(count: float, n: float, z: float = ONE_SIDED) -> float:
    """Return Wilson's upper bound of the share with `count` cases among `n`; 1 for n = 0.

    For 0 among 90 it is 2.9 %.
    """
    if n <= 0:
        return 1.0
    share, wide = count / n, z * z / n
    half = z * math.sqrt(share * (1 - share) / n + wide / (4 * n))
    return min(1.0, (share + wide / 2 + half) / (1 + wide))
