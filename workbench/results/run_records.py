"""The records of a run: one for each request, one sample for each scrape. Times are unscaled.

All stamps are wall seconds of the run's clock; 0 is the start of the schedule. A simulated run's
`time_scale` is applied when figures are computed (`summary`), never to stored values.
"""

from enum import StrEnum
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from workbench.base import Message
from workbench.results.histogram import Histogram


def may_be_unknown(kind: type[Any]) -> frozenset[str]:
    """Return the fields of a record that may be None."""
    return frozenset(field.name for field in msgspec.structs.fields(kind) if field.default is None)


_LONGEST_MS = 1e9
"""Eleven days."""


def plausible_ms(milliseconds: float | None) -> float | None:
    """Return a time that a server reports of a request; None: impossible, such as after a clock jump."""
    return milliseconds if milliseconds is not None and 0 <= milliseconds <= _LONGEST_MS else None


class Outcome(StrEnum):
    """The outcome of a scheduled request; exactly one each (docs/explanation/figures.md, "Outcomes")."""

    COMPLETED = "completed"
    FAILED = "failed"
    REJECTED = "rejected"
    TIMED_OUT = "timed_out"
    CANCELLED = "cancelled"
    UNFINISHED = "unfinished"


class RequestRecord(msgspec.Struct, kw_only=True):
    """One scheduled request with all its stamps (seconds since the schedule's start; None: never)."""

    index: int
    """Place in the schedule, from 0."""
    row: int
    """Row of the trace."""
    request_id: str
    """The X-Request-Id sent."""
    cls: str
    phase: str = "measured"
    """`warmup` or `measured`; a warm-up request counts only in the window's rates, if it finishes there."""
    session_id: str | None = None
    turn: int | None = None
    input_tokens: int
    """Prompt tokens asked for."""
    output_tokens: int
    """Output tokens asked for."""
    due: float
    released: float | None = None
    sent: float | None = None
    first_token: float | None = None
    last_token: float | None = None
    done: float | None = None
    connect_ms: float | None = None
    outcome: Outcome = Outcome.UNFINISHED
    finish_reason: str | None = None
    status: int | None = None
    error: str | None = None
    prompt_tokens: int | None = None
    """The server's usage."""
    completion_tokens: int | None = None
    """The server's usage."""
    tokens: int | None = None
    """Tokens counted in the stream."""
    token_source: str | None = None
    """`continuous` (usage in every event), `usage` (at the end), `events` (one token assumed an event)."""
    first_event_tokens: int = 1
    gaps_ms: bytes = b""
    """Gaps between token events after the first, float32 little-endian milliseconds."""
    gap_tokens: bytes = b""
    """Tokens of each of those events, uint16 little-endian; empty: one each, all 0: unknown."""
    queue_ms: float | None = None
    """The queue time that the server reports (its own milliseconds)."""
    prefill_ms: float | None = None
    """The time from scheduling to the first token that the server reports."""
    requeue_wait_ms: float | None = None
    """Time waited again after preemptions, from a step recorder."""
    retries: int = 0
    input_mode: str = "ids"
    """`ids` or `text`."""

    def gap_array(self) -> NDArray[np.float32]:
        """Return the gaps between token events, milliseconds, shape (events - 1,)."""
        return np.frombuffer(self.gaps_ms, dtype="<f4")

    def token_array(self) -> NDArray[np.uint16]:
        """Return the tokens per event after the first, shape (events - 1,)."""
        if self.gap_tokens:
            return np.frombuffer(self.gap_tokens, dtype="<u2")
        return np.ones(len(self.gaps_ms) // 4, dtype=np.uint16)


def has_token_counts(gap_tokens: bytes) -> bool:
    """Return whether the tokens of a stream's events are known; empty: one each, all zeros: unknown."""
    return not gap_tokens or any(gap_tokens)


class Sample(msgspec.Struct, kw_only=True):
    """One scrape of one engine's metrics. Gauges are snapshots, counters are the server's running totals.

    None: the server's page lacks the series.
    """

    t: float
    """Seconds since the schedule's start (negative before it)."""
    engine: str = "0"
    running: float | None = None
    waiting: float | None = None
    kv_usage: float | None = None
    """0 to 1."""
    preemptions: float | None = None
    prompt_tokens: float | None = None
    generation_tokens: float | None = None
    prefix_queries: float | None = None
    prefix_hits: float | None = None
    succeeded: float | None = None
    """Finished requests of all reasons."""
    rejected: float | None = None
    queue_sum_s: float | None = None
    queue_count: float | None = None
    ttft_sum_s: float | None = None
    ttft_count: float | None = None
    deferred: float | None = None
    """Waiting requests that don't wait for capacity, but for a LoRA budget, a KV transfer, …."""
    itl_sum_s: float | None = None
    itl_count: float | None = None


class GpuSample(msgspec.Struct, kw_only=True):
    """One GPU at one moment. None: unknown to the driver."""

    index: int
    memory_used: int | None
    """Bytes used by all processes."""
    memory_total: int | None = None
    """Bytes that the card has."""
    memory_ours: int | None = None
    """Bytes that the server's processes hold, also those that vLLM has reserved and not filled."""
    memory_others: int | None = None
    """Bytes outside the server."""
    others: int = 0
    """Processes on it that aren't the server's."""
    others_utilisation: float | None = None
    """0 to 1: share of the time in which their kernels ran."""
    utilisation: float | None = None
    """0 to 1: share of the time in which any kernel ran."""
    power_w: float | None = None
    power_cap_w: float | None = None
    """The limit in force."""
    sm_clock_mhz: float | None = None
    throttling: list[str] = msgspec.field(default_factory=list)
    """Reasons why it runs slower than it could; empty: it doesn't."""


class MachineSample(msgspec.Struct, kw_only=True):
    """The machine under a server at one moment; rates are over the interval before it. None: unknown."""

    t: float
    """Seconds since the schedule's start (negative before it)."""
    host_cpu: float | None = None
    """Busy share of all cores, 0 to 1."""
    api_cpu: float | None = None
    """Cores busy with the server's HTTP process and its helpers."""
    engine_cpu: float | None = None
    """Cores busy with the engine: scheduling, and on some set-ups the model's launch."""
    worker_cpu: float | None = None
    """Cores busy with the workers; None: they are part of the engine's process."""
    client_cpu: float | None = None
    """Cores busy with the busiest of the load workers, which run on the program's machine."""
    net_received: float | None = None
    """Bytes a second, without the loopback."""
    net_sent: float | None = None
    disk_read: float | None = None
    """Bytes a second."""
    gpus: list[GpuSample] = msgspec.field(default_factory=list)
    others_cpu: float | None = None
    """Share of the usable cores that processes took which are neither ours nor the server's, 0 to 1."""
    client_others_cpu: float | None = None
    """The same on the load generator's machine, if the server runs on another one."""


class LimitChange(msgspec.Struct, kw_only=True):
    """A change of a scheduler limit, made or refused, while the server ran."""

    t: float | None
    """Seconds since the schedule's start; None: between runs, or before the start was fixed."""
    name: str
    asked: Any
    """The value asked for, unchanged."""
    old: int | None
    """The value before; None: unknown."""
    new: int | None
    """The value from the next step on; as `old` if it was refused."""
    by: str
    """`user`, `switchback`, or `restored`: put back to the launched value before the next run."""
    refusal: str | None = None
    """The reason of the refusal; None: it was accepted."""


class LoadSnapshot(msgspec.Struct, kw_only=True):
    """The load generator's view, some times a second, for the live plots."""

    t: float
    """Seconds since the schedule's start, wall."""
    due: int
    """Requests due so far."""
    sent: int
    in_flight: int
    awaiting_first_token: int
    oldest_waiting_s: float | None
    """Age since due of the oldest request without a first token."""
    completed: int
    failed: int
    rejected: int
    timed_out: int
    cancelled: int
    events: int
    """Token events received so far."""
    recent_ttft_ms: list[float] = msgspec.field(default_factory=list)
    """TTFT, from due, of first tokens since the last snapshot, wall milliseconds."""
    client_delay_p99_ms: float | None = None


# The server's counts over one run: filled by telemetry, read by the summary.


class ServerDelta(msgspec.Struct, kw_only=True):
    """Differences between a run's first and last scrape, summed over engines. None: no such series."""

    preemptions: float | None = None
    prompt_tokens: float | None = None
    generation_tokens: float | None = None
    succeeded: float | None = None
    """Finished requests of all reasons."""
    rejected: float | None = None
    """Refused by an admission limit."""
    prefix_queries: float | None = None
    """Prompt tokens looked up in the prefix cache."""
    prefix_hits: float | None = None
    """Prompt tokens found there."""
    queue: Histogram | None = None
    """Queue time up to the first scheduling, in the server's seconds."""
    histograms: dict[str, Histogram] = msgspec.field(default_factory=dict)
    """Every histogram by its canonical name, the server's own units."""
    restarted: bool = False
    """A counter shrank: the server restarted during the run, and the differences mean nothing."""
    restart_sign: Message | str | None = None
    """The sign of the restart, with its figures; a text in older files."""
    mixed: Message | None = None
    """The sign that scrapes came from several processes in turn, so the server's figures mean nothing."""
    missing: tuple[str, ...] = ()
    """Canonical names of the series that the page lacks."""
