"""The second phase of a step: admission from the waiting queue (rule 1.2-2)."""

from itertools import islice

from workbench.engine.scheduler.request import Request, Status
from workbench.engine.scheduler.running_phase import Shares
from workbench.engine.scheduler.state import State
from workbench.engine.scheduler.step import HeadWait, Step, WaitReason


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
