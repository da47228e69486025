"""vLLM 0.32's V1 scheduler: how many tokens each request gets in the next step.

No clock, no input or output, no randomness: decisions follow from the settings and the order of the calls.
Names are those of vLLM's `v1/core/sched/scheduler.py`; rule numbers in this package are those of
`docs/explanation/scheduling-step.md`.
"""

from collections import deque
from collections.abc import Iterable

from workbench.base import Place, Refusal
from workbench.engine.scheduler.config import SchedulerConfig
from workbench.engine.scheduler.kv_cache_manager import KVCacheManager
from workbench.engine.scheduler.output import EngineCoreOutputs, HeadWait, SchedulerOutput, WaitReason
from workbench.engine.scheduler.request import FinishReason, Request, RequestStatus
from workbench.engine.scheduler.request_queue import RequestQueue, create_request_queue
from workbench.engine.scheduler.steady_decode import SteadyDecode

ScheduledTokens = dict[Request, int]
"""Tokens of each request in this step, in scheduling order."""


class Scheduler:
    """Decides steps one by one: `schedule()`, run the step, `update_from_output(step)`.

    With `async_scheduling` up to two steps may be in flight: schedule(k + 1) before update_from_output(k).
    Outputs come in the order of their steps.
    """

    def __init__(self, config: SchedulerConfig) -> None:
        self.config = config
        self.requests: dict[str, Request] = {}
        """Unfinished requests by id."""
        self.waiting: RequestQueue = create_request_queue(config.policy)
        self.running: list[Request] = []
        self.finished_req_ids: set[str] = set()
        """Requests that ended since the last schedule(), which sends their ids to the workers."""
        self.kv_cache_manager = KVCacheManager(config)
        self._block_pool = self.kv_cache_manager.block_pool
        self.num_preemptions = 0
        self.current_step = 0
        """Calls of schedule() so far."""
        self._rules = config.rules
        self._max_model_len = config.max_model_len
        self._max_num_active_reqs = config.max_num_active_seqs or config.max_num_seqs
        self._max_num_scheduled_tokens = config.max_num_batched_tokens
        self._long_prefill_token_threshold = config.long_prefill_token_threshold
        self._num_reserved_blocks = 0
        self._open_batch_slots = 0
        """Static batching: requests that may still join the batch."""
        self._in_flight: deque[SchedulerOutput] = deque()
        self._steady: SteadyDecode | None = None

    # -- requests -----------------------------------------------------------------------------------------

    def add_request(self, request: Request) -> None:
        """Put an arrival into the waiting queue.

        Raises:
            Refusal: the prompt leaves no room for an output token, or an unfinished request has that id.
        """
        if not 0 < request.num_prompt_tokens < self._max_model_len:
            raise Refusal(
                "engine.prompt_too_long",
                request=request.request_id,
                tokens=request.num_prompt_tokens,
                length=self._max_model_len,
            )
        if request.max_tokens < 1:
            raise Refusal("engine.no_output_tokens", request=request.request_id, value=request.max_tokens)
        if request.request_id in self.requests:
            raise Refusal("engine.duplicate_request", request=request.request_id)
        request.stop_length = min(request.stop_length, self._max_model_len)
        self.requests[request.request_id] = request
        self.waiting.add_request(request)

    def finish_requests(self, request_ids: str | Iterable[str]) -> list[Request]:
        """Abort requests from outside, at once (rule 1.9).

        Returns:
            The requests that were unfinished.
        """
        ids = (request_ids,) if isinstance(request_ids, str) else request_ids
        aborted = [request for one in ids if (request := self.requests.pop(one, None)) is not None]
        if aborted:
            self._settle()
        for request in aborted:
            if request.status is RequestStatus.RUNNING:
                self.running.remove(request)
            else:
                self.waiting.remove_request(request)
            request.status = RequestStatus.FINISHED_ABORTED
            self.kv_cache_manager.free(request)
            self.finished_req_ids.add(request.request_id)
        return aborted

    def has_requests(self) -> bool:
        """Return whether another schedule() is due: for unfinished requests, or to send finished ids out."""
        return bool(self.requests or self.finished_req_ids)

    def get_request_counts(self) -> tuple[int, int]:
        """Return the numbers of running requests and of waiting ones, preempted included."""
        return len(self.running), len(self.waiting)

    # -- scheduling a step ---------------------------------------------------------------------------------

    def schedule(self) -> SchedulerOutput:
        """Decide the next step (rule 1.2). May be empty."""
        output = SchedulerOutput(self.current_step)
        self.current_step += 1
        pool = self._block_pool
        if pool.num_reserved_blocks != self._num_reserved_blocks:
            pool.reserve_blocks(self._num_reserved_blocks)
        if self._steady and self._steady.may_schedule(self._max_num_scheduled_tokens):
            self._schedule_steady(self._steady, output)
        else:
            self._settle()
            self._schedule_each(output)
        output.num_running_reqs, output.num_waiting_reqs = len(self.running), len(self.waiting)
        output.num_free_blocks = pool.get_num_free_blocks()
        self.finished_req_ids.clear()
        self._in_flight.append(output)
        return output

    def _schedule_each(self, output: SchedulerOutput) -> None:
        if self.config.policy == "static" and not self.running:
            self._open_batch_slots = min(self._max_num_active_reqs, len(self.waiting))
        num_scheduled_tokens: ScheduledTokens = {}
        threshold = self._long_prefill_threshold()
        token_budget = self._schedule_running(output, num_scheduled_tokens, threshold)
        self._schedule_waiting(output, num_scheduled_tokens, threshold, token_budget)
        output.num_scheduled_tokens = list(num_scheduled_tokens.items())
        self._update_after_schedule(output, num_scheduled_tokens)
        if output.D and len(self.running) == output.D and not output.P:
            self._begin_steady(output)

    def _schedule_steady(self, steady: SteadyDecode, output: SchedulerOutput) -> None:
        steady.schedule(output)
        if not self.waiting:
            return
        num_scheduled_tokens: ScheduledTokens = {}
        threshold = self._long_prefill_threshold()
        token_budget = self._max_num_scheduled_tokens - output.D
        self._schedule_waiting(output, num_scheduled_tokens, threshold, token_budget)
        if num_scheduled_tokens:
            self._settle()
            output.num_scheduled_tokens = [*steady.num_scheduled_tokens, *num_scheduled_tokens.items()]
            self._update_after_schedule(output, num_scheduled_tokens)

    def _long_prefill_threshold(self) -> int:
        """Return the most tokens that one request may get in this step; 0: no limit (rule 1.2-0)."""
        num_eligible_reqs = len(self.running) + len(self.waiting)
        threshold = self._long_prefill_token_threshold
        if not threshold or (num_eligible_reqs <= 1 and self._rules.threshold_in_company_only):
            return 0
        if self.config.long_prefill_token_threshold_adaptive:
            # vLLM's input budget: a live limit on the tokens of a step does not lower it.
            return max(threshold, self.config.max_num_batched_tokens // num_eligible_reqs)
        return threshold

    # Running requests: tokens in the list's order, preemption if blocks run out (rule 1.2-1).

    def _schedule_running(
        self, output: SchedulerOutput, num_scheduled_tokens: ScheduledTokens, threshold: int
    ) -> int:
        """Give each running request its tokens; returns the rest of the token budget."""
        running, manager = self.running, self.kv_cache_manager
        block_size, enable_caching = manager.block_size, manager.enable_caching
        token_budget, last_position = self._max_num_scheduled_tokens, self._max_model_len - 1
        req_index = 0
        while req_index < len(running) and token_budget > 0:
            request = running[req_index]
            num_computed_tokens = request.num_computed_tokens
            placeholders = request.num_output_placeholders
            if placeholders and (
                num_computed_tokens + 2 - placeholders >= request.num_prompt_tokens + request.max_tokens
            ):
                req_index += 1  # rule a: its step in flight is known to reach max_tokens
                continue
            num_new_tokens = request.num_tokens + placeholders - num_computed_tokens
            if num_new_tokens > 1 or num_computed_tokens >= last_position:
                room = last_position - num_computed_tokens
                num_new_tokens = min(num_new_tokens, threshold or num_new_tokens, token_budget, room)
            if num_new_tokens <= 0:  # rule b: nothing to compute; the requests behind still get their tokens
                req_index += 1
                continue
            end = num_computed_tokens + num_new_tokens
            if end <= len(request.block_ids) * block_size:  # allocate_slots() without a new block
                if enable_caching and min(end, request.num_tokens) // block_size > request.num_cached_blocks:
                    manager.cache_blocks(request, min(end, request.num_tokens))
            elif not manager.allocate_slots(request, num_new_tokens):
                req_index, restored = self._preempt_until_allocated(
                    request, num_new_tokens, req_index, output, num_scheduled_tokens
                )
                token_budget += restored
                if request.status is RequestStatus.PREEMPTED:
                    if self._rules.self_preemption_goes_on and self.config.policy == "priority":
                        continue
                    return token_budget
            num_scheduled_tokens[request] = num_new_tokens
            token_budget -= num_new_tokens
            req_index += 1
        return token_budget

    def _preempt_until_allocated(
        self,
        request: Request,
        num_new_tokens: int,
        req_index: int,
        output: SchedulerOutput,
        num_scheduled_tokens: ScheduledTokens,
    ) -> tuple[int, int]:
        """Preempt until `request`, at `req_index`, has its blocks or is preempted itself (rule 1.2-1-d).

        Returns:
            The index of the request (or of the one behind it), and the tokens that victims give back.
        """
        restored = 0
        while True:
            victim_index = self._victim_index()
            victim = self.running.pop(victim_index)
            if victim_index < req_index:
                req_index -= 1
            restored += num_scheduled_tokens.pop(victim, 0)
            self._preempt_request(victim, output)
            if victim is request or self.kv_cache_manager.allocate_slots(request, num_new_tokens):
                return req_index, restored

    def _victim_index(self) -> int:
        """Return the last admitted under fcfs; under priority the least urgent, first of equals."""
        running = self.running
        if self.config.policy != "priority":
            return len(running) - 1
        return max(range(len(running)), key=lambda i: (running[i].priority, running[i].arrival_time, -i))

    def _preempt_request(self, request: Request, output: SchedulerOutput) -> None:
        """Free all blocks, keep the outputs, put it back to the front of the queue (rule 1.7)."""
        self.kv_cache_manager.free(request)
        output.preempted_reqs.append((request, request.num_computed_tokens))
        request.status = RequestStatus.PREEMPTED
        request.num_computed_tokens = 0
        request.num_stale_output_tokens = request.num_in_flight_tokens
        request.num_output_placeholders = 0
        request.num_preemptions += 1
        self.num_preemptions += 1
        self.waiting.prepend_request(request)

    # Waiting requests: admission from the head of the queue (rule 1.2-2).

    def _schedule_waiting(
        self,
        output: SchedulerOutput,
        num_scheduled_tokens: ScheduledTokens,
        threshold: int,
        token_budget: int,
    ) -> None:
        """Admit requests while slots, budget and blocks last; note why the first one left waits."""
        if not self.waiting:
            return
        if output.preempted_reqs:
            head = self.waiting.peek_request()
            output.head_wait = HeadWait(head.request_id, "preempted_this_step")
            return
        skipped: list[Request] = []
        oversized: list[Request] = []
        while self.waiting:
            request = self.waiting.peek_request()
            reason = self._reason_to_wait(request, token_budget)
            if reason is not None:
                output.head_wait = HeadWait(request.request_id, reason)
                break
            if request.num_stale_output_tokens:  # preempted, and its output in flight is still to come
                skipped.append(self.waiting.pop_request())
                continue
            new_computed_blocks = self.kv_cache_manager.get_computed_blocks(request)
            num_new_tokens = self._first_chunk(request, len(new_computed_blocks), threshold, token_budget)
            if num_new_tokens == 0:
                if self._rules.oversized_prompt_blocks:
                    output.head_wait = HeadWait(request.request_id, "budget")
                    break
                oversized.append(self.waiting.pop_request())
                continue
            if not self._admit(request, num_new_tokens, new_computed_blocks, output):
                output.head_wait = HeadWait(request.request_id, "kv")
                break
            num_scheduled_tokens[request] = num_new_tokens
            token_budget -= num_new_tokens
        self._put_back(output, skipped, oversized)

    def _put_back(self, output: SchedulerOutput, skipped: list[Request], oversized: list[Request]) -> None:
        if skipped:
            self.waiting.prepend_requests(reversed(skipped))
            output.head_wait = output.head_wait or HeadWait(skipped[0].request_id, "preempted_this_step")
        if oversized:  # versions that try the requests behind put them back in reversed order
            self.waiting.prepend_requests(oversized)
            output.head_wait = output.head_wait or HeadWait(oversized[-1].request_id, "budget")

    def _reason_to_wait(self, request: Request, token_budget: int) -> WaitReason | None:
        if token_budget <= 0:
            return "budget"
        if len(self.running) >= self._max_num_active_reqs:
            return "seat"
        closed = self.config.policy == "static" and self._open_batch_slots == 0
        return "seat" if closed and request.status is not RequestStatus.PREEMPTED else None

    def _first_chunk(self, request: Request, num_hit_blocks: int, threshold: int, token_budget: int) -> int:
        """Return the tokens of the first chunk; 0: it exceeds the budget and can't be split (rule d)."""
        num_new_tokens = request.num_tokens - num_hit_blocks * self.kv_cache_manager.block_size
        if 0 < threshold < num_new_tokens:
            num_new_tokens = threshold
        if num_new_tokens > token_budget and not self.config.enable_chunked_prefill:
            return 0
        return min(num_new_tokens, token_budget)

    def _admit(
        self, request: Request, num_new_tokens: int, new_computed_blocks: list[int], output: SchedulerOutput
    ) -> bool:
        """Move the head of the queue to the running requests; False: too few blocks are free."""
        if not self.kv_cache_manager.allocate_slots(
            request,
            num_new_tokens,
            new_computed_blocks,
            full_sequence_must_fit=self.config.scheduler_reserve_full_isl,
            has_scheduled_reqs=bool(self.running),
        ):
            return False
        self.waiting.pop_request()
        if request.status is RequestStatus.PREEMPTED:
            output.scheduled_resumed_reqs.append((request, request.num_computed_tokens))
        else:
            output.scheduled_new_reqs.append((request, request.num_computed_tokens))
            self._open_batch_slots = max(0, self._open_batch_slots - 1)
        request.status = RequestStatus.RUNNING
        if request.first_step is None:
            request.first_step = output.step_index
        self.running.append(request)
        return True

    # Between schedule() and the step's start: its tokens count as computed (rule 1.2-4).

    def _update_after_schedule(self, output: SchedulerOutput, num_scheduled_tokens: ScheduledTokens) -> None:
        """Advance the requests' counters, note prefill chunks, sum up the features of the step model."""
        is_async = self.config.async_scheduling
        prefill_chunks: list[Request] = []
        decodes = contexts = prefilled = 0
        attended = 0.0
        for request, num_tokens in num_scheduled_tokens.items():
            before = request.num_computed_tokens
            after = request.num_computed_tokens = before + num_tokens
            request.num_in_flight_tokens += num_tokens
            if after < request.num_tokens + request.num_output_placeholders:
                prefill_chunks.append(request)
            elif is_async:
                request.num_output_placeholders += 1
            if num_tokens == 1 and before >= request.num_prompt_tokens:
                decodes += 1
                contexts += after
            else:
                prefilled += num_tokens
                attended += num_tokens * (before + num_tokens / 2)
        if prefill_chunks:
            output.prefill_chunk_reqs = frozenset(prefill_chunks)
        output.P += prefilled
        output.D += decodes
        output.K += contexts
        output.Q += attended

    def _begin_steady(self, output: SchedulerOutput) -> None:
        """Count steps from now on, if all steps in flight are of the same kind."""
        tokens = output.num_scheduled_tokens
        if any(earlier.num_scheduled_tokens != tokens or earlier.P for earlier in self._in_flight):
            return
        is_async = self.config.async_scheduling
        self._steady = output.steady = SteadyDecode(self.kv_cache_manager, tokens, is_async=is_async)
        for earlier in self._in_flight:
            earlier.steady = self._steady

    def _settle(self) -> None:
        if self._steady:
            self._steady.settle()
            self._steady = None

    # -- processing a step's output ------------------------------------------------------------------------

    def update_from_output(self, output: SchedulerOutput) -> EngineCoreOutputs:
        """Process the output of a step (rule 1.3).

        Raises:
            ValueError: it is not the oldest step in flight.
        """
        if not self._in_flight or self._in_flight[0] is not output:
            raise ValueError(f"step {output.step_index} is not the oldest in flight")
        self._in_flight.popleft()
        if self._steady:
            if self._steady.may_deliver(output):
                return self._steady.deliver()
            self._settle()
        return self._update_each(output)

    def _update_each(self, output: SchedulerOutput) -> EngineCoreOutputs:
        """Append one token to each request of the step that sampled one; free those that end."""
        outputs = EngineCoreOutputs()
        with_output: list[Request] = []
        stopped_running_reqs: list[Request] = []
        manager, prefill_chunks = self.kv_cache_manager, output.prefill_chunk_reqs
        is_async, preempted = self.config.async_scheduling, RequestStatus.PREEMPTED
        for request, num_tokens in output.num_scheduled_tokens:
            request.num_in_flight_tokens -= num_tokens
            output_is_stale = request.num_stale_output_tokens > 0
            if output_is_stale:
                request.num_stale_output_tokens -= num_tokens
            if request.status > preempted or request in prefill_chunks:
                continue
            request.num_tokens += 1
            with_output.append(request)
            status_before_stop = request.status
            if is_async and not output_is_stale:
                request.num_output_placeholders -= 1
                if manager.enable_caching and status_before_stop is RequestStatus.RUNNING:
                    manager.cache_blocks(
                        request, request.num_computed_tokens - request.num_output_placeholders
                    )
            if request.num_tokens >= request.stop_length:
                outputs.finished_requests.append((request, self._stop(request)))
                if status_before_stop is preempted:  # a token still in flight ended it
                    self.waiting.remove_request(request)
                else:
                    stopped_running_reqs.append(request)
        outputs.outputs = with_output
        if stopped_running_reqs:
            self.running = [request for request in self.running if request.status <= preempted]
        return outputs

    def _stop(self, request: Request) -> FinishReason:
        """Finish a request that reached its length: vLLM's stop checks in their order (rule 1.3-3)."""
        reason: FinishReason = "max_model_len"
        if request.eos_at is not None and request.num_output_tokens > request.eos_at:
            reason = "stop"
        elif request.num_output_tokens >= request.max_tokens:
            reason = "max_tokens"
        stopped = reason == "stop"
        request.finish_reason = reason
        request.status = RequestStatus.FINISHED_STOPPED if stopped else RequestStatus.FINISHED_LENGTH_CAPPED
        self.kv_cache_manager.free(request)
        self.finished_req_ids.add(request.request_id)
        del self.requests[request.request_id]
        return reason

    # -- the prefix cache ----------------------------------------------------------------------------------

    @property
    def num_free_blocks(self) -> int:
        """Blocks without a user, cached ones included."""
        return self.kv_cache_manager.block_pool.get_num_free_blocks()

    @property
    def num_evictions(self) -> int:
        """Cached blocks that were given out again so far."""
        return self.kv_cache_manager.block_pool.num_evictions

    def reset_prefix_cache(self) -> bool:
        """Forget all cached blocks; False, and nothing changes, while any block is in use."""
        return self.kv_cache_manager.reset_prefix_cache()

    # -- live limits --------------------------------------------------------------------------------------

    @property
    def max_num_active_reqs(self) -> int:
        """Running requests at most; may change at any time, and no running request is preempted for it."""
        return self._max_num_active_reqs

    @max_num_active_reqs.setter
    def max_num_active_reqs(self, value: int) -> None:
        maximum = self.config.max_num_seqs
        if not 1 <= value <= maximum:
            place = Place(key="max_num_active_seqs")
            raise Refusal("engine.active_above_sequences", place, value=value, maximum=maximum)
        self._max_num_active_reqs = value

    @property
    def max_num_scheduled_tokens(self) -> int:
        """Tokens of one step; at most `max_num_batched_tokens`, for which the model runner was sized."""
        return self._max_num_scheduled_tokens

    @max_num_scheduled_tokens.setter
    def max_num_scheduled_tokens(self, value: int) -> None:
        maximum = self.config.max_num_batched_tokens
        if not 1 <= value <= maximum:
            place = Place(key="max_num_batched_tokens")
            raise Refusal("engine.budget_above_start", place, value=value, maximum=maximum)
        self._max_num_scheduled_tokens = value

    @property
    def long_prefill_token_threshold(self) -> int:
        """Tokens of one request's prefill in a step while other requests are there; 0: no limit."""
        return self._long_prefill_token_threshold

    @long_prefill_token_threshold.setter
    def long_prefill_token_threshold(self, value: int) -> None:
        if value < 0:
            place = Place(key="long_prefill_token_threshold")
            raise Refusal("base.too_small", place, value=value, minimum=0)
        self._long_prefill_token_threshold = value

    @property
    def num_reserved_blocks(self) -> int:
        """KV blocks withheld from requests, taken as they become free."""
        return self._num_reserved_blocks

    @num_reserved_blocks.setter
    def num_reserved_blocks(self, value: int) -> None:
        maximum = self.config.num_gpu_blocks - 1 - self.config.blocks_per_full_request
        if not 0 <= value <= maximum:
            place = Place(key="parked_kv_blocks")
            raise Refusal("engine.reserved_out_of_range", place, value=value, maximum=maximum)
        self._num_reserved_blocks = value
