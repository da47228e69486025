"""Input of a diagnosis: one run's samples, requests, limits and figures."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

from workbench.results import (
    LimitChange,
    MachineSample,
    RequestColumns,
    RequestRecord,
    Sample,
    columns_from_records,
)


class StepWait(NamedTuple):
    """Reason why the head of the queue was not admitted in one step, from the engine or a recorder."""

    t: float
    """Wall seconds since the schedule's start."""
    reason: str | None
    """seat, budget, kv, preempted_this_step; None: no request waited."""


@dataclass(frozen=True, kw_only=True)
class RunView:
    """One run. Stamps of samples, records and steps are wall seconds; figures are those of `measure --json`.

    All fields but `samples` may be missing; the diagnosis lists the missing ones.
    """

    samples: Sequence[Sample]
    """Ascending in time; counters are running totals, so that only differences are used."""
    limits: Mapping[str, Any] = field(default_factory=dict)
    """Controls in force when the run began, by vLLM's names; None or missing: unknown or none."""
    changes: Sequence[LimitChange] = ()
    """Changes of the running server's limits, in order; refused ones have no effect."""
    figures: Mapping[str, Any] = field(default_factory=dict)
    """The run's summary by the keys of `measure --json`."""
    records: Sequence[RequestRecord] | RequestColumns = ()
    step_waits: Sequence[StepWait] = ()
    machine: Sequence[MachineSample] = ()
    """Samples of the server's machine."""
    step_tokens_max: float | None = None
    """Most tokens of one step; None: steps weren't recorded."""
    kv_cache_tokens: int | None = None
    """Size of the KV pool of one engine."""
    concurrency: float | None = None
    """Requests that a closed loop keeps open; None: open loop."""
    objectives: Mapping[str, float] = field(default_factory=dict)
    """Latency limits by the names of the experiment file."""
    class_objectives: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    """Limits of single classes, which replace the common ones."""
    length_s: float | None = None
    """Length of the schedule, in schedule seconds."""
    time_scale: float = 1.0
    """Simulated seconds per wall second."""
    name: str = ""
    vllm_version: str | None = None
    """Version of the server's vLLM; None if unknown."""
    own_load: bool = True
    """False: the requests are of others, so their rate is not ours to choose."""
    server_lost: bool = False
    """The server was lost during the run, so its last counts are unknown."""

    @cached_property
    def requests(self) -> RequestColumns:
        """Records as columns."""
        records = self.records
        return records if isinstance(records, RequestColumns) else columns_from_records(records)

    def limit(self, name: str) -> float | None:
        """Return a numeric limit at the run's begin; None: unknown or none."""
        value = self.limits.get(name)
        return float(value) if isinstance(value, (int, float)) and not isinstance(value, bool) else None

    def figure(self, *path: str) -> float | None:
        """Return a figure such as `figure("ttft_ms", "p95")`; None: unknown."""
        value: Any = self.figures
        for key in path:
            value = value.get(key) if isinstance(value, Mapping) else None
        return float(value) if isinstance(value, (int, float)) and not isinstance(value, bool) else None
