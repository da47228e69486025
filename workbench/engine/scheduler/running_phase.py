"""The first phase of a step: tokens for those that run, preemption where blocks run out (rule 1.2-1)."""

from workbench.engine.scheduler.request import Request, Status
from workbench.engine.scheduler.state import State
from workbench.engine.scheduler.step import Step

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
