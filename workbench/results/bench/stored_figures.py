"""A stored summary as typed figures, also from older builds and other tools.

`RunSummary` is the form that this build writes. Here every field may be missing: None is unknown.
"""

import msgspec


class StoredDistribution(msgspec.Struct, frozen=True, kw_only=True):
    """One stored series; the fields of `Distribution` and `QueueFigures`."""

    n: int | None = None
    at_least: list[str] | None = None
    mean: float | None = None
    p50: float | None = None
    p90: float | None = None
    p95: float | None = None
    p99: float | None = None
    max: float | None = None
    lo: float | None = None
    hi: float | None = None
    source: str | None = None

    def quantile(self, name: str) -> float | None:
        """Return a percentile by its name, such as `p95`."""
        return {"p50": self.p50, "p90": self.p90, "p95": self.p95, "p99": self.p99}[name]


_NONE = StoredDistribution()


class StoredCounts(msgspec.Struct, frozen=True, kw_only=True):
    """Stored requests by outcome."""

    scheduled: int | None = None
    sent: int | None = None
    completed: int | None = None
    failed: int | None = None
    rejected: int | None = None
    timed_out: int | None = None
    cancelled: int | None = None
    unfinished: int | None = None


class StoredRetries(msgspec.Struct, frozen=True, kw_only=True):
    """Requests that were sent again, and all repetitions."""

    requests: int | None = None
    times: int | None = None


class StoredDrift(msgspec.Struct, frozen=True, kw_only=True):
    """Slope of TTFT over due time in seconds per second, with its 95 % interval."""

    slope: float | None = None
    lo: float | None = None
    hi: float | None = None


class SetFigures(msgspec.Struct, frozen=True, kw_only=True):
    """Stored figures of a set of requests: all of a run, or one class."""

    requests: StoredCounts = StoredCounts()
    offered_rps: float | None = None
    sent_rps: float | None = None
    completed_rps: float | None = None
    accepted: int | None = None
    accepted_share: float | None = None
    accepted_rps: float | None = None
    output_tok_s: float | None = None
    input_tok_s: float | None = None
    error_rate: float | None = None
    rejected_rate: float | None = None
    rejected_rps: float | None = None
    accepted_output_tok_s: float | None = None
    accepted_output_tokens: float | None = None
    input_tokens: StoredDistribution = _NONE
    output_tokens: StoredDistribution = _NONE
    ttft_ms: StoredDistribution = _NONE
    itl_ms: StoredDistribution = _NONE
    tpot_ms: StoredDistribution = _NONE
    e2e_ms: StoredDistribution = _NONE
    client_delay_ms: StoredDistribution = _NONE
    queue_ms: StoredDistribution = _NONE
    requeue_wait_ms: StoredDistribution = _NONE
    preemptions: float | None = None

    def series(self, objective: str) -> StoredDistribution:
        """Return the series that an objective such as `ttft_p95_ms` limits."""
        by_objective = {
            "ttft_p95_ms": self.ttft_ms,
            "itl_p95_ms": self.itl_ms,
            "e2e_p95_ms": self.e2e_ms,
            "queue_p95_ms": self.queue_ms,
        }
        return by_objective[objective]


class StoredEngine(msgspec.Struct, frozen=True, kw_only=True):
    """Stored figures of one engine of several."""

    waiting_max: float | None = None
    requests: float | None = None
    preemptions: float | None = None
    prefix_hit: float | None = None


class StoredImbalance(msgspec.Struct, frozen=True, kw_only=True):
    """Stored largest over mean between engines."""

    waiting: float | None = None
    requests: float | None = None
    kv: float | None = None


class StoredFigures(SetFigures, frozen=True, kw_only=True):
    """All stored figures of one run."""

    duration_s: float | None = None
    drain_s: float | None = None
    running_max: float | None = None
    waiting_max: float | None = None
    kv_peak: float | None = None
    running_mean: float | None = None
    waiting_mean: float | None = None
    kv_mean: float | None = None
    oldest_waiting_s: float | None = None
    retries: StoredRetries | None = None
    prefix_hit: float | None = None
    classes: dict[str, SetFigures] = {}
    engines: dict[str, StoredEngine] = {}
    imbalance: StoredImbalance | None = None
    diverging: bool | None = None
    drift: StoredDrift | None = None
    valid: bool | None = None
    reasons: list[str] | None = None
    notes: list[str] | None = None
    partial: bool | None = None
    time_scale: float | None = None
