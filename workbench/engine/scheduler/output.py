"""The result of one call of schedule() and of one call of update_from_output()."""

from collections.abc import Sequence
from typing import Literal, NamedTuple

from workbench.engine.scheduler.request import FinishReason, Request

WaitReason = Literal["seat", "budget", "kv", "preempted_this_step"]
"""Reason for which the head of the waiting queue was not admitted:

- `seat`: all sequence slots are taken (`max_num_active_seqs` or `max_num_seqs`), or a static batch is closed;
- `budget`: the step's tokens are spent, or (chunked prefill off) the prompt is longer than the rest of them;
- `kv`: too few blocks are free for its chunk or its whole prompt;
- `preempted_this_step`: a preemption closes admission for the step, and the preempted request waits for its
  output in flight.
"""


class HeadWait(NamedTuple):
    """The first candidate in the queue after a step, and why it waits."""

    request_id: str
    reason: WaitReason


_NO_REQUESTS: frozenset[Request] = frozenset()


class SchedulerOutput:
    """A scheduled step.

    `P, D, K, Q` are the features of the step-time model: prompt (or recomputed) tokens; requests that decode
    one token; the sum of their contexts including that token; the sum over prefill chunks of
    tokens * (context before + tokens / 2).
    """

    __slots__ = (
        "D",
        "K",
        "P",
        "Q",
        "head_wait",
        "num_free_blocks",
        "num_running_reqs",
        "num_scheduled_tokens",
        "num_waiting_reqs",
        "preempted_reqs",
        "prefill_chunk_reqs",
        "scheduled_new_reqs",
        "scheduled_resumed_reqs",
        "steady",
        "step_index",
    )

    def __init__(self, step_index: int) -> None:
        self.step_index = step_index
        """Calls of schedule() before this one."""
        self.num_scheduled_tokens: Sequence[tuple[Request, int]] = ()
        """(request, tokens) in scheduling order: running requests, then admitted ones."""
        self.prefill_chunk_reqs: frozenset[Request] = _NO_REQUESTS
        """Scheduled requests whose tokens end inside the prompt, so that they yield no token."""
        self.preempted_reqs: list[tuple[Request, int]] = []
        """(request, computed tokens lost) in order."""
        self.scheduled_new_reqs: list[tuple[Request, int]] = []
        """(request, prefix-hit tokens) of first admissions, in order."""
        self.scheduled_resumed_reqs: list[tuple[Request, int]] = []
        """(request, prefix-hit tokens) of admissions after a preemption, in order."""
        self.head_wait: HeadWait | None = None
        """None if no request waits after the step."""
        self.steady: object = None
        """The stretch of steady decode that it belongs to; internal to this package."""
        self.num_running_reqs = 0
        self.num_waiting_reqs = 0
        self.num_free_blocks = 0
        self.P = 0
        self.D = 0
        self.K = 0
        self.Q = 0.0

    @property
    def total_num_scheduled_tokens(self) -> int:
        """Tokens of the step."""
        return self.P + self.D

    @property
    def sampling_reqs(self) -> list[Request]:
        """Scheduled requests that yield a token, in order."""
        return [request for request, _ in self.num_scheduled_tokens if request not in self.prefill_chunk_reqs]

    @property
    def num_hit_tokens(self) -> dict[str, int]:
        """Prefix-hit tokens of each admitted request by id."""
        admitted = (*self.scheduled_new_reqs, *self.scheduled_resumed_reqs)
        return {request.request_id: hit for request, hit in admitted}


class EngineCoreOutputs:
    """The effect of a step's output on its requests, in scheduling order."""

    __slots__ = ("finished_requests", "outputs")

    def __init__(self) -> None:
        self.outputs: Sequence[Request] = ()
        """Requests that got one token each."""
        self.finished_requests: list[tuple[Request, FinishReason]] = []
        """Requests that ended with their token, and why."""
