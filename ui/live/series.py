"""The samples of one run as columns, and the reduction to the points of a curve."""

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Protocol

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from workbench.experiments import SampleTaken

Floats = NDArray[np.float64]

COLUMNS = (
    "running",
    "waiting",
    "kv_usage",
    "ttft_p50_ms",
    "ttft_p95_ms",
    "oldest_waiting_s",
    "queue_ms",
    "input_tok_s",
    "output_tok_s",
    "preemptions",
    "offered_rps",
    "completed_rps",
    "client_delay_p99_ms",
    "itl_p50_ms",
    "itl_p95_ms",
    "prefill_ms",
    "outside_ms",
    "rejected_rps",
    "rejected",
    "admission_wait_ms",
    "in_flight",
    "held",
    "server_ttft_ms",
    "server_itl_ms",
    "waiting_imbalance",
    "request_imbalance",
    "kv_imbalance",
)
"""Fields kept of each sample event."""

ENGINE_COLUMNS = ("running", "waiting", "kv_usage")
"""Fields kept of each engine or replica, if there are several."""

MACHINE_COLUMNS = (
    "host_cpu",
    "api_cpu",
    "engine_cpu",
    "worker_cpu",
    "client_cpu",
    "gpu_utilisation",
    "gpu_memory",
    "gpu_power_w",
)
"""Fields kept of each machine sample: cores, shares of 1, watts; of GPUs the busiest and fullest."""

CAPACITY = 16_384
"""Samples kept of a run: over an hour at four a second; then the oldest quarter is dropped."""

CURVE_POINTS = 300
"""Points of a curve: a plot is a few hundred pixels wide."""

_FIRST_SIZE = 512
_GAP_STEPS = 6
"""A pause of this many sampling intervals is drawn as a gap."""


class Curves(Protocol):
    """Data that a plot can draw."""

    @property
    def columns(self) -> tuple[str, ...]:
        """Names of the curves."""

    def __len__(self) -> int:
        """Return the number of points."""

    def times(self) -> Floats:
        """Return seconds since the schedule's start."""

    def column(self, name: str) -> Floats:
        """Return the values of one curve; NaN for unknown values."""

    def last_time(self) -> float:
        """Return the newest point's time; NaN without any."""

    def last(self, name: str) -> float | None:
        """Return the newest value; None if unknown."""

    def value_near(self, name: str, run_t: float) -> float | None:
        """Return the value at or just before a time; None if unknown."""


class RunSeries:
    """Columns of float64 that grow by doubling up to `CAPACITY`; NaN for unknown values."""

    def __init__(self, columns: Sequence[str] = COLUMNS) -> None:
        self.columns: tuple[str, ...] = tuple(columns)
        self._data: Floats = np.full((1 + len(columns), _FIRST_SIZE), np.nan)
        self._length = 0
        self._interval = math.inf

    def __len__(self) -> int:
        return self._length

    def append(self, sample: "SampleTaken") -> None:
        """Add a sample, unless it is not later than the last one."""
        self.append_values(sample.run_t, [getattr(sample, name) for name in self.columns])

    def append_values(self, run_t: float, values: Sequence[float | None]) -> None:
        """Add a row: seconds since the schedule's start, and a value or None for each column."""
        if self._length:
            step = run_t - self.last_time()
            if step <= 0:
                return
            if step > _GAP_STEPS * self._interval:
                self._push(run_t - step / 2, [None] * len(self.columns))
            self._interval = step if math.isinf(self._interval) else 0.9 * self._interval + 0.1 * step
        self._push(run_t, values)

    def _push(self, run_t: float, values: Sequence[float | None]) -> None:
        if self._length == self._data.shape[1]:
            self._make_room()
        column = self._data[:, self._length]
        column[0] = run_t
        column[1:] = [math.nan if value is None else value for value in values]
        self._length += 1

    def _make_room(self) -> None:
        size = self._data.shape[1]
        if size < CAPACITY:
            grown = np.full((self._data.shape[0], size * 2), np.nan)
            grown[:, :size] = self._data
            self._data = grown
            return
        drop = size // 4
        self._data[:, : size - drop] = self._data[:, drop:].copy()
        self._length -= drop

    def trim(self) -> None:
        """Free unused memory at the run's end."""
        self._data = self._data[:, : max(1, self._length)].copy()

    def times(self) -> Floats:
        """Return seconds since the schedule's start, ascending; a view."""
        return self._data[0, : self._length]

    def column(self, name: str) -> Floats:
        """Return the values of one column; a view, NaN for unknown values."""
        return self._data[1 + self.columns.index(name), : self._length]

    def last_time(self) -> float:
        """Return the newest sample's time; NaN without any."""
        return float(self._data[0, self._length - 1]) if self._length else math.nan

    def last(self, name: str) -> float | None:
        """Return the newest value of a column; None if unknown."""
        return self.at(name, self._length - 1)

    def value_near(self, name: str, run_t: float) -> float | None:
        """Return the value at or just before `run_t`; None if unknown."""
        return self.at(name, int(np.searchsorted(self.times(), run_t, side="right")) - 1)

    def at(self, name: str, index: int) -> float | None:
        """Return the value at an index; None if unknown or outside."""
        if not 0 <= index < self._length:
            return None
        value = float(self.column(name)[index])
        return None if math.isnan(value) else value


OF_REQUESTS = (
    "ttft_p50_ms",
    "ttft_p95_ms",
    "queue_ms",
    "itl_p50_ms",
    "itl_p95_ms",
    "prefill_ms",
    "outside_ms",
    "admission_wait_ms",
)
"""Columns that each class of requests has of its own; the others are the server's."""


def append_class(series: RunSeries, sample: "SampleTaken", figures: Mapping[str, float | None]) -> None:
    """Add a sample with one class's own latencies."""
    values = [
        figures.get(name) if name in OF_REQUESTS else getattr(sample, name, None) for name in series.columns
    ]
    series.append_values(sample.run_t, values)


def decimate(times: Floats, values: Floats, limit: int = CURVE_POINTS) -> tuple[Floats, Floats]:
    """Return at most `limit` points with the same outline: minimum and maximum of equal time spans.

    `times` ascend; a span without known values stays a gap (NaN).
    """
    if len(times) <= limit:
        return times, values
    spans = limit // 2
    edges = np.linspace(times[0], times[-1], spans + 1)
    starts = np.unique(np.searchsorted(times, edges[:-1]))
    low = np.fmin.reduceat(values, starts)
    high = np.fmax.reduceat(values, starts)
    ends = np.append(starts[1:], len(times)) - 1
    rising = values[starts] <= values[ends]
    shown_times = np.empty(2 * len(starts))
    shown = np.empty(2 * len(starts))
    shown_times[0::2] = times[starts]
    shown_times[1::2] = (times[starts] + times[ends]) / 2
    shown[0::2] = np.where(rising, low, high)
    shown[1::2] = np.where(rising, high, low)
    return shown_times, shown
