"""The scheduler's settings under vLLM's names, and the refusals that vLLM itself gives."""

from typing import Literal

import msgspec

from workbench.base import InputError, Refusal
from workbench.engine.scheduler.rules import Rules, rules_for
from workbench.vllm_dialect import MODELLED_RELEASE, holds, since

Policy = Literal["fcfs", "priority", "static"]
"""vLLM's two policies, and `static`, which is none of vLLM's: a batch is filled once and runs until its last
member ends. It exists to teach what continuous batching replaced."""


class SchedulerConfig(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What the scheduler is told once. Counts, tokens and blocks; defaults are vLLM 0.32's on a large GPU.

    `num_gpu_blocks` counts the null block: usable are `num_gpu_blocks - 1`. `max_num_active_seqs`, where
    given, replaces `max_num_seqs` for admission only.
    """

    num_gpu_blocks: int
    max_model_len: int
    max_num_seqs: int = 1024
    max_num_active_seqs: int | None = None
    max_num_batched_tokens: int = 8192
    enable_chunked_prefill: bool = True
    enable_prefix_caching: bool = True
    scheduler_reserve_full_isl: bool = True
    block_size: int = 16
    long_prefill_token_threshold: int = 0
    long_prefill_token_threshold_adaptive: bool = False
    policy: Policy = "fcfs"
    watermark: float = 0.0
    async_scheduling: bool = True
    vllm_version: str | None = MODELLED_RELEASE
    """The vLLM whose rules decide; None: unknown, so those of the modelled one."""
    switched: Rules | None = None
    """Rules in place of the version's own, to find out which ones a new version follows."""

    @property
    def rules(self) -> Rules:
        """The scheduler's rules in this version."""
        return self.switched or rules_for(self.vllm_version)

    @property
    def blocks_per_full_request(self) -> int:
        """Blocks that one request of `max_model_len` tokens fills."""
        return -(-self.max_model_len // self.block_size)

    def validate(self) -> "SchedulerConfig":
        """Return self if vLLM 0.32 would start with these settings.

        Raises:
            InputError: vLLM would refuse; the message is vLLM's.
        """
        self._require_version()
        self._require_ranges()
        budget, length = self.max_num_batched_tokens, self.max_model_len
        if budget < length and not self.enable_chunked_prefill:
            raise InputError(
                f"max_num_batched_tokens ({budget}) is smaller than max_model_len ({length}). This "
                "effectively limits the maximum sequence length to max_num_batched_tokens and makes "
                "vLLM reject longer sequences. Please increase max_num_batched_tokens or decrease "
                "max_model_len."
            )
        if budget < self.max_num_seqs:
            raise InputError(
                f"max_num_batched_tokens ({budget}) must be greater than or equal to max_num_seqs "
                f"({self.max_num_seqs})."
            )
        self._require_room_for_one()
        return self

    def _require_version(self) -> None:
        """Refuse settings that this version lacks."""
        given = {
            "scheduler_reserve_full_isl": self.scheduler_reserve_full_isl,
            "watermark": self.watermark > 0,
            "max_num_active_seqs": self.max_num_active_seqs is not None,
            "long_prefill_token_threshold_adaptive": self.long_prefill_token_threshold_adaptive,
        }
        for name, is_given in given.items():
            flag = "--" + name.replace("_", "-")
            if is_given and holds("flag", flag, self.vllm_version) is False:
                first = since("flag", flag)
                raise Refusal("engine.setting_unknown", name=name, version=self.vllm_version, since=first)

    def _require_ranges(self) -> None:
        at_least_one = ("max_num_seqs", "max_num_batched_tokens", "block_size", "max_model_len")
        for name in at_least_one:
            if getattr(self, name) < 1:
                raise InputError(f"{name}: {getattr(self, name)} must be greater than or equal to 1")
        if self.max_num_active_seqs is not None and not 1 <= self.max_num_active_seqs <= self.max_num_seqs:
            raise InputError(
                f"max_num_active_seqs: {self.max_num_active_seqs} must lie between 1 and "
                f"max_num_seqs ({self.max_num_seqs})"
            )
        if self.long_prefill_token_threshold < 0:
            raise InputError(
                f"long_prefill_token_threshold: {self.long_prefill_token_threshold} must be greater than or "
                "equal to 0"
            )
        if not 0.0 <= self.watermark < 1.0:
            raise InputError(f"watermark: {self.watermark} must be at least 0 and less than 1")

    def _require_room_for_one(self) -> None:
        usable = self.num_gpu_blocks - 1
        if usable < 1:
            raise InputError(
                "No available memory for the cache blocks. Try increasing `gpu_memory_utilization` when "
                "initializing the engine."
            )
        if usable < self.blocks_per_full_request:
            raise InputError(
                f"To serve at least one request with the model's max seq len ({self.max_model_len}), "
                f"{self.blocks_per_full_request} KV blocks are needed, which is larger than the available "
                f"{usable}. Based on the available memory, the estimated maximum model length is "
                f"{usable * self.block_size}."
            )
