"""Figures of a replay, with the keys of `engine replay --json`."""

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from workbench.base import Record
from workbench.results import sample_floor


class Quantiles(Record, frozen=True):
    """Mean and percentiles by linear interpolation; None without values."""

    mean: float | None
    p50: float | None
    p95: float | None
    p99: float | None


class StepQuantiles(Record, frozen=True):
    """Percentiles over steps."""

    p50: float | None
    p95: float | None


class ReplayFigures(Record, frozen=True):
    """Figures of a replay. Times are simulated, except `wall_s`, the time of the computation.

    TTFT, E2E and queue time run from the due time; queue time ends at the start of the first step that
    schedules the request. `requeue_wait_ms` is the wait after preemptions, over preempted requests.
    """

    requests: int
    completed: int
    rejected: int
    cancelled: int
    ttft_ms: Quantiles
    tpot_ms: Quantiles
    itl_ms: Quantiles
    e2e_ms: Quantiles
    queue_ms: Quantiles
    requeue_wait_ms: Quantiles
    preemptions: int
    preempted_requests: int
    recomputed_tokens: int
    prefix_hit_tokens: int
    steps: int
    tokens_per_step: StepQuantiles
    running_max: int
    waiting_max: int
    kv_peak: float
    output_tok_s: float | None
    virtual_s: float
    wall_s: float
    below_floor: list[str]
    """Tail percentiles, such as `ttft_ms.p99`, that rest on fewer requests than a measured run needs: exact
    for this trace, unknown for another one of its kind."""

    def beyond_trace(self, name: str, tail: str) -> float | None:
        """Return a figure, or None below the sample floor of measured runs."""
        value: float | None = getattr(getattr(self, name), tail)
        return None if f"{name}.{tail}" in self.below_floor else value


_TAILS = {"p95": 0.95, "p99": 0.99}


def below_floor(requests: Mapping[str, int]) -> list[str]:
    """Return the percentiles below their sample floor; `requests` by distribution."""
    return [
        f"{name}.{tail}" for name, n in requests.items() for tail, q in _TAILS.items() if n < sample_floor(q)
    ]


def quantiles(values: Sequence[float] | NDArray[np.float64]) -> Quantiles:
    """Return mean and percentiles of values."""
    array = np.asarray(values, dtype=np.float64)
    if not array.size:
        return Quantiles(mean=None, p50=None, p95=None, p99=None)
    p50, p95, p99 = (float(value) for value in np.quantile(array, (0.5, 0.95, 0.99)))
    return Quantiles(mean=float(array.mean()), p50=p50, p95=p95, p99=p99)


def repeated_quantiles(values: Sequence[float], times: Sequence[int]) -> Quantiles:
    """Return mean and percentiles of values that occur several times each."""
    return quantiles(np.repeat(np.asarray(values, dtype=np.float64), np.asarray(times, dtype=np.int64)))


def step_quantiles(values: Sequence[int]) -> StepQuantiles:
    """Return percentiles of the tokens of each step."""
    if not values:
        return StepQuantiles(p50=None, p95=None)
    p50, p95 = (float(value) for value in np.quantile(np.asarray(values), (0.5, 0.95)))
    return StepQuantiles(p50=p50, p95=p95)
