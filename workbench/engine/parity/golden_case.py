"""Golden cases: a workload and every step of vLLM's own scheduler for it."""

from collections.abc import Sequence
from typing import Annotated, Any, Literal

import msgspec
import numpy as np
from numpy.typing import NDArray

from workbench.base import UNREADABLE, Place, Refusal
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
        """Return the settings for the scheduler of `version`, or for `switched` rules."""
        values = msgspec.structs.asdict(self)
        return SchedulerConfig(**values, vllm_version=version, switched=switched)


class CaseRequest(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A request with either `prompt` (streams of [seed, length]) or `prompt_ids`."""

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
    """Step during which its client leaves: the abort comes before that step's output, or before the next
    schedule() if there is none."""
    eos_at: Annotated[int, msgspec.Meta(ge=0)] | None = None
    """Output token, counted from 0, that is end-of-sequence."""


class CaseStep(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """An engine iteration; the last three fields only under async scheduling."""

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
    """Content of a file."""

    case: str
    family: str
    vllm_version: str
    scheduler: Literal["Scheduler", "AsyncScheduler"]
    config: CaseConfig
    requests: list[CaseRequest]
    steps: list[CaseStep]
    summary: dict[str, Any]
    limits: list[tuple[int, str, int]] = []
    """Live limits: (step, control, value that it gets before this step's schedule())."""


def decode_case(data: bytes, *, where: str) -> Case:
    """Decode a case.

    Raises:
        Refusal: not a golden case.
    """
    try:
        return msgspec.json.decode(data, type=Case)
    except UNREADABLE as error:
        raise Refusal("engine.not_golden_case", Place(file=where), cause=str(error)) from error


# Token ids of a golden case, and block keys from token ids.

EOS = 1
"""Token that a request with `eos_at` samples there; no stream contains it."""


def stream(seed: int, length: int) -> NDArray[np.uint32]:
    """Return `length` tokens of a stream: a 32-bit mix of seed and position into ids from 2 to 2,047."""
    x = np.uint32(seed & 0xFFFFFFFF) ^ (np.arange(length, dtype=np.uint32) * np.uint32(0x9E3779B1))
    x ^= x >> np.uint32(16)
    x *= np.uint32(0x85EBCA6B)
    x ^= x >> np.uint32(13)
    x *= np.uint32(0xC2B2AE35)
    x ^= x >> np.uint32(16)
    return np.uint32(2) + x % np.uint32(2046)


class KeyMaker:
    """Makes chained hashes of full blocks: equal exactly if all tokens up to the block's end are equal."""

    def __init__(self, block_size: int) -> None:
        self._block_size = block_size
        self._numbers: dict[tuple[int, tuple[int, ...]], int] = {}

    def keys(self, tokens: Sequence[int]) -> list[int]:
        """Return a hash for each full block of `tokens`."""
        keys: list[int] = []
        size, previous = self._block_size, 0
        for start in range(0, len(tokens) - size + 1, size):
            content = (previous, tuple(tokens[start : start + size]))
            previous = self._numbers.setdefault(content, len(self._numbers) + 1)
            keys.append(previous)
        return keys


def prompt_of(request: CaseRequest) -> list[int]:
    """Return the prompt's token ids."""
    if request.prompt_ids is not None:
        return request.prompt_ids
    parts = [stream(seed, length) for seed, length in request.prompt or ()]
    return [int(token) for part in parts for token in part]


def tokens_of(case: Case, request: CaseRequest) -> tuple[int, list[int]]:
    """Return the prompt's length, and all tokens of the request including its output."""
    prompt = prompt_of(request)
    count = min(request.output_len, case.config.max_model_len - len(prompt))
    outputs = [int(token) for token in stream(request.out_seed, count)]
    if request.eos_at is not None and request.eos_at < count:
        outputs[request.eos_at] = EOS
    return len(prompt), prompt + outputs
