"""The first phase of a step: tokens for those that run, preemption where blocks run out (rule 1.2-1)."""

from workbench.engine.scheduler.request import Request
from workbench.engine.scheduler.state import State
from workbench.engine.scheduler.step import Step

Shares = dict[Request, int]
"""Tokens given to each request in this step, in scheduling order."""


def serve_running(state: State, step: Step, shares: Shares, cap: int) -> int:
    """Give each running request its tokens, in the list's order; returns the budget left."""
    running, pool, block_size = state.running, state.pool, state.block_size
    budget, last_position = state.token_budget, state.max_model_len - 1
    index = 0
    while index < len(running) and budget > 0:
        request = running[index]
        count = _wanted(request, cap, budget, last_position)
        if count == 0:  # nothing to compute; those behind still get theirs
            index += 1
            continue
        need = -(-(request.computed + count) // block_size) - len(request.blocks)
        while need > pool.free:
            victim = running.pop(_victim_index(state))
            state.preempt(victim, step)
            if victim is request:
                return budget  # it was the last resort: the phase ends
            if victim in shares:  # it stood before the request and had its share
                budget += shares.pop(victim)
            index = running.index(request)
        if need > 0:
            request.blocks += pool.take(need)
        if state.caching:
            state.register(request, min(request.computed + count, request.tokens))
        shares[request] = count
        budget -= count
        index += 1
    return budget


def _wanted(request: Request, cap: int, budget: int, last_position: int) -> int:
    """Tokens to compute now, 0 if its step in flight is known to reach `max_tokens` (rules a and b)."""
    placeholders = request.placeholders
    ahead = request.computed - placeholders
    if placeholders and ahead + 2 >= request.prompt_len + request.max_tokens:
        return 0
    count = request.tokens - ahead
    if 0 < cap < count:
        count = cap
    return min(count, budget, last_position - request.computed)


def _victim_index(state: State) -> int:
    """fcfs: the last admitted. priority: the least urgent by (priority, arrival time), first of equals."""
    running = state.running
    if state.config.policy != "priority":
        return len(running) - 1
    return max(range(len(running)), key=lambda i: (running[i].priority, running[i].arrival_time, -i))
