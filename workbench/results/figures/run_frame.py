"""A run's time frame, identity and conditions, needed to compute figures from wall stamps."""

from collections.abc import Mapping
from typing import Any

import msgspec

from workbench.base import Message, Record
from workbench.results.figures.queue_time import QueueSource
from workbench.results.figures.shared_machine import Sharing


class RunFrame(Record, frozen=True, kw_only=True):
    """The times of a run. Schedule times are seconds of the load (simulated if time_scale is not 1)."""

    length_s: float
    """Length of the schedule, including a warm-up that is part of it."""
    window: tuple[float, float] | None = None
    """Start and end of the measured window in schedule seconds; None: the whole schedule."""
    time_scale: float = 1.0
    """Simulated seconds per wall second; stored stamps are wall."""
    ended: float | None = None
    """Wall seconds from the schedule's start to the end of watching; None: the last stamp."""
    stopped: bool = False
    """The operator stopped the run: it is partial, and later requests don't count."""
    server_time_scale: float | None = None
    """Factor for times that the server itself reports (queue time); None: as `time_scale`."""
    queue_source: QueueSource = "per_request"
    """The source of the requests' queue times."""

    @property
    def server_scale(self) -> float:
        """The factor for the server's own times."""
        return self.time_scale if self.server_time_scale is None else self.server_time_scale

    def measured(self, ended: float) -> tuple[float, float]:
        """Return the measured window in schedule seconds; a stop at `ended` (wall) cuts it short."""
        start, end = self.window or (0.0, self.length_s)
        return (start, max(start, min(end, ended * self.time_scale))) if self.stopped else (start, end)


class RunIdentity(Record, frozen=True, kw_only=True):
    """The identity of a run, for repeating and comparing it."""

    simulated: bool | None = None
    profile: str | None = None
    trace_sha256: str | None = None
    schedule_sha256: str | None = None
    command: str | None = None


class Conditions(Record, frozen=True, kw_only=True):
    """Conditions of a valid run; None: not checked."""

    asked: Mapping[str, Any] = msgspec.field(default_factory=dict)
    """Controls as asked."""
    effective: Mapping[str, Any] | None = None
    """Controls as the server reports them; an unreported one is not compared."""
    need: tuple[str, ...] = ()
    """Figures that must be measured: `preemptions`, `queue`, `running`, `waiting`, `kv`."""
    prefix_hit_ideal: float | None = None
    """The trace's own share of repeated prompt tokens (0..1), for a cache that must start cold."""
    clock_step_s: float | None = None
    """Difference between wall time and monotonic time over the run."""
    server_lost: Message | str | None = None
    """The cause of a server lost during the run; a text in older files."""
    replica_changes: tuple[Message, ...] = ()
    """Replicas that didn't answer, restarted or differed after the load."""
    tunnel_drops: int = 0
    """Number of times that the connection with the requests dropped."""
    worker_deaths: int = 0
    lost_hosts: tuple[Message, ...] = ()
    """Machines of the load that were lost during the run."""
    clock_error_ms: float | None = None
    """Largest error of a load machine's clock against the common start; None: the load ran on one machine."""
    start_late_ms: float | None = None
    """Largest delay of a load worker behind the common start; None: all were in time."""
    read_late_p99_ms: float | None = None
    """Possible error of token times, because the load generator looked at its reads late."""
    changed_limits: tuple[Message | str, ...] = ()
    """Limits that the user changed during the run, such as `max_num_seqs 16 → 40`."""
    vllm_version: str | None = None
    """As the server reports it; the meaning of its counters depends on it."""
    sharing: Sharing | None = None
    """The share of the run's machines that other processes took."""
    simulated_scale: float | None = None
    """Simulated seconds in a wall second; None: a real server, whose wall time is the figure."""
