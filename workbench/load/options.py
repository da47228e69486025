"""How load is applied. All times are the user's seconds: of a simulated run, simulated ones."""

from typing import Any

import msgspec

from workbench.base import Place, Refusal

INPUT_MODES = ("ids", "text")
INPUT_MODE_OF = {"completions": "ids", "chat": "text"}
"""How prompts are sent where nobody says it, by endpoint."""


class LoadOptions(msgspec.Struct, frozen=True, kw_only=True):
    """Everything about a replay that neither the trace, the schedule nor the target says.

    Raises:
        Refusal: a value out of its range.
    """

    workers: int | None = None
    """Processes that send; None: as many as the token rate requests and cores allow."""
    max_in_flight: int | None = None
    """Cap on requests in flight, over all workers; waiting for it is `admission_wait`."""
    queue_timeout_s: float | None = None
    """A request that the cap holds so long is given up: timed_out."""
    request_timeout_s: float | None = None
    """A request unanswered so long after its release is given up: timed_out."""
    seed: int = 1
    """Of the prompts."""
    vocab_size: int | None = None
    time_scale: float = 1.0
    """Engine flag of the same name: due times, think times, cancel times, timeouts, warm-up and drain are
    divided by it. Records keep wall seconds."""
    warmup_s: float = 0.0
    """Requests of their own before the schedule starts, at its mean rate, with prompts that no measured
    one has.
    """
    drain_s: float = 30.0
    """How long open requests may go on after the schedule's end; then they are unfinished."""
    input_mode: str | None = None
    """`ids` or `text`; None: ids on completions, text on chat."""
    continuous_usage: bool | None = None
    """Whether to ask for the token count in every event; None: find out whether the server takes the
    option.
    """
    max_retries: int = 0
    """How often a request that was rejected, or failed before its first token, is sent again, as callers do.

    Its latencies go on counting from the first due time.
    """
    retry_backoff_s: float = 0.5
    """Wait before the first retry, less up to a quarter by chance; doubles with each one, up to 8 s."""
    cache_salt: str | None = None
    """Keeps a run's prefix cache apart from other runs' (vLLM's body field)."""
    extra_body: dict[str, Any] = {}
    """More fields of the request body; they win over ours."""
    connect_timeout_s: float = 30.0
    lookahead_s: float = 2.0
    """Wall seconds that bodies are built ahead of due, as far as `lookahead_bytes` allows."""
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
