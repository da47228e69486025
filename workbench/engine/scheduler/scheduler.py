"""vLLM 0.32's V1 scheduler: which request gets how many tokens in the next step.

No clock, no input or output, no randomness: what it decides follows from its settings and from the order of
its calls. Rule numbers in this package are those of `docs/explanation/scheduling-step.md`.
"""

from collections import deque
from collections.abc import Iterable
from itertools import islice

from workbench.base import Place, Refusal
from workbench.engine.scheduler.config import SchedulerConfig
from workbench.engine.scheduler.kv_cache_manager import State
from workbench.engine.scheduler.output import HeadWait, Step, Update, WaitReason
from workbench.engine.scheduler.request import FinishReason, Request, Status
from workbench.engine.scheduler.steady_decode import SteadyDecode

# The first phase of a step: tokens for those that run, preemption where blocks run out (rule 1.2-1).

Shares = dict[Request, int]
"""Tokens given to each request in this step, in scheduling order."""


def serve_running(state: State, step: Step, shares: Shares, cap: int) -> int:
    """Give each running request its tokens, in the list's order; returns the budget left."""
    running, pool, block_size, caching = state.running, state.pool, state.block_size, state.caching
    budget, last_position = state.token_budget, state.max_model_len - 1
    goes_on = state.rules.self_preemption_goes_on and state.config.policy == "priority"
    index = 0
    while index < len(running) and budget > 0:
        request = running[index]
        computed, placeholders = request.computed, request.placeholders
        if placeholders and computed - placeholders + 2 >= request.prompt_len + request.max_tokens:
            index += 1  # rule a: its step in flight is known to reach max_tokens
            continue
        count = request.tokens + placeholders - computed
        if count > 1 or computed >= last_position:
            count = min(count, cap or count, budget, last_position - computed)
        if count <= 0:  # rule b: nothing to compute; those behind still get theirs
            index += 1
            continue
        end = computed + count
        if end > len(request.blocks) * block_size:
            need = -(-end // block_size) - len(request.blocks)
            if need > pool.free:
                ahead = running[:index]
                budget += make_room(state, step, shares, request, need)
                index = sum(each.status is not Status.PREEMPTED for each in ahead)
                if request.status is Status.PREEMPTED:  # it was itself the last resort
                    if goes_on:
                        continue
                    return budget
            request.blocks += pool.take(need)
        if caching:
            state.register(request, min(end, request.tokens))
        shares[request] = count
        budget -= count
        index += 1
    return budget


def make_room(state: State, step: Step, shares: Shares, request: Request, need: int) -> int:
    """Preempt until `need` blocks are free or `request` was hit itself; returns tokens given back (d)."""
    returned = 0
    while need > state.pool.free and request.status is not Status.PREEMPTED:
        victim = state.running.pop(_victim_index(state))
        state.preempt(victim, step)
        returned += shares.pop(victim, 0)  # it may stand before the request and have had its share
    return returned


def _victim_index(state: State) -> int:
    """fcfs: the last admitted. priority: the least urgent by (priority, arrival time), first of equals."""
    running = state.running
    if state.config.policy != "priority":
        return len(running) - 1
    return max(range(len(running)), key=lambda i: (running[i].priority, running[i].arrival_time, -i))


# The second phase of a step: admission from the waiting queue (rule 1.2-2).


def admit_waiting(state: State, step: Step, shares: Shares, cap: int, budget: int) -> None:
    """Admit from the head while seats, budget and blocks last; note why the first one left waits."""
    if not state.waiting:
        return
    if step.preempted:
        step.head_wait = HeadWait(state.waiting.head().id, "preempted_this_step")
        return
    set_aside: list[Request] = []
    oversized: list[Request] = []
    while state.waiting:
        request = state.waiting.head()
        refusal = _refusal(state, request, budget)
        if refusal is not None:
            step.head_wait = HeadWait(request.id, refusal)
            break
        if request.stale:  # preempted, and its output in flight is still to come
            set_aside.append(state.waiting.pop())
            continue
        hits = _cached_blocks(state, request)
        count = _share(state, request, len(hits), cap, budget)
        if count == 0:
            if state.rules.oversized_prompt_blocks:
                step.head_wait = HeadWait(request.id, "budget")
                break
            oversized.append(state.waiting.pop())
            continue
        if not _fits(state, request, hits, count):
            step.head_wait = HeadWait(request.id, "kv")
            break
        state.waiting.pop()
        _seat(state, step, request, hits, count)
        shares[request] = count
        budget -= count
    if set_aside:
        state.waiting.put_back_all(set_aside)
        step.head_wait = step.head_wait or HeadWait(set_aside[0].id, "preempted_this_step")
    if oversized:  # versions that try those behind put them back in reversed order
        state.waiting.put_back_all(reversed(oversized))
        step.head_wait = step.head_wait or HeadWait(oversized[-1].id, "budget")


def _refusal(state: State, request: Request, budget: int) -> WaitReason | None:
    if budget <= 0:
        return "budget"
    if len(state.running) >= state.max_running:
        return "seat"
    closed = state.config.policy == "static" and state.batch_places == 0
    return "seat" if closed and request.status is not Status.PREEMPTED else None


def _cached_blocks(state: State, request: Request) -> list[int]:
    """Leading blocks found in the prefix cache; never the block of the last token (rule 1.5)."""
    if not state.caching or request.skip_reading_prefix_cache:
        return []
    limit, known = (request.tokens - 1) // state.block_size, request.block_keys
    found = state.pool.find(islice(known, limit))
    if len(found) < len(known) or limit <= len(known):
        return found
    return found + state.pool.find(request.keys(len(known), limit))


def _share(state: State, request: Request, hit_blocks: int, cap: int, budget: int) -> int:
    """Tokens of its first chunk; 0 if chunked prefill is off and the rest exceeds the budget (rule d)."""
    count = request.tokens - hit_blocks * state.block_size
    if 0 < cap < count:
        count = cap
    if count > budget and not state.config.enable_chunked_prefill:
        return 0
    return min(count, budget)


def _fits(state: State, request: Request, hits: list[int], count: int) -> bool:
    """Both gates of rule 1.4: the whole sequence known so far, then this chunk. Nothing is reserved."""
    config, pool, block_size = state.config, state.pool, state.block_size
    watermark = int(config.watermark * config.num_gpu_blocks) if state.running else 0
    extra = pool.unused(hits) + watermark - len(hits)
    whole = min(request.tokens, state.max_model_len) if config.scheduler_reserve_full_isl else 0
    chunk = min(len(hits) * block_size + count, state.max_model_len)
    return -(-max(whole, chunk) // block_size) + extra <= pool.free


def _seat(state: State, step: Step, request: Request, hits: list[int], count: int) -> None:
    block_size, pool = state.block_size, state.pool
    computed = len(hits) * block_size
    pool.adopt(hits)
    request.blocks = hits + pool.take(-(-(computed + count) // block_size) - len(hits))
    request.registered = len(hits)
    request.computed = computed
    resumed = request.status is Status.PREEMPTED
    (step.resumed if resumed else step.new).append((request, computed))
    request.status = Status.RUNNING
    if request.first_step is None:
        request.first_step = step.number
    if not resumed:
        state.batch_places = max(0, state.batch_places - 1)
    state.running.append(request)
    if state.caching:
        state.register(request, min(computed + count, request.tokens))


# After a step was decided, before it runs: its tokens count as computed (rule 1.2-4).


def launch(step: Step, shares: Shares, *, is_async: bool) -> None:
    """Advance each request by its share, note who yields no token, add up what the step model asks for."""
    silent: list[Request] = []
    decodes = contexts = prefilled = 0
    attended = 0.0
    for request, count in shares.items():
        before = request.computed
        after = request.computed = before + count
        request.in_flight += count
        if after < request.tokens + request.placeholders:
            silent.append(request)
        elif is_async:
            request.placeholders += 1
        if count == 1 and before >= request.prompt_len:
            decodes += 1
            contexts += after
        else:
            prefilled += count
            attended += count * (before + count / 2)
    if silent:
        step.silent = frozenset(silent)
    step.P += prefilled
    step.D += decodes
    step.K += contexts
    step.Q += attended


# Processing a step's output (rule 1.3).


def deliver(state: State, step: Step) -> Update:
    """Append one token to each request of the step that sampled one; free those that end."""
    update = Update()
    emitted: list[Request] = []
    silent, is_async = step.silent, state.config.async_scheduling
    for request, count in step.entries:
        request.in_flight -= count
        stale = request.stale > 0
        if stale:
            request.stale -= count
        if request.finish_reason is not None or request.status is Status.ABORTED or request in silent:
            continue
        request.tokens += 1
        emitted.append(request)
        if is_async and not stale:
            request.placeholders -= 1
            if state.caching and request.status is Status.RUNNING:
                state.register(request, request.computed - request.placeholders)
        if request.tokens >= request.stop_len:
            reason = request.finish_reason = _reason(request)
            update.finished.append((request, reason))
            state.give_back(request)
    update.emitted = emitted
    if update.finished:
        _retire(state, update.finished)
    return update


def _reason(request: Request) -> FinishReason:
    """Why one that reached its length ends: the stop checks in vLLM's order (rule 1.3-3)."""
    if request.eos_at is not None and request.outputs > request.eos_at:
        return "stop"
    return "max_tokens" if request.outputs >= request.max_tokens else "max_model_len"


def _retire(state: State, finished: list[tuple[Request, FinishReason]]) -> None:
    """Take the finished ones out of their queues, after all of the step's output was processed."""
    for request, _ in finished:
        if request.status is Status.PREEMPTED:  # a token still in flight ended it
            state.waiting.remove(request)
        request.status = Status.FINISHED
        state.finished_ids.add(request.id)
        del state.by_id[request.id]
    state.running = [request for request in state.running if request.status is not Status.FINISHED]


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
            Refusal: the prompt leaves no room for an output token, or a request of that id is alive.
        """
        state = self._state
        if not 0 < request.prompt_len < state.max_model_len:
            raise Refusal(
                "engine.prompt_too_long",
                request=request.id,
                tokens=request.prompt_len,
                length=state.max_model_len,
            )
        if request.max_tokens < 1:
            raise Refusal("engine.no_output_tokens", request=request.id, value=request.max_tokens)
        if request.id in state.by_id:
            raise Refusal("engine.duplicate_request", request=request.id)
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
            place = Place(key="max_num_active_seqs")
            raise Refusal(
                "engine.active_above_sequences", place, value=seats, maximum=self.config.max_num_seqs
            )
        self._state.max_running = seats

    @property
    def token_budget(self) -> int:
        """Tokens of one step; at most `max_num_batched_tokens`, for which the runner was sized."""
        return self._state.token_budget

    @token_budget.setter
    def token_budget(self, tokens: int) -> None:
        if not 1 <= tokens <= self.config.max_num_batched_tokens:
            place, most = Place(key="max_num_batched_tokens"), self.config.max_num_batched_tokens
            raise Refusal("engine.budget_above_start", place, value=tokens, maximum=most)
        self._state.token_budget = tokens

    @property
    def long_prefill_token_threshold(self) -> int:
        """Tokens of one request's prefill in a step while others contend; 0 is no cap."""
        return self._state.threshold

    @long_prefill_token_threshold.setter
    def long_prefill_token_threshold(self, tokens: int) -> None:
        if tokens < 0:
            place = Place(key="long_prefill_token_threshold")
            raise Refusal("base.too_small", place, value=tokens, minimum=0)
        self._state.threshold = tokens

    @property
    def parked_blocks(self) -> int:
        """KV blocks withheld from requests, taken as they become free."""
        return self._state.parked_blocks

    @parked_blocks.setter
    def parked_blocks(self, blocks: int) -> None:
        most = self.config.num_gpu_blocks - 1 - self.config.blocks_per_full_request
        if not 0 <= blocks <= most:
            raise Refusal(
                "engine.reserved_out_of_range", Place(key="parked_kv_blocks"), value=blocks, maximum=most
            )
        self._state.parked_blocks = blocks
