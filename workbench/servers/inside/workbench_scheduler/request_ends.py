"""Detect ended and preempted requests in any version of vLLM.

Since 0.17 vLLM's `finish_requests` returns the requests that it ended; since 0.12 `_preempt_request` exists.
In older versions both are detected by their effects.
"""

from collections.abc import Callable
from typing import Any


def unfinished(scheduler: Any, request_ids: Any) -> dict[str, Any]:
    """Return the unfinished requests among `request_ids` (None: all), in vLLM's order of ending them."""
    if isinstance(request_ids, str):
        names = [request_ids]
    else:
        names = list(scheduler.requests if request_ids is None else set(request_ids))
    return {name: scheduler.requests[name] for name in names if not _is_over(scheduler, name)}


def ended_ids(scheduler: Any, before: "dict[str, Any]", answer: Any) -> "list[str]":
    """Return which requests of `before` have ended; `answer` is the result of `finish_requests`."""
    if isinstance(answer, list):
        # Pairs of id and client in some versions.
        return [str(one[0] if isinstance(one, tuple) else one.request_id) for one in answer]
    return [name for name in before if _is_over(scheduler, name)]


def _is_over(scheduler: Any, name: str) -> bool:
    request = scheduler.requests.get(name)
    finished = getattr(request, "is_finished", None)
    return request is None or bool(finished and finished())


class FreedBlocksWatch:
    """Detects preemptions by the blocks that schedule() frees: only those of preempted requests."""

    def __init__(self, manager: Any, on_free: "Callable[[Any], None]") -> None:
        self.calling = False
        """True while schedule() runs."""
        free = getattr(manager, "free", None)
        self.possible = free is not None
        if free is not None:
            manager.free = self._watched(free, on_free)

    def _watched(self, free: "Callable[..., Any]", on_free: "Callable[[Any], None]") -> "Callable[..., Any]":
        def watched(request: Any, *args: Any, **kwargs: Any) -> Any:
            if self.calling:
                on_free(request)
            return free(request, *args, **kwargs)

        return watched
