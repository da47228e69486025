"""Setters of the limits that can change while the engine runs."""

from typing import Any

from workbench.base import Place, Refusal
from workbench.controls import LIVE_LIMITS
from workbench.engine.scheduler import Scheduler

ATTRIBUTES = {
    "max_num_active_seqs": "max_num_active_reqs",
    "max_num_batched_tokens": "max_num_scheduled_tokens",
    "long_prefill_token_threshold": "long_prefill_token_threshold",
    "parked_kv_blocks": "num_reserved_blocks",
}
"""Scheduler attribute of each live limit."""


def current_limits(scheduler: Scheduler) -> dict[str, int]:
    """Return the current values."""
    return {name: getattr(scheduler, attribute) for name, attribute in ATTRIBUTES.items()}


def limit_ranges(scheduler: Scheduler) -> dict[str, tuple[int, int]]:
    """Return the lowest and highest value of each, as with the plug-in inside a real vLLM."""
    config = scheduler.config
    # Without chunked prefill a prompt above the budget would wait forever.
    least = 1 if config.enable_chunked_prefill else min(config.max_model_len, config.max_num_batched_tokens)
    return {
        "max_num_active_seqs": (1, config.max_num_seqs),
        "max_num_batched_tokens": (least, config.max_num_batched_tokens),
        "long_prefill_token_threshold": (0, config.max_model_len),
        "parked_kv_blocks": (0, config.num_gpu_blocks - 1 - config.blocks_per_full_request),
    }


def set_limits(scheduler: Scheduler, wanted: dict[str, Any]) -> dict[str, dict[str, int]]:
    """Change limits, all or none of them.

    Returns:
        The `old` and the `new` value of each.

    Raises:
        Refusal: an unknown name, not a whole number, or out of range.
    """
    before = current_limits(scheduler)
    try:
        for name, value in wanted.items():
            _set(scheduler, name, value)
    except Refusal:
        for name, value in before.items():
            setattr(scheduler, ATTRIBUTES[name], value)
        raise
    return {name: {"old": before[name], "new": wanted[name]} for name in wanted}


def _set(scheduler: Scheduler, name: str, value: object) -> None:
    if name not in LIVE_LIMITS:
        raise Refusal("engine.limit_not_live", Place(key=name), known=list(LIVE_LIMITS))
    low, high = limit_ranges(scheduler)[name]
    if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
        place, shown = Place(key=name), repr(value)
        if name == "parked_kv_blocks":
            raise Refusal("engine.reserved_out_of_range", place, value=shown, maximum=high)
        raise Refusal("engine.limit_out_of_range", place, value=shown, minimum=low, maximum=high)
    setattr(scheduler, ATTRIBUTES[name], value)
