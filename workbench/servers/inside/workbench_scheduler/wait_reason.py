"""The reason why the first waiting request was not admitted in a step."""

from collections.abc import Sequence
from typing import Any


class AllocationWatch:
    """Watches for a refused allocation, if more than blocks can delay the first waiting request."""

    def __init__(self, scheduler: Any) -> None:
        several = ("lora_config", "need_mamba_block_aligned_split", "max_num_encoder_input_tokens")
        self.needed = not scheduler.scheduler_config.enable_chunked_prefill or any(
            getattr(scheduler, name, None) for name in several
        )
        self.refused = False
        if self.needed:
            self._watch(scheduler.kv_cache_manager)

    def _watch(self, manager: Any) -> None:
        allocate = manager.allocate_slots

        def watched(*args: Any, **kwargs: Any) -> Any:
            blocks = allocate(*args, **kwargs)
            self.refused = blocks is None
            return blocks

        manager.allocate_slots = watched
        # A method of its own from 0.19 on, later a part of `allocate_slots`.
        fits = getattr(manager, "can_fit_full_sequence", None)
        if fits is None:
            return

        def watched_fit(*args: Any, **kwargs: Any) -> Any:
            fit = fits(*args, **kwargs)
            self.refused = not fit
            return fit

        manager.can_fit_full_sequence = watched_fit


def wait_reason(
    scheduler: Any, scheduled_tokens: int, preempted: Sequence[object], watch: AllocationWatch
) -> str | None:
    """Return the reason in the order of vLLM's own checks; None for another reason or an empty queue."""
    if not scheduler.get_request_counts()[1]:
        return None
    if preempted:
        return "preempted_this_step"
    if scheduled_tokens >= scheduler.max_num_scheduled_tokens:
        return "budget"
    sessions = getattr(scheduler, "num_waiting_for_streaming_input", 0)
    seats = getattr(scheduler, "max_num_active_reqs", scheduler.max_num_running_reqs)
    if len(scheduler.running) + sessions >= seats:
        return "seat"
    if not scheduler.waiting:
        return None
    if _awaits_output(scheduler.waiting.peek_request()) and all(map(_awaits_output, scheduler.waiting)):
        return "preempted_this_step"
    if watch.refused or not watch.needed:
        return "kv"
    return None if scheduler.scheduler_config.enable_chunked_prefill else "budget"


def _awaits_output(request: Any) -> bool:
    """Return whether it was preempted during its own step, whose output must come back first."""
    stale = getattr(request, "num_stale_output_tokens", 0)
    return bool(stale and not getattr(request, "drop_stale_output", False))
