"""What a diagnosis looks at: one run's samples, requests, limits and figures."""

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
    """Why the head of the waiting queue was not admitted in one step, as the engine or a recorder says."""

    t: float
    """Wall seconds since the schedule's start."""
    reason: str | None
    """seat, budget, kv, preempted_this_step; None: nobody waited."""


@dataclass(frozen=True, kw_only=True)
class RunView:
    """One run. Stamps of samples, records and steps are wall seconds; figures are those of `measure --json`.

    Everything but `samples` may be missing; the diagnosis says what it could not see.
    """

    samples: Sequence[Sample]
    """Ascending in time; counters are running totals, so that only differences are used."""
    limits: Mapping[str, Any] = field(default_factory=dict)
    """Controls in force when the run began, by vLLM's names; None or missing: unknown or none."""
    changes: Sequence[LimitChange] = ()
    """Limits of the running server changed meanwhile, in that order; refused ones count for nothing."""
    figures: Mapping[str, Any] = field(default_factory=dict)
    """The run's summary by the keys of `measure --json`."""
    records: Sequence[RequestRecord] | RequestColumns = ()
    step_waits: Sequence[StepWait] = ()
    machine: Sequence[MachineSample] = ()
    """Looks at the machine under the server."""
    step_tokens_max: float | None = None
    """Most tokens that one step held, where steps were recorded."""
    kv_cache_tokens: int | None = None
    """Size of the KV pool of one engine."""
    concurrency: float | None = None
    """Requests that a closed loop keeps open; None: open loop."""
    objectives: Mapping[str, float] = field(default_factory=dict)
    """Latency limits by the names of the experiment file."""
    class_objectives: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    """Those that a class has of its own in their place."""
    length_s: float | None = None
    """Length of the schedule, in schedule seconds."""
    time_scale: float = 1.0
    """Simulated seconds per wall second."""
    name: str = ""
    vllm_version: str | None = None
    """None: unknown."""
    server_lost: bool = False
    """The server went away while the run went on: what it counted last isn't known."""

    @cached_property
    def requests(self) -> RequestColumns:
        """The records as columns."""
        records = self.records
        return records if isinstance(records, RequestColumns) else columns_from_records(records)

    def limit(self, name: str) -> float | None:
        """A numeric limit at the run's begin; None: unknown or none."""
        value = self.limits.get(name)
        return float(value) if isinstance(value, (int, float)) and not isinstance(value, bool) else None

    def figure(self, *path: str) -> float | None:
        """A figure such as `figure("ttft_ms", "p95")`; None: unknown."""
        value: Any = self.figures
        for key in path:
            value = value.get(key) if isinstance(value, Mapping) else None
        return float(value) if isinstance(value, (int, float)) and not isinstance(value, bool) else None
