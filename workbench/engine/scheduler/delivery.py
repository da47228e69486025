"""Processing a step's output (rule 1.3)."""

from workbench.engine.scheduler.request import FinishReason, Request, Status
from workbench.engine.scheduler.state import State
from workbench.engine.scheduler.step import Step, Update


def deliver(state: State, step: Step) -> Update:
    """Append one token to each request of the step that sampled one; free those that end."""
    update = Update()
    emitted: list[Request] = []
    is_async = state.config.async_scheduling
    for request, count in step.entries:
        request.in_flight -= count
        stale = request.stale > 0
        if stale:
            request.stale -= count
        if request.finish_reason is not None or request.status is Status.ABORTED or request in step.silent:
            continue
        request.tokens += 1
        emitted.append(request)
        reason = _end(request, state)
        was_running = request.status is Status.RUNNING
        if is_async and not stale:
            request.placeholders -= 1
            if was_running and state.caching:
                state.register(request, request.computed - request.placeholders)
        if reason is not None:
            request.finish_reason = reason
            update.finished.append((request, reason))
            state.give_back(request)
    update.emitted = emitted
    if update.finished:
        _retire(state, update.finished)
    return update


def _end(request: Request, state: State) -> FinishReason | None:
    """The stop checks, in vLLM's order (rule 1.3-3)."""
    outputs = request.tokens - request.prompt_len
    if request.eos_at is not None and outputs > request.eos_at:
        return "stop"
    if outputs >= request.max_tokens:
        return "max_tokens"
    return "max_model_len" if request.tokens >= state.max_model_len else None


def _retire(state: State, finished: list[tuple[Request, FinishReason]]) -> None:
    """Take the finished ones out of their queues, after all of the step's output was processed."""
    for request, _ in finished:
        if request.status is Status.PREEMPTED:  # a token still in flight ended it
            state.waiting.remove(request)
        request.status = Status.FINISHED
        state.finished_ids.add(request.id)
        del state.by_id[request.id]
    state.running = [request for request in state.running if request.status is not Status.FINISHED]
