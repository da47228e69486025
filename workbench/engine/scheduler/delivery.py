"""Processing a step's output (rule 1.3)."""

from workbench.engine.scheduler.request import FinishReason, Request, Status
from workbench.engine.scheduler.state import State
from workbench.engine.scheduler.step import Step, Update


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
