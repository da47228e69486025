"""The step record of our recorder inside a server: the scheduler's decisions, one JSON object a line.

Lines are in the order of events in the engine's process. `t` counts calls of the scheduler from 0.
"""

from collections.abc import Iterable, Iterator

import msgspec

from workbench.base import UNREADABLE, Place, Refusal


class StepLine(msgspec.Struct, frozen=True, kw_only=True, tag_field="ev"):
    """Base of all lines."""


class StepHeader(StepLine, frozen=True, kw_only=True, tag="header"):
    """The first line: the scheduler's class and its resolved configuration, names as in vLLM."""

    base: str
    async_scheduling: bool
    max_num_seqs: int
    max_num_active_seqs: int | None
    max_num_batched_tokens: int
    max_num_scheduled_tokens: int | None = None
    enable_chunked_prefill: bool
    enable_prefix_caching: bool
    long_prefill_token_threshold: int
    long_prefill_token_threshold_adaptive: bool = False
    policy: str
    watermark: float
    watermark_blocks: int
    scheduler_reserve_full_isl: bool
    block_size: int
    num_gpu_blocks: int
    """The null block included."""
    max_model_len: int
    max_concurrent_batches: int = 1
    use_v2_model_runner: bool = False
    log_stats: bool = True
    version: str | None = None
    """The vLLM version; None: an older record without it."""
    prefill_schedule_interval: int = 1
    unseen: list[str] = []
    """Events that this vLLM hides, such as `preemptions`: the record lacks them."""
    zero: float = 0.0
    """Simulated engine: the monotonic clock's value at the begin of its own time."""
    time_scale: float = 1.0
    """Simulated engine: simulated seconds per second; `mono` minus `zero` is in simulated seconds."""


class RequestAdded(StepLine, frozen=True, kw_only=True, tag="add"):
    """A request was added; call `t_next` sees it first."""

    id: str
    t_next: int
    prompt: list[int]
    max_tokens: int
    priority: int
    arrival_time: float
    eos: int | None
    """None if end-of-sequence is ignored."""
    stop_token_ids: list[int] = []
    """Other tokens that end the request."""
    skip_reading_prefix_cache: bool = False
    arrived: float | None = None
    """Time at which the front end had it, on the clock of `mono`; None in older records."""


class RequestsFinished(StepLine, frozen=True, kw_only=True, tag="finish"):
    """Requests were ended from outside (client abort), perhaps between a call and its update."""

    t_next: int
    ids: list[str]
    status: str


class StepScheduled(StepLine, frozen=True, kw_only=True, tag="sched"):
    """One call of the scheduler."""

    t: int
    mono: float
    """Seconds, CLOCK_MONOTONIC."""
    us: float
    """Duration of the call."""
    sched: list[tuple[str, int]]
    """Request and tokens, in scheduling order."""
    pre: list[tuple[str, int]]
    """Preempted request and computed tokens lost, in order."""
    new: list[str]
    res: list[str]
    hit: dict[str, int]
    """Prefix-hit tokens of those admitted."""
    run: list[str]
    """Running list after the call."""
    wait: int
    free: int
    """Free blocks."""
    unseen: int = 0
    """Requests that left the running list in this call without an observed preemption."""
    why: str | None = None
    """Why the first waiting request was not admitted: seat, budget, kv, preempted_this_step; None for
    another reason or an empty queue."""


class StepUpdated(StepLine, frozen=True, kw_only=True, tag="update"):
    """The output of call `t` was processed."""

    t: int
    mono: float
    tok: dict[str, list[int]]
    fin: list[str]
    run: list[str]
    wait: int
    free: int


class StepLimitChanged(StepLine, frozen=True, kw_only=True, tag="limit"):
    """A limit was changed while the server ran; call `t_next` is the first under it."""

    name: str
    old: int
    new: int
    t_next: int | None = None


class PrefixCacheReset(StepLine, frozen=True, kw_only=True, tag="reset"):
    """The prefix cache was emptied; call `t_next` sees it first."""

    t_next: int


class LinesDropped(StepLine, frozen=True, kw_only=True, tag="dropped"):
    """Missing lines: the disk didn't keep up, or recording was paused."""

    lines: int


AnyStepLine = (
    StepHeader
    | RequestAdded
    | RequestsFinished
    | StepScheduled
    | StepUpdated
    | StepLimitChanged
    | PrefixCacheReset
    | LinesDropped
)
_decoder = msgspec.json.Decoder(AnyStepLine)


def encode_step(line: StepLine) -> bytes:
    """Return one line, newline included."""
    return msgspec.json.encode(line) + b"\n"


def read_steps(lines: Iterable[bytes | str], *, where: str) -> Iterator[AnyStepLine]:
    """Decode a recording line by line; empty lines are skipped.

    Raises:
        Refusal: a line isn't one of this format; its place is `where` and the line's number.
    """
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            yield _decoder.decode(line)
        except UNREADABLE as error:
            place = Place(file=where, line=number)
            raise Refusal("dialect.not_a_step_record", place, cause=str(error)) from error
