"""Peaks of the server's gauges, and counters from samples where no first and last page were kept."""

from collections import defaultdict
from collections.abc import Sequence

from workbench.results.records import Sample


def summed_max(samples: Sequence[Sample], gauge: str) -> float | None:
    """The largest sum over engines at one scrape; None where the series is missing."""
    sums: dict[float, float] = defaultdict(float)
    for sample in samples:
        value = getattr(sample, gauge)
        if value is not None:
            sums[sample.t] += value
    return max(sums.values(), default=None)


def fullest(samples: Sequence[Sample], gauge: str) -> float | None:
    """The largest value of any one engine; None where the series is missing."""
    values = (getattr(sample, gauge) for sample in samples)
    return max((value for value in values if value is not None), default=None)


def counted(samples: Sequence[Sample], counter: str) -> float | None:
    """The counter's growth from first to last sample, summed over engines; None where it is missing."""
    ends: dict[str, tuple[float, float]] = {}
    for sample in samples:
        value = getattr(sample, counter)
        if value is not None:
            ends[sample.engine] = (ends.get(sample.engine, (value, value))[0], value)
    return sum(last - first for first, last in ends.values()) if ends else None
