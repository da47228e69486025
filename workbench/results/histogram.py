"""Histogram arithmetic with a server's buckets, without interpolation."""

from collections.abc import Sequence
from itertools import pairwise

import msgspec

from workbench.base import WorkFailure


class CounterShrankError(WorkFailure):
    """A counter is smaller than it was: the server restarted between the two scrapes."""


class Histogram(msgspec.Struct, frozen=True):
    """Observations counted in buckets, as Prometheus exports them but not cumulative.

    `edges` are the finite upper bounds, ascending, in the unit of the series (vLLM: seconds); `counts` has
    one entry more, the last for everything above the last edge. Bucket i holds (edges[i-1], edges[i]].
    """

    edges: tuple[float, ...]
    counts: tuple[float, ...]
    sum: float

    def __post_init__(self) -> None:
        """Check the form.

        Raises:
            ValueError: the lengths don't fit or the edges don't ascend.
        """
        if len(self.counts) != len(self.edges) + 1:
            raise ValueError(
                f"{len(self.edges)} finite edges need {len(self.edges) + 1} counts, got {len(self.counts)}"
            )
        if any(low >= high for low, high in pairwise(self.edges)):
            raise ValueError("histogram edges must ascend")

    @classmethod
    def from_cumulative(
        cls, bounds: Sequence[float], cumulative: Sequence[float], total: float
    ) -> "Histogram":
        """Convert Prometheus' form: the `le` values with +Inf last, the counts at or below each, the sum."""
        counts = tuple(b - a for a, b in pairwise((0.0, *cumulative)))
        return cls(edges=tuple(float(bound) for bound in bounds[:-1]), counts=counts, sum=float(total))

    @property
    def count(self) -> float:
        """The number of observations."""
        return sum(self.counts)

    def mean(self) -> float | None:
        """Return the exact mean, from sum and count; None without observations."""
        return self.sum / self.count if self.count > 0 else None

    def minus(self, earlier: "Histogram") -> "Histogram":
        """Return the observations since `earlier`.

        Raises:
            CounterShrankError: a bucket holds less than it did; the server restarted.
            WorkFailure: the two have different edges.
        """
        self._require_same_edges(earlier)
        counts = tuple(b - a for a, b in zip(earlier.counts, self.counts, strict=True))
        if any(count < 0 for count in counts):
            raise CounterShrankError("results.bucket_shrank")
        return Histogram(edges=self.edges, counts=counts, sum=self.sum - earlier.sum)

    def plus(self, other: "Histogram") -> "Histogram":
        """Return the observations of both, such as of several engines.

        Raises:
            WorkFailure: the two have different edges.
        """
        self._require_same_edges(other)
        counts = tuple(a + b for a, b in zip(self.counts, other.counts, strict=True))
        return Histogram(edges=self.edges, counts=counts, sum=self.sum + other.sum)

    def scaled(self, factor: float) -> "Histogram":
        """Return the observations in another unit: edges and sum times `factor` (> 0)."""
        return Histogram(
            edges=tuple(edge * factor for edge in self.edges), counts=self.counts, sum=self.sum * factor
        )

    def quantile_bounds(self, q: float) -> tuple[float, float | None] | None:
        """Return the interval (lo, hi] that holds the q-quantile (q in 0..1); hi None: beyond the last edge.

        numpy's quantile may fall between two observations in different buckets; the interval
        then covers both. The lowest bucket begins at 0, because the series are durations. None without
        observations.
        """
        total = round(self.count)
        if total < 1:
            return None
        place = q * (total - 1)
        low_bucket = self._bucket_of(int(place))
        high_bucket = self._bucket_of(min(int(place) + (place > int(place)), total - 1))
        lo = self.edges[low_bucket - 1] if low_bucket > 0 else 0.0
        hi = self.edges[high_bucket] if high_bucket < len(self.edges) else None
        return lo, hi

    def _bucket_of(self, order: int) -> int:
        """Return the bucket of the observation with rank `order` (from 0)."""
        seen = 0.0
        for bucket, count in enumerate(self.counts):
            seen += count
            if order < seen:
                return bucket
        return len(self.counts) - 1

    def _require_same_edges(self, other: "Histogram") -> None:
        if self.edges != other.edges:
            raise WorkFailure("results.buckets_differ", edges=len(self.edges), other_edges=len(other.edges))
