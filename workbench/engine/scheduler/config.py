"""Settings of the scheduler under vLLM's names, with vLLM's own refusals."""

from typing import Literal

import msgspec

from workbench.base import Place, Refusal
from workbench.engine.scheduler.rules import Rules, rules_for
from workbench.vllm_dialect import MODELLED_RELEASE, first_version_with, version_has

Policy = Literal["fcfs", "priority", "static"]
"""vLLM's two policies, and `static`, which vLLM lacks: a batch is filled once and runs until its last request
ends. It shows what continuous batching replaced."""


class SchedulerConfig(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Settings: counts, tokens and blocks; defaults are vLLM 0.32's on a large GPU.

    `num_gpu_blocks` includes the null block, which is not usable. `max_num_active_seqs`, if set, replaces
    `max_num_seqs` for admission only.
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
    """vLLM version whose rules apply; None: those of the modelled version."""
    switched: Rules | None = None
    """Rules instead of the version's own, to find those of a new version."""

    @property
    def rules(self) -> Rules:
        """Scheduler rules of this version."""
        return self.switched or rules_for(self.vllm_version)

    @property
    def blocks_per_full_request(self) -> int:
        """Blocks of a request of `max_model_len` tokens."""
        return -(-self.max_model_len // self.block_size)

    def validate(self) -> "SchedulerConfig":
        """Return self if vLLM 0.32 would start with these settings.

        Raises:
            Refusal: vLLM would refuse.
        """
        self._require_version()
        self._require_ranges()
        budget, length = self.max_num_batched_tokens, self.max_model_len
        if budget < length and not self.enable_chunked_prefill:
            raise Refusal("engine.budget_below_length", budget=budget, length=length)
        if budget < self.max_num_seqs:
            raise Refusal("engine.budget_below_sequences", budget=budget, sequences=self.max_num_seqs)
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
            if is_given and version_has("flag", flag, self.vllm_version) is False:
                raise Refusal(
                    "engine.setting_unknown",
                    Place(key=name),
                    version=self.vllm_version,
                    since=first_version_with("flag", flag),
                )

    def _require_ranges(self) -> None:
        at_least_one = ("max_num_seqs", "max_num_batched_tokens", "block_size", "max_model_len")
        for name in at_least_one:
            if getattr(self, name) < 1:
                raise Refusal("base.too_small", Place(key=name), value=getattr(self, name), minimum=1)
        active, threshold = self.max_num_active_seqs, self.long_prefill_token_threshold
        if active is not None and not 1 <= active <= self.max_num_seqs:
            place = Place(key="max_num_active_seqs")
            raise Refusal("engine.active_above_sequences", place, value=active, maximum=self.max_num_seqs)
        if threshold < 0:
            place = Place(key="long_prefill_token_threshold")
            raise Refusal("base.too_small", place, value=threshold, minimum=0)
        if not 0.0 <= self.watermark < 1.0:
            raise Refusal("engine.watermark_out_of_range", Place(key="watermark"), value=self.watermark)

    def _require_room_for_one(self) -> None:
        usable = self.num_gpu_blocks - 1
        if usable < 1:
            raise Refusal("engine.no_kv_blocks")
        if usable < self.blocks_per_full_request:
            raise Refusal(
                "engine.length_exceeds_blocks",
                length=self.max_model_len,
                needed=self.blocks_per_full_request,
                available=usable,
                maximum=usable * self.block_size,
            )
