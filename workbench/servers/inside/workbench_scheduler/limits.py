"""The limits that vLLM's scheduler reads in each step, and blocks reserved from its pool."""

from typing import Any

SEATS, BUDGET, LONG_PREFILL, RESERVED = (
    "max_num_active_seqs",
    "max_num_batched_tokens",
    "long_prefill_token_threshold",
    "parked_kv_blocks",
)


class LimitRefusedError(ValueError):
    """A change that the scheduler can't make: an English text, and its kind and values for our program."""

    def __init__(self, text: str, kind: str, **values: object) -> None:
        super().__init__(text)
        self.message = {"kind": f"servers.{kind}", "values": values}


class SchedulerLimits:
    """The scheduler's changeable limits, never above their launched values."""

    def __init__(self, scheduler: Any) -> None:
        self._scheduler = scheduler
        self.reserve_target = 0
        self.ranges: dict[str, tuple[int, int]] = {}
        self.impossible: dict[str, str] = {}
        """Limits that this scheduler can't change, each with the reason."""
        self.reasons: dict[str, dict[str, Any]] = {}
        """The same reasons as messages of our program: `kind` and `values`."""
        config = scheduler.scheduler_config
        if hasattr(scheduler, "max_num_active_reqs"):
            self.ranges[SEATS] = (1, scheduler.max_num_running_reqs)
        else:
            self._exclude(SEATS, "this vLLM has no admission cap besides max_num_seqs", "no_admission_cap")
        # Without chunked prefill a prompt above the budget would wait for ever.
        least = 1 if config.enable_chunked_prefill else scheduler.max_model_len
        self.ranges[BUDGET] = (least, scheduler.max_num_scheduled_tokens)
        self.ranges[LONG_PREFILL] = (0, scheduler.max_model_len)
        self._allow_reserving()

    def _allow_reserving(self) -> None:
        scheduler = self._scheduler
        if len(scheduler.kv_cache_config.kv_cache_groups) != 1:
            self._exclude(RESERVED, "this model's layers share the cache in groups", "cache_in_groups")
            return
        needed = -(-scheduler.max_model_len // scheduler.block_size) + 1
        self.ranges[RESERVED] = (0, max(0, self._pool().num_gpu_blocks - needed))

    def _exclude(self, name: str, text: str, kind: str) -> None:
        self.impossible[name] = text
        self.reasons[name] = {"kind": f"servers.{kind}", "values": {}}

    def _pool(self) -> Any:
        return self._scheduler.kv_cache_manager.block_pool

    def current(self) -> dict[str, int]:
        """Return the values in force."""
        scheduler = self._scheduler
        values = {
            SEATS: getattr(scheduler, "max_num_active_reqs", 0),
            BUDGET: scheduler.max_num_scheduled_tokens,
            LONG_PREFILL: scheduler.scheduler_config.long_prefill_token_threshold,
            RESERVED: self.reserve_target,
        }
        return {name: values[name] for name in self.ranges}

    def check(self, name: str, value: object) -> None:
        """Check that `name` may become `value`.

        Raises:
            LimitRefusedError: it may not; the range is named.
        """
        if name in self.impossible:
            text = f"{name} can't be changed while the server runs: {self.impossible[name]}"
            raise LimitRefusedError(text, "limit_fixed", name=name, reason=self.reasons[name])
        if name not in self.ranges:
            text = f"{name} can't be changed while the server runs; these can: {', '.join(self.ranges)}"
            raise LimitRefusedError(text, "limit_unknown", name=name, known=list(self.ranges))
        low, high = self.ranges[name]
        if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
            text = f"{name} must be a whole number from {low} to {high}, not {value!r}"
            raise LimitRefusedError(
                text, "limit_out_of_range", name=name, minimum=low, maximum=high, value=str(value)
            )

    def change(self, name: str, value: int) -> None:
        """Set a checked value from the next step on."""
        if name == SEATS:
            self._scheduler.max_num_active_reqs = value
        elif name == BUDGET:
            self._scheduler.max_num_scheduled_tokens = value
        elif name == LONG_PREFILL:
            self._scheduler.scheduler_config.long_prefill_token_threshold = value
        else:
            self.reserve_target = value


class ReservedBlocks:
    """Free blocks taken out of the pool, so that a large cache stands in for a smaller one."""

    def __init__(self, scheduler: Any) -> None:
        self._scheduler = scheduler
        self._blocks: list[Any] = []

    def __len__(self) -> int:
        return len(self._blocks)

    def move_towards(self, count: int) -> None:
        """Take or give back blocks, as far as free ones allow. Call it between two steps only."""
        pool = self._scheduler.kv_cache_manager.block_pool
        missing = count - len(self._blocks)
        if missing > 0:
            self._blocks += pool.get_new_blocks(min(missing, pool.get_num_free_blocks()))
        elif missing < 0:
            given = self._blocks[missing:]
            del self._blocks[missing:]
            pool.free_blocks(given)

    def usage(self) -> float:
        """Return the used share of the blocks that aren't reserved, 0 to 1."""
        pool = self._scheduler.kv_cache_manager.block_pool
        usable: int = pool.num_gpu_blocks - 1 - len(self._blocks)
        free: int = pool.get_num_free_blocks()
        return 1.0 - free / usable
