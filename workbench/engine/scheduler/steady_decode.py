"""Steady decode: while every running request decodes one token a step, a step is counted, not looped over.

Nothing is approximated. Between two events (an end, an admission, a preemption, an abort) all members move
alike, so their counters share one offset each; only those whose block fills or overflows are touched
in it. The steps that come out are those of the loops in `running_phase` and `delivery`, to which every event
falls back.
"""

from collections.abc import Sequence

from workbench.engine.scheduler.kv_cache_manager import State
from workbench.engine.scheduler.output import Step, Update
from workbench.engine.scheduler.request import Request


class SteadyDecode:
    """A stretch of steps in which `members`, all that run, decode one token each.

    It begins right after a scheduled step of that kind, with every step still in flight of that kind too.
    """

    __slots__ = (
        "_contexts",
        "_fills",
        "_grows",
        "_is_async",
        "_last_delivery",
        "_last_schedule",
        "_state",
        "delivered",
        "entries",
        "members",
        "scheduled",
    )

    def __init__(self, state: State, entries: Sequence[tuple[Request, int]]) -> None:
        self._state = state
        self._is_async = state.config.async_scheduling
        self.entries = entries
        self.members = [request for request, _ in entries]
        self.scheduled = 0
        """Steps scheduled since the beginning, which no member's own counters know of yet."""
        self.delivered = 0
        """Steps delivered since the beginning, likewise."""
        self._contexts = sum(request.computed for request in self.members)
        self._last_schedule = min(state.max_model_len - 1 - request.computed for request in self.members)
        self._last_delivery = min(request.stop_len - request.tokens for request in self.members) - 1
        self._grows: list[list[Request]] = [[] for _ in range(state.block_size)]
        self._fills: list[list[Request]] = [[] for _ in range(state.block_size)]
        for request in self.members:
            self._sort_in(request)
            request.steady = self

    def _sort_in(self, request: Request) -> None:
        """By the step, modulo the block size, in which it needs a block and in which one of them is full."""
        size = self._state.block_size
        self._grows[-request.computed % size].append(request)
        if self._state.caching:
            # Async registers what the tokens known by then fill: the newest comes with the next schedule().
            known = request.tokens if self._is_async else request.computed + 1
            self._fills[-known % size].append(request)

    def may_schedule(self) -> bool:
        """Whether the next step is one more of the kind."""
        state, in_flight = self._state, self.scheduled - self.delivered
        return (
            self.scheduled < self._last_schedule
            and self.delivered < self._last_delivery
            and state.token_budget >= len(self.members)
            and len(self._grows[self.scheduled % state.block_size]) <= state.pool.free
            and (self._is_async or in_flight < 0)
        )

    def schedule(self, step: Step) -> int:
        """Count one more step; returns the budget left."""
        state = self._state
        phase = self.scheduled % state.block_size
        for request in self._grows[phase]:
            request.blocks += state.pool.take(1)
        if self._is_async:
            self._register_known()
        else:
            for request in self._fills[phase]:
                state.register(request, request.computed + self.scheduled + 1)
        self.scheduled += 1
        step.entries = self.entries
        step.steady = self
        step.D = len(self.members)
        step.K = self._contexts + step.D * self.scheduled
        return state.token_budget - step.D

    def may_deliver(self, step: Step) -> bool:
        """Whether this step's output ends nobody and belongs to this stretch."""
        return step.steady is self and self.delivered < self._last_delivery

    def deliver(self) -> Update:
        """Count one more token for every member."""
        if self._is_async:
            self._register_known()
        self.delivered += 1
        update = Update()
        update.emitted = self.members
        return update

    def _register_known(self) -> None:
        """Async: the blocks that the tokens delivered so far have filled."""
        for request in self._fills[self.delivered % self._state.block_size]:
            self._state.register(request, request.tokens + self.delivered)

    def settle(self) -> None:
        """Write the common offsets into the members' own counters; the stretch is over."""
        in_flight = self.scheduled - self.delivered
        for request in self.members:
            request.steady = None
            request.computed += self.scheduled
            request.tokens += self.delivered
            request.in_flight += in_flight
            if self._is_async:
                request.placeholders += in_flight
