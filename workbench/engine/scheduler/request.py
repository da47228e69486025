"""One request as the scheduler knows it (vLLM's `Request`)."""

from collections.abc import Hashable, Sequence
from enum import Enum
from typing import Literal, Protocol

Key = Hashable
"""Names the content of a full block together with all that comes before it: a chained hash, or anything that
is equal exactly when those tokens are equal."""

FinishReason = Literal["stop", "max_tokens", "max_model_len"]
"""`stop`: an end-of-sequence token. The other two are vLLM's `length`, told apart by the limit they hit."""


class Status(Enum):
    """Where a request stands; values as vLLM's RequestStatus."""

    WAITING = "waiting"
    RUNNING = "running"
    PREEMPTED = "preempted"
    FINISHED = "finished"
    ABORTED = "aborted"


class Stretch(Protocol):
    """A stretch of steady decode, which counts for the requests in it what its steps do alike."""

    delivered: int
    scheduled: int


class Request:
    """A prompt, how it will end, and its progress.

    Args:
        id: unique among the requests that are alive; under `priority` it breaks the last tie, as a string.
        prompt_len: tokens.
        max_tokens: output tokens at most (vLLM's, before the cut at `max_model_len`).
        priority: smaller is more urgent; ignored by fcfs.
        arrival_time: compared under `priority` only; any number.
        block_keys: keys of the full blocks from position 0 on, as far as they are known beforehand: the
            prompt's, and the output's where it is known. Blocks beyond them are like no other request's.
        eos_at: index from 0 of the output token that is end-of-sequence; None if it runs to its length.
        skip_reading_prefix_cache: no lookup (vLLM sets it where prompt log-probabilities are asked for).
    """

    __slots__ = (
        "arrival_time",
        "block_keys",
        "blocks",
        "computed",
        "eos_at",
        "finish_reason",
        "first_step",
        "id",
        "in_flight",
        "max_tokens",
        "placeholders",
        "preemptions",
        "priority",
        "prompt_len",
        "registered",
        "skip_reading_prefix_cache",
        "stale",
        "status",
        "steady",
        "stop_len",
        "tokens",
    )

    def __init__(
        self,
        id: str,  # noqa: A002 - the word of every record and log
        prompt_len: int,
        max_tokens: int,
        priority: int = 0,
        arrival_time: float = 0.0,
        block_keys: Sequence[Key] | None = None,
        eos_at: int | None = None,
        *,
        skip_reading_prefix_cache: bool = False,
    ) -> None:
        self.id = id
        self.prompt_len = prompt_len
        self.max_tokens = max_tokens
        self.priority = priority
        self.arrival_time = arrival_time
        self.block_keys: Sequence[Key] = block_keys or ()
        self.eos_at = eos_at
        self.skip_reading_prefix_cache = skip_reading_prefix_cache
        self.status = Status.WAITING
        self.finish_reason: FinishReason | None = None
        self.tokens = prompt_len
        """Prompt and the outputs that the scheduler knows."""
        self.computed = 0
        """Tokens whose KV is computed or already scheduled."""
        self.placeholders = 0
        """Async: sampled in a step still in flight, value unknown."""
        self.in_flight = 0
        """Scheduled tokens whose step has not been processed."""
        self.stale = 0
        """The part of `in_flight` that was scheduled before a preemption."""
        self.blocks: list[int] = []
        self.registered = 0
        """Leading blocks that are in the prefix cache's map."""
        self.preemptions = 0
        self.first_step: int | None = None
        """Number of the step that first scheduled it: its queue time ends where that step starts."""
        self.stop_len = prompt_len + (max_tokens if eos_at is None else min(max_tokens, eos_at + 1))
        """Length in tokens at which it ends; the scheduler lowers it to `max_model_len`."""
        self.steady: Stretch | None = None
        """While set, `computed`, `tokens`, `in_flight` and `placeholders` lag by its common offsets."""

    @property
    def outputs(self) -> int:
        """Output tokens known to the scheduler."""
        return self.tokens - self.prompt_len + (self.steady.delivered if self.steady else 0)

    @property
    def context(self) -> int:
        """Tokens whose KV is computed or already scheduled, now."""
        return self.computed + (self.steady.scheduled if self.steady else 0)

    @property
    def urgency(self) -> tuple[int, float, str]:
        """The order of the priority queue: smaller goes first (facts of 1.1)."""
        return (self.priority, self.arrival_time, self.id)

    def key(self, index: int) -> Key:
        """The key of its full block `index`."""
        known = self.block_keys
        return known[index] if index < len(known) else (self, index)

    def keys(self, first: int, end: int) -> Sequence[Key]:
        """The keys of its full blocks from `first` up to, not including, `end`."""
        known = self.block_keys[first:end]
        missing = end - first - len(known)
        return [*known, *((self, index) for index in range(end - missing, end))] if missing else known

    def __repr__(self) -> str:
        return f"Request({self.id!r}, {self.status.value}, {self.computed}/{self.tokens})"
