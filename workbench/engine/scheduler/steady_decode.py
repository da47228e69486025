"""Steady decode: while every running request decodes one token a step, steps are counted, not looped over.

Nothing is approximated. Between two events (an end, an admission, a preemption, an abort) all requests move
alike, so their counters share one offset each; a step touches only those whose block fills or overflows.
The result equals that of the loops in `Scheduler`, which take over at every event.
"""

from collections.abc import Sequence

from workbench.engine.scheduler.kv_cache_manager import KVCacheManager
from workbench.engine.scheduler.output import EngineCoreOutputs, SchedulerOutput
from workbench.engine.scheduler.request import Request


class SteadyDecode:
    """A stretch of steps in which all running requests decode one token each.

    It begins right after a scheduled step of that kind; every step still in flight is of that kind too.

    Args:
        kv_cache_manager: the scheduler's.
        num_scheduled_tokens: of that first step.
        is_async: async scheduling.
    """

    __slots__ = (
        "_block_pool",
        "_block_size",
        "_contexts",
        "_fills",
        "_grows",
        "_is_async",
        "_kv_cache_manager",
        "_last_delivery",
        "_last_schedule",
        "num_delivered",
        "num_scheduled",
        "num_scheduled_tokens",
        "requests",
    )

    def __init__(
        self,
        kv_cache_manager: KVCacheManager,
        num_scheduled_tokens: Sequence[tuple[Request, int]],
        *,
        is_async: bool,
    ) -> None:
        self._kv_cache_manager = kv_cache_manager
        self._block_pool = kv_cache_manager.block_pool
        self._block_size = kv_cache_manager.block_size
        self._is_async = is_async
        self.num_scheduled_tokens = num_scheduled_tokens
        self.requests = requests = [request for request, _ in num_scheduled_tokens]
        self.num_scheduled = 0
        """Steps scheduled since the beginning, which the requests' own counters lack."""
        self.num_delivered = 0
        """Steps delivered since the beginning, likewise."""
        last_position = kv_cache_manager.max_model_len - 1
        self._contexts = sum(request.num_computed_tokens for request in requests)
        self._last_schedule = min(last_position - request.num_computed_tokens for request in requests)
        self._last_delivery = min(request.stop_length - request.num_tokens for request in requests) - 1
        self._grows: list[list[Request]] = [[] for _ in range(self._block_size)]
        self._fills: list[list[Request]] = [[] for _ in range(self._block_size)]
        for request in requests:
            self._sort_in(request)
            request.steady = self

    def _sort_in(self, request: Request) -> None:
        """Sort by the step, modulo the block size, that needs a new block and by that which fills one."""
        self._grows[-request.num_computed_tokens % self._block_size].append(request)
        if self._kv_cache_manager.enable_caching:
            # Async caches blocks that known tokens fill: the newest token comes with the next schedule().
            known = request.num_tokens if self._is_async else request.num_computed_tokens + 1
            self._fills[-known % self._block_size].append(request)

    def may_schedule(self, token_budget: int) -> bool:
        """Return whether the next step continues the stretch."""
        num_scheduled = self.num_scheduled
        growing = self._grows[num_scheduled % self._block_size]
        return (
            num_scheduled < self._last_schedule
            and self.num_delivered < self._last_delivery
            and token_budget >= len(self.requests)
            and (not growing or len(growing) <= self._block_pool.get_num_free_blocks())
            and (self._is_async or num_scheduled < self.num_delivered)
        )

    def schedule(self, output: SchedulerOutput) -> None:
        """Count one more scheduled step."""
        phase = self.num_scheduled % self._block_size
        for request in self._grows[phase]:
            request.block_ids += self._block_pool.get_new_blocks(1)
        if self._is_async:
            self._cache_delivered()
        else:
            for request in self._fills[phase]:
                num_tokens = request.num_computed_tokens + self.num_scheduled + 1
                self._kv_cache_manager.cache_blocks(request, num_tokens)
        self.num_scheduled += 1
        output.num_scheduled_tokens = self.num_scheduled_tokens
        output.steady = self
        output.D = len(self.requests)
        output.K = self._contexts + output.D * self.num_scheduled

    def may_deliver(self, output: SchedulerOutput) -> bool:
        """Return whether this step belongs to the stretch and its output ends no request."""
        return output.steady is self and self.num_delivered < self._last_delivery

    def deliver(self) -> EngineCoreOutputs:
        """Count one more token of every request."""
        if self._is_async:
            self._cache_delivered()
        self.num_delivered += 1
        outputs = EngineCoreOutputs()
        outputs.outputs = self.requests
        return outputs

    def _cache_delivered(self) -> None:
        """Async: cache the blocks that the tokens delivered so far fill."""
        for request in self._fills[self.num_delivered % self._block_size]:
            self._kv_cache_manager.cache_blocks(request, request.num_tokens + self.num_delivered)

    def settle(self) -> None:
        """End the stretch: add the common steps to the requests' own counters."""
        in_flight = self.num_scheduled - self.num_delivered
        for request in self.requests:
            request.steady = None
            request.num_computed_tokens += self.num_scheduled
            request.num_tokens += self.num_delivered
            request.num_in_flight_tokens += in_flight
            if self._is_async:
                request.num_output_placeholders += in_flight
