"""vLLM 0.32's V1 scheduler: which request gets how many tokens in the next step.

No clock, no input or output, no randomness: what it decides follows from its settings and from the order of
its calls. Rule numbers in this package are those of `docs/scheduling-step.md`.
"""

from collections import deque
from collections.abc import Iterable

from workbench.base import InputError
from workbench.engine.scheduler.admission import admit_waiting
from workbench.engine.scheduler.config import SchedulerConfig
from workbench.engine.scheduler.delivery import deliver
from workbench.engine.scheduler.launch import launch
from workbench.engine.scheduler.request import Request, Status
from workbench.engine.scheduler.running_phase import Shares, serve_running
from workbench.engine.scheduler.state import State
from workbench.engine.scheduler.steady import SteadyDecode
from workbench.engine.scheduler.step import Step, Update


class Scheduler:
    """Decides steps one by one: `schedule()`, run the step, `update(step)`.

    With `async_scheduling` up to two steps may be in flight: schedule(k + 1) before update(k). Updates come
    in the order of their steps.
    """

    def __init__(self, config: SchedulerConfig) -> None:
        self.config = config
        self._state = State(config)
        self._steps = 0
        self._in_flight: deque[Step] = deque()
        self._steady: SteadyDecode | None = None

    # -- requests -----------------------------------------------------------------------------------------

    def add(self, request: Request) -> None:
        """Put an arrival into the waiting queue.

        Raises:
            InputError: its prompt leaves no room for an output token, or a request of that id is alive.
        """
        state = self._state
        if not 0 < request.prompt_len < state.max_model_len:
            raise InputError(
                f"request {request.id}: a prompt of {request.prompt_len} tokens does not fit max_model_len "
                f"({state.max_model_len}); at least one token must remain for the output"
            )
        if request.max_tokens < 1:
            raise InputError(f"request {request.id}: max_tokens must be at least 1, got {request.max_tokens}")
        if request.id in state.by_id:
            raise InputError(f"request {request.id}: a request of this id is still alive")
        request.stop_len = min(request.stop_len, state.max_model_len)
        state.by_id[request.id] = request
        state.waiting.push(request)

    def abort(self, id: str) -> bool:  # noqa: A002 - the word of every record and log
        """End a request from outside, at once (rule 1.9); False if none of that id is alive."""
        state = self._state
        request = state.by_id.pop(id, None)
        if request is None:
            return False
        self._settle()
        if request.status is Status.RUNNING:
            state.running.remove(request)
        else:
            state.waiting.remove(request)
        request.status = Status.ABORTED
        state.give_back(request)
        state.finished_ids.add(id)
        return True

    # -- steps --------------------------------------------------------------------------------------------

    def schedule(self) -> Step:
        """Decide the next step (rule 1.2). May be empty."""
        state = self._state
        step = Step(self._steps)
        self._steps += 1
        if state.pool.parked != state.parked_blocks:
            state.pool.park(state.parked_blocks)
        if self._steady and self._steady.may_schedule():
            self._schedule_steady(self._steady, step)
        else:
            self._settle()
            self._schedule_each(step)
        step.running_count, step.waiting_count = len(state.running), len(state.waiting)
        step.free_blocks = state.pool.free
        state.finished_ids.clear()
        self._in_flight.append(step)
        return step

    def _schedule_each(self, step: Step) -> None:
        state = self._state
        if state.config.policy == "static" and not state.running:
            state.batch_places = min(state.max_running, len(state.waiting))
        shares: Shares = {}
        cap = state.long_prefill_cap()
        budget = serve_running(state, step, shares, cap)
        admit_waiting(state, step, shares, cap, budget)
        step.entries = list(shares.items())
        launch(step, shares, is_async=state.config.async_scheduling)
        decoding = step.D
        if decoding and decoding == len(state.running) and not step.P:
            self._begin_steady(step)

    def _schedule_steady(self, steady: SteadyDecode, step: Step) -> None:
        state = self._state
        budget = steady.schedule(step)
        if not state.waiting:
            return
        shares: Shares = {}
        admit_waiting(state, step, shares, state.long_prefill_cap(), budget)
        if shares:
            self._settle()
            step.entries = [*steady.entries, *shares.items()]
            launch(step, shares, is_async=state.config.async_scheduling)

    def _begin_steady(self, step: Step) -> None:
        """From now on count steps, if all that are in flight are of the kind."""
        if any(earlier.entries != step.entries or earlier.P for earlier in self._in_flight):
            return
        self._steady = step.steady = SteadyDecode(self._state, step.entries)
        for earlier in self._in_flight:
            earlier.steady = self._steady

    def _settle(self) -> None:
        if self._steady:
            self._steady.settle()
            self._steady = None

    def update(self, step: Step) -> Update:
        """Process the output of `step` (rule 1.3).

        Raises:
            ValueError: it is not the oldest step in flight.
        """
        if not self._in_flight or self._in_flight[0] is not step:
            raise ValueError(f"step {step.number} is not the oldest in flight")
        self._in_flight.popleft()
        if self._steady:
            if self._steady.may_deliver(step):
                return self._steady.deliver()
            self._settle()
        return deliver(self._state, step)

    # -- what it stands at --------------------------------------------------------------------------------

    def has_work(self) -> bool:
        """Whether another schedule() is due: requests are alive, or ended ones are yet to be announced."""
        return bool(self._state.by_id or self._state.finished_ids)

    @property
    def running(self) -> list[Request]:
        """The running list in its order."""
        return list(self._state.running)

    @property
    def waiting(self) -> Iterable[Request]:
        """The waiting requests, next candidate first."""
        return iter(self._state.waiting)

    @property
    def running_count(self) -> int:
        """Seats taken."""
        return len(self._state.running)

    @property
    def waiting_count(self) -> int:
        """Requests that wait, preempted ones included."""
        return len(self._state.waiting)

    @property
    def free_blocks(self) -> int:
        """Blocks that nobody uses, cached ones included."""
        return self._state.pool.free

    @property
    def num_preemptions(self) -> int:
        """Preemptions so far."""
        return self._state.preemptions

    @property
    def num_evictions(self) -> int:
        """Cached blocks that lost their key for reuse, so far."""
        return self._state.pool.evictions

    def usage(self) -> float:
        """The gauge `kv_cache_usage_perc`, from 0 to 1."""
        return self._state.pool.usage

    def get(self, id: str) -> Request | None:  # noqa: A002 - as above
        """The request of that id while it is alive."""
        return self._state.by_id.get(id)

    def reset_prefix_cache(self) -> bool:
        """Forget all cached blocks; False, and nothing changes, while any block is in use."""
        return self._state.pool.forget()

    # -- live limits --------------------------------------------------------------------------------------

    @property
    def max_num_active_seqs(self) -> int:
        """Seats; may be changed at any time, nobody is evicted."""
        return self._state.max_running

    @max_num_active_seqs.setter
    def max_num_active_seqs(self, seats: int) -> None:
        if not 1 <= seats <= self.config.max_num_seqs:
            raise InputError(
                f"max_num_active_seqs: {seats} must lie between 1 and max_num_seqs "
                f"({self.config.max_num_seqs})"
            )
        self._state.max_running = seats

    @property
    def token_budget(self) -> int:
        """Tokens of one step; at most `max_num_batched_tokens`, for which the runner was sized."""
        return self._state.token_budget

    @token_budget.setter
    def token_budget(self, tokens: int) -> None:
        if not 1 <= tokens <= self.config.max_num_batched_tokens:
            raise InputError(
                f"max_num_batched_tokens: {tokens} must lie between 1 and what it started with "
                f"({self.config.max_num_batched_tokens})"
            )
        self._state.token_budget = tokens

    @property
    def long_prefill_token_threshold(self) -> int:
        """Tokens of one request's prefill in a step while others contend; 0 is no cap."""
        return self._state.threshold

    @long_prefill_token_threshold.setter
    def long_prefill_token_threshold(self, tokens: int) -> None:
        if tokens < 0:
            raise InputError(f"long_prefill_token_threshold: {tokens} must be 0 (off) or more")
        self._state.threshold = tokens

    @property
    def parked_blocks(self) -> int:
        """KV blocks withheld from requests, taken as they become free."""
        return self._state.parked_blocks

    @parked_blocks.setter
    def parked_blocks(self, blocks: int) -> None:
        most = self.config.num_gpu_blocks - 1 - self.config.blocks_per_full_request
        if not 0 <= blocks <= most:
            raise InputError(
                f"parked_kv_blocks: {blocks} must lie between 0 and {most}, so that one request of "
                f"max_model_len ({self.config.max_model_len}) still fits"
            )
        self._state.parked_blocks = blocks
