"""What one call of schedule() decided, and what one call of update() brought about."""

from collections.abc import Sequence
from typing import Literal, NamedTuple

from workbench.engine.scheduler.request import FinishReason, Request

WaitReason = Literal["seat", "budget", "kv", "preempted_this_step"]
"""Why the head of the waiting queue was not admitted:

- `seat`: as many requests run as `max_num_active_seqs` (or `max_num_seqs`) allows; under static batching also
  that the batch is closed;
- `budget`: the step's tokens are spent, or (chunked prefill off) the prompt is longer than what is left;
- `kv`: its blocks, or those of its whole prompt, are not free;
- `preempted_this_step`: a preemption closes admission for the step, and the request it hit waits for what it
  still has in flight.
"""


class HeadWait(NamedTuple):
    """Why the first candidate in the queue waits after a step."""

    id: str
    reason: WaitReason


_NONE: frozenset[Request] = frozenset()


class Step:
    """One scheduled step, in the order of vLLM's `num_scheduled_tokens`.

    `P, D, K, Q` are the features of the step-time model: prompt (or recomputed) tokens; requests that decode
    one token; the sum of their contexts including that token; the sum over prefill chunks of
    tokens * (context before + tokens / 2).
    """

    __slots__ = (
        "D",
        "K",
        "P",
        "Q",
        "entries",
        "free_blocks",
        "head_wait",
        "new",
        "number",
        "preempted",
        "resumed",
        "running_count",
        "silent",
        "steady",
        "waiting_count",
    )

    def __init__(self, number: int) -> None:
        self.number = number
        """Calls of schedule() before this one."""
        self.entries: Sequence[tuple[Request, int]] = ()
        """(request, tokens) in scheduling order: running ones, then admissions."""
        self.silent: frozenset[Request] = _NONE
        """Entries that end inside the prompt and so yield no token."""
        self.preempted: list[tuple[Request, int]] = []
        """(request, computed tokens lost) in order."""
        self.new: list[tuple[Request, int]] = []
        """(request, prefix-hit tokens) first admissions, in order."""
        self.resumed: list[tuple[Request, int]] = []
        """(request, prefix-hit tokens) admitted again after a preemption, in order."""
        self.head_wait: HeadWait | None = None
        """None where nobody waits after the step."""
        self.steady: object = None
        """The stretch of steady decode that it belongs to; internal to this package."""
        self.running_count = 0
        self.waiting_count = 0
        self.free_blocks = 0
        self.P = 0
        self.D = 0
        self.K = 0
        self.Q = 0.0

    @property
    def tokens(self) -> int:
        """Tokens scheduled in this step."""
        return self.P + self.D

    @property
    def hits(self) -> dict[str, int]:
        """Prefix-hit tokens of each admission by id."""
        return {request.id: hit for request, hit in (*self.new, *self.resumed)}


class Update:
    """What a step's output did to the requests, in the order of the step's entries."""

    __slots__ = ("emitted", "finished")

    def __init__(self) -> None:
        self.emitted: Sequence[Request] = ()
        """Requests that got one token each."""
        self.finished: list[tuple[Request, FinishReason]] = []
        """Those among them that ended with it."""
