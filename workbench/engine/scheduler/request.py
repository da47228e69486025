"""A request as the scheduler knows it, and its status; names as in vLLM's `v1/request.py`."""

from collections.abc import Hashable, Sequence
from enum import IntEnum, auto
from typing import Literal, Protocol

BlockHash = Hashable
"""Stands for the content of a full block and all tokens before it: a chained hash, or any value that is equal
exactly when those tokens are equal."""

FinishReason = Literal["stop", "max_tokens", "max_model_len"]
"""`stop`: an end-of-sequence token. The other two are vLLM's `length`, by the limit that was hit."""


class RequestStatus(IntEnum):
    """Status of a request; all after PREEMPTED are finished, as in vLLM."""

    WAITING = auto()
    RUNNING = auto()
    PREEMPTED = auto()
    FINISHED_STOPPED = auto()
    FINISHED_LENGTH_CAPPED = auto()
    FINISHED_ABORTED = auto()

    @staticmethod
    def is_finished(status: "RequestStatus") -> bool:
        """Return whether a request with this status has ended."""
        return status > RequestStatus.PREEMPTED


class CommonSteps(Protocol):
    """Steps that a stretch of steady decode has counted for all its requests together."""

    num_delivered: int
    num_scheduled: int


class Request:
    """A prompt, its end, and its progress.

    Args:
        request_id: unique among unfinished requests; under `priority` it breaks the last tie, as a string.
        num_prompt_tokens: tokens of the prompt.
        max_tokens: output tokens at most (vLLM's value, before the cut at `max_model_len`).
        priority: smaller is more urgent; ignored by fcfs.
        arrival_time: compared under `priority` only; any number.
        block_hashes: hashes of the full blocks from position 0 on, as far as they are known beforehand: the
            prompt's, and the output's where it is known. Blocks beyond them equal no other request's.
        eos_at: index from 0 of the output token that is end-of-sequence; None if it runs to its length.
        skip_reading_prefix_cache: no lookup (vLLM sets it where prompt log-probabilities are asked for).
    """

    __slots__ = (
        "arrival_time",
        "block_hashes",
        "block_ids",
        "eos_at",
        "finish_reason",
        "first_step",
        "max_tokens",
        "num_cached_blocks",
        "num_computed_tokens",
        "num_in_flight_tokens",
        "num_output_placeholders",
        "num_preemptions",
        "num_prompt_tokens",
        "num_stale_output_tokens",
        "num_tokens",
        "priority",
        "request_id",
        "skip_reading_prefix_cache",
        "status",
        "steady",
        "stop_length",
    )

    def __init__(
        self,
        request_id: str,
        num_prompt_tokens: int,
        max_tokens: int,
        priority: int = 0,
        arrival_time: float = 0.0,
        block_hashes: Sequence[BlockHash] | None = None,
        eos_at: int | None = None,
        *,
        skip_reading_prefix_cache: bool = False,
    ) -> None:
        self.request_id = request_id
        self.num_prompt_tokens = num_prompt_tokens
        self.max_tokens = max_tokens
        self.priority = priority
        self.arrival_time = arrival_time
        self.block_hashes: Sequence[BlockHash] = block_hashes or ()
        self.eos_at = eos_at
        self.skip_reading_prefix_cache = skip_reading_prefix_cache
        self.status = RequestStatus.WAITING
        self.finish_reason: FinishReason | None = None
        self.num_tokens = num_prompt_tokens
        """Tokens of the prompt and of the output that the scheduler knows."""
        self.num_computed_tokens = 0
        """Tokens whose KV is computed or already scheduled."""
        self.num_output_placeholders = 0
        """Async: tokens of steps in flight, whose values are unknown."""
        self.num_in_flight_tokens = 0
        """Scheduled tokens of steps whose output is not processed yet."""
        self.num_stale_output_tokens = 0
        """Part of `num_in_flight_tokens` that was scheduled before a preemption."""
        self.block_ids: list[int] = []
        self.num_cached_blocks = 0
        """Leading blocks that the prefix cache can find."""
        self.num_preemptions = 0
        self.first_step: int | None = None
        """Index of the step that first scheduled it: its queue time ends at that step's start."""
        self.stop_length = num_prompt_tokens + (max_tokens if eos_at is None else min(max_tokens, eos_at + 1))
        """Length in tokens at which it ends; the scheduler lowers it to `max_model_len`."""
        self.steady: CommonSteps | None = None
        """While set, the four token counters lag behind by the steps counted there."""

    @property
    def num_output_tokens(self) -> int:
        """Output tokens that the scheduler knows."""
        return self.num_tokens - self.num_prompt_tokens + (self.steady.num_delivered if self.steady else 0)

    @property
    def num_context_tokens(self) -> int:
        """`num_computed_tokens` including the steps of a running stretch of steady decode."""
        return self.num_computed_tokens + (self.steady.num_scheduled if self.steady else 0)

    @property
    def priority_order(self) -> tuple[int, float, str]:
        """Order of vLLM's `Request.__lt__`: smaller goes first."""
        return (self.priority, self.arrival_time, self.request_id)

    def is_finished(self) -> bool:
        """Return whether it has ended."""
        return RequestStatus.is_finished(self.status)

    def block_hash(self, index: int) -> BlockHash:
        """Return the hash of its full block `index`."""
        known = self.block_hashes
        return known[index] if index < len(known) else (self, index)

    def block_hashes_of(self, start: int, end: int) -> Sequence[BlockHash]:
        """Return the hashes of its full blocks from `start` up to, not including, `end`."""
        known = self.block_hashes[start:end]
        missing = end - start - len(known)
        return [*known, *((self, index) for index in range(end - missing, end))] if missing else known

    def __repr__(self) -> str:
        progress = f"{self.num_computed_tokens}/{self.num_tokens}"
        return f"Request({self.request_id!r}, {self.status.name}, {progress})"
