"""Settings that a fork can change while requests are under way, and a scheduler with room for them."""

from collections.abc import Mapping

import msgspec

from workbench.base import Place, Refusal
from workbench.engine.live_limits import ATTRIBUTES
from workbench.engine.scheduler import Scheduler, SchedulerConfig
from workbench.vllm_dialect import StepHeader

CONTROLS = (
    "max_num_seqs",
    "max_num_active_seqs",
    "max_num_batched_tokens",
    "long_prefill_token_threshold",
    "num_gpu_blocks",
    "num_gpu_blocks_override",
    "parked_kv_blocks",
)
"""Settings of `--set`: vLLM's live limits, and start-up settings that the engine can move at any time."""
_LIMIT_OF = {"max_num_seqs": "max_num_active_seqs"}


class Changes:
    """The changes of a fork, checked.

    Raises:
        Refusal: an unknown control, or a value that is impossible here.
    """

    def __init__(self, wanted: Mapping[str, int | bool | str], header: StepHeader) -> None:
        self._blocks = header.num_gpu_blocks
        self.limits: dict[str, int] = {}
        """Live limits by name."""
        self.blocks: int | None = None
        """KV blocks, the null block included."""
        for name, value in wanted.items():
            if name not in CONTROLS:
                raise Refusal("base.not_one_of", Place(key="set"), value=name, choices=list(CONTROLS))
            if isinstance(value, bool) or not isinstance(value, int):
                raise Refusal("engine.impossible_change", Place(key=name), value=str(value))
            self._add(name, value)

    def _add(self, name: str, value: int) -> None:
        place = Place(key=name)
        least = 0 if name in {"long_prefill_token_threshold", "parked_kv_blocks"} else 1
        if value < least:
            raise Refusal("base.too_small", place, value=value, minimum=least)
        if name.startswith("num_gpu_blocks"):
            self.blocks = value
        else:
            self.limits[_LIMIT_OF.get(name, name)] = value

    def with_room(self, config: SchedulerConfig) -> SchedulerConfig:
        """Return settings whose upper bounds hold both the record's values and the changes."""
        return msgspec.structs.replace(
            config,
            max_num_seqs=max(config.max_num_seqs, self.limits.get("max_num_active_seqs", 0)),
            max_num_active_seqs=config.max_num_active_seqs or config.max_num_seqs,
            max_num_batched_tokens=max(
                config.max_num_batched_tokens, self.limits.get("max_num_batched_tokens", 0)
            ),
            num_gpu_blocks=max(config.num_gpu_blocks, self.blocks or 0),
        )

    @property
    def extra_blocks(self) -> int:
        """Blocks beyond the record's, which stay reserved until the fork."""
        return max(0, (self.blocks or 0) - self._blocks)

    def apply(self, scheduler: Scheduler) -> None:
        """Set the changed values."""
        for name, value in self.limits.items():
            more = self.extra_blocks if name == "parked_kv_blocks" else 0
            setattr(scheduler, ATTRIBUTES[name], value + more)
        if self.blocks is not None:
            parked = self.limits.get("parked_kv_blocks", 0)
            scheduler.num_reserved_blocks = scheduler.config.num_gpu_blocks - self.blocks + parked
