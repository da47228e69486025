"""Options of a load. All times are the user's seconds; in a simulated run, simulated ones."""

from typing import Any

import msgspec

from workbench.base import Place, Refusal

INPUT_MODES = ("ids", "text")
INPUT_MODE_OF = {"completions": "ids", "chat": "text"}
"""Default form of prompts by endpoint."""


class LoadOptions(msgspec.Struct, frozen=True, kw_only=True):
    """Options of a replay besides its trace, schedule and target.

    Raises:
        Refusal: a value out of its range.
    """

    workers: int | None = None
    """Sending processes; None: by token rate and cores."""
    max_in_flight: int | None = None
    """Cap on requests in flight, over all workers; waiting for it is `admission_wait`."""
    queue_timeout_s: float | None = None
    """A request that the cap holds this long is given up: timed_out."""
    request_timeout_s: float | None = None
    """A request without a complete answer this long after its release is given up: timed_out."""
    seed: int = 1
    """Seed of the prompts."""
    vocab_size: int | None = None
    time_scale: float = 1.0
    """Engine flag of the same name: due times, think times, cancel times, timeouts, warm-up and drain are
    divided by it. Records keep wall seconds."""
    warmup_s: float = 0.0
    """Length of a warm-up before the schedule: requests at its mean rate, with prompts of their own."""
    drain_s: float = 30.0
    """Time after the schedule's end until open requests count as unfinished."""
    input_mode: str | None = None
    """`ids` or `text`; None: ids on completions, text on chat."""
    continuous_usage: bool | None = None
    """Request the token count in every event; None: if the server takes the option."""
    max_retries: int = 0
    """Retries of a request that was rejected or failed before its first token, as callers do.

    Its latencies still count from the first due time.
    """
    retry_backoff_s: float = 0.5
    """Wait before the first retry, less a random part of up to a quarter; doubles each time, up to 8 s."""
    cache_salt: str | None = None
    """Separates a run's prefix cache from those of other runs (vLLM's body field)."""
    extra_body: dict[str, Any] = {}
    """Fields added to the request body; they replace ours."""
    connect_timeout_s: float = 30.0
    lookahead_s: float = 2.0
    """Wall seconds by which bodies are built ahead, as far as `lookahead_bytes` allows."""
    lookahead_bytes: int = 64 * 1024 * 1024

    def __post_init__(self) -> None:
        for name in ("workers", "max_in_flight"):
            value = getattr(self, name)
            if value is not None and value < 1:
                raise Refusal("base.too_small", Place(table="load", key=name), value=value, minimum=1)
        for name in ("queue_timeout_s", "request_timeout_s"):
            value = getattr(self, name)
            if value is not None and not value > 0:
                raise Refusal("base.not_above", Place(table="load", key=name), value=value, minimum=0)
        for name in ("warmup_s", "drain_s", "max_retries", "retry_backoff_s"):
            value = getattr(self, name)
            if not value >= 0:
                raise Refusal("base.too_small", Place(table="load", key=name), value=value, minimum=0)
        if not self.time_scale > 0:
            place = Place(table="target", key="time_scale")
            raise Refusal("base.not_above", place, value=self.time_scale, minimum=0)
        if self.input_mode is not None and self.input_mode not in INPUT_MODES:
            place = Place(table="load", key="input_mode")
            raise Refusal("base.not_one_of", place, value=self.input_mode, choices=INPUT_MODES)
