"""A golden case: one workload and every step that vLLM's own scheduler made of it."""

from typing import Annotated, Any, Literal

import msgspec

from workbench.base import UNREADABLE, InputError
from workbench.engine.scheduler import Rules, SchedulerConfig


class CaseConfig(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The scheduler's settings under vLLM's names; `num_gpu_blocks` includes the null block."""

    max_num_seqs: int
    max_num_active_seqs: int | None
    max_num_batched_tokens: int
    enable_chunked_prefill: bool
    enable_prefix_caching: bool
    scheduler_reserve_full_isl: bool
    num_gpu_blocks: int
    block_size: int
    long_prefill_token_threshold: int
    policy: Literal["fcfs", "priority"]
    watermark: float
    max_model_len: int
    async_scheduling: bool
    long_prefill_token_threshold_adaptive: bool = False

    def scheduler(self, version: str, switched: Rules | None = None) -> SchedulerConfig:
        """Return the same for the scheduler of `version`, or for other rules than that version's."""
        values = msgspec.structs.asdict(self)
        return SchedulerConfig(**values, vllm_version=version, switched=switched)


class CaseRequest(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One request; exactly one of `prompt` (streams of [seed, length]) and `prompt_ids` is given."""

    id: str
    arrival_step: int
    arrival_time: float
    priority: int
    output_len: int
    out_seed: int
    abort_step: int | None
    prompt: list[tuple[int, int]] | None = None
    prompt_ids: list[int] | None = None
    abort_mid: int | None = None
    """The step while which its client leaves: before that iteration's output is processed, or, where none
    is, before the next schedule()."""
    eos_at: Annotated[int, msgspec.Meta(ge=0)] | None = None
    """The output token, counted from 0, that ends it before its length does."""


class CaseStep(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """One engine iteration; the last three only under async scheduling."""

    t: int
    sched: list[tuple[str, int]]
    pre: list[tuple[str, int]]
    new: list[tuple[str, int]]
    res: list[tuple[str, int]]
    fin: list[tuple[str, str]]
    abt: list[str]
    run: list[str]
    wait: int
    free_s: int | None
    free: int
    evict: int
    npre: int
    called: bool | None = None
    upd: int | None = None
    inflight: int | None = None


class Case(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The file."""

    case: str
    family: str
    vllm_version: str
    scheduler: Literal["Scheduler", "AsyncScheduler"]
    config: CaseConfig
    requests: list[CaseRequest]
    steps: list[CaseStep]
    summary: dict[str, Any]
    limits: list[tuple[int, str, int]] = []
    """Live limits: before the schedule() of this step, this control becomes that."""


def decode_case(data: bytes, *, where: str) -> Case:
    """Read a case.

    Raises:
        InputError: not of this form.
    """
    try:
        return msgspec.json.decode(data, type=Case)
    except UNREADABLE as error:
        raise InputError(f"{where}: not a golden case: {error}") from error
